#!/bin/sh
# Builds and runs shipped_linking.cpp and image_scope.cpp over the shipped runtime that ci/setup --with dpcpp installed.
set -eu
cd "$(dirname "$0")"
venv=$(../../ci/setup --folder)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for part in app both g set user dummy specialised library one two; do
    clang-14 -x cl -target spir64 -O1 -cl-std=CL2.0 -Xclang -finclude-default-header "-DPART_$part" \
        -c -emit-llvm -o "$work/$part.bc" shipped_linking.cl
    llvm-spirv-14 --spirv-max-version=1.2 "$work/$part.bc" -o "$work/$part.spv"
done

# run PROGRAM HOW...: builds PROGRAM.cpp, runs it once for each HOW and prints what it says.
run() {
    program=$1
    shift
    g++ -std=c++17 -DSYCL_DISABLE_FSYCL_SYCLHPP_WARNING -isystem "$venv/include" "$program.cpp" \
        "-Wa,-I$work" -L"$venv/lib" -lsycl "-Wl,-rpath,$venv/lib" -o "$work/$program"
    for what; do
        echo "$what:"
        timeout 60 ../../ci/on_intel_cpu "$work/$program" "$what" || true
    done
}
run shipped_linking providers set-name set-name-nul dummy dummy-needed no-dummy
run image_scope default values library
