#!/usr/bin/env bash
# docs/facts.md is what the table specifications say today.
set -euo pipefail
page=$(dirname -- "$GPUDOCTOR")/facts-page
"$page" | diff -u "$SOURCE_DIR/docs/facts.md" - || {
    printf 'make it anew: %s > docs/facts.md\n' "build/test/facts-page"
    exit 1
}
