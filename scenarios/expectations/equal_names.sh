#!/bin/sh
# Builds and runs equal_names.cpp over the shipped runtime that ci/setup --with dpcpp installed.
set -eu
cd "$(dirname "$0")"
venv=$(../../ci/setup --folder)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for value in 1 100; do
    echo "kernel void work(global int *data) { data[get_global_id(0)] += $value; }" >"$work/work.cl"
    clang-14 -target spir64 -O1 -cl-std=CL2.0 -Xclang -finclude-default-header -c -emit-llvm -o "$work/work.bc" \
        "$work/work.cl"
    llvm-spirv-14 --spirv-max-version=1.2 "$work/work.bc" -o "$work/work.spv"
    # As clang does, g++ makes no symbol unique in the process: such a library could not be unloaded.
    g++ -std=c++17 -fPIC -shared -fno-gnu-unique -D__SYCL_DISABLE_PARALLEL_FOR_RANGE_ROUNDING__ "-DVALUE=$value" \
        -isystem "$venv/include" equal_names.cpp "-Wa,-I$work" -L"$venv/lib" -lsycl "-Wl,-rpath,$venv/lib" \
        -o "$work/lib$value.so"
done
g++ -std=c++17 -isystem "$venv/include" equal_names.cpp -L"$venv/lib" -lsycl -ldl "-Wl,-rpath,$venv/lib" \
    -o "$work/equal_names"
for what in both unload; do
    echo "$what:"
    timeout 60 ../../ci/on_intel_cpu "$work/equal_names" "$what" "$work/lib1.so" "$work/lib100.so" || echo "status $?"
done
