#!/bin/sh
# The library exports what its header declares, and what scenarios' host programs call; nothing else. The
# header compiles by itself as C99 and as C++11, without warnings.
#   exports.sh LIBRARY HEADER CC CXX
library=$1
header=$2
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
{
    sed -n 's/^[a-z].*[ *]\(\(assay\|__sycl\)_[a-z_]*\)(.*/\1/p' "$header" | grep -v '^assay_ok$'
    printf 'assay_%s\n' host_main module_constructed module_destroyed module_global module_kernels
} | sort >"$folder/declared"
nm -D --defined-only "$library" | awk '{print $3}' | sort >"$folder/exported"
[ "$(wc -l <"$folder/declared")" -gt 40 ] || { echo "the header's functions were not found"; exit 1; }
diff "$folder/declared" "$folder/exported" || { echo "< declared, > exported"; exit 1; }
printf '#include "%s"\nint main(void) { return !assay_ok(assay_runtime_wait(0)); }\n' "$header" >"$folder/use.c"
"$3" -std=c99 -Wall -Wextra -Wpedantic -Werror -fsyntax-only "$folder/use.c" || exit 1
"$4" -std=c++11 -x c++ -Wall -Wextra -Wpedantic -Werror -fsyntax-only "$folder/use.c" || exit 1
