#!/bin/sh
# Tests `assay exec` with programs that use OpenCL through the system's loader.  Expected findings follow from the
# kernels below.
#   exec.sh ASSAY MISUSE_CLIENT
assay=$1
misuse=$2
. "$(dirname "$0")/harness.sh"
cd "$folder" || exit 1
ldconfig -p 2>/dev/null | grep -q 'libOpenCL\.so\.1' || ls /usr/lib/*/libOpenCL.so.1 >/dev/null 2>&1 || exit 77

cat >one.c <<'END_OF_C'
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
/* one SOURCE ITEMS [BREAK]: runs kernel k(global int *a, global int *b) over ITEMS; both buffers have 16 ints, and the
 * contents of b are undefined. */
int main(int count, char **arguments)
{
    cl_device_id device;
    cl_platform_id platform;
    cl_int zeros[16] = {0}, result[16];
    const char *source = arguments[1];
    size_t items = (size_t)atoi(arguments[2]);
    if (clGetPlatformIDs(1, &platform, NULL) || clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &device, NULL)) return 3;
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, NULL);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
    if (clBuildProgram(program, 1, &device, "", NULL, NULL)) return 4;
    cl_kernel kernel = clCreateKernel(program, "k", NULL);
    cl_mem a = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof zeros, zeros, NULL);
    cl_mem b = clCreateBuffer(context, 0, sizeof zeros, NULL, NULL);
    clSetKernelArg(kernel, 0, sizeof a, &a);
    clSetKernelArg(kernel, 1, sizeof b, &b);
    if (count > 3) clEnqueueMapBuffer(queue, a, CL_TRUE, CL_MAP_WRITE, 0, 64, 0, NULL, NULL, NULL);
    if (clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL)) return 5;
    if (clEnqueueReadBuffer(queue, a, CL_TRUE, 0, sizeof result, result, 0, NULL, NULL)) return 6;
    printf("%d\n", result[0]);
    return 7;
}
END_OF_C
cc -o one one.c -l:libOpenCL.so.1 || fail "one.c does not compile"

good='kernel void k(global int *a, global int *b) { a[get_global_id(0)] = 5; }'
expect 7 exec ./one "$good" 16
grep -qx 5 "$folder/out" || fail "a kernel's result is not printed"
grep -qx 'assay: 0 findings' "$folder/out" || fail "a correct program has findings"
expect 7 exec --error-exitcode 42 ./one "$good" 16

# An access outside: kernel, line, work-item, buffer and call are named.
outside='kernel void k(global int *a, global int *b) {
  size_t i = get_global_id(0);
  a[i] = 1;
}'
expect 42 exec --error-exitcode 42 --json findings.json -- ./one "$outside" 17
says "out-of-bounds: store of 4 bytes at offset 64 of 'buffer 1' (64 bytes) by work-item (16, 0, 0)"
grep -q "in kernel 'k' at program-[0-9a-f]*\.cl:3:" "$folder/out" || fail "the kernel's line is not named"
grep -q '    3 |   a\[i\] = 1;' "$folder/out" || fail "the kernel's line is not quoted"
says 'enqueued by clEnqueueNDRangeKernel at one+0x'
says 'buffer 1 (64 bytes) created by clCreateBuffer at one+0x'
[ "$(wc -l <findings.json)" -eq 1 ] || fail "one finding is not one line of JSON"
grep -q '"finding":"out-of-bounds".*"line":3.*"work_item":\[16,0,0\].*"object":"buffer 1","offset":64' findings.json ||
    fail "the line of JSON lacks a part"

# A race, an undefined value that decides a branch, a mapped buffer.
expect 42 exec --error-exitcode 42 ./one 'kernel void k(global int *a, global int *b) { a[0] = get_global_id(0); }' 4
says 'assay: race: '
expect 42 exec --error-exitcode 42 ./one 'kernel void k(global int *a, global int *b) { if (b[0]) a[0] = 1; }' 1
says 'assay: uninitialised: branch on a value that was never written'
expect 42 exec --error-exitcode 42 ./one "$good" 16 mapped
grep -q '^assay: mapped-buffer: argument 0 of kernel .k. is buffer 1' "$folder/out" || fail "a mapped buffer is not reported"

