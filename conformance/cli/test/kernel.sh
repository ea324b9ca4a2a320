#!/bin/sh
# Tests runs of kernels that are in no scenario: listing, launching, dumps, saving, manifests, and the refusals.
# Expected values are computed by hand from the kernels below.
#   kernel.sh ASSAY
assay=$1
. "$(dirname "$0")/harness.sh"
cd "$folder" || exit 1

# line TEXT [FILE]: checks that the last output, or the file, has exactly this line.
line() {
    grep -qxF -e "$1" "${2:-$folder/out}" || fail "not a line of the output: $1" "${2:-}"
}

mkdir -p kernels/inc
echo '#define TWICE(x) (2 * (x))' >kernels/inc/twice.h
cat >kernels/scale.cl <<'END'
#include "inc/twice.h"
kernel void scale(global const int *in, int n, local int *tmp, global int *out) {
  size_t i = get_global_id(0);
  tmp[get_local_id(0)] = TWICE(in[i]);
  out[i] = tmp[get_local_id(0)] + n;
}
END
cat >plain.cl <<'END'
#ifndef BY
#define BY 10
#endif
kernel void add(global float *data, float4 v) { data[get_global_id(0)] += v.y * BY; }
kernel void none(void) {}
END

# Listing.
expect 0 run kernels/scale.cl
line 'scale(global int *in, int n, local int *tmp, global int *out)'
line "run it: assay run kernels/scale.cl --kernel scale --range 64 --arg 'in=int[64]:iota' --arg n=int:1 --arg 'tmp=local int[64]' --arg 'out=int[64]:iota'"
# The proposed command runs.
sed -n 's/^run it: assay //p' "$folder/out" >proposed
eval "expect 0 $(cat proposed) --on sim"
line 'out on sim: int[64]'
expect 0 run plain.cl
line 'add(global float *data, float4 v)'
line 'none()'

# What has no argument is not proposed.
echo 'kernel void look(read_only image2d_t i, sampler_t s, global float4 *o) { o[0] = read_imagef(i, s, (int2)(0, 0)); }' >look.cl
expect 0 run look.cl
line 'look(opaque i, opaque s, global float4 *o)'
line 'no kernel can be run from here: each has an opaque parameter, such as an image, for which there is no argument'
expect 0 run look.cl plain.cl
says 'run it: assay run look.cl plain.cl --kernel add --range 64 '
expect 2 run look.cl --kernel look --range 1 --arg i=null --arg s=int:1 --arg 'o=float4[1]'
says 'assay: --arg i=null: parameter 1 of kernel '"'look'"' is of a type that cannot be passed from here'

# A launch: 2 * {5, 8, 11, 14} + 7.
launch="kernels/scale.cl --kernel scale --range 4 --local 2 --arg in=int[4]:iota=5,step=3 --arg n=int:7"
expect 0 run $launch --arg 'tmp=local int[2]' --arg 'out=int[4]' --on sim
line 'out on sim: int[4]'
line '       0: 17 23 29 35'
line 'sim: 1 PASS, 0 SKIP, 0 XFAIL'
grep -q '^in on sim' "$folder/out" && fail "a buffer that was not written is printed"
expect 0 run $launch --arg 'tmp=local int[2]' --arg 'out=int[4]' --on sim --dump in --dump out:hex
line '       0: 5 8 11 14'
line '       0: 0x00000011 0x00000017 0x0000001d 0x00000023'
expect 0 run $launch --arg 'tmp=local int[2]' --arg 'out=int[4]' --on sim --dump out:bytes
line '       0: 11000000 17000000 1d000000 23000000'
# 1 + 2.5 * 10, and with another BY.
expect 0 run plain.cl --kernel add --range 1 --arg data=float[1]:1 --arg 'v=float4:[1,2.5,3,4]' --on sim
line '       0: 26'
expect 0 run plain.cl -D BY=4 -cl-std=CL3.0 --kernel add --range 1 --arg data=float[1]:1 --arg 'v=float4:[1,2.5,3,4]' --on sim
line '       0: 11'
expect 0 run plain.cl --kernel none --range 1 --on sim

