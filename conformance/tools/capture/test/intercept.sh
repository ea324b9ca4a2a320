#!/bin/sh
# Tests `assay capture --intercept` with a dump that is written by hand, and with damaged ones.
#   intercept.sh ASSAY
assay=$1
here=$(dirname "$(realpath "$0")")
. "$here/../../../cli/test/harness.sh"
cd "$folder" || exit 1

line() {
    grep -qxF -e "$1" "$2" || fail "not a line of $2: $1" "$2"
}

# dump_make: a launch of scale(global float *data, float f, local int *t, global int *none), which doubles four numbers.
dump_make() {
    rm -rf app
    dump=app/Replay/Enqueue_3_scale
    mkdir -p $dump/Pre $dump/Post
    printf '%s\n\0' 'kernel void scale(global float *data, float f, local int *t, global int *none) {' \
        '  data[get_global_id(0)] *= f;' '}' | tr -d '\0' >$dump/kernel.cl
    printf '\0' >>$dump/kernel.cl
    printf scale >$dump/kernelName.txt
    echo 3 >$dump/enqueueNumber.txt
    printf '4 \n2 \n0 \n' >$dump/worksizes.txt
    echo '-cl-mad-enable -cl-intel-greater-than-4GB-buffer-required' >$dump/buildOptions.txt
    printf '\020\040\060\100\0\0\0\0' >$dump/Argument0.bin
    printf '\0\0\0\100' >$dump/Argument1.bin
    printf 64 >$dump/Local2.txt
    printf '\0\0\0\0\0\0\0\0' >$dump/Argument3.bin
    echo 0 >$dump/SVM_Arg_Offset_0.txt
    printf '\0\0\200\077\0\0\0\100\0\0\100\100\0\0\200\100' >$dump/Pre/Enqueue_0003_Kernel_scale_Arg_0_Buffer_0001.bin
    printf '\0\0\0\100\0\0\200\100\0\0\300\100\0\0\0\101' >$dump/Post/Enqueue_0003_Kernel_scale_Arg_0_Buffer_0001.bin
}

dump_make
expect 0 capture -o found --intercept .
scenario=found/0003_scale.yaml
line '  data: {type: float, count: 4, values: [1, 2, 3, 4]}' $scenario
line '        - {float: 2}' $scenario
line '        - {local: 64}' $scenario
line '        - null' $scenario
line '      local: [2]' $scenario
line "    build_options: '-cl-mad-enable'" $scenario
line '    # The program was also built with: -cl-intel-greater-than-4GB-buffer-required' $scenario
line '  # Taken from a dump of the Intercept Layer, not derived.' $scenario
line '      equals: [2, 4, 6, 8]' $scenario
expect 0 fmt --check found
expect 0 run found --on sim
expect 4 capture -o other --intercept app --launches 0..2
says 'assay: 1 other launch was not chosen (--launches 0..2)'

# damaged FILE CONTENT TEXT: a file with other contents (-: without it) is refused with that message.
damaged() {
    dump_make
    if [ "$2" = - ]; then rm -r "${dump:?}/$1"; else printf "%b" "$2" >"$dump/$1"; fi
    expect 2 capture -o damaged --intercept app
    says "$3"
}
pre=Pre/Enqueue_0003_Kernel_scale_Arg_0_Buffer_0001.bin
damaged worksizes.txt '4\n2\n' "$dump/worksizes.txt:1:1: error: expected three lines with the same number of sizes, 1 to 3"
damaged worksizes.txt '4 4\n2\n0\n' 'expected three lines with the same number of sizes, 1 to 3'
damaged worksizes.txt '1 1 1 1\n1 1 1 1\n0 0 0 0\n' 'expected three lines with the same number of sizes, 1 to 3'
damaged worksizes.txt '-4\n2\n0\n' 'expected three lines with the same number of sizes, 1 to 3'
damaged worksizes.txt - 'worksizes.txt'
damaged enqueueNumber.txt 'three' "$dump/enqueueNumber.txt:1:1: error: expected a number; dump the launch again with CaptureReplay=1"
damaged enqueueNumber.txt - 'enqueueNumber.txt'
damaged kernelName.txt '' 'kernelName.txt:1:1: error: expected the name of a kernel'
damaged kernelName.txt - 'app has no dump of a launch, which is a folder with the file kernelName.txt'
damaged Local2.txt 'many' 'Local2.txt:1:1: error: expected a number'
damaged Argument1.bin - 'expected a file of argument 1, since there is one of argument 3'
damaged Argument1.bin '' "$dump/Argument1.bin:1:1: error: expected the bytes of the argument"
damaged SVM_Arg_Offset_3.txt 8 'SVM_Arg_Offset_3.txt:1:1: error: expected an offset of 0'
damaged SVM_Arg_Offset_4.txt 0 'Argument4.bin:1:1: error: expected the bytes of the argument'
damaged $pre '' "$pre:1:1: error: expected the contents of a memory"
damaged $pre - 'Pre:1:1: error: expected the contents of every memory that Post has'
damaged $pre 'short' 'has 16 bytes, but another file of the same memory has 5'
dump_make
cp -r app/Replay/Enqueue_3_scale app/Replay/Enqueue_3_scale_again
expect 2 capture -o damaged --intercept app
says "${dump}_again/enqueueNumber.txt:1:1: error: expected another number than that of $dump, which has the same kernel"
expect 2 capture -o damaged --intercept absent
says 'absent has no dump of a launch'

# refused FILE TEXT: a dump with that file cannot be a scenario.
refused() {
    dump_make
    : >"$dump/$1"
    expect 4 capture -o refused --intercept app
    says "assay: launch 3 of kernel 'scale' is not captured: $2"
}
refused Sampler4.txt 'it uses a sampler'
refused Image_MetaData_4.txt 'it uses an image'
refused Pre/Enqueue_0003_Kernel_scale_Arg_4_Image_0002.raw 'it uses an image'
dump_make
rm $dump/kernel.cl
expect 4 capture -o refused --intercept app
says 'the dump has only binaries of its program'
dump_make
printf k_0_1234 >$dump/kernelName.txt
expect 4 capture -o refused --intercept app
says 'its program has no kernel of that name; the Intercept Layer shortens long names (LongKernelNameCutoff)'
[ $failures -eq 0 ] || echo "$failures failures"
[ $failures -eq 0 ]
