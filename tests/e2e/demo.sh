#!/bin/bash
# tests/e2e/demo.sh BUILD: the demo catches its cheat and leaves nothing.
set -euo pipefail
build=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export TMPDIR=$work/tmp
mkdir "$TMPDIR"
for seed in 1 2 3; do
  timeout 120 "$build/weft" demo --seed $seed -q --json --out "$work/out$seed" >"$work/json"
  cat "$work/json"
  grep -q '"caught": *true' "$work/json"
  [ -z "$(ls -A "$TMPDIR")" ] || { echo "left behind: $(ls "$TMPDIR")"; exit 1; }
done
# What was bought is what this machine computes.
"$build/weft" job run "$(dirname "$0")/../../examples/mandelbrot/manifest.json" --local -q -o "$work/local" >/dev/null
cmp "$work/local/pixels.rgb" "$work/out1/pixels.rgb"
cmp "$work/local/pixels.rgb" "$work/out2/pixels.rgb"