# A missing dependency is named with both calls, whatever order the seed chooses; with a wait list there is no finding.
cat >orders.c <<'END_OF_C'
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <stdio.h>
/* orders [WAIT]: in an out-of-order queue, fills a buffer, and copies it, after the fill if there is an argument. */
int main(int count, char **arguments)
{
    cl_device_id device;
    cl_platform_id platform;
    cl_event filled, copied;
    cl_int seven = 7, result = 0;
    const cl_queue_properties properties[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
    (void)arguments;
    if (clGetPlatformIDs(1, &platform, NULL) || clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &device, NULL)) return 3;
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, properties, NULL);
    cl_mem a = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof result, &result, NULL);
    cl_mem b = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof result, &result, NULL);
    if (clEnqueueFillBuffer(queue, a, &seven, sizeof seven, 0, sizeof seven, 0, NULL, &filled)) return 4;
    if (clEnqueueCopyBuffer(queue, a, b, 0, 0, sizeof seven, count > 1, count > 1 ? &filled : NULL, &copied)) return 5;
    if (clEnqueueReadBuffer(queue, b, CL_TRUE, 0, sizeof result, &result, 1, &copied, NULL)) return 6;
    if (clFinish(queue)) return 8;
    printf("%d\n", result);
    return 7;
}
END_OF_C
cc -o orders orders.c -l:libOpenCL.so.1 || fail "orders.c does not compile"
for seed in 0 1 2 3; do
    expect 42 exec --seed $seed --error-exitcode 42 --json "orders$seed.json" -- ./orders
    says "command-race: read of 4 bytes at offset 0 of 'buffer 1' by a copy and the write by a fill are not ordered"
    says 'enqueued by clEnqueueCopyBuffer at orders+0x'
    grep -q 'the other command enqueued by clEnqueueFillBuffer at orders+0x[0-9a-f]*, queue 1; add its event to' \
        "$folder/out" || fail "the other call is not named"
    grep -q '"other_call":"clEnqueueFillBuffer at orders+' "orders$seed.json" || fail "the line of JSON lacks the other call"
    expect 7 exec --seed $seed --error-exitcode 42 ./orders wait
    grep -qx 7 "$folder/out" || fail "a wait list is not obeyed"
done

# What a kernel does to parts of a buffer it does to the buffer: a fill that the kernel does not wait for races with it
# in either part, and not between them.
cat >parts.c <<'END_OF_C'
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <stdlib.h>
/* parts OFFSET [WAIT]: in an out-of-order queue, fills 4 bytes of a buffer from OFFSET, and runs a kernel that stores
 * to two parts, at 256 and at 128, after the fill if there is another argument. */
int main(int count, char **arguments)
{
    cl_device_id device;
    cl_platform_id platform;
    cl_event filled;
    cl_int seven = 7;
    const size_t one = 1, offset = (size_t)atoi(arguments[1]);
    const char *source = "kernel void k(global int *high, global int *low) { high[0] = 5; low[0] = 6; }";
    const cl_queue_properties properties[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
    const cl_buffer_region regions[] = {{256, 16}, {128, 16}};
    if (clGetPlatformIDs(1, &platform, NULL) || clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &device, NULL)) return 3;
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, properties, NULL);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
    if (clBuildProgram(program, 1, &device, "", NULL, NULL)) return 4;
    cl_kernel kernel = clCreateKernel(program, "k", NULL);
    cl_mem buffer = clCreateBuffer(context, 0, 512, NULL, NULL);
    for (cl_uint i = 0; i < 2; i++) {
        cl_mem part = clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &regions[i], NULL);
        if (clSetKernelArg(kernel, i, sizeof part, &part)) return 5;
    }
    if (clEnqueueFillBuffer(queue, buffer, &seven, sizeof seven, offset, sizeof seven, 0, NULL, &filled)) return 6;
    const cl_event *wait = count > 2 ? &filled : NULL;
    if (clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, count > 2, wait, NULL)) return 8;
    if (clFinish(queue)) return 9;
    return 7;
}
END_OF_C
cc -o parts parts.c -l:libOpenCL.so.1 || fail "parts.c does not compile"
for offset in 128 256; do
    expect 42 exec --error-exitcode 42 ./parts $offset
    says "command-race: write of 4 bytes at offset $offset of 'buffer 1' by kernel 'k' and the write by a fill are not ordered"
    expect 7 exec --error-exitcode 42 ./parts $offset wait
