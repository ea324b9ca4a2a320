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
expect 0 run "$folder/s" --on sim --matrix --json "$folder/records" --junit "$folder/junit.xml"
says "sim: 1 PASS, 0 SKIP, 1 XFAIL"
says "permitted divergence, left open by the documents: It is left open."
says '"verdict":"XFAIL"' "$folder/records"
says '"class":"permitted-divergence","reason":"It is left open."' "$folder/records"
says 'tests="2" failures="0" errors="0" skipped="1"' "$folder/junit.xml"
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

# An entry for a skipped scenario is unused, and --skip-status does not hide that. PoCL skips the scenario because it is
# not this GPU.
sed 's/^memory:/devices:\n  d: {architecture: intel_gpu_pvc}\nmemory:/' "$scenario" >"$folder/s/skips.yaml"
mv "$folder/expectations/sim.yaml" "$folder/kept"
expect 77 run "$folder/s/skips.yaml" --on pocl --skip-status 77
sed 's/gone/skips/; s/subject: sim/subject: pocl/' "$folder/kept" >"$folder/expectations/pocl.yaml"
expect 1 run "$folder/s/skips.yaml" --on pocl --skip-status 77
says "s/skips.yaml on pocl: SKIP, "
# Entries about another driver are counted, and listed with the matrix.
sed -i 's/s\/skips/s\/passes/; s/^    class/    driver: another\n&/' "$folder/expectations/pocl.yaml"
expect 0 run "$folder/s/passes.yaml" --on pocl
says "not applied: 1 entry of $folder/expectations/pocl.yaml, about other drivers than 'Portable Computing Language"
expect 0 run "$folder/s/passes.yaml" --on pocl --matrix
says "not applied: $folder/expectations/pocl.yaml:4: s/passes.yaml on pocl: the driver is '"
for option in --quiet --failures-only; do
    expect 0 run "$folder/s/passes.yaml" --on pocl $option
    grep -q 'not applied' "$folder/out" && fail "$option printed more"
done
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

other=$(mktemp -d) || exit 1
trap 'rm -rf "$folder" "$other"' EXIT
# A baseline: entries for what fails now, in files that people may edit. It is found below the scenarios' folder.
mkdir "$folder/b"
cp "$fails" "$folder/b/one.yaml"
sed 's/^summary: .*/summary: Another one./' "$fails" >"$folder/b/two.yaml"
cd "$folder/b"
expect 1 run one.yaml --on sim
says "  to expect it, in sim.yaml:"
says "    - scenario: b/one.yaml"
says "      since: $(date -u +%Y-%m-%d)"
expect 1 run one.yaml --on sim --write-expectations known
says "1 entry added to known/sim.yaml"
expect 0 run . --on sim --expectations known -k one
says "0 unexpected: 0 as expected, 1 untriaged failure, "
says "     1  known/sim.yaml, since $(date -u +%Y-%m-%d) (0 days)"
sed -i 's/^entries:/# Ours.\n&/' known/sim.yaml
expect 1 run . --on sim --write-expectations known
says "1 entry added to known/sim.yaml"
grep -q '^# Ours' known/sim.yaml || fail "a comment was lost" known/sim.yaml
expect 0 run . --on sim --expectations known
says "sim: 0 PASS, 0 SKIP, 2 XFAIL"
expect 0 run . --on sim --write-expectations known
grep -q added "$folder/out" && fail "entries were added again"
expect 4 run . --on sim --expectations known --shard 1/1000
grep -q 'remove the entry' "$folder/out" && fail "an empty shard makes entries unused"
expect 2 check known/sim.yaml
expect 0 run . --on sim --expectations known --matrix
says "XFAIL b/one.yaml on sim: not triaged (known/sim.yaml:"
# Without a table of rules, the root is the folder that was run, and paths begin there.
mkdir -p "$other/b"
cp "$folder/b/one.yaml" "$other/b"
expect 1 run "$other/b" --on sim --expectations known -k one
says ": b/one.yaml on sim: this run calls it 'one.yaml'; run the folder in which the entry's path begins"
expect 0 run "$other" --on sim --expectations known -k one
# Entries of another suite are counted, but an empty shard says nothing about them.
printf 'assay_expectations: 1\nsubject: sim\nentries:\n' >"$folder/more/sim.yaml"
for name in vanished.yaml 'lost*'; do
    printf '  - {scenario: "%s", signature: "*:*:*:*", class: untriaged, since: 2026-01-31}\n' "$name" >>"$folder/more/sim.yaml"
