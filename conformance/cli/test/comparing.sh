#!/bin/sh
# run --sarif, --history, compare and history, from the command line: files, statuses and messages.
# Usage: comparing.sh ASSAY SCENARIO
set -eu
assay=$1
scenario=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

expect() { # status, arguments
    wanted=$1
    shift
    status=0
    "$assay" "$@" >"$folder/out" 2>&1 || status=$?
    [ $status = "$wanted" ] || { echo "assay $*: status $status, not $wanted"; cat "$folder/out"; exit 1; }
}
says() { grep -qF -- "$1" "$folder/out" || { echo "missing from the output: $1"; cat "$folder/out"; exit 1; }; }

cp "$scenario" "$folder/a.yaml"
cd "$folder"
expect 0 run a.yaml --on sim --json old.jsonl --sarif good.sarif --history h.db
sed -i 's/equals: \[0, 2/equals: [0, 3/' a.yaml
expect 1 run a.yaml --on sim --json new.jsonl --sarif bad.sarif --history h.db
python3 - <<'PY'
import json
good, bad = (json.load(open(name + ".sarif"))["runs"][0] for name in ("good", "bad"))
assert good["results"] == []
result = bad["results"][0]
place = result["locations"][0]["physicalLocation"]
assert place["artifactLocation"]["uri"] == "a.yaml", place
line = open("a.yaml").read().split("\n")[place["region"]["startLine"] - 1]
assert "equals: [0, 3" in line, line
assert bad["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
PY
expect 1 compare old.jsonl new.jsonl
says "new failure: a.yaml on sim: FAIL "
expect 0 compare new.jsonl old.jsonl --markdown
says "| fixed | a.yaml | sim | FAIL "
expect 0 compare old.jsonl old.jsonl
says "nothing changed"
expect 2 compare old.jsonl
expect 2 compare old.jsonl a.yaml
says "a.yaml:1: not a record"
expect 2 compare old.jsonl new.jsonl --slower 0.5
says "at least 1"
expect 0 history h.db
says "a.yaml on sim: PASS"
says "a.yaml on sim: FAIL"
says "2 runs in this history"
expect 0 history h.db a.yaml
expect 4 history h.db b.yaml
says "no verdict on b.yaml"
expect 2 history
expect 2 history a.yaml
says "a.yaml: not a history of assay, or a damaged one"
expect 2 run a.yaml --on sim --history a.yaml
says "a.yaml: not a history of assay"
expect 2 history none.db
[ ! -e none.db ] || { echo "history created a file"; exit 1; }
expect 3 run a.yaml --on sim --sarif none/x.sarif
says "--sarif none/x.sarif: No such file"
