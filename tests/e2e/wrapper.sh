#!/usr/bin/env bash
# scripts/gpudoctor: from another folder, through a link, without a build when nothing has changed.
set -euo pipefail

fault() { printf '%s\n' "$*"; exit 1; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
ln -s "$SOURCE_DIR/scripts/gpudoctor" "$folder/gd"
cd "$folder"

"$SOURCE_DIR/scripts/gpudoctor" --version >first 2>first.err # builds, if that is to be done
start=$(date +%s%N)
./gd --version >second 2>second.err
took=$((($(date +%s%N) - start) / 1000000))
cmp first second || fault "the link gives another answer"
[ -s second ] || fault "no version"
[ ! -s second.err ] || fault "a later call says: $(cat second.err)"
[ $took -lt 500 ] || fault "a later call took $took ms"

# Arguments and exit status go through unchanged.
status=0
./gd --no-such-option >out 2>err || status=$?
[ $status -eq 2 ] || fault "a wrong option gives status $status, not 2"
[ ! -s out ] || fault "a wrong option prints to standard output"
[ "$(wc -l <err)" -le 2 ] || fault "more than a line about a wrong option: $(cat err)"
