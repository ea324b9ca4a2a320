#!/bin/sh
# assay image show --runtime, on programs and shared objects whose start-up code registers fat binaries.
#   image_runtime.sh ASSAY MODULES CC
# MODULES: the folder with the modules of api/test/modules.yaml.
assay=$1
modules=$2
cc=$3
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
failures=0

# shows NAME STATUS ARGUMENT...: runs the command and compares its output with the standard input.
shows() {
    name=$1 expected=$2
    shift 2
    cat >wanted
    "$assay" image show --runtime "$@" >printed 2>errors
    status=$?
    sed "s,$modules,MODULES,; s,$folder,HERE,; s/bytes: [0-9]*/bytes: N/; s/0x[0-9a-f]*/A/" printed >shown
    [ "$status" = "$expected" ] && diff wanted shown && return
    echo "$name: status $status, not $expected"
    cat errors
    failures=$((failures + 1))
}

says() {
    grep -q "$2" errors && return
    echo "$1: expected on stderr: $2"
    cat errors
    failures=$((failures + 1))
}

cat >idle.c <<'C'
int main(void) { return 0; }
C
cat >late.c <<'C'
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int count, char **words)
{
    puts("the program's own output");
    for (int i = 1; i < count; i++) {
        if (strcmp(words[i], "crash") == 0) abort();
        if (strcmp(words[i], "wait") == 0) for (;;) {}
        if (!dlopen(words[i], RTLD_NOW)) fprintf(stderr, "%s\n", dlerror());
    }
    return getenv("LD_PRELOAD") && getenv("ASSAY_RECORD_FOLDER") ? 0 : 5;
}
C
cat >damaged.c <<'C'
void __sycl_register_lib(const void *descriptor);
static const unsigned long descriptor[4] = {1 | 1ul << 16, 16, 0, 0};
__attribute__((constructor)) static void start(void) { __sycl_register_lib(descriptor); }
C
sed 's/{"in", /{"", /' "$modules/variables.c" >nameless.c
"$cc" -shared -fPIC nameless.c -o nameless.so || exit 1
cat >becomes.c <<'C'
#include <dlfcn.h>
#include <unistd.h>
int main(int count, char **words)
{
    (void)count;
    if (dlopen(MODULES "/libtwice.so", RTLD_NOW)) execv(words[1], words + 1);
    return 6;
}
C
"$cc" -DMODULES="\"$modules\"" becomes.c -o becomes || exit 1
"$cc" idle.c -o idle && "$cc" -rdynamic late.c -o late && "$cc" -shared -fPIC damaged.c -o damaged.so || exit 1

shows 'a library alone' 1 "$modules/app.so" <<'T'
module MODULES/app.so
  image app.so/0: spir64, bytes: N, kernels: 1, exports: 0, imports: 1
  image app.so/1: spir64, bytes: N, kernels: 1, exports: 0, imports: 1
kernel apply
  image app.so/0
  unresolved: twice
kernel lost
  image app.so/1
  unresolved: nowhere
images: 2, kernels: 2, of which cannot be linked: 2
T
shows 'a program that opens two libraries' 1 ./late "$modules/app.so" "$modules/libtwice.so" <<'T'
program HERE/late
module MODULES/app.so
  image app.so/0: spir64, bytes: N, kernels: 1, exports: 0, imports: 1
  image app.so/1: spir64, bytes: N, kernels: 1, exports: 0, imports: 1
module MODULES/libtwice.so
  image libtwice.so/0: spir64, bytes: N, kernels: 0, exports: 1, imports: 0
kernel apply
  image app.so/0
  linked with libtwice.so/0 for twice
kernel lost
  image app.so/1
  unresolved: nowhere
images: 3, kernels: 2, of which cannot be linked: 1
T
says 'output goes to stderr' "the program's own output"
shows 'what was registered before a crash' 0 ./late "$modules/variables.so" crash <<'T'
program HERE/late
module MODULES/variables.so
  image variables.so/0: spir64, bytes: N, kernels: 1, exports: 0, imports: 0
kernel step
  image variables.so/0
images: 1, kernels: 1, of which cannot be linked: 0
T
says 'a crash' 'assay: ./late ended by signal 6'
shows 'kernels of one image together' 0 --timeout 1 ./late "$modules/work.so" wait <<'T'
program HERE/late
module MODULES/work.so
  image work.so/0: spir64, bytes: N, kernels: 5, exports: 0, imports: 0
kernel add
kernel copy
kernel beyond
kernel say
kernel large
  image work.so/0
images: 1, kernels: 5, of which cannot be linked: 0
T
says 'a time limit' 'did not end within 1000 ms and was killed'
shows 'processes that a program starts' 0 -- sh -c "./late $modules/libtwice.so; ./idle; ./late $modules/libtwice.so" <<'T'
program HERE/late
module MODULES/libtwice.so
  image libtwice.so/0: spir64, bytes: N, kernels: 0, exports: 1, imports: 0
program HERE/late
module MODULES/libtwice.so
  image libtwice.so/0: spir64, bytes: N, kernels: 0, exports: 1, imports: 0
images: 2, kernels: 0, of which cannot be linked: 0
T
mkdir other && cp "$modules/libtwice.so" other
shows 'two files of one name' 0 ./late "$modules/libtwice.so" "$folder/other/libtwice.so" <<'T'
program HERE/late
module MODULES/libtwice.so
  image libtwice.so/0: spir64, bytes: N, kernels: 0, exports: 1, imports: 0
module HERE/other/libtwice.so
  image libtwice.so#2/0: spir64, bytes: N, kernels: 0, exports: 1, imports: 0
images: 2, kernels: 0, of which cannot be linked: 0
T
shows 'a process that becomes another program' 0 ./becomes ./late "$modules/variables.so" <<'T'
program HERE/becomes
module MODULES/libtwice.so
  image libtwice.so/0: spir64, bytes: N, kernels: 0, exports: 1, imports: 0
program HERE/late
module MODULES/variables.so
  image variables.so/0: spir64, bytes: N, kernels: 1, exports: 0, imports: 0
kernel step
  image variables.so/0
images: 2, kernels: 1, of which cannot be linked: 0
T
shows 'a damaged descriptor' 4 ./damaged.so <<'T'
module HERE/damaged.so
  not registered: damaged device images at address A: the images lie outside the mapped memory
T
shows 'a variable without an id' 4 ./nameless.so <<'T'
module HERE/nameless.so
  not registered: image nameless.so/0: property 0 of its set SYCL/device globals has no name, which is the unique id of a variable
T
shows 'no images' 4 ./idle </dev/null
says 'no images' 'registered no device images'
shows 'no program' 3 ./nothing </dev/null
says 'no program' './nothing: no such program or library'
shows 'an unknown device' 2 --on sin ./idle </dev/null
says 'an unknown device' "unknown device 'sin'; did you mean 'sim'?"
[ -z "$LD_PRELOAD$ASSAY_RECORD_FOLDER" ] || failures=$((failures + 1))
exit $((failures > 0))
