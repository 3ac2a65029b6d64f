#!/usr/bin/env bash
# --help, the manual and the README tell of the same commands and options.
set -euo pipefail

fault() { printf '%s\n' "$*"; exit 1; }

"$GPUDOCTOR" --help >/dev/null
for command in archs check deps facts query rules; do
    help=$("$GPUDOCTOR" "$command" --help)
    grep -q '^examples:' <<<"$help" || fault "$command --help has no examples"
    for option in $(grep -oE '^  --[a-z-]+' <<<"$help"); do
        grep -qE "Fl -${option#--}( |\$)" "$SOURCE_DIR/docs/gpudoctor.1" ||
            fault "the manual does not know $option of $command"
    done
    grep -q "gpudoctor $command" "$SOURCE_DIR/README.md" || fault "README does not show $command"
done
# what the documents promise exists
helps=$(for command in archs check deps facts query rules; do "$GPUDOCTOR" "$command" --help; done)
for option in $(grep -oE '(^| |`)--[a-z][a-z-]+' "$SOURCE_DIR/README.md" | tr -d ' `' | sort -u); do
    case $option in
        --build | --target) continue ;; # cmake's
        --index-url) continue ;; # pip's
        --library-path) continue ;; # the loader's
    esac
    grep -q -- "$option" <<<"$helps" || fault "README names $option, which no command has"
done
"$GPUDOCTOR" --version | grep -qE '^gpudoctor [0-9]+\.[0-9]+\.[0-9]+, rules [0-9.]+$'
