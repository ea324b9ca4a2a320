#!/bin/sh
# Runs every case of the program `undefined` under `assay exec`: the case must have exactly its finding, and the twin
# none.
#   undefined.sh ASSAY PROGRAM
assay=$1
program=$2
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
failures=0

run() { # FINDINGS CASE [right]: runs the case, and compares the classes of its findings
    wanted=$1
    shift
    "$assay" exec --quiet --json "$folder/findings" -- "$program" "$@" >"$folder/out" 2>&1 || failed=1
    found=$(sed -n 's/^{"finding":"\([^"]*\)".*/\1/p' "$folder/findings" | tr '\n' ' ')
    [ "${failed:-0}" -eq 0 ] && [ "$found" = "$wanted" ] && return
    echo "$*: expected '$wanted', found '$found'"
    cat "$folder/out"
    failures=$((failures + 1)) failed=0
}

"$program" >"$folder/cases" || exit 1
while read -r name finding message; do
    run "$finding " "$name"
    if [ -n "$message" ] && ! grep -qF "\"message\":\"$message\"" "$folder/findings"; then
        echo "$name: expected the message '$message'"
        cat "$folder/findings"
        failures=$((failures + 1))
    fi
    run '' "$name" right
done <"$folder/cases"
echo "$(wc -l <"$folder/cases") cases, $failures failures"
[ $failures -eq 0 ]
