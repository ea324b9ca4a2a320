#!/bin/sh
# Tests the exit statuses of the real program, and that no process outlives it.
#   exit_status.sh ASSAY SCENARIO [SUBJECT]      SCENARIO passes on SUBJECT (sim)
assay=$1 scenario=$2 subject=${3:-sim}
. "$(dirname "$0")/harness.sh"

mkdir "$folder/empty" "$folder/wrong"
printf 'assay: 1\nsumary: A mistake.\n' >"$folder/wrong/wrong.yaml"
# The same scenario with a wrong expected value: none of the numbers that it computes is 123456789.
sed 's/equals: \[[^]]*\]/equals: {fill: 123456789}/' "$scenario" >"$folder/fails.yaml"
# A source that does not compile.
sed 's/get_global_id(0)/no_such_function_anywhere(0) + +;/' "$scenario" >"$folder/source.yaml"

expect 0 run "$scenario" --on "$subject" --json "$folder/records"
says "$subject: 1 PASS, 0 SKIP, 0 XFAIL"
grep -q '"verdict":"PASS"' "$folder/records" || failures=$((failures + 1))
expect 0 run "$scenario" --on "$subject" --shard 1/1 -j1 --seed 7 --timeout 20
expect 1 run "$folder/fails.yaml" --on "$subject"
says "$subject: 0 PASS, 0 SKIP, 0 XFAIL, 1 FAIL"
says "again: assay run $folder/fails.yaml --on $subject"
expect 2 run "$folder/source.yaml" --on "$subject"
says "$folder/source.yaml:"
says "-: 1 INVALID"
expect 2 run "$folder/wrong" "$scenario" --on "$subject"
says "wrong.yaml:2:1: error: "
says "$subject: 1 PASS"
expect 2 check "$folder/wrong"
says "1 scenario read, 1 with problems"
expect 0 check "$scenario"
expect 2 run "$folder/none.yaml"
expect 2 run "$scenario" --on nobody
says "unknown subject 'nobody'"
expect 2 run "$scenario" --jobs 0
expect 2 run "$folder/some.assay"
says "some.assay"
expect 2 export "$scenario"
says "--for; expected one of: opencl"
expect 2 chekc
says "did you mean 'check'?"
expect 2
expect 3 run "$scenario" --on "$subject" --json /dev/full
says "No space left on device"
expect 4 run "$folder/empty"
expect 0 run "$scenario" --on "$subject" --skip-status 77
# With --fail-fast nothing runs after the first unexpected verdict.
mkdir "$folder/three"
cp "$scenario" "$folder/three/a.yaml"
cp "$folder/fails.yaml" "$folder/three/b.yaml"
cp "$scenario" "$folder/three/c.yaml"
expect 1 run "$folder/three" --on "$subject" -j1 --fail-fast --json "$folder/fast"
says "$subject: 1 PASS, 0 SKIP, 0 XFAIL, 1 FAIL"
[ "$(wc -l <"$folder/fast")" -eq 2 ] || failures=$((failures + 1))
expect 0 run "$folder/three/a.yaml" "$folder/three/c.yaml" --on "$subject" --fail-fast
says "$subject: 2 PASS"
for command in run check subjects requirements schema; do
    expect 0 $command --help
    says "assay $command"
done
expect 0 --help
expect 0 --version
expect 0 schema
expect 0 subjects
says "available: "

# Lost output: on a full disk, or because the caller closed the stream, whose descriptor number must not be reused for
# a file.
"$assay" run "$scenario" --on "$subject" >/dev/full 2>"$folder/out"
[ $? -eq 3 ] || failures=$((failures + 1))
says "the report could not be written: No space left on device"
"$assay" run "$scenario" --on "$subject" --json "$folder/records" >&- 2>"$folder/out"
[ $? -eq 3 ] || failures=$((failures + 1))
says "the report could not be written"
[ "$(wc -l <"$folder/records")" -eq 1 ] || failures=$((failures + 1))
# Lost output is also reported if a command does its work in a second process.
for command in subjects "fmt --check $scenario"; do
    "$assay" $command >/dev/full 2>"$folder/out"
    [ $? -eq 3 ] || failures=$((failures + 1))
    says "the output could not be written"
done
# Exceeding the file-size limit is a write error, like a full disk: the records of six files exceed 1 KiB.
mkdir "$folder/six"
for number in 1 2 3 4 5 6; do cp "$scenario" "$folder/six/$number.yaml"; done
(ulimit -f 1 && "$assay" run "$folder/six" --on "$subject" --json "$folder/limited" >"$folder/out" 2>&1)
[ $? -eq 3 ] || failures=$((failures + 1))

# Running out of descriptors is not a failure of the subject; the message says what to do.
(ulimit -n 8 && exec "$assay" run "$scenario" --on "$subject") >"$folder/out" 2>&1
[ $? -eq 3 ] || failures=$((failures + 1))
says "Too many open files; allow more open files (ulimit -n)"

# An interrupted run writes a record for every scenario and exits with status 3.
mkdir "$folder/many"
for number in 1 2 3 4 5 6 7 8 9; do
    sed "s/get_global_id(0)/(get_global_id(0) + 0 * $number)/" "$scenario" >"$folder/many/$number.yaml"
done
"$assay" run "$folder/many" --on "$subject" -j1 --json "$folder/records" >"$folder/out" 2>&1 &
sleep 0.15
kill -INT $!
wait $!
status=$?
records=$(wc -l <"$folder/records")
# On a fast machine the run may already have ended.
if [ $status -ne 3 ] && [ $status -ne 0 ] || [ "$records" -ne 9 ]; then
    echo "interrupted: exit status $status, $records records"
    failures=$((failures + 1))
fi

[ $failures -eq 0 ] || echo "$failures failures"
[ $failures -eq 0 ]