# Work-groups of different sizes: 3 and 1 work-items; in the last group, local id 0 is work-item 3.
echo 'kernel void last(global int *out) { out[get_global_id(0)] = 10 * get_local_size(0) + get_local_id(0); }' >last.cl
expect 0 run last.cl --kernel last --range 4 --local 3 --arg 'out=int[4]' --on sim --save last.yaml
line '       0: 30 31 32 10'
expect 0 run last.yaml --on sim
sed -i '/non_uniform/d' last.yaml
expect 2 run last.yaml --on sim
says "local size 3 does not divide range 4 in dimension 0; choose a divisor, give 'non_uniform: true' if"

# Findings name the kernel's file, line and column; the include does not shift them.
expect 1 run kernels/scale.cl --kernel scale --range 5 --arg 'in=int[5]:fill=0' --arg n=int:0 --arg 'tmp=local int[5]' \
    --arg 'out=int[4]' --on sim
says "out-of-bounds in kernel 'scale' at kernels/scale.cl:5:10: store of 4 bytes at offset 16 of 'out' (16 bytes)"
says '  again: assay run kernels/scale.cl --kernel scale --range 5 --arg '
grep -q 'step at line\|  why:' "$folder/out" && fail "the output refers to a scenario's file"
# So does SARIF: the place that each finding's message gives, also of a run that was resumed.
place() { # FILE LINE COLUMN: checks that a result of run.sarif has this place
    tr -d ' \n' <run.sarif | grep -qF "\"uri\":\"$1\"},\"region\":{\"startLine\":$2,\"startColumn\":$3}" ||
        fail "the SARIF lacks $1:$2:$3" run.sarif
}
for again in 0 1; do
    expect 1 run kernels/scale.cl --kernel scale --range 5 --arg 'in=int[4]:fill=0' --arg n=int:0 \
        --arg 'tmp=local int[5]' --arg 'out=int[4]' --on sim --json run.json --resume --sarif run.sarif
    place kernels/scale.cl 4 26
    place kernels/scale.cl 5 10
done
# A file with code in a scenario: the same place.
cat >file.yaml <<'END'
assay: 1
summary: One work-item too many, in a file without a hash and outside the scenario's folder.
modules:
  app: {sources: [{language: opencl-c, file: ../plain.cl}]}
memory: {data: {type: float, values: {file: ../data.bin}}}
steps:
  - submit: {kernel: add, range: [2], args: [data, {float4: [0, 1, 0, 0]}]}
  - expect: {memory: data, equals: [11]}
END
printf '\000\000\200\077' >data.bin # 1.0
mkdir -p folder && mv file.yaml folder
expect 1 run folder/file.yaml --on sim
says "out-of-bounds in kernel 'add' at folder/../plain.cl:4:72, step at line 7: "
expect 1 run folder/file.yaml --on sim --sarif run.sarif
place folder/../plain.cl 4 72
sed -i 's/range: \[2\]/range: [1]/' folder/file.yaml
expect 0 run folder/file.yaml --on sim --json records --resume
# Its contents are part of its identity: --resume runs it again, and the new value is read.
sed -i 's/BY 10/BY 20/' plain.cl
expect 1 run folder/file.yaml --on sim --json records --resume
says 'data[0]: expected 11'
sed -i 's/BY 20/BY 10/' plain.cl

