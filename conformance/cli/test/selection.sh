#!/bin/sh
# Tests selecting scenarios, sharding them, and resuming a run that was killed.
#   selection.sh ASSAY SCENARIO [SUBJECT]      SCENARIO passes on SUBJECT (sim) and cites DL-REQ-01
assay=$1 scenario=$2 subject=${3:-sim}
. "$(dirname "$0")/harness.sh"

# ran NUMBER: checks that the last run has that many records, all of them PASS and of different
# scenarios.
ran() {
    [ "$(wc -l <"$folder/records")" -eq "$1" ] || fail "not $1 records"
    [ "$(grep -c '"verdict":"PASS"' "$folder/records")" -eq "$1" ] || fail "not $1 PASS verdicts"
    [ "$(sed 's/.*"scenario":"\([^"]*\)".*/\1/' "$folder/records" | sort -u | wc -l)" -eq "$1" ] ||
        fail "not $1 scenarios"
}

# A root with two features: three scenarios that cite DL-REQ-01, two that cite DL-REQ-02.
root=$folder/root
mkdir -p "$root/linking" "$root/device"
cp "$(dirname "$scenario")/../requirements.yaml" "$root/"
# variant NUMBER RULE: prints the scenario, citing only RULE, with code that differs for each
# NUMBER, so that every variant is compiled.
variant() {
    sed "s/get_global_id(0)/(get_global_id(0) + 0 * $1)/; s/^covers:.*/covers: [$2]/" "$scenario"
}
for number in 1 2 3; do variant $number DL-REQ-01 >"$root/linking/$number.yaml"; done
for number in 4 5; do variant $number DL-REQ-02 >"$root/device/$number.yaml"; done
run="run $root --on $subject --json $folder/records"

# ---- Selection ----
expect 0 $run
ran 5
cp "$folder/records" "$folder/all"
expect 0 $run --feature linking
ran 3
expect 0 $run --feature device,linking
ran 5
expect 2 $run --feature linkin
says "unknown folder of scenarios 'linkin'; did you mean 'linking'?"
expect 2 $run --feature ''
expect 0 $run --rule DL-REQ-02
ran 2
expect 0 $run --rule DL-REQ
ran 5
expect 0 $run --rule DL-REQ-01 --feature linking
ran 3
expect 2 $run --rule DL-REQ-0
says "unknown rule 'DL-REQ-0'"
expect 4 $run --rule DL-REQ-02 --feature linking
says '--rule DL-REQ-02: none of the 3 scenarios is selected'
expect 4 $run --rule DL-RESOLVE
sed 's/"verdict":"PASS"/"verdict":"NOT_RUN"/; s/"signature":""/"signature":"start:interrupted:-:-"/' \
    "$folder/all" | grep linking/2 >"$folder/earlier"
grep -v linking/2 "$folder/all" >>"$folder/earlier"
expect 0 $run --verdict FAIL,NOT_RUN --from "$folder/earlier"
ran 1
grep -q linking/2 "$folder/records" || fail "another scenario was selected"
expect 4 $run --verdict CRASH --from "$folder/earlier"
expect 2 $run --verdict FIAL --from "$folder/earlier"
says "unknown verdict 'FIAL'; did you mean 'FAIL'?"
expect 2 $run --verdict FAIL
says '--verdict and --from need each other'
expect 2 $run --verdict FAIL --from "$scenario"
expect 0 $run -k 'LINK !2'
ran 2
grep -q linking/2 "$folder/records" && fail "an excluded scenario was selected"
expect 4 $run -k 'linking device'
says '--words linking device: none of the 5 scenarios is selected'
cp "$folder/records" "$folder/before"
expect 0 $run -k device --list
printf '%s\n' "$root/device/4.yaml" "$root/device/5.yaml" | cmp - "$folder/out" || fail "--list"
cmp -s "$folder/before" "$folder/records" || fail "--list wrote records"
expect 4 $run --list --rule DL-RESOLVE
expect 2 $run --profile document
says "unknown profile 'document'; did you mean 'documents'?"
expect 2 $run --choices 0,,1
expect 2 $run --explore-max 0
expect 2 $run --on ,
says "a subject's name is missing"

# ---- Shards ----
: >"$folder/sum"
for shard in 1/3 2/3 3/3; do
    "$assay" $run --shard $shard >"$folder/out" 2>&1
    status=$?
    [ $status -eq 0 ] || { [ $status -eq 4 ] && says "has no scenario"; } || fail "shard $shard: $status"
    [ $status -eq 0 ] && cat "$folder/records" >>"$folder/sum"
done
cp "$folder/sum" "$folder/records"
ran 5
expect 2 $run --shard 4/3
CI_NODE_INDEX=1 CI_NODE_TOTAL=1 expect 0 $run --shard auto
ran 5
CI_NODE_INDEX=0 CI_NODE_TOTAL=2 expect 2 $run --shard auto
# Many shards: most are empty, which is not an error.
for index in 0 1 2 3 4 5 6 7 8 9; do
    CIRCLE_NODE_INDEX=$index CIRCLE_NODE_TOTAL=10 expect 0 $run --shard auto
done

# ---- Resuming ----
expect 2 run "$root" --on "$subject" --resume
says '--resume needs --json FILE'
expect 2 run "$root" --on "$subject" --resume --json "$scenario"
head -n 3 "$folder/all" >"$folder/records"
printf '{"scenario":"devi' >>"$folder/records"
expect 0 $run --resume
ran 5
says "$subject: 5 PASS"
sort "$folder/records" >"$folder/before"
expect 0 $run --resume
sort "$folder/records" | cmp -s "$folder/before" - || fail "a finished run was run again"
echo '# changed' >>"$root/linking/1.yaml"
expect 0 $run --resume
ran 5
says "$subject: 5 PASS"

# ---- Exploring ----
# Two libraries define the symbol and compute the same value; either may be used.
explored=$folder/explored.yaml
cat >"$explored" <<'SCENARIO'
assay: 1
summary: Two equivalent providers; thrice is 3 * x whichever is used.
modules:
  app:
    needs: [libone, libother]
    sources:
      - language: opencl-c
        code: |
          int thrice(int x);
          kernel void apply(global int *data) { size_t i = get_global_id(0); data[i] = thrice(data[i]); }
  libone:
    sources:
      - language: opencl-c
        code: |
          int thrice(int x) { return 3 * x; }
  libother:
    sources:
      - language: opencl-c
        code: |
          int thrice(int x) { return 3 * x; }
memory:
  data: {type: int, values: {iota: 4}}
steps:
  - submit: {kernel: apply, range: [4], args: [data]}
  - expect:
      one_of:
        - {program_of: apply, images: [app/0, libone/0]}
        - {program_of: apply, images: [app/0, libother/0]}
SCENARIO
expect 0 run "$explored" --on sim --explore
grep -q warning "$folder/out" && fail "a warning although both branches happened"
# libother, the last one needed, is constructed first: it is choice 0.
expect 0 run "$explored" --on sim --explore --explore-max 1
says "branch 1 never happened in 1 run"
says "exploring stopped after 1 run; more combinations of choices remain"
# A branch that never happened is reported but is not a failure: another runtime may take it.
cp "$explored" "$explored.kept"
echo '        - {program_of: apply, images: [app/0]}' >>"$explored"
expect 0 run "$explored" --on sim --explore
says "branch 3 never happened in 2 runs"
mv "$explored.kept" "$explored"
sed -i 's/libone\/0\]/libone\/0, libother\/0]/' "$explored"
expect 0 run "$explored" --on sim
expect 1 run "$explored" --on sim --explore --json "$folder/records"
says "with --choices 1 ("
grep -q '"choices":"1"' "$folder/records" || fail "the record has no choices"
expect 1 run "$explored" --on sim --choices 1
expect 0 run "$explored" --on sim --choices 0

# ---- Calls that fail ----
# Whichever call of the device fails, some step returns the failure.
expect 0 run "$explored" --on sim --fail-calls 64
expect 0 run "$explored" --on sim --fail-calls 3 --seed 7
expect 2 run "$explored" --on sim --fail-calls 3 --explore
says '--retries, --repeat, --explore and --fail-calls cannot be combined'
expect 2 run "$explored" --on dpcpp --fail-calls 3
says 'dpcpp does not call its devices through the reference runtime'

# A run that is killed repeatedly and resumed until it finishes neither loses nor duplicates a record.
for number in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    variant $number DL-REQ-01 >"$root/linking/k$number.yaml"
done
rm "$folder/records"
attempts=0
status=1
while [ $status -ne 0 ] && [ $attempts -lt 100 ]; do
    attempts=$((attempts + 1))
    "$assay" $run --resume -j2 --cache "$folder/cache2" >"$folder/out" 2>&1 &
    victim=$!
    sleep 0.$((attempts / 10))$((attempts % 10))
    kill -KILL $victim 2>/dev/null
    wait $victim 2>/dev/null
    status=$?
done
[ $status -eq 0 ] || fail "never finished"
ran 25
says "$subject: 25 PASS"

[ $failures -eq 0 ] || echo "$failures failures after $attempts attempts"
[ $failures -eq 0 ]