done
expect 0 run "$other" --on sim --expectations "known,$folder/more" -k one
says "not applied: 2 entries of $folder/more/sim.yaml, about scenarios that do not exist here"
expect 0 run "$other" --on sim --expectations "known,$folder/more" -k one --matrix
says "not applied: $folder/more/sim.yaml:5: lost* on sim: there is no such scenario"
expect 4 run "$other" --on sim --expectations "known,$folder/more" --shard 1/1000
grep -q 'not applied' "$folder/out" && fail "an empty shard says something about entries"
rm "$folder/more/sim.yaml"
# A pattern for both, and mistakes in its path.
printf 'assay_expectations: 1\nsubject: sim\nentries:\n  - scenario: b/*.yaml\n    signature: "*:memory:differs:*"\n    class: untriaged\n    since: 2026-01-31\n' >known/sim.yaml
expect 0 run . --on sim --expectations known
says "2 untriaged failures"
sed -i 's/b.\*.yaml/b\/tow.yaml/' known/sim.yaml
expect 1 run . --on sim --expectations known
says "b/tow.yaml on sim: there is no such scenario; did you mean 'b/two.yaml'?"
printf 'entries:\n  - scenario: b/one.yaml\n    verdict: CRASH\n    class: untriaged\n    since: 2026-01-31\nassay_expectations: 1\nsubject: sim\n' >known/sim.yaml
expect 3 run . --on sim --write-expectations known
says "known/sim.yaml: 'entries' is not its last key"
"$assay" schema --expectations | grep -q '"untriaged"' || fail "no schema of entries"
expect 2 schema --expectations --page
cd - >/dev/null
rm -r "$folder/b"

# Reports that cannot be written, which is noticed before anything runs, and one that is written in place.
cp "$folder/records" "$folder/kept"
expect 3 run "$scenario" --on sim --json "$folder/records" --write-expectations "$folder/none/known"
says "assay: --write-expectations $folder/none/known: No such file or directory; nothing ran"
expect 3 run "$scenario" --on sim --json "$folder/records" --write-expectations "$fails"
says "assay: --write-expectations $fails: Not a directory; nothing ran"
expect 3 run "$scenario" --on sim --json "$folder/records" --history "$folder/none/h.db"
says "assay: --history $folder/none/h.db: No such file or directory; nothing ran"
for option in --junit --html --sarif --differences; do
    expect 3 run "$scenario" --on sim --json "$folder/records" "$option=$folder/none/report.md"
    says "assay: $option $folder/none/report.md: No such file or directory; nothing ran"
    expect 3 run "$scenario" --on sim --json "$folder/records" "$option=$folder"
    says "Is a directory; nothing ran"
done
expect 2 run "$scenario" --on sim --json "$folder/records" --sarif "$folder/records"
says "--sarif $folder/records: --json writes the same file; name another file"
cmp -s "$folder/kept" "$folder/records" || fail "records were written"
[ -z "$(find "$folder" -name 'report.md*')" ] || fail "a temporary file is left"
expect 3 run "$scenario" --on sim --junit /dev/full
says "No space left on device"
expect 0 run "$scenario" --on sim --junit /dev/stdout
says '<testsuites name="assay" tests="1"'

says 'hostname="'
says ' file="'