# Errors of the compiler, also in a header, at their place, and in the reports: of a launch, and of a list.
echo 'inline int bad(int x) { return x + }' >kernels/inc/bad.h
printf '#include "inc/bad.h"\nkernel void k(void) {}\n' >kernels/bad.cl
printf 'kernel void k(void) { int x = y; }\n' >wrong.cl
printf '#include "absent.h"\n' >absent.cl
refused() { # FILE PLACE LINE COLUMN MESSAGE: checks the error of a file that does not compile
    for options in "" "--kernel k --range 1"; do
        rm -f run.json
        expect 2 run "$1" $options --on sim --json run.json --junit run.xml --sarif run.sarif
        says "$2:$3:$4: error: $5"
        [ "$(grep -c "error: $5" "$folder/out")" -eq 1 ] || fail "the error is printed more than once"
        line '-: 1 INVALID'
        grep -q '^sim: ' "$folder/out" && fail "a subject that ran nothing is counted"
        place "$2" "$3" "$4"
        grep -qF "\"code_file\":\"$2\",\"code_line\":$3,\"code_column\":$4" run.json || fail "the record" run.json
        grep -qF "type=\"INVALID\">$2:$3:$4: error: $5" run.xml || fail "the test of JUnit" run.xml
    done
}
refused kernels/bad.cl kernels/inc/bad.h 1 36 'expected expression'
refused wrong.cl wrong.cl 1 31 "use of undeclared identifier 'y'"
refused absent.cl absent.cl 1 10 "'absent.h' file not found"
echo '#error not today' >flat.h
printf '#include "flat.h"\n' >flat.cl
refused flat.cl flat.h 1 2 'not today'
# Resuming runs it again, since another header may be wrong now.
for word in once again; do
    echo "#error $word" >flat.h
    expect 2 run flat.cl --kernel k --range 1 --on sim --json flat.json --resume
    says "flat.h:1:2: error: $word"
    [ "$(wc -l <flat.json)" -eq 1 ] || fail "a record is not replaced" flat.json
done
expect 2 run absent.cl -cl-std=CLfoo
says "    absent.cl: error: invalid value 'CLfoo' in '-cl-std=CLfoo'"
# What does not compile is not saved.
for file in absent.cl wrong.cl; do
    for option in "" --bless; do
        expect 2 run $file --kernel k --range 1 --on sim --save refused.yaml $option
        line '-: 1 INVALID'
        [ ! -e refused.yaml ] || fail "$file was saved" refused.yaml
    done
done
# A list of kernels without errors leaves reports without results.
rm -f run.json
expect 0 run plain.cl --json run.json --junit run.xml --sarif run.sarif
line 'none()'
[ ! -s run.json ] || fail "a list has a record" run.json
grep -q '"results": \[\]' run.sarif || fail "a list has results" run.sarif
grep -q 'tests="0"' run.xml || fail "a list has tests" run.xml

# SPIR-V, also for Vulkan.
cat >vulkan.spvasm <<'END'
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
%void = OpTypeVoid
%f = OpTypeFunction %void
%main = OpFunction %void None %f
%l = OpLabel
OpReturn
OpFunctionEnd
END
spirv-as vulkan.spvasm -o vulkan.spv || fail "spirv-as"
expect 2 run vulkan.spv
says 'vulkan.spv: error: a SPIR-V module for Vulkan or OpenGL (memory model GLSL450); expected one for OpenCL'
expect 0 postlink plain.cl -o images
expect 0 run images/plain_0.spv --kernel add --range 1 --arg data=float[1]:1 --arg 'v=float4:[1,2.5,3,4]' --on sim
line '       0: 26'

# Saving: the scenario runs; with --bless it expects the results.
expect 3 run plain.cl --kernel add --range 2 --arg 'data=float[2]:1,-1' --arg v=float4:[0,1,0,0] --on sim --save saved/s.yaml
says 'assay: --save saved/s.yaml: No such file or directory'
mkdir saved
expect 0 run plain.cl --kernel add --range 2 --arg 'data=float[2]:1,-1' --arg v=float4:[0,1,0,0] --on sim --save saved/s.yaml
expect 0 fmt --check saved/s.yaml
line "        file: '../plain.cl'" saved/s.yaml
line '  - expect: {launches: 1}' saved/s.yaml
expect 0 run saved/s.yaml --on sim
expect 0 run plain.cl --kernel add --range 2 --arg 'data=float[2]:1,-1' --arg v=float4:[0,1,0,0] --on sim --save saved/b.yaml --bless
line '  # Taken from a run on sim (assay run --bless), not derived.' saved/b.yaml
line '      equals: [11, 9]' saved/b.yaml
expect 0 run saved/b.yaml --on sim
sed -i 's/equals: \[11, 9\]/equals: [11, 8]/' saved/b.yaml
expect 1 run saved/b.yaml --on sim
expect 0 run $launch --arg 'tmp=local int[2]' --arg 'out=int[4]' --on sim --save saved/i.yaml --bless # with an include
expect 0 run saved/i.yaml --on sim
expect 3 run plain.cl --kernel add --range 3 --arg 'data=float[2]:1,-1' --arg v=float4:[0,1,0,0] --on sim --save no.yaml --bless
says 'assay: --bless: no.yaml is not written, because the run on sim ended with FAIL'
[ ! -e no.yaml ] || fail "a failing run was blessed"

