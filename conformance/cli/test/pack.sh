#!/bin/sh
# Tests packs: running a pack gives the same results as running its files, without a compiler.
#   pack.sh ASSAY SCENARIOS        SCENARIOS is the folder with requirements.yaml
assay=$1 scenarios=$2
. "$(dirname "$0")/harness.sh"

# bare STATUS WORDS...: runs a copy of assay without a plugin next to it, a cache, or programs in PATH (except ld, with
# which PoCL links its kernels), and checks its exit status.
mkdir "$folder/bare" "$folder/path"
cp "$assay" "$folder/bare/assay"
ln -s "$(command -v ld)" "$folder/path/ld"
bare() {
    wanted=$1
    shift
    # If the program has AddressSanitizer, it must not turn a driver's crash into another signal.
    env -i HOME=/nonexistent PATH="$folder/path" ASAN_OPTIONS=handle_segv=0 "$folder/bare/assay" "$@" >"$folder/out" 2>&1
    status=$?
    [ $status -eq "$wanted" ] || fail "bare assay $*: exit status $status, expected $wanted"
}

# verdicts FILE: the rows of a matrix.
verdicts() {
    sed -n 's/^\([a-z_]*\/[a-z_0-9]*\.yaml\)  *\([A-Z_]*\)$/\1 \2/p' "$1"
}

# Scenarios that make every kind of request to compilers: for images and for fused programs, accepted
# and refused.
set -- "$scenarios"/linking/hello_world.yaml "$scenarios"/linking/unresolved*.yaml \
    "$scenarios"/fusion/promotion*.yaml "$scenarios"/fusion/remapped*.yaml "$scenarios"/fusion/generic*.yaml \
    "$scenarios"/virtual_functions/refused*.yaml
expect 0 pack "$@" -o "$folder/x.assay"
says " compiler answers, "
"$assay" run "$@" --on sim --matrix >"$folder/files" 2>&1
status=$?
bare $status run "$folder/x.assay" --on sim --matrix
verdicts "$folder/files" >"$folder/of_files"
verdicts "$folder/out" >"$folder/of_pack"
grep -q PASS "$folder/of_files" || fail "no verdict was read from the matrix" "$folder/files"
cmp -s "$folder/of_files" "$folder/of_pack" || {
    diff "$folder/of_files" "$folder/of_pack" >"$folder/difference"
    fail "the verdicts of a pack differ from those of its files" "$folder/difference"
}

# Without a compiler the files cannot be run, so the results came from the pack.
bare 3 run "$scenarios/linking/hello_world.yaml" --on sim

# One scenario, a folder, and an empty selection.
bare 0 run "$folder/x.assay:linking/hello_world.yaml" --on sim
says "sim: 1 PASS"
bare 0 explain "$folder/x.assay:linking/hello_world.yaml"
bare 0 why "$folder/x.assay:linking/hello_world.yaml" sim
says "PASS $folder/x.assay:linking/hello_world.yaml on sim"
bare 4 run "$folder/x.assay:linking/hello" --on sim
says "no scenario of the pack"

# A request without an answer is reported; a pack has answers only for the profiles for which it was made.
bare 4 run "$folder/x.assay:linking/hello_world.yaml" --on sim --profile dpcpp
says "packed-format"
expect 0 pack "$scenarios/linking/hello_world.yaml" "$scenarios/fusion/promotion_of_a_buffer.yaml" \
    --profile dpcpp,documents,dpcpp -o "$folder/both.assay"
bare 0 run "$folder/both.assay" --on sim
says "sim: 2 PASS"
bare 0 run "$folder/both.assay" --on sim --profile dpcpp
says "sim: 2 PASS"
expect 2 pack "$scenarios/linking/hello_world.yaml" --profile documents,dpcp -o "$folder/y.assay"
says "unknown profile 'dpcp'; did you mean 'dpcpp'?"

# Scenarios are selected by the rules that they cite, without a table of rules.
bare 0 run "$folder/x.assay" --rule DL-REQ --on sim --matrix
says "linking/hello_world.yaml"
grep -q "fusion/promotion" "$folder/out" && fail "--rule kept a scenario that cites another rule"
bare 4 run "$folder/both.assay" --rule DG-FE --on sim
says 'none of the 2 scenarios is selected'
bare 2 run "$folder/x.assay" --rule DL-REQ,DL-RQ-01 --on sim
says "unknown rule 'DL-RQ-01'; did you mean 'DL-REQ-01'?"

