#!/bin/sh
# Tests shards, by hash and by time, and `assay merge` of what they ran: records, reports and pages.
#   merge.sh ASSAY SCENARIO REQUIREMENTS     SCENARIO passes on sim and expects a memory
assay=$1 scenario=$2 requirements=$3
. "$(dirname "$0")/harness.sh"

mkdir "$folder/s"
cp "$requirements" "$folder/requirements.yaml"
for number in 1 2 3 4 5 6; do
    sed "s/get_global_id(0)/(get_global_id(0) + 0 * $number)/" "$scenario" >"$folder/s/$number.yaml"
done
sed -i 's/equals: \[[^]]*\]/equals: {fill: 123456789}/' "$folder/s/3.yaml"
cd "$folder" || exit 1
subjects=sim,pocl

# The whole, and two shards of it.
expect 1 run s --on $subjects --json whole.jsonl --html whole.html --history h.db
for shard in 1 2; do
    "$assay" run s --on $subjects --shard $shard/2 --json $shard.jsonl --html $shard.html >out 2>&1
done
expect 1 merge 1.jsonl 2.jsonl 1.html 2.html --suite s --on $subjects \
    --json all.jsonl --html all.html --junit all.xml --sarif all.sarif --history all.db
says "2 unexpected: 10 as expected"
says "FAIL s/3.yaml"
[ "$(wc -l <all.jsonl)" -eq 12 ] || fail "not 12 records" all.jsonl
says '<testsuites name="assay" tests="12"' all.xml
says '"level": "error"' all.sarif
expect 0 compare whole.jsonl all.jsonl --slower 1000
says "nothing changed"
expect 0 history all.db
says "1 run in this history"

# The page has the data of every scenario, as that of the whole run has.
python3 - <<'PY' || fail "the pages differ"
import json, re
def page(name):
    parts = dict(re.findall(r'<script type="application/json" id="([^"]*)">(.*?)</script>', open(name).read(), re.S))
    index = json.loads(parts["index"])
    found = {}
    for number, scenario in enumerate(index["scenarios"]):
        data = json.loads(parts[f"scenario-{number}"])
        lines = [line for line, _ in data["events"]]
        for detail in data["subjects"].values():
            detail["trace"] = [lines[index] for index in detail.get("trace", [])]
        found[scenario["path"]] = (scenario["summary"], scenario["covers"], data["source"], data["subjects"],
                                   [lines[index] for index in data.get("oracle", [])],
                                   sorted((drawing["of"], drawing["words"], "graph" in drawing) for drawing in data["drawings"]))
    return found
whole, merged = page("whole.html"), page("all.html")
assert len(whole) == 6 and whole.keys() == merged.keys()
for path in whole:
    for ours, theirs in zip(merged[path], whole[path]):
        for subject in ours if isinstance(ours, dict) else ():
            ours[subject].pop("log", None), theirs[subject].pop("log", None)  # addresses
        assert ours == theirs, (path, ours, theirs)
PY

# Jobs may also have different subjects.
expect 1 run s --on sim --json sim.jsonl --html sim.html
expect 1 run s --on pocl --json pocl.jsonl --html pocl.html
expect 1 merge sim.jsonl pocl.jsonl sim.html pocl.html --suite s --html all.html
python3 - <<'PY' || fail "a subject's details are lost"
import json, re
page = re.findall(r'id="scenario-\d+">(.*?)</script>', open("all.html").read(), re.S)
assert len(page) == 6 and all(set(json.loads(data)["subjects"]) == {"sim", "pocl"} for data in page)
PY

# What is not whole is named, and the reports are written nevertheless.
expect 3 merge 1.jsonl --suite s --on $subjects --json all.jsonl
says "on sim: missing"
[ "$(wc -l <all.jsonl)" -eq "$(wc -l <1.jsonl)" ] || fail "records were lost" all.jsonl
expect 3 merge 1.jsonl 2.jsonl 2.jsonl --suite s --on $subjects
says ": in 2.jsonl and in 2.jsonl"
expect 3 merge sim.jsonl --suite s --on $subjects
says "s/1.yaml on pocl: missing"
expect 3 merge 1.jsonl 2.jsonl --suite s --on sim
says "on pocl: the suite or the list of subjects does not have it"
echo "# changed" >>s/1.yaml
expect 3 merge 1.jsonl 2.jsonl --suite s
says "s/1.yaml on sim: the scenario had other contents; run it again"
sed -i '$d' s/1.yaml
# A part of the suite is whole if it is what was selected.
expect 0 run s --on sim -k '!3' --json some.jsonl
expect 0 merge some.jsonl --suite s -k '!3'
expect 3 merge some.jsonl --suite s
expect 2 merge 1.html --suite s
expect 2 merge s/1.yaml --suite s
expect 2 merge 1.jsonl s/1.html --suite s --html all.html
printf '<html></html>' >broken.html
expect 2 merge 1.jsonl 2.jsonl broken.html --suite s --html all.html
says "merge: broken.html: not a page that run --html of this version wrote"
expect 3 merge 1.jsonl 2.jsonl --suite s --junit none/x.xml
expect 3 merge 1.jsonl 2.jsonl --suite s --on $subjects,cuda
says "on cuda: missing"

# Entries of expectation files are judged by the whole.
mkdir expectations
signature=$(grep 's/3.yaml","subject":"sim"' whole.jsonl | sed 's/.*"signature":"\([^"]*\)".*/\1/')
printf 'assay_expectations: 1\nsubject: sim\nentries:\n  - scenario: s/3.yaml\n    signature: "%s"\n    class: untriaged\n    since: 2026-01-31\n' \
    "$signature" >expectations/sim.yaml
expect 0 merge sim.jsonl --suite s
says "1 untriaged failure"
rm -r expectations

# Shards by time: 6 scenarios whose times in the history are 1 to 6 s: 6 + 3 + 2 and 5 + 4 + 1.
for number in 1 2 3 4 5 6; do
    python3 - "$number" <<'PY'
import sqlite3, sys
with sqlite3.connect("h.db") as db:
    db.execute("UPDATE verdicts SET seconds = ? WHERE scenario = ? AND subject = 'sim'", (int(sys.argv[1]), f"s/{sys.argv[1]}.yaml"))
PY
done
expect 0 run s --on sim --shard 1/2 --times h.db --list
printf '%s\n' s/2.yaml s/3.yaml s/6.yaml | cmp - out || fail "the first part"
expect 0 run s --on sim --shard 2/2 --times h.db --list
printf '%s\n' s/1.yaml s/4.yaml s/5.yaml | cmp - out || fail "the second part"
# A new scenario takes the mean, 3.5 s: 6 + 3.5 + 2 + 1 and 5 + 4 + 3.
cp s/1.yaml s/0.yaml
expect 0 run s --on sim --shard 1/2 --times h.db --list
printf '%s\n' s/0.yaml s/1.yaml s/2.yaml s/6.yaml | cmp - out || fail "the first part of seven"
expect 2 run s --on sim --times h.db
says "--times needs --shard"
expect 2 run s --on sim --shard 1/2 --times none.db

[ $failures -eq 0 ] || echo "$failures failures"
[ $failures -eq 0 ]
