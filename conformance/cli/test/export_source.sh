#!/bin/sh
# Programs exported for OpenCL with source as device code: on PoCL, which does not accept SPIR-V, their results agree with assay's.
#   export_source.sh ASSAY SCENARIOS        exit status 77 without PoCL or the OpenCL headers
assay=$1 scenarios=$2
. "$(dirname "$0")/harness.sh"
. "$(dirname "$0")/exported.sh"

# Scenarios whose code is not a single OpenCL C text are refused, on any machine.
expect 2 export "$scenarios/linking/spec_constants.yaml" --for opencl-c -o "$folder/x"
says "OpenCL C has none"
expect 2 export "$scenarios/device/printf.yaml" --for opencl-c -o "$folder/x"
says "an image in OpenCL C is exactly one source"
expect 2 export "$scenarios/fusion/promotion_of_a_buffer.yaml" --for opencl-c -o "$folder/x"
says "an image that is not OpenCL C cannot be expressed"
[ -e "$folder/x" ] && fail "a folder was created despite the refusal"

echo '#include <CL/cl.h>' | cc -E - >/dev/null 2>&1 || { echo "there is no CL/cl.h"; exit 77; }
"$assay" subjects | grep -A 1 '^pocl ' | grep -q available || { echo "there is no pocl"; exit 77; }

# agrees SCENARIO VERDICT STATUS: assay's verdict on pocl-source, and the program's exit status on PoCL.
agrees() {
    exported_agrees pocl-source opencl-c "$1" "$2" "$3" ./main "Portable Computing Language"
}

agrees linking/hello_world.yaml "1 PASS" 0
agrees data/structs.yaml "1 PASS" 0
# Sources have only those macros of ours that they use.
grep -rq __ASSAY "$folder/hello_world" && fail "unused macros were written"
# The program passes on the device; assay skips the scenario there, because its checks concern the runtime.
agrees linking/bundle_by_hand.yaml "0 PASS, 1 SKIP" 0
agrees fusion/cancel_runs_the_kernels_one_by_one.yaml "0 PASS, 1 SKIP" 0

# The program shows PoCL's known deviations.
agrees data/math_edge_fract.yaml "0 PASS, 0 SKIP, 1 XFAIL" 1
says "FAIL line 21: fractions, number 1: expected bits 0x80000000, got 0x00000000 (-0x0p+0, 0x0p+0)"
agrees linking/import_of_another_type.yaml "0 PASS, 0 SKIP, 1 XFAIL" 1
says "the program was linked but should have been refused"
# Later releases than 3.1 build this one.
if "$assay" subjects | grep -A 1 '^pocl-source ' | grep -q 'Language 3\.1'; then
    agrees kernels/work_group_uneven.yaml "0 PASS, 0 SKIP, 1 XFAIL" 1
    says "clBuildProgram returned -11"
else
    agrees kernels/work_group_uneven.yaml "1 PASS" 0
fi

exit $((failures > 0))
