#!/bin/sh
# Tests `assay capture` with a program whose launches are known, on the simulated device and, where it is installed, on
# PoCL.  Expected values are computed by hand from the kernels in client.c; what is captured must pass on sim.
#   capture.sh ASSAY
assay=$1
here=$(dirname "$(realpath "$0")")
. "$here/../../../cli/test/harness.sh"
cd "$folder" || exit 1
ldconfig -p 2>/dev/null | grep -q 'libOpenCL\.so\.1' || ls /usr/lib/*/libOpenCL.so.1 >/dev/null 2>&1 || exit 77
cc -o client "$here/client.c" -l:libOpenCL.so.1 -lpthread || fail "client.c does not compile"
mkdir include && echo '#define THREE 3' >include/three.h
pocl=/etc/OpenCL/vendors/pocl.icd

# line TEXT FILE: checks that the file has exactly this line.
line() {
    grep -qxF -e "$1" "$2" || fail "not a line of $2: $1" "$2"
}

# capture STATUS CASE [OPTION...]: captures a case of the client on the current device into the folder CASE.
capture() {
    wanted_status=$1
    case=$2
    shift 2
    rm -rf "$case"
    if [ $device = sim ]; then
        expect "$wanted_status" capture -o "$case" "$@" -- "$assay" exec --quiet -- ./client "$case"
    else
        expect "$wanted_status" capture -o "$case" "$@" -- ./client "$case"
    fi
}

# passes CASE: checks that the scenarios of a case are valid, formatted, and pass on sim.
passes() {
    expect 0 fmt --check "$1"
    expect 0 run "$1" --on sim
}

check_all() {
    # Each launch: 2 * i / 4; i * i - 7 + 100; the sums of eight of these numbers.
    capture 0 plain
    says 'assay: 3 scenarios written into plain'
    one=plain/0000_scale.yaml
    line '  data: {type: float, count: 16, values: [0, 0.25, 0.5, 0.75, 1, 1.25, 1.5, 1.75, 2, 2.25, 2.5, 2.75, 3, 3.25, 3.5, 3.75]}' $one
    line '      local: [8]' $one
    line '        - {float: 2}' $one
    line '      equals: [0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5, 5, 5.5, 6, 6.5, 7, 7.5]' $one
    grep -q '^  # Taken from a run on .* (assay capture), not derived\.$' $one || fail "results are not marked" $one
    line "    build_options: '-cl-std=CL1.2 -Werror'" $one
    line '      equals: [93, 94, 97, 102, 109, 118, 129, 142, 157, 174, 193, 214, 237, 262, 289, 318]' plain/0001_add.yaml
    line '        - {local: 64}' plain/0002_sum.yaml
    line '      equals: [884, 94, 97, 102, 109, 118, 129, 142, 1844, 174, 193, 214, 237, 262, 289, 318]' plain/0002_sum.yaml
    passes plain
    ls plain/.capture-* >/dev/null 2>&1 && fail "a temporary folder remains"

    # Only some launches.
    capture 0 plain --launches 1..2 --kernel sum
    says 'assay: 1 scenario written into plain'
    says 'assay: 2 other launches were not chosen (--launches 1..2, --kernel)'
    [ -f plain/0002_sum.yaml ] || fail "the launch has another number"
    capture 4 plain --max-bytes 100
    says "assay: launch 0 of kernel 'scale' is not captured: its memory would exceed --max-bytes"
    says 'assay: 2 more are not captured for that reason'
    capture 0 plain --ulp 4
    line '  data: {type: float, count: 16, values: [0, 0.25, 0.5, 0.75, 1, 1.25, 1.5, 1.75, 2, 2.25, 2.5, 2.75, 3, 3.25, 3.5, 3.75], tolerance: {ulp: 4}}' $one

    # Memory that nothing had written: its values by chance, or none, which the launch does not read.
    line '  # Nothing had written it; these are the values that it happened to have.' plain/0001_add.yaml
    capture 0 plain --window
    line '  # Nothing had written it; these are the values that it happened to have.' plain/0000-0002.yaml
    capture 0 partly --undefined
    line '  # Nothing had written it; these are the values that it happened to have.' partly/0000_add.yaml
    capture 0 plain --undefined
    [ $device = pocl ] || line '  b: {type: int, count: 16}' plain/0001_add.yaml
    passes plain

    # A window: events order launches, and what the host writes between two of them is a copy.
    capture 0 order --window
    window=order/0000-0002.yaml
    line '  - queue: {id: queue_0}' $window
    line '      after: [launch_0]' $window
    line '      after: [launch_1]' $window
    line '  stored_1: {type: uchar, count: 4, values: {fill: 255}}' $window
    line '      to_offset: 8' $window
    line '    id: command_2' $window
    line '      after: [command_2]' $window
    line '      equals: [-3, -2, 0, 6, 13, 22, 33, 46, 61, 78, 97, 118, 141, 166, 193, 222]' $window
    passes order

    # Copies, fills by elements and by bytes, in a queue in order; and a change that the recording does not tell.
    capture 0 between --window
    window=between/0000-0003.yaml
    line '  - queue: {id: queue_0, properties: [in_order]}' $window
    grep -q 'after:' $window && fail "the order of a queue in order is repeated" $window
    line '      value: 7' $window
    line '      offset: 2' $window
    line '      count: 3' $window
    line '      from: b' $window
    line '      to_offset: 32' $window
    line '  - copy: {from: stored_2, to: a}' $window
    line '  stored_1: {type: uchar, count: 2, values: {fill: 1}}' $window
    # 7 in elements 2 to 4; 1 in bytes 21 and 22, so that 18 is 0x10112; -7 + 1 and -6 + 1 of b in elements 8 and 9; 100.
    line '      equals: [100, -6, 7, 7, 7, 65810, 29, 42, -6, -5, 93, 114, 137, 162, 189, 218]' $window
    line '      equals: [101, -5, 8, 8, 8, 65811, 30, 43, -5, -4, 94, 115, 138, 163, 190, 219]' $window
    passes between

    # Contents count once: those of both buffers at first, of b after two launches, of the stores, and room to read more.
    capture 0 repeat --window --max-bytes 320
    [ -f repeat/0000-0008.yaml ] || fail "a launch is missing"
    passes repeat

    # Commands that the driver refuses for their sizes: the layer does not read that much either.
    capture 0 sizes --window
    passes sizes

    # What cannot be in a scenario is named, and the rest is captured; a null buffer is one.
    capture 0 refused
    says "of kernel 'add' is not captured: it uses several parts of one buffer"
    says "of kernel 'add' is not captured: a user event of the program has not been set"
    if [ $device != sim ]; then says "of kernel 'look' is not captured: it uses a sampler"; fi
    says 'assay: 1 scenario written into refused'
    line '        - null' refused/*_maybe.yaml
    passes refused

    # A launch that cannot be captured ends a window, and the next begins after it.
    capture 0 parts --window
    says "of kernel 'add' is not captured: it uses several parts of one buffer"
    says 'assay: 2 scenarios written into parts'
    [ -f parts/0000-0001.yaml ] && [ -f parts/0003_add.yaml ] || fail "the windows have other launches"
    passes parts

    # So does one with an argument that scenarios cannot pass.
    capture 0 odd --window
    says "assay: launch 2 of kernel 'put' is not captured: its argument 1 is a struct with pointers that is not of 64-bit words"
    [ -f odd/0000-0001.yaml ] && [ -f odd/0003-0004.yaml ] || fail "the windows have other launches"
    passes odd

    # Linked programs are modules of several sources, and binaries lead back to them: 2 * x + 3, twice.
    capture 0 linked
    line '      equals: [-11, -9, -3, 7, 21, 39, 61, 87, 117, 151, 189, 231, 277, 327, 381, 439]' linked/0000_k.yaml
    line '      equals: [-19, -15, -3, 17, 45, 81, 125, 177, 237, 305, 381, 465, 557, 657, 765, 881]' linked/0001_k.yaml
    grep -q 'frewrite-includes' linked/code/*.cl || fail "an include is not expanded"
    passes linked

    # Threads, processes, and programs that end early or without releasing anything.
    capture 0 threads
    says 'assay: 16 scenarios written into threads'
    passes threads
    capture 0 processes
    [ -f processes/p0_0002_sum.yaml ] && [ -f processes/p1_0000_scale.yaml ] || fail "a process is missing"
    capture 134 abort
    says 'assay: 3 scenarios written into abort'
    passes abort
    capture 9 fails
    says 'assay: 0 scenarios written into fails'
}

device=sim
check_all
# Barriers, markers and waits of OpenCL 1.1, of which PoCL lacks one, and what a migration waits for, order launches, too.
capture 0 barriers --window
for launch in 0 1 2; do line "      after: [launch_$launch]" barriers/0000-0003.yaml; done
passes barriers
capture 0 svm
line '        - {usm: a, offset: 32}' svm/0000_add.yaml
line '  a: {type: int, count: 16, usm: shared, values: [1, 2, 3, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]}' svm/0000_add.yaml
line '      equals: [1, 2, 3, 4, 0, 0, 0, 0, 4, 5, 6, 7, 0, 0, 0, 0]' svm/0000_add.yaml
passes svm
capture 0 usm
says "assay: launch 2 of kernel 'add' is not captured: its memory holds addresses of unified shared or shared virtual memory"
line '        - {struct: [{usm: block_0, offset: 16}, {ulong: 9}]}' usm/0001_store.yaml
line '      equals: [5, 6, 7, 8, 0, 0, 0, 0, 15, 16, 17, 18, 0, 0, 0, 0]' usm/0000_add.yaml
passes usm
capture 4 variable
says "assay: launch 0 of kernel 'next' is not captured: it uses the address of a variable of a program"
if [ -f $pocl ]; then
    device=pocl
    OCL_ICD_VENDORS=$pocl OCL_ICD_FILENAMES=$(head -n 1 $pocl)
    export OCL_ICD_VENDORS OCL_ICD_FILENAMES
    check_all
    capture 139 crash # the launch that did not come to its end is a scenario, too
    says 'assay: 1 scenario written into crash'
    line '  - expect: {launches: 1}' crash/0000_poke.yaml
    grep -q 'in which that run ended; without expected values\.' crash/0000_poke.yaml || fail "the crash is not named"
    unset OCL_ICD_VENDORS OCL_ICD_FILENAMES
fi

# The layer cannot write contents, as when the disk is full: the program goes on, and the launches are named.
expect 4 capture -o full -- "$assay" exec --quiet -- sh -c 'ASSAY_OPENCL_CAPTURE=/proc/self exec ./client plain'
says "assay: the OpenCL layer cannot write into '/proc/self': "
says "assay: launch 0 of kernel 'scale' is not captured: a file could not be written"
says 'assay: 2 more are not captured for that reason'

# A capture that is ended leaves no folder behind.
for signal in TERM KILL; do
    "$assay" capture -o ended -- sh -c 'echo $PPID >parent; exec sleep 60' >out 2>&1 &
    for _ in $(seq 100); do [ -s parent ] && break || sleep 0.1; done
    ls ended/.capture-* >/dev/null 2>&1 || fail "there is no folder to remove"
    kill -s $signal "$(cat parent)"
    wait $!
    for _ in $(seq 100); do ls ended/.capture-* >/dev/null 2>&1 && sleep 0.1 || break; done
    ls ended/.capture-* >/dev/null 2>&1 && fail "a temporary folder remains"
    rm parent
done

# Programs without OpenCL, a folder that cannot be written, wrong command lines.
expect 4 capture -o none -- true
says 'assay: the program has loaded no OpenCL loader that takes layers'
expect 127 capture -o none -- ./absent
expect 2 capture
says 'assay: capture needs a program, or --intercept DIR'
expect 2 capture --intercept none -- true
expect 2 capture --launches 5..4 -- true
says 'assay: --launches 5..4: expected the first and the last launch, counted from 0, such as 0..99'
expect 2 capture --ulp few -- true
expect 3 capture -o client/below -- true
says 'assay: -o client/below: the folder cannot be created: Not a directory'
[ $failures -eq 0 ] || echo "$failures failures"
[ $failures -eq 0 ]
