#!/bin/sh
# Programs exported for CUDA: the machine's compiler builds them, and they run on a fake driver with one kernel.
#   export_cuda.sh ASSAY SCENARIOS STAND_IN      STAND_IN is conformance/export/test/cuda_driver.c
assay=$1 scenarios=$2 stand_in=$3
. "$(dirname "$0")/harness.sh"

# compiles NAME [SOURCE]: builds the exported program without the driver's library, or with SOURCE instead of it.
compiles() {
    make -s -C "$folder/$1" -B main LIBRARY="${2:--c} -I." CFLAGS="-Wall -Wextra -Werror" >"$folder/out" 2>&1 ||
        fail "the program in $1 does not compile"
}

# ends STATUS [VARIABLE=1]: runs the program of scale.yaml, with a setting for the stand-in, and checks its exit status.
ends() {
    (cd "$folder/scale" && env ${2:-} ./main) >"$folder/out" 2>&1
    status=$?
    [ $status -eq "$1" ] || fail "the program with ${2:-no setting}: exit status $status, expected $1"
}

cat >"$folder/scale.yaml" <<'END'
assay: 1
summary: A library function multiplies the elements from the third on by 5.
modules:
  app:
    needs: [libmul]
    sources:
      - language: opencl-c
        code: |
          int product(int a, int b);
          kernel void scale(global int *data, int factor, local char *scratch) {
            size_t i = get_global_id(0);
            scratch[get_local_id(0)] = 1;
            data[i] = product(data[i], factor);
          }
  libmul:
    sources:
      - language: opencl-c
        code: |
          int product(int a, int b) { return a * b; }
memory:
  data: {type: int, values: [1, 2, 3, 4, 5, 6]}
  copied: {type: int, count: 6}
  filled: {type: short, count: 3}
steps:
  - submit: {kernel: scale, range: [3], offset: [2], args: [data, {int: 5}, {local: 10}]}
  - copy: {from: data, to: copied}
  - fill: {memory: filled, value: -2}
  - expect: {memory: copied, equals: [1, 2, 15, 20, 25, 6]}
  - expect: {memory: filled, equals: [-2, -2, -2]}
END

expect 0 export "$folder/scale.yaml" --for cuda -o "$folder/scale"
says "7 files"  # two images, the program, two supporting files, the Makefile, the README
says '//@kernel scale pointer:8 value:4 local:4' "$folder/scale/app_0.ptx"
compiles scale "$stand_in"
ends 0
says "device: stand-in 0"
says "PASS"
ends 1 REFUSE=1
says "cuLinkComplete returned 209 (CUDA_ERROR_NO_BINARY_FOR_GPU)"
says "undefined reference to 'absent'"
says "FAIL line 25: the program was refused"
ends 1 SLOPPY=1
says "FAIL line 28: copied, number 4: expected bits 0x00000019, got 0x00000005"
(cd "$folder/scale" && ./main 2) >"$folder/out" 2>&1
[ $? -eq 2 ] || fail "a device that does not exist was used"

# The program writes a device_global's pointer before the launch; a fused list is a single kernel, in PTX from nvlink's
# compiler.
cat >"$folder/counted.yaml" <<'END'
assay: 1
summary: The host copies to a device_global, and then a kernel adds its value to the data.
modules:
  app:
    sources:
      - language: opencl-c
        code: |
          DEVICE_GLOBAL(int, counter)
          kernel void add(global int *data) { data[get_global_id(0)] += DG(counter); }
memory:
  seven: {type: int, values: [7]}
  data: {type: int, values: [1, 2, 3]}
steps:
  - copy: {from: seven, to: counter}
  - wait
  - submit: {kernel: add, range: [3], args: [data]}
  - expect: {memory: data, equals: [8, 9, 10]}
  - expect: {variable: counter, type: int, equals: [7]}
END
expect 0 export "$folder/counted.yaml" --for cuda -o "$folder/counted"
compiles counted "$stand_in"
(cd "$folder/counted" && ./main) >"$folder/out" 2>&1 || fail "the program of counted.yaml does not pass"
says "PASS"
expect 0 export "$scenarios/fusion/kernels_with_a_device_global_are_fused.yaml" --for cuda -o "$folder/fused"
says "kernel_of(program_1, \"fused_0\")" "$folder/fused/main.c"
says "global_point(program_1, \"counter\", &global_0);" "$folder/fused/main.c"
says ".entry fused_0(" "$folder/fused/fused_0.ptx"
compiles fused

# The program contains a kernel's required work-group size, since no call can query it.
expect 0 export "$scenarios/device/required_size_left_open.yaml" --for cuda -o "$folder/required"
says "const size_t local[3] = {2, 3, 1};" "$folder/required/main.c"
compiles required
expect 0 export "$scenarios/memory/usm_pointers.yaml" --for cuda -o "$folder/pointers"
says "pointer_put(value_0, 0, &m_data, 8);" "$folder/pointers/main.c"
compiles pointers

# Scenarios that PTX cannot express are refused.
expect 2 export "$scenarios/linking/spec_constants.yaml" --for cuda -o "$folder/x"
says "spec_constants.yaml:26:5: error: a specialisation constant cannot be expressed in an exported program"
expect 2 export "$scenarios/linking/unresolved_import.yaml" --for cuda -o "$folder/x"
says "without calling the device"
[ -e "$folder/x" ] && fail "a folder was created despite the refusal"

exit $((failures > 0))