# Arrays of NumPy: written, and read again.
expect 0 run $launch --arg 'tmp=local int[2]' --arg 'out=int[4]' --on sim --dump-npy arrays
printf "\223NUMPY\001\000\166\000{'descr': '<i4', 'fortran_order': False, 'shape': (4,), }%60s\n" '' >wanted
printf '\021\000\000\000\027\000\000\000\035\000\000\000\043\000\000\000' >>wanted
cmp arrays/sim/out.npy wanted || fail "the array differs"
expect 0 run $launch --arg 'tmp=local int[2]' --arg 'out=int[]:file=arrays/sim/out.npy' --on sim --dump out
expect 2 run kernels/scale.cl --kernel scale --range 4 --arg 'in=float[]:file=arrays/sim/out.npy'
says "is an array of '<i4', but the memory's type is float; expected <f4"
expect 2 run kernels/scale.cl --kernel scale --range 4 --arg 'in=int[3]:file=arrays/sim/out.npy'
says 'the number of values is 4, but that of elements is 3'

# A manifest.
cat >kernels/launches.txt <<'END'
# FILE OPTIONS
scale.cl --kernel scale --range 4 --arg 'in=int[4]:iota' --arg n=int:1 --arg 'tmp=local int[4]' --arg "out=int[4]"

../plain.cl --kernel add --range 2 --arg data=float[1]:1 --arg v=float4:[0,1,0,0]  # one work-item too many
END
expect 1 run --kernels kernels --on sim --matrix
line 'scale.cl:scale:2   PASS'
line '../plain.cl:add:4  FAIL'
says "out-of-bounds in kernel 'add' at kernels/../plain.cl:4:72: "
says '  again: assay run --kernels kernels/launches.txt:4 --on sim'
expect 0 run --kernels kernels/launches.txt:2 --on sim
expect 1 run --kernels kernels --on sim --json launches.json --resume
expect 1 run --kernels kernels --on sim --json launches.json --resume
[ "$(wc -l <launches.json)" -eq 2 ] || fail "resuming ran a launch again" launches.json
# A file that does not compile is INVALID; the others run. The preprocessor runs once for a file and its options.
cat >kernels/some.txt <<'END'
../absent.cl --kernel k --range 1
bad.cl --kernel k --range 1
scale.cl -D A=1 --kernel scale --range 1 --arg 'in=int[1]:1' --arg n=int:1 --arg 'tmp=local int[1]' --arg 'out=int[1]'
scale.cl -D A=1 --kernel scale --range 1 --arg 'in=int[1]:2' --arg n=int:1 --arg 'tmp=local int[1]' --arg 'out=int[1]'
scale.cl --kernel scale --range 1 --arg 'in=int[1]:3' --arg n=int:1 --arg 'tmp=local int[1]' --arg 'out=int[1]'
END
mkdir counted
for name in clang-14 clang-19; do
    clang=$(command -v $name) || continue
    printf '#!/bin/sh\ncase " $* " in *" -E "*) echo >>%s/counted/runs ;; esac\nexec %s "$@"\n' "$PWD" "$clang" >counted/$name
    chmod +x counted/$name