done
expect 7 exec --error-exitcode 42 ./parts 132

# A write reads its source as late as it completes, and the host must not change it before.
cat >late.c <<'END_OF_C'
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <stdio.h>
/* late [WAIT]: writes 5 to a buffer without blocking, waits if there is an argument, and makes the source 6. */
int main(int count, char **arguments)
{
    cl_device_id device;
    cl_platform_id platform;
    cl_int source = 5, result = 0;
    (void)arguments;
    if (clGetPlatformIDs(1, &platform, NULL) || clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &device, NULL)) return 3;
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, NULL);
    cl_mem a = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof result, &result, NULL);
    if (clEnqueueWriteBuffer(queue, a, CL_FALSE, 0, sizeof source, &source, 0, NULL, NULL)) return 4;
    if (count > 1 && clFinish(queue)) return 5;
    source = 6;
    if (clEnqueueReadBuffer(queue, a, CL_TRUE, 0, sizeof result, &result, 0, NULL, NULL)) return 6;
    printf("%d\n", result);
    return 7;
}
END_OF_C
cc -o late late.c -l:libOpenCL.so.1 || fail "late.c does not compile"
expect 42 exec --error-exitcode 42 ./late
says "command-race: the host has changed the source of a write of 4 bytes at offset 0 of 'buffer 1', which had not been done"
says 'enqueued by clEnqueueWriteBuffer at late+0x'
grep -qx 6 "$folder/out" || fail "a write does not read its source late"
expect 7 exec --error-exitcode 42 ./late wait
grep -qx 5 "$folder/out" || fail "a write that has been waited for reads a later value"

# Refused calls are explained, unless the user asks for silence.
expect 4 exec ./one 'kernel void k(global int *a, global int *b) { a[0] = oops; }' 1
grep -q '^assay: clBuildProgram returns CL_BUILD_PROGRAM_FAILURE' "$folder/out" || fail "a failed build is not explained"
expect 4 exec --quiet ./one 'kernel void k(global int *a, global int *b) { a[0] = oops; }' 1
! grep -q clBuildProgram "$folder/out" || fail "--quiet explains a failed build"
expect 1 exec --quiet --error-exitcode 1 -- "$misuse"
grep -q '^assay: use-after-release: buffer ' "$folder/out" || fail "a use after the release is not reported"

# Suppressions: by class, kernel and file of the kernel's source or of the call. What an entry matches is neither
# printed nor counted, but kept in the files, with the reason; an entry that matches nothing is reported.
suppress() { # ENTRY…: writes known.yaml with these entries, each a line of keys
    printf 'assay_suppressions: 1\nentries:\n' >known.yaml
    for entry; do echo "  - {$entry, reason: the test says so}" >>known.yaml; done
}
for entry in 'class: out-of-bounds' 'kernel: k' 'kernel: "*"' 'file: "program-*.cl"' 'file: one' \
    'class: out-of-bounds, kernel: k, file: one'; do
    suppress "$entry"
    expect 7 exec --error-exitcode 42 --suppressions known.yaml --json known.json --sarif known.sarif -- ./one "$outside" 17
    ! grep -q 'out-of-bounds' "$folder/out" || fail "{$entry}: a suppressed finding is printed"
    grep -qx 'assay: 0 findings, 1 suppressed' "$folder/out" || fail "{$entry}: the suppressed finding is not counted"
    ! grep -q 'warning' "$folder/out" || fail "{$entry}: an entry that matched is reported as unused"
    grep -q '"suppressed_by":"known.yaml:3","reason":"the test says so"' known.json || fail "{$entry}: the JSON does not name it"
    grep -q '"justification": "the test says so"' known.sarif || fail "{$entry}: the SARIF does not name it"
done
for entry in 'class: race' 'kernel: kk' 'file: "*.c"' 'class: out-of-bounds, kernel: other' 'class: out-of-bounds, file: two'; do
    suppress "$entry"
    expect 42 exec --error-exitcode 42 --suppressions known.yaml -- ./one "$outside" 17
    says 'known.yaml:3:5: warning: the entry has matched no finding'
    grep -qx 'assay: 1 finding' "$folder/out" || fail "{$entry}: a finding is suppressed by an entry that does not match"
