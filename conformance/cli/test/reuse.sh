#!/bin/sh
# Scenarios that share open devices have the verdicts of fresh processes, in every order, and the records say what shared.
#   reuse.sh ASSAY SCENARIOS SUBJECT        exit status 77 without SUBJECT
assay=$1 scenarios=$2 subject=$3
. "$(dirname "$0")/harness.sh"

# Mistakes, and combinations that cannot be.
expect 2 run "$scenarios/linking/hello_world.yaml" --reuse 0
says "assay: --reuse 0: expected a number from 1 to 10000"
expect 2 run "$scenarios/linking/hello_world.yaml" --reuse 2 --explore
says "assay: --reuse cannot be combined with --explore, which needs a process for each run"
expect 2 run "$scenarios/linking/hello_world.yaml" --reuse 2 --loader real
says "assay: --reuse cannot be combined with --loader real, which needs a process for each run"
expect 2 run "$scenarios/linking/hello_world.yaml" --shuffle x
says "assay: --shuffle x: expected a number"

# Forked children of sim are not used again: no record has predecessors.
expect 0 run "$scenarios/memory" --on sim --reuse 10 --json "$folder/sim.jsonl"
grep -q predecessors "$folder/sim.jsonl" && fail "scenarios on sim share a process" "$folder/sim.jsonl"

"$assay" subjects | grep -A 1 "^$subject " | grep -q available || { echo "there is no $subject"; exit 77; }
cd "$folder" || exit 1

# Several folders: unloading, printf, a program that starts again, and findings, which other devices do not report.
select="$scenarios/linking $scenarios/device $scenarios/queues"
words="unload printf restart out_of_bounds persistent times"
for word in $words; do "$assay" run $select -k "$word" --list; done 2>/dev/null | sort -u >list
# shellcheck disable=SC2046 # one word per file
set -- $(cat list)
[ $# -ge 20 ] || fail "only $# scenarios" list
expect 0 run "$@" --on "sim,$subject" --json fresh.jsonl
grep -q predecessors fresh.jsonl && fail "fresh processes have predecessors" fresh.jsonl
for seed in 1 2; do
    expect 0 run "$@" --on "sim,$subject" --reuse 100 --shuffle $seed -j 1 --json shared.jsonl
    expect 0 compare fresh.jsonl shared.jsonl --slower 1000
    says "nothing changed"
    python3 - "$seed" "$subject" <<'PY' || fail "the records of seed $seed" shared.jsonl
import json, sys
records = [json.loads(line) for line in open("shared.jsonl")]
ours = [record for record in records if record["subject"] == sys.argv[2]]
sharing = [record for record in ours if "predecessors" in record]
assert len(sharing) >= 5, len(sharing)
# With one job there is one process, and each scenario in it follows those of the record before.
sharing.sort(key=lambda record: len(record["predecessors"]))
for earlier, later in zip(sharing, sharing[1:]):
    assert later["predecessors"] == earlier["predecessors"] + [earlier["scenario"]], later
assert all("reuse" not in record for record in ours)
everyone = {path for record in sharing for path in record["predecessors"]}
for record in ours:
    shares = "predecessors" in record or record["scenario"] in everyone
    assert not (shares and "persistent" in record["scenario"]), record
    # What expects a finding shares a process only to be skipped, after another one was.
    assert not (shares and "out_of_bounds" in record["scenario"]) or record["capability"] == "reports-faults", record
open(f"order{sys.argv[1]}", "w").write("\n".join(record["scenario"] for record in sharing))
PY
    rm -f shared.jsonl
done
cmp -s order1 order2 && fail "two seeds have the same order" order1

# A known failure, whatever its entry says, and options of the driver have processes of their own.
mkdir known
cat >known/$subject.yaml <<YAML
assay_expectations: 1
subject: $subject
entries:
  - {scenario: "*/hello_world.yaml", signature: "*:*:*:*", flaky: true, bound: 99, class: permitted-divergence, reason: A test.}
YAML
set -- "$scenarios/linking/hello_world.yaml" "$scenarios"/linking/unload*.yaml
expect 0 run "$@" --on "$subject" --reuse 100 -j 1 --expectations known --json known.jsonl
expect 0 run "$@" --on "$subject{ASSAY_UNUSED=1}" --reuse 100 -j 1 --json options.jsonl
python3 - <<'PY' || fail "the wrong scenarios share a process" known.jsonl
import json
known, options = ([json.loads(line) for line in open(name)] for name in ("known.jsonl", "options.jsonl"))
assert any("predecessors" in record for record in known)
for record in known:
    shares = [record["scenario"]] if "predecessors" in record else []
    assert not any("hello_world" in path for path in shares + record.get("predecessors", [])), record
assert not any("predecessors" in record for record in options)
PY

[ $failures -eq 0 ] || echo "$failures failures"
[ $failures -eq 0 ]