done
PATH=$PWD/counted:$PATH expect 2 run --kernels kernels/some.txt --on sim
says "kernels/../absent.cl:1:10: error: 'absent.h' file not found"
says 'kernels/inc/bad.h:1:36: error: expected expression'
line '-: 2 INVALID'
line 'sim: 3 PASS, 0 SKIP, 0 XFAIL'
[ "$(wc -l <counted/runs)" -eq 4 ] || fail "the preprocessor did not run for four files" counted/runs
cat >kernels/wrong.txt <<'END'
scale.cl --kernel scale --range 4 --arg 'in=intt[4]:iota'
scale.cl --kernel scale --rnge 4
scale.cl --range 4
scale.cl --kernel 'scale
--kernel scale --range 4
scale.cl --kernel scale --range 4 --local 5000
END
expect 2 run --kernels kernels/wrong.txt
line "kernels/wrong.txt:1:45: error: unknown type or kind 'intt'; did you mean 'int'?"
line "kernels/wrong.txt:2:1: error: assay run has no option --rnge; did you mean '--range'?"
line 'kernels/wrong.txt:3:1: error: the launch needs --kernel NAME'
line 'kernels/wrong.txt:4:19: error: the quote is not closed'
line 'kernels/wrong.txt:5:1: error: expected the file of a kernel'
says 'kernels/wrong.txt:6:43: error: a work-group has at most '
expect 2 run --kernels kernels --range 4
says 'assay: --range 4 cannot be combined with --kernels, whose manifest has the options of each launch'
expect 2 run --kernels nowhere

# Mistakes of the command line, each with its message; the last column is the end of the message.
while IFS='|' read -r words message; do
    eval "set -- $words"
    "$assay" run "$@" >"$folder/out" 2>&1
    [ $? -eq 2 ] || fail "assay run $words: not refused"
    says "$message"
