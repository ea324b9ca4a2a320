#!/bin/sh
# Runs the tests of this folder through Khronos' loader, which is among Intel's packages (ci/setup --with intel); otherwise
# they use the system's, which is usually ocl-icd.
#   khronos_loader.sh ASSAY CLIENT...
assay=$1
shift
venv=${ASSAY_VENV:-${XDG_DATA_HOME:-${HOME:-}/.local/share}/assay/venv}
# ocl-icd does not know this variable, by which `assay exec` tells the loader of the platform.
grep -q OCL_ICD_FILENAMES "$venv/lib/libOpenCL.so.1" 2>/dev/null || exit 77
failures=0
for client in "$@"; do
    output=$(LD_LIBRARY_PATH=$venv/lib "$assay" exec --quiet --memory 64 -- "$client" 2>&1) || {
        echo "$output"
        echo "$client fails with Khronos' loader"
        failures=$((failures + 1))
    }
    LD_LIBRARY_PATH=$venv/lib ldd "$client" | grep -q "$venv/lib/libOpenCL.so.1" || {
        echo "$client does not use Khronos' loader"
        failures=$((failures + 1))
    }
done
[ $failures -eq 0 ]
