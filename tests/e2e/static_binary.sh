#!/usr/bin/env bash
# The static program needs nothing but libc and runs on the glibc that the README promises.
set -euo pipefail

program=$GPUDOCTOR_STATIC
readme=$SOURCE_DIR/README.md
fault() { printf '%s\n' "$*"; exit 1; }

promised=$(grep -oE 'glibc [0-9]+\.[0-9]+ or newer' "$readme" | head -n 1 | grep -oE '[0-9]+\.[0-9]+')
[ -n "$promised" ] || fault "README.md does not say 'glibc N.N or newer'"

# libm is a part of glibc: SQLite's log, exp and pow. The loader is in the list on some machines.
needed=$(readelf -dW "$program" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
[ -n "$needed" ] || fault "nothing is NEEDED: then dlopen of the driver's library cannot work"
for library in $needed; do
    case $library in
        libc.so.6 | libm.so.6 | ld-linux*.so.*) ;;
        *) fault "needs $library" ;;
    esac
done
readelf -dW "$program" | grep -E 'RPATH|RUNPATH' && fault "has a search path"

newest=$(readelf -VW "$program" | grep -oE 'GLIBC_[0-9]+(\.[0-9]+)+' | sed 's/GLIBC_//' | sort -Vu |
    tail -n 1)
printf 'needs %s; glibc %s, promised %s\n' "${needed//$'\n'/ }" "$newest" "$promised"
if [ "$(printf '%s\n' "$newest" "$promised" | sort -V | tail -n 1)" != "$promised" ]; then
    readelf --dyn-syms -W "$program" | grep -F "GLIBC_$newest"
    fault "needs glibc $newest"
fi
[ "$newest" = "$promised" ] || fault "README.md promises $promised, $newest would do"

# Both programs are one version and know the same rules.
[ "$("$program" --version)" = "$("$GPUDOCTOR_RELEASE" --version)" ] || fault "--version differs"
"$program" rules list >"${TMPDIR:-/tmp}/static_rules.$$"
"$GPUDOCTOR_RELEASE" rules list | cmp - "${TMPDIR:-/tmp}/static_rules.$$" || fault "rules differ"
rm -f "${TMPDIR:-/tmp}/static_rules.$$"
