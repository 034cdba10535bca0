#!/bin/bash
# tests/e2e/demo.sh BUILD: the demo catches its cheat and leaves nothing; its
# market also buys a job of class R and a search.
set -euo pipefail
build=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export TMPDIR=$work/tmp
mkdir "$TMPDIR"
examples=$(cd "$(dirname "$0")/../../examples" && pwd)
then=('' histogram hashsearch)
for seed in 1 2 3; do
  name=${then[seed - 1]}
  timeout 120 "$build/weft" demo --seed $seed -q --json --out "$work/out$seed" \
    ${name:+--then "$examples/$name/manifest.json"} >"$work/json"
  cat "$work/json"
  grep -q '"caught": *true' "$work/json"
  [ -z "$(ls -A "$TMPDIR")" ] || { echo "left behind: $(ls "$TMPDIR")"; exit 1; }
done
# What was bought is what this machine computes.
"$build/weft" job run "$examples/mandelbrot/manifest.json" --local -q -o "$work/local" >/dev/null
cmp "$work/local/pixels.rgb" "$work/out1/pixels.rgb"
cmp "$work/local/pixels.rgb" "$work/out2/pixels.rgb"
for seed in 2 3; do
  name=${then[seed - 1]}
  "$build/weft" job run "$examples/$name/manifest.json" --local -q -o "$work/$name" >/dev/null
  for f in "$work/$name"/*.bin; do cmp "$f" "$work/out$seed/then/$(basename "$f")"; done
done