# What is printed. PoCL skips one of the three scenarios.
set -- "$folder/s/passes.yaml" "$fails" "$folder/s/skips.yaml" --on pocl
expect 1 run "$@"
says "FAIL $fails"
says "     1  pocl: architecture: a device of the scenario must have an architecture that this device does not have"
says "pocl: 1 PASS, 1 SKIP, 0 XFAIL, 1 FAIL"
says "1 unexpected: 1 as expected, 1 skipped for 1 reason, "
tail -n 1 "$folder/out" | grep -q ' s$' || fail "the answer is not last"
grep -q '^scenario ' "$folder/out" && fail "a matrix"
expect 1 run "$@" --matrix
says "s/passes.yaml  PASS"
says "SKIP s/skips.yaml on pocl: architecture: no"
expect 1 run "$@" --failures-only --matrix
grep -q 'SKIP\|s/passes' "$folder/out" && fail "--failures-only printed more"
expect 1 run "$@" --quiet
[ "$(wc -l <"$folder/out")" -eq 2 ] || fail "--quiet printed more"
says "FAIL $fails on pocl"
expect 1 run "$@" -q --slowest 2
[ "$(grep -c ' s  s/' "$folder/out")" -eq 2 ] || fail "not the two slowest"
expect 2 run "$@" --quiet --matrix
says "--quiet cannot be combined with --matrix"
expect 2 run "$@" --slowest 0

# Repeating: every attempt is in the record, and sim is never tried again.
expect 0 run "$folder/s/passes.yaml" --on sim,pocl --repeat 3 --json "$folder/records" --history "$folder/h.db"
[ "$(grep -c '"attempts":\[{"verdict":"PASS"' "$folder/records")" -eq 2 ] || fail "attempts" "$folder/records"
expect 0 history "$folder/h.db" "$folder/s/passes.yaml"
says ", 3 runs: "
expect 0 history "$folder/h.db" --flaky
says "0 flaky in 1 run"
expect 2 history "$folder/h.db" --flaky a.yaml
expect 1 run "$fails" --on sim,pocl --retries 2 --json "$folder/records"
[ "$(grep -c '"attempts"' "$folder/records")" -eq 1 ] || fail "sim was tried again" "$folder/records"
says "attempts: 3 of 3 failed: FAIL, FAIL, FAIL"
# What fails now and then is seen again only if the command that repeats it has the attempts.
expect 1 run "$fails" --on pocl --repeat 2
says "again: assay run $fails --on pocl --repeat 2"
expect 2 run "$fails" --on pocl --retries 2 --repeat 2
says "--retries, --repeat, --explore and --fail-calls cannot be combined"
expect 2 run "$fails" --on pocl --repeat 0
# The command that repeats the run has the calls that fail, too; the one that explains it does not take them.
expect 1 run "$fails" --on pocl --fail-calls 2
says "again: assay run $fails --on pocl --fail-calls 2"
says "why: assay why $fails pocl"
grep -q "why:.*--fail-calls" "$folder/out" && fail "assay why has no --fail-calls"
# An entry's bound: 3 of 3 failures exceed 40 %, for Wilson's interval begins at 0.44.
printf 'assay_expectations: 1\nsubject: pocl\nentries:\n  - scenario: s/fails.yaml\n    signature: "*"\n' >"$folder/more/pocl.yaml"
sed -i 's/"\*"/"*:*:*:*"/' "$folder/more/pocl.yaml"
printf '    class: permitted-divergence\n    reason: It is racy.\n    flaky: true\n    bound: 40\n' >>"$folder/more/pocl.yaml"
expect 1 run "$fails" --on pocl --repeat 3 --expectations "$folder/more"
says "expected: *:*:*:* in at most 40 % of attempts"
sed -i 's/bound: 40/bound: 45/' "$folder/more/pocl.yaml"
expect 0 run "$fails" --on pocl --repeat 3 --expectations "$folder/more"
sed -i 's/fails/passes/' "$folder/more/pocl.yaml"
expect 0 run "$folder/s/passes.yaml" --on pocl --expectations "$folder/more"
says "pocl: 1 PASS"
rm "$folder/more/pocl.yaml"

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
