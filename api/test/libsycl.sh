#!/bin/sh
# A program of libsycl, which g++ compiles against the shipped headers and links with a fat binary of ours:
# its images are registered with the preloaded library, and libsycl still gets them. Exits with 77 if libsycl is
# not installed (ci/setup --with dpcpp).
#   libsycl.sh ASSAY MODULES CC CXX
assay=$1
modules=$2
cc=$3
cxx=$4
venv=${ASSAY_VENV:-${XDG_DATA_HOME:-$HOME/.local/share}/assay/venv}
[ -f "$venv/include/sycl/sycl.hpp" ] && [ -f "$venv/lib/libsycl.so" ] && [ -f "$venv/lib/libintelocl.so" ] || {
    echo "libsycl is not installed: ci/setup --with dpcpp"
    exit 77
}
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
cat >program.cpp <<'C'
#include <sycl/sycl.hpp>
#include <iostream>
int main()
{
    auto bundle = sycl::get_kernel_bundle<sycl::bundle_state::input>(sycl::context{sycl::device{}});
    for (auto &id : bundle.get_kernel_ids())
        std::cout << "libsycl has " << id.get_name() << std::endl;
}
C
"$cc" -c "$modules/work.c" -o work.o &&
    "$cxx" -std=c++17 -w -isystem "$venv/include" program.cpp work.o -L"$venv/lib" -lsycl -o program || exit 1
export LD_LIBRARY_PATH="$venv/lib" ONEAPI_DEVICE_SELECTOR=opencl:cpu
export OCL_ICD_FILENAMES="$venv/lib/libintelocl.so" OCL_ICD_VENDORS="$venv/lib/libintelocl.so"
"$assay" image show --runtime ./program >shown 2>printed || {
    cat shown printed
    exit 1
}
for kernel in add copy beyond say; do
    grep -qx "kernel $kernel" shown && grep -qx "libsycl has $kernel" printed || {
        echo "$kernel is missing:"
        cat shown printed
        exit 1
    }
done
