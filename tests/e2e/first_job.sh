#!/bin/bash
# tests/e2e/first_job.sh BUILD: the commands of doc/first-job.md, as they stand.
set -euo pipefail
top=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "$1" && pwd)
work=$(mktemp -d)
stop() { for n in "$work"/market/*/pid; do [ -e "$n" ] && kill "$(cat "$n")" 2>/dev/null; done; rm -rf "$work"; }
trap stop EXIT
awk '/^```sh$/ { on = 1; next } /^```$/ { on = 0 } on' "$top/doc/first-job.md" >"$work/script"
cd "$work"
PATH=$build:$PATH timeout 240 bash -euo pipefail script | tee out
grep -q 'checked and right' out