# A pack also lacks code for a device that accepts only other formats: the format is reported and the scenario skipped.
# PoCL accepts bitcode, and SPIR-V from version 5 on, but never PTX.
if "$assay" subjects | grep -A 1 '^pocl ' | grep -q available; then
    expect 0 pack "$scenarios/linking/hello_world.yaml" --formats ptx -o "$folder/ptx.assay"
    bare 4 run "$folder/ptx.assay" --on pocl
    says "packed-format: the pack does not hold"
    # A child killed by a driver's crash has already sent its compilers' answers, and crashes again with the pack.
    expect 0 pack "$scenarios/device/argument_value_for_pointer.yaml" --formats spirv,bitcode -o "$folder/crash.assay"
    bare 0 run "$folder/crash.assay" --on pocl
    says "pocl: 0 PASS, 0 SKIP, 1 XFAIL"
    # What the driver compiles ahead of time, from code that a tool translated.
    expect 0 pack "$scenarios/linking/unload_library_of_two_formats.yaml" --formats spirv,bitcode -o "$folder/native.assay"
    bare 0 run "$folder/native.assay" --on sim,pocl
    says "pocl: 1 PASS"
    # PoCL 3.1 compiles from bitcode, which this pack lacks. A PoCL that accepts SPIR-V compiles from that, and links
    # its own binaries.
    expect 0 pack "$scenarios/linking/unload_library_of_two_formats.yaml" --formats spirv -o "$folder/native.assay"
    if "$assay" subjects | grep -A 4 '^pocl ' | grep -q assay_ext_native_linking; then
        bare 0 run "$folder/native.assay" --on pocl
        says "pocl: 1 PASS"
    else
        bare 4 run "$folder/native.assay" --on pocl
        says "packed-format: the pack does not hold"
    fi
fi

# PTX for images compiled ahead of time is packed too: the linker's process has no compiler here either.
venv=${ASSAY_VENV:-${XDG_DATA_HOME:-$HOME/.local/share}/assay/venv}
if [ -e "$venv/lib/libnvJitLink.so.13" ] && "$assay" subjects | grep -A 1 '^nvlink ' | grep -q available; then
    expect 0 pack "$scenarios/linking/native_spec_constants.yaml" --formats ptx -o "$folder/native.assay"
    bare 0 run "$folder/native.assay" --on "nvlink{root=$venv}" --matrix
    says "LINKED 2/4"
fi

# Damaged packs, and commands that do not accept packs.
head -c 5000 "$folder/x.assay" >"$folder/cut.assay"
bare 2 run "$folder/cut.assay" --on sim
says "cut.assay: damaged pack: it is truncated"
printf '\050\265\057\375' >"$folder/old.assay"
bare 2 run "$folder/old.assay" --on sim
says "a pack of version 1, but this assay reads version 2; pack the scenarios again"
bare 2 run "$folder/x.assay" "$scenarios/linking" --on sim
says "a pack cannot be combined with other paths"
bare 2 run "$folder/none.assay" --on sim
says "cannot be read"
for command in check fmt requirements; do
    bare 2 $command "$folder/x.assay"
    says "takes scenario files, not packs"
done
expect 2 pack "$folder/x.assay" -o "$folder/y.assay"
expect 2 pack "$scenarios/linking/hello_world.yaml"
says "-o FILE.assay"
expect 2 pack "$scenarios/linking/hello_world.yaml" --formats spirf -o "$folder/y.assay"
says "did you mean 'spirv'?"

# An invalid scenario is not packed, and its message is printed.
mkdir "$folder/s"
sed 's/summary:/sumary:/' "$scenarios/linking/hello_world.yaml" >"$folder/s/wrong.yaml"
expect 2 pack "$folder/s" -o "$folder/y.assay"
says "wrong.yaml:"
[ -e "$folder/y.assay" ] && fail "a pack was written despite the error"

# Known failures are packed, with what they take from findings: a failure that is excused next to the files is excused in
# the pack.
mkdir -p "$folder/s/expectations/findings"
sed 's/equals: \[[^]]*\]/equals: {fill: 123456789}/' "$scenarios/linking/hello_world.yaml" >"$folder/s/wrong.yaml"
cp "$scenarios/requirements.yaml" "$folder/s/"
expect 1 run "$folder/s" --on sim --json "$folder/records"
signature=$(sed 's/.*"signature":"\([^"]*\)".*/\1/' "$folder/records")
{
    printf 'assay_expectations: 1\nsubject: sim\nentries:\n  - scenario: wrong.yaml\n'
    printf '    signature: "%s"\n    finding: tool/open\n    reason: So it differs.\n' "$signature"
} >"$folder/s/expectations/sim.yaml"
{
    printf 'assay_findings: 1\nfindings:\n  - id: open\n    title: It is left open\n'
    printf '    class: permitted-divergence\n    reference: DL-RESOLVE-07\n    expected: x\n    got: y\n'
} >"$folder/s/expectations/findings/tool.yaml"
expect 0 pack "$folder/s" -o "$folder/y.assay"
bare 0 run "$folder/y.assay" --on sim --matrix --json "$folder/packed"
says "sim: 0 PASS, 0 SKIP, 1 XFAIL"
says "permitted divergence, left open by the documents: It is left open. So it differs. (DL-RESOLVE-07, "
grep -q '"finding":"tool/open"' "$folder/packed" || fail "the record does not name the finding"

exit $((failures > 0))
