#!/bin/sh
# Runs programs that know nothing of assay under `assay exec`: clinfo, if it is installed, whose queries must all be
# answered; and programs that `assay export` writes, which must pass without a finding.
#   programs.sh ASSAY SCENARIOS
assay=$1
scenarios=$2
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
failures=0

fail() {
    echo "$1"
    cat "$folder/out"
    failures=$((failures + 1))
}

if command -v clinfo >/dev/null; then
    "$assay" exec -- clinfo >"$folder/out" 2>&1 || fail "clinfo failed"
    grep -q 'Number of platforms  *1$' "$folder/out" || fail "clinfo sees another platform"
    grep -q 'Device Name  *assay simulated device$' "$folder/out" || fail "clinfo does not see the device"
    # clinfo shows a failed query as <function : error CODE>.
    ! grep -q 'error -[0-9]\|CL_INVALID' "$folder/out" || fail "clinfo's queries are not all answered"
else
    echo "clinfo is not installed"
fi

for row in linking/hello_world:opencl linking/two_libraries:opencl kernels/bubble_sort:opencl kernels/crc32:opencl-c \
    queues/out_of_order:opencl memory/copy_and_fill:opencl device_global/address_is_that_of_the_value:opencl; do
    name=${row%:*}
    program="$folder/$(basename "$name")"
    mkdir "$program" || exit 1
    "$assay" export "$scenarios/$name.yaml" --for "${row#*:}" -o "$program" >"$folder/out" 2>&1 ||
        fail "$row is not exported"
    cc "$program"/*.c -o "$program/run" -l:libOpenCL.so.1 -lm >"$folder/out" 2>&1 || fail "$row does not compile"
    (cd "$program" && "$assay" exec -- ./run) >"$folder/out" 2>&1 || fail "$row fails"
    grep -qx 'PASS' "$folder/out" || fail "$row does not pass"
    grep -qx 'assay: 0 findings' "$folder/out" || fail "$row has findings"
done
[ $failures -eq 0 ]
