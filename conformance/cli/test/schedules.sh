#!/bin/sh
# Tests a subject's settings, sim{schedule=NAME}, with the real program: such a subject is a separate column, which is
# compared with plain sim and named in records, in commands that repeat a run, and in expectation files.
#   schedules.sh ASSAY REQUIREMENTS
assay=$1 requirements=$2
. "$(dirname "$0")/harness.sh"

# A work-item whose neighbour runs later reads too early: lockstep hides this mistake, forward does
# not.
mkdir "$folder/s" "$folder/expectations"
cp "$requirements" "$folder/requirements.yaml"
fails=$folder/s/no_barrier.yaml
cat >"$fails" <<'END'
assay: 1
summary: Every work-item reads what its neighbour has written, without a barrier in between.
modules:
  app:
    sources:
      - language: opencl-c
        code: |
          kernel void take(global int *out, local int *near) {
            size_t i = get_local_id(0);
            near[i] = (int)i + 1;
            out[i] = near[i ^ 1];
          }
memory:
  out: {type: int, count: 4}
steps:
  - submit: {kernel: take, range: [4], local: [4], args: [{write: out}, {local: 16}]}
  - expect: {launches: 1}
  - expect: {finding: race, kernel: take}
END

expect 0 run "$fails" --on 'sim{schedule=lockstep}'
for schedule in forward backward seeded; do
    subject="sim{schedule=$schedule}"
    expect 1 run "$fails" --on "sim,$subject" --json "$folder/records"
    says "sim: 1 PASS"
    says "$subject: 0 PASS, 0 SKIP, 0 XFAIL, 1 FAIL"
    says "again: assay run $fails --on sim,'$subject'"
    says "why: assay why $fails '$subject'"
    says "\"subject\":\"$subject\"" "$folder/records"
    expect 1 run "$fails" --on "sim,$subject" --json "$folder/records" --resume
    says "$subject: 0 PASS, 0 SKIP, 0 XFAIL, 1 FAIL"
    expect 1 why "$fails" "$subject"
    says "FAIL $fails on $subject"
done

# Records of another column are not reused: this column runs, and its record is added. With no other column in the run,
# it is not compared.
expect 0 run "$fails" --on 'sim{schedule=forward}' --json "$folder/records" --resume
[ "$(grep -c '"subject":"sim{schedule=forward}"' "$folder/records")" -eq 1 ] ||
    fail "no record of forward" "$folder/records"

# An expectation for this column only.
expect 1 run "$fails" --on 'sim,sim{schedule=forward}' --json "$folder/records"
signature=$(sed -n 's/.*"subject":"sim{schedule=forward}".*"signature":"\([^"]*\)".*/\1/p' "$folder/records")
printf 'assay_expectations: 1\nsubject: "sim{schedule=forward}"\nentries:\n  - scenario: s/no_barrier.yaml\n' \
    >"$folder/expectations/sim.yaml"
printf '    signature: "%s"\n    class: permitted-divergence\n    reason: There is no barrier.\n' "$signature" \
    >>"$folder/expectations/sim.yaml"
expect 0 run "$folder/s" --on 'sim,sim{schedule=forward}'
says "sim: 1 PASS"
says "sim{schedule=forward}: 0 PASS, 0 SKIP, 1 XFAIL"

expect 2 run "$fails" --on 'sim{schedule=bakward}'
says "unknown schedule 'bakward'; did you mean 'backward'?"
expect 2 run "$fails" --on 'sim{shedule=backward}'
says "unknown setting 'shedule'; did you mean 'schedule'?"

[ $failures -eq 0 ] || echo "$failures failures"
[ $failures -eq 0 ]
