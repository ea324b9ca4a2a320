#!/bin/sh
# Tests that SYCL sources have their host half on dpcpp, from files and from packs, and only there.
#   host_half.sh ASSAY SETUP       SETUP is ci/setup; ends with 77 if the shipped runtime is not installed
assay=$1
venv=$("$2" --folder) && [ -e "$venv/lib/assay/libassay_dpcpp.so" ] || exit 77
. "$(dirname "$0")/harness.sh"

# scenario NAME CODE: writes a scenario with a variable, and with CODE, which only a host compiler sees.
scenario() {
    cat >"$folder/$1.yaml" <<END
assay: 1
summary: A device_global, and code that only a host compiler sees.
modules:
  app:
    sources:
      - language: sycl
        code: |
          #include <sycl/sycl.hpp>
          namespace syclex = sycl::ext::oneapi::experimental;
          #ifndef __SYCL_DEVICE_ONLY__
          $2
          #endif
          static syclex::device_global<int> value;
          SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclex::single_task_kernel))
          void give(int *out) { out[0] = value; }
memory:
  seven: {type: int, values: [7]}
  out: {type: int, count: 1}
steps:
  - copy: {from: seven, to: {variable: value}}
  - wait
  - submit: {kernel: give, range: [1], args: [{write: out}]}
  - wait
  - expect: {memory: out, equals: [7]}
END
}

scenario right 'int for_the_host;'
scenario wrong '#error a host compiler'

expect 0 run "$folder/right.yaml" --on sim,dpcpp
says "sim: 1 PASS"
says "dpcpp: 1 PASS"
expect 1 run "$folder/wrong.yaml" --on sim,dpcpp
says "sim: 1 PASS"
says "app/0:4:2: error: #error a host compiler"

# The compiled program is in the cache; without it, the C++ compiler is needed, also for a pack.
expect 0 pack "$folder/right.yaml" -o "$folder/right.assay"
export CXX=no-such-compiler
for input in right.yaml right.assay; do
    expect 3 run "$folder/$input" --on dpcpp --cache "$folder/other"
    says "no C++ compiler: 'no-such-compiler' does not exist, and SYCL sources need one"
done
expect 0 run "$folder/right.yaml" --on sim --cache "$folder/other"
unset CXX
expect 0 run "$folder/right.assay" --on dpcpp --cache "$folder/other"
says "dpcpp: 1 PASS"
[ $failures -eq 0 ]