done <<'END'
plain.cl --kernel ad --range 1|assay: --kernel ad: plain.cl has no such kernel; did you mean 'add'?
plain.cl --kernel add|assay: --kernel add: the launch needs --range N[,N[,N]], the number of work-items
plain.cl --range 4|assay: the launch needs --kernel NAME; without options, assay run plain.cl lists the kernels
plain.cl --kernel add --range 4x4|assay: --range 4x4: expected one to three numbers, such as 1024 or 64,64
plain.cl --kernel add --range 4294967296|assay: --range 4294967296: 4294967296 is out of range
plain.cl --kernel none --range 100 --local 64 -cl-std=CL1.2|assay: --local 64: module 'app' is built with '-cl-std=CL1', for work-groups of equal size
plain.cl --kernel none --range 100 --local 5000|assay: --local 5000: a work-group has at most 
plain.cl --kernel none --range 1 --arg in|assay: --arg in, column 3: expected '=' after the name
plain.cl --kernel none --range 1 --arg =int:1|column 1: expected NAME=..., a name of letters, digits and '_'
plain.cl --kernel none --range 1 --arg d=floot[4]|column 3: unknown type or kind 'floot'; did you mean 'float'?
plain.cl --kernel none --range 1 --arg 'd=locl int[4]'|column 3: unknown type or kind 'locl'; did you mean 'local'?
plain.cl --kernel none --range 1 --arg d=|column 3: expected a type, such as float or int4, bytes or null
plain.cl --kernel none --range 1 --arg d=struct[4]|column 3: structs have fields, which only a scenario can describe
plain.cl --kernel none --range 1 --arg d=int|column 6: expected '[' and a number of elements, or ':' and a value
plain.cl --kernel none --range 1 --arg d=int[0]|column 8: expected the number of elements, from 1 to
plain.cl --kernel none --range 1 --arg d=int[4|column 8: expected ']'
plain.cl --kernel none --range 1 --arg d=int[4]x|column 9: expected nothing more
plain.cl --kernel none --range 1 --arg d=int[]|column 8: a buffer needs its number of elements, int[COUNT], or values that determine it
plain.cl --kernel none --range 1 --arg d=int[]:iota|column 9: 'iota' needs the number of elements: int[COUNT]
plain.cl --kernel none --range 1 --arg d=int[4]:|column 10: expected values: iota, fill=VALUE, random, bytes=HEX, file=PATH or a list of numbers
plain.cl --kernel none --range 1 --arg d=int[4]:iotta|column 10: unknown kind of values 'iotta'; did you mean 'iota'?
plain.cl --kernel none --range 1 --arg d=int[4]:fill|column 10: 'fill' needs a value: fill=...
plain.cl --kernel none --range 1 --arg d=int[4]:step=2|column 10: 'step' needs 'iota' before it
plain.cl --kernel none --range 1 --arg d=int[4]:random,iota|column 17: 'iota' cannot follow other values
plain.cl --kernel none --range 1 --arg d=int[4]:fill=1}|column 16: '}' is not part of a number or a list
plain.cl --kernel none --range 1 --arg 'd=int2[1]:[1,2'|expected ']' at the end of the list
plain.cl --kernel none --range 1 --arg d=int[4]:1,2,3|assay: --arg 'd=int[4]:1,2,3': the number of values is 3, but that of elements is 4
plain.cl --kernel none --range 1 --arg d=uchar[1]:256|assay: --arg 'd=uchar[1]:256': 256 does not fit into type uchar
plain.cl --kernel none --range 1 --arg d=int[4]:file=absent|column 15: the file cannot be read: No such file or directory
plain.cl --kernel none --range 1 --arg 'd=local int[4]:iota'|column 15: local memory has no initial values
plain.cl --kernel none --range 1 --arg 'd=local int[]'|column 14: local memory needs its number of elements: int[COUNT]
plain.cl --kernel none --range 1 --arg 'd=shared int:4'|column 13: 'shared' needs a memory: shared int[COUNT]
plain.cl --kernel none --range 1 --arg d=float:x|assay: --arg d=float:x: expected a value of type float
plain.cl --kernel add --range 1 --arg 'data=float[1]'|assay: --kernel add: the kernel has 2 parameters, but the launch has 1; give one --arg for each
plain.cl --kernel add --range 1 --arg v=float4:[1,1,1,1]|'v' is parameter 2 of kernel 'add', but this is argument 1
plain.cl --kernel add --range 1 --arg data=float:1|assay: --arg data=float:1: parameter 1 of kernel 'add' is a pointer to global memory
plain.cl --kernel none --range 1 --arg d=int:1 --arg d=int:2|assay: --arg d=int:2, column 1: another argument is called 'd'; names differ
plain.cl --kernel none --range 1 -D 'A=1 2'|column 4: build options are separated by blanks and cannot contain one
plain.cl --kernel none --range 1 -cl-foo|assay: -cl-foo: '-cl-foo' is not an option that kernels may be built with
plain.cl --kernel add --range 1 --arg data=float[1]:1 --arg v=float4:[1,1,1,1] --dump dat|assay: --dump dat: no memory has that name; did you mean 'data'?
plain.cl --kernel add --range 1 --arg data=float[1]:1 --arg v=float4:[1,1,1,1] --dump v|assay: --dump v: no memory has that name; expected one of: data
folder/file.yaml --on sim --dump dat|assay: --dump dat: no memory has that name; did you mean 'data'?
plain.cl --kernel none --range 1 --dump x:octal|assay: --dump: unknown format 'octal'; expected one of: decimal, hex, bytes
plain.cl --kernel none --range 1 --bless|assay: --bless needs --save FILE.yaml and a kernel to launch
plain.cl --save x.yaml|assay: the launch needs --kernel NAME; without options, assay run plain.cl lists the kernels
plain.cl folder/file.yaml --kernel none --range 1|kernels and scenarios run separately
folder/file.yaml --kernel none|assay: --kernel none: only kernels have launches; expected the file of one
absent.spv|absent.spv:1:1: error: the file cannot be read: No such file or directory
END
[ $failures -eq 0 ] || echo "$failures failures"
[ $failures -eq 0 ]
