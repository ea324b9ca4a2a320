#!/bin/sh
# Tests the real loader: its option, its records, and its behaviour without a compiler.
#   loader.sh ASSAY SCENARIO      SCENARIO passes on sim
assay=$1 scenario=$2
. "$(dirname "$0")/harness.sh"

sed 's/equals: \[[^]]*\]/equals: {fill: 123456789}/' "$scenario" >"$folder/fails.yaml"
mkdir "$folder/temporary"
export TMPDIR="$folder/temporary"

expect 2 run "$scenario" --loader reel
says "unknown loader 'reel'; did you mean 'real'?"
expect 0 run "$scenario" --on sim --loader simulated --json "$folder/records"
grep -q conditions "$folder/records" && fail "the simulated loader was recorded as a condition" "$folder/records"
# Records of the other loader are not reused.
expect 0 run "$scenario" --on sim --loader real --json "$folder/records" --resume
says '"conditions":"--loader real"' "$folder/records"
expect 1 run "$folder/fails.yaml" --on sim --loader real
says "again: assay run $folder/fails.yaml --on sim --loader real"
expect 1 why "$folder/fails.yaml" sim --loader real
expect 0 explain "$scenario" --loader real
says "on sim: PASS"

export CC=no-such-compiler
expect 3 run "$scenario" --on sim --loader real
says "apt-get install gcc"
says "1 UNAVAILABLE"
export CC=false
expect 3 run "$scenario" --on sim --loader real
says "ended with status 1"
says "1 NOT_RUN"
unset CC

# No temporary folder remains.
rmdir "$folder/temporary" || fail "a temporary folder was not removed"
[ $failures -eq 0 ]