done
# The first entry that matches decides: the launch's misuse has a kernel, the read's has only a call.
suppress 'class: mapped-buffer, kernel: k' 'class: mapped-buffer' 'kernel: k, class: mapped-buffer'
expect 42 exec --error-exitcode 42 --suppressions known.yaml -- ./one "$outside" 17 mapped
says 'known.yaml:5:5: warning: the entry has matched no finding'
[ "$(grep -c warning "$folder/out")" -eq 1 ] || fail "an entry that matched is reported as unused"
grep -qx 'assay: 1 finding, 2 suppressed' "$folder/out" || fail "of three findings not two are suppressed"
suppress 'file: opencl_misuse_client'
expect 0 exec --quiet --error-exitcode 1 --suppressions known.yaml -- "$misuse"
! grep -q 'use-after-release' "$folder/out" || fail "a use after the release is not suppressed by the file of its call"
suppress 'kernel: "*"'
expect 1 exec --quiet --error-exitcode 1 --suppressions known.yaml -- "$misuse"
# Wrong files. The program does not run.
wrong() { # MESSAGE
    expect 2 exec --suppressions known.yaml ./one "$good" 16
    says "$1"
}
suppress 'class: races'
wrong "known.yaml:3:13: error: unknown class of findings 'races'; did you mean 'race'?"
suppress 'clas: race'
wrong "known.yaml:3:6: error: unknown key 'clas' in an entry; did you mean 'class'?"
printf 'assay_suppressions: 1\nentries:\n  - class: race\n' >known.yaml
wrong "known.yaml:3:5: error: "
printf 'assay_suppressions: 1\nentries:\n  - reason: because\n' >known.yaml
wrong "known.yaml:3:5: error: an entry needs 'class', 'kernel' or 'file': what it suppresses"
printf 'assay_suppressions: 2\nentries: []\n' >known.yaml
wrong "known.yaml:1:"
expect 2 exec --suppressions absent.yaml ./one "$good" 16
says 'assay: --suppressions: '

# SARIF: a place in the kernel with the quoted line, the call, and the class as the rule.
expect 7 exec --sarif new.sarif ./one "$outside" 17
for part in '"ruleId": "out-of-bounds"' '"uri": "program-' '"startLine": 3' '"startColumn": 8' '"text": "  a[i] = 1;"' \
    '"fullyQualifiedName": "clEnqueueNDRangeKernel at one+0x' '"level": "error"'; do
    grep -qF -- "$part" new.sarif || fail "the SARIF lacks $part"
done
! grep -q suppressions new.sarif || fail "the SARIF suppresses a finding without an entry"
expect 7 exec --sarif new.sarif ./one "$good" 16
grep -q '"results": \[\]' new.sarif || fail "the SARIF of a correct program has results"
expect 3 exec --sarif absent/new.sarif ./one "$good" 16

# Compiled kernels: results and findings are the same, and a kernel that is interpreted after all says why.
for tier in interpreted compiled measured; do
    expect 7 exec --tier $tier ./one "$good" 16
    grep -qx 5 "$folder/out" || fail "the result of a kernel of the tier $tier is wrong"
    ! grep -q 'is interpreted' "$folder/out" || fail "a kernel of the tier $tier is interpreted"
    expect 7 exec --tier $tier ./one "$outside" 17
    says "out-of-bounds: store of 4 bytes at offset 64 of 'buffer 1' (64 bytes) by work-item (16, 0, 0)"
done
expect 7 exec --tier compiled ./one "$outside" 17
says "kernel 'k' is interpreted because it makes an access that may be wrong"
expect 2 exec --tier fast ./one "$good" 16
says "assay: --tier: unknown tier 'fast'; expected one of: interpreted, compiled, measured"

# The type of the device, its memory, the environment, and wrong command lines.
expect 2 exec --memory 31 ./one "$good" 16
expect 7 exec --memory 32 ./one "$good" 16
expect 3 exec --type cpu ./one "$good" 16
expect 2 exec --type toaster ./one
expect 2 exec
expect 127 exec ./absent
expect 2 exec --error-exitcode 256 ./one
expect 143 exec -- sh -c 'kill -TERM $$'
[ $failures -eq 0 ] || echo "$failures failures"
[ $failures -eq 0 ]
