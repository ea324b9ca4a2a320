#!/bin/sh
# The messages of runs, as a user reads them: each scenario in the folder, or each file of commands, and what it
# prints.
# Usage: messages.sh ASSAY FOLDER [--update]
#
# NAME.yaml runs on sim, and NAME.txt has what is printed, up to the signature. In NAME.commands each line is the
# arguments of assay, and NAME.txt has the lines "$ assay …" and what each prints.
# Exit status: 0 all as written; 1 something differs.
set -eu
assay=$1 folder=$2 update=${3-}
out=$(mktemp)
trap 'rm -f "$out"' EXIT
cd "$folder"
status=0

compare() { # NAME
    if [ "$update" = --update ]; then
        cp "$out" "$1.txt"
    elif ! diff -u "$1.txt" "$out"; then
        status=1
    fi
}

for file in *.yaml; do
    name=${file%.yaml}
    [ ! -f "$name.commands" ] || continue
    "$assay" run "$file" --on sim 2>/dev/null | sed -n '/^  signature:/q;p' >"$out"
    compare "$name"
done
for file in *.commands; do
    : >"$out"
    while IFS= read -r line; do
        echo "\$ assay $line" >>"$out"
        eval "\"\$assay\" $line" >>"$out" 2>&1 || echo "exit status $?" >>"$out"
    done <"$file"
    compare "${file%.commands}"
done
exit $status
