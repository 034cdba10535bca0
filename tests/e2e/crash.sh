#!/bin/bash
# tests/e2e/crash.sh BUILD: kill -9 anybody at any moment; everything ends and the money adds up.
set -euo pipefail
exec python3 "$(dirname "$0")/crash.py" "$1"
