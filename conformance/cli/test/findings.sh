#!/bin/sh
# Tests every check of the simulated device with the real program: a scenario that expects a finding passes; without
# the expectation, or if it expects a different finding, it fails and reports the finding and its location.
#   findings.sh ASSAY FOLDER     FOLDER contains the device's scenarios
assay=$1 scenarios=$2
. "$(dirname "$0")/harness.sh"

# matches PATTERN [FILE]: checks that a line of the last output, or of the file, matches.
matches() {
    grep -qE -e "$1" "${2:-$folder/out}" || fail "nothing matches: $1" "${2:-}"
}

kinds=0
for scenario in "$scenarios"/*.yaml; do
    # One expectation per line, in flow style: " - expect: {finding: KIND, kernel: KERNEL, ...}".
    found=$(sed -n 's/^ *- expect: {finding: \([^,}]*\), kernel: \([^,}]*\).*/\1 \2/p' "$scenario")
    [ -n "$found" ] || continue
    grep -v '^ *- expect: {finding:' "$scenario" >"$folder/unexpected.yaml"
    grep -q '^ *- expect:' "$folder/unexpected.yaml" || # a scenario must expect something
        echo '  - expect: {launches: 1}' >>"$folder/unexpected.yaml"
    expect 1 run "$folder/unexpected.yaml" --on sim --timeout 240 --json "$folder/records"
    echo "$found" >"$folder/found"
    while read -r kind kernel; do
        kinds=$((kinds + 1))
        matches "$kind in kernel '$kernel'.*, step at line [0-9]+: .+"
        matches "\"message\":\".*$kind in kernel '$kernel'" "$folder/records"
    done <"$folder/found"
    matches '"line":[0-9]+' "$folder/records"
    # The source's line is known, unless the code is assembly, which has no debug information, or the finding is in a
    # function that the headers of SYCL declare.
    grep -qE 'language: (spirv-asm|sycl)' "$scenario" || matches " in kernel '[^']*' at line [0-9]+, step at line "
done
[ "$kinds" -ge 10 ] || fail "only $kinds findings are expected in $scenarios"

# A finding of another kind, or in another kernel, is not the expected one.
one=$scenarios/out_of_bounds.yaml
expect 0 run "$one" --on sim
sed 's/finding: out-of-bounds/finding: misaligned/; s/, memory: data, offset: 32//' "$one" >"$folder/other.yaml"
expect 1 run "$folder/other.yaml" --on sim
says "out-of-bounds in kernel 'square' at line "
says "store of 4 bytes at offset 32 of 'data' (32 bytes) by work-item (8, 0, 0)"
expect 1 why "$folder/other.yaml" sim
matches "FAILS +line [0-9]+: finding misaligned$"
matches "FAILS +line [0-9]+: finding out-of-bounds data$"
sed 's/offset: 32/offset: 36/' "$one" >"$folder/other.yaml"
expect 1 run "$folder/other.yaml" --on sim

# The message contains the step's id and the other findings.
sed 's/  - submit:/  - id: first\n    submit:/; /finding/d' "$one" >"$folder/named.yaml"
sed -i 's/data\[i\] = (int)(i \* i);/data[i + 8] = data[i + 16];/' "$folder/named.yaml"
expect 1 run "$folder/named.yaml" --on sim
says "step 'first' at line "
matches "and out-of-bounds in kernel 'square'"
[ $failures -eq 0 ] || echo "$failures failures"
[ $failures -eq 0 ]
