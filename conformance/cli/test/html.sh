#!/bin/sh
# Tests `assay run --html` with the real program.
#   html.sh ASSAY SCENARIO REQUIREMENTS     SCENARIO passes on sim and expects a memory
assay=$1 scenario=$2 requirements=$3
. "$(dirname "$0")/harness.sh"

mkdir "$folder/s"
cp "$requirements" "$folder/requirements.yaml"
cp "$scenario" "$folder/s/passes.yaml"
sed 's/equals: \[[^]]*\]/equals: {fill: 123456789}/' "$scenario" >"$folder/s/fails.yaml"
sed 's|A kernel in|</script><b>bold</b> in|' "$scenario" >"$folder/s/breaks_out.yaml"
page=$folder/out.html

expect 1 run "$folder/s" --on sim --html "$page" --json "$folder/records"
says "</html>" "$page"
says '"path":"s/fails.yaml"' "$page"
says '\u003c/script>\u003cb>bold\u003c/b> in' "$page"
grep -q '<b>' "$page" && fail "the page contains markup from a scenario" "$scenario"
says "assay run $folder/s/fails.yaml --on sim" "$page"
says 'class=\"tl\"' "$page"
says '"statement":' "$page"

# A resumed run: nothing is run again, and the page has the earlier run's records.
expect 1 run "$folder/s" --on sim --html "$page" --json "$folder/records" --resume
says '"verdict":"FAIL"' "$page"
says '"source":"assay: 1' "$page"

# Without Graphviz the page says what to install, and is otherwise complete.
PATH_KEPT=$PATH
PATH=$folder/nothing
export PATH
"$assay" run "$folder/s/passes.yaml" --on sim --html "$page" >"$folder/out" 2>&1
status=$?
PATH=$PATH_KEPT
[ $status -eq 0 ] || fail "exit status $status without Graphviz, expected 0"
says 'apt-get install graphviz' "$page"
says 'class=\"tl\"' "$page"

# A page that cannot be written is reported, and the old page is kept.
expect 3 run "$folder/s/passes.yaml" --on sim --html /dev/full
says "--html /dev/full: No space left on device"
expect 3 run "$folder/s/passes.yaml" --on sim --html "$folder/nowhere/out.html"
says "No such file or directory"

[ $failures -eq 0 ] || echo "$failures failures"
[ $failures -eq 0 ]
