#!/bin/sh
# Tests expectation files, JUnit reports and `assay why` with the real program.
#   results.sh ASSAY SCENARIO REQUIREMENTS     SCENARIO passes on sim and expects a memory
assay=$1 scenario=$2 requirements=$3
. "$(dirname "$0")/harness.sh"

# entry SIGNATURE [LINE...]: writes an expectation file with a single entry, for s/fails.yaml.
entry() {
    printf 'assay_expectations: 1\nsubject: sim\nentries:\n  - scenario: s/fails.yaml\n' \
        >"$folder/expectations/sim.yaml"
    printf '    signature: "%s"\n    class: permitted-divergence\n    reason: It is left open.\n' "$1" \
        >>"$folder/expectations/sim.yaml"
    shift
    for line; do echo "    $line" >>"$folder/expectations/sim.yaml"; done
}

mkdir "$folder/s" "$folder/expectations" "$folder/more"
cp "$requirements" "$folder/requirements.yaml"
cp "$scenario" "$folder/s/passes.yaml"
sed 's/equals: \[[^]]*\]/equals: {fill: 123456789}/' "$scenario" >"$folder/s/fails.yaml"
fails=$folder/s/fails.yaml

expect 1 run "$fails" --on sim --json "$folder/records"
signature=$(sed 's/.*"signature":"\([^"]*\)".*/\1/' "$folder/records")

# A scenario that passes on another runtime is a witness of the rules that it cites; the reference is none.
expect 0 run "$folder/s/passes.yaml" --on sim --json "$folder/records"
expect 0 requirements "$folder" --from "$folder/records"
says "DL: 131 rules, 9 cited, 122 uncited, 0 with another runtime as witness"
sed -i 's/"subject":"sim"/"subject":"dpcpp"/' "$folder/records"
expect 0 requirements "$folder" --from "$folder/records"
says "DL: 131 rules, 9 cited, 122 uncited, 9 with another runtime as witness"
expect 2 requirements "$folder" --from "$folder/no-records"

# The failure matches its entry; the report, the record and the JUnit file name the entry.
entry "$signature"
expect 0 run "$folder/s" --on sim --json "$folder/records" --junit "$folder/junit.xml"
says "sim: 1 PASS, 0 SKIP, 1 XFAIL"
says "permitted divergence, left open by the documents: It is left open."
says '"verdict":"XFAIL"' "$folder/records"
says '"class":"permitted-divergence","reason":"It is left open."' "$folder/records"
says '<testsuite name="sim" tests="2" failures="0" errors="0" skipped="1"' "$folder/junit.xml"
grep -qi defect "$folder/out" "$folder/records" "$folder/junit.xml" && failures=$((failures + 1))
expect 0 why "$fails" sim
says "XFAIL $fails on sim"
says "123456789"
says "The rule: "

# Kept records are judged again with the current expectation files.
rm "$folder/expectations/sim.yaml"
expect 1 run "$folder/s" --on sim --json "$folder/records" --resume
says "sim: 1 PASS, 0 SKIP, 0 XFAIL, 1 FAIL"

entry "step1:other:-:-"
expect 1 run "$fails" --on sim
says "XFAIL_MISMATCH $fails"
says "expected: step1:other:-:- ("
expect 1 why "$fails" sim

entry "$signature" "driver: no such driver"
expect 1 run "$fails" --on sim
says 'not applied: '

entry "$signature"
sed -i 's/fails/passes/' "$folder/expectations/sim.yaml"
expect 1 run "$folder/s/passes.yaml" --on sim --junit "$folder/junit.xml"
says "sim: 0 PASS, 0 SKIP, 0 XFAIL, 1 XPASS"
says '<failure message="XPASS: PASS, but ' "$folder/junit.xml"

sed -i 's/passes/gone/' "$folder/expectations/sim.yaml"
expect 1 run "$folder/s/passes.yaml" --on sim
says "there is no such scenario; remove the entry"

# An entry for a skipped scenario is unused, and --skip-status does not hide that. PoCL skips the scenario because it
# has no unified shared memory.
sed 's/^memory:/memory:\n  shared: {type: int, usm: shared, count: 1}/' "$scenario" >"$folder/s/skips.yaml"
mv "$folder/expectations/sim.yaml" "$folder/kept"
expect 77 run "$folder/s/skips.yaml" --on pocl --skip-status 77
sed 's/gone/skips/; s/subject: sim/subject: pocl/' "$folder/kept" >"$folder/expectations/pocl.yaml"
expect 1 run "$folder/s/skips.yaml" --on pocl --skip-status 77
says "s/skips.yaml on pocl: SKIP, "
rm "$folder/expectations/pocl.yaml"

# Invalid files stop the run before it begins.
entry "$signature" "refrence: DL"
expect 2 run "$fails" --on sim
says "$folder/expectations/sim.yaml:8:5: error: unknown key 'refrence'"
says "did you mean 'reference'?"
expect 2 why "$fails" sim
rm "$folder/expectations/sim.yaml"
expect 2 run "$fails" --on sim --expectations "$folder/none"
says "$folder/none: cannot be read"
entry "$signature"
mv "$folder/expectations/sim.yaml" "$folder/more/sim.yaml"
expect 0 run "$fails" --on sim --expectations "$folder/more"

# Reports that cannot be written, and one that is written in place.
expect 3 run "$scenario" --on sim --junit "$folder/none/junit.xml"
says "--junit $folder/none/junit.xml: No such file or directory"
expect 3 run "$scenario" --on sim --junit /dev/full
says "No space left on device"
expect 0 run "$scenario" --on sim --junit /dev/stdout
says '<testsuites name="assay" tests="1"'

expect 0 why "$folder/s/passes.yaml" sim
says "Expectations and observations:"
expect 2 why "$folder/s" sim
expect 2 why "$scenario"
expect 2 why "$scenario" nobody
expect 2 why "$scenario" sim,pocl
printf 'assay: 1\nsumary: A mistake.\n' >"$folder/s/wrong.yaml"
expect 2 why "$folder/s/wrong.yaml" sim
says "INVALID $folder/s/wrong.yaml"
says ">    2 | sumary: A mistake."

[ $failures -eq 0 ] || echo "$failures failures"
[ $failures -eq 0 ]
