#!/bin/sh
# Tests assay postlink on sources in every language and on a scenario: its output as text and as JSON, the files that it
# writes, and its refusals.
#   postlink.sh ASSAY
assay=$1
. "$(dirname "$0")/harness.sh"
cd "$folder" || exit 1

cat >lib.cl <<'END'
__attribute__((noinline)) int __attribute__((overloadable)) scale(int x) { return 3 * x; }
END
cat >app.cl <<'END'
SPEC_CONSTANT(short, stride, 258)
int __attribute__((overloadable)) scale(int x);
int missing(int x);
kernel void K(global int *p, global double *d) { p[0] = scale(p[1]) + missing(stride); d[0] += 1.0; }
END
cat >more.clcpp <<'END'
namespace ns { int both(int a, float b) { return a + (int)b; } }
END
cat >ir.ll <<'END'
define spir_func i32 @from_ir(i32 %x) {
  ret i32 %x
}
END
cat >code.spvasm <<'END'
OpCapability Addresses
OpCapability Linkage
OpCapability Kernel
OpMemoryModel Physical64 OpenCL
OpDecorate %f LinkageAttributes "from_assembly" Export
%int = OpTypeInt 32 0
%type = OpTypeFunction %int %int
%f = OpFunction %int None %type
%x = OpFunctionParameter %int
%in = OpLabel
OpReturnValue %x
OpFunctionEnd
END

# Text.  Sizes depend on the translator, so they are not compared.
sizeless() { sed 's/, bytes: [0-9]*$//' "$folder/out"; }
expect 0 postlink lib.cl app.cl --split per_source
sizeless >shown
cat >wanted <<'END'
module lib, split per_source, images: 2
image lib/0: spirv64
  exports   _Z5scalei  scale(int)
image lib/1: spirv64
  kernels   K
  imports   missing
  constants stride  id 0, bytes: 2, default: 0x0102
  aspects   fp64
END
cmp shown wanted || fail "the text differs" shown

# device_globals: what host code registers, and what an image contains.
cat >globals.clcpp <<'END'
namespace inner { DEVICE_GLOBAL(int[3], table, device_image_scope, host_access(read)) }
DEVICE_GLOBAL(char, unused)
kernel void G(global int *p) { p[0] = DG(inner::table)[1]; }
END
expect 0 postlink globals.clcpp
sizeless >shown
cat >wanted <<'END'
module globals, split off, images: 1
  registers inner::table  id _ZN5inner5tableE, 12 bytes, image scope, host access: read
            unused  id _Z6unused, 1 byte, host access: read_write
image globals/0: spirv64
  kernels   G
  [SYCL/device globals]
    _ZN5inner5tableE = 12 bytes, image scope
  [SYCL/program metadata]
    _ZN5inner5tableE@global_id_mapping = "_ZN5inner5tableE"
END
cmp shown wanted || fail "the text of device_globals differs" shown
expect 0 postlink globals.clcpp --json
says '"host_access": "read_write"'
echo 'DEVICE_GLOBAL(int, x, host_access(read), host_access(write))' >twice.cl
expect 1 postlink twice.cl
says "twice.cl:1: error: device_global 'x' has the property host_access twice, with different values"

expect 0 postlink lib.cl more.clcpp ir.ll code.spvasm
sizeless >shown
cat >wanted <<'END'
module lib, split off, images: 2
image lib/0: spirv64
  exports   _Z5scalei  scale(int)
            _ZN2ns4bothEif  ns::both(int, float)
            from_ir
image lib/1: spirv64
  exports   from_assembly
END
cmp shown wanted || fail "the text of all languages differs" shown

# The same module as JSON.
expect 0 postlink lib.cl app.cl --split per_source --json
python3 - "$folder/out" <<'END' || fail "the JSON differs"
import json, sys
module, = json.load(open(sys.argv[1]))
assert (module["module"], module["split"]) == ("lib", "per_source")
first, second = module["images"]
assert first["exports"] == [{"symbol": "_Z5scalei", "demangled": "scale(int)"}] and first["kernels"] == []
assert second["kernels"] == [{"symbol": "K"}] and second["imports"] == [{"symbol": "missing"}]
assert second["constants"] == [{"name": "stride", "id": 0, "size_bytes": 2, "default": "0201"}]
assert second["aspects"] == ["fp64"] and second["size_bytes"] > 20
sets = {s["name"]: s["properties"] for s in second["property_sets"]}
assert sets["SYCL/imported symbols"] == [{"name": "missing", "number": 1}]
END

# Files: a table with properties, code and entries; the files can be read back.
expect 0 postlink lib.cl app.cl --split per_source -o text
printf '[Code|Properties|Symbols]\nlib_0.spv|lib_0.prop|lib_0.sym\nlib_1.spv|lib_1.prop|lib_1.sym\n' |
    cmp - text/lib.table || fail "the table differs" text/lib.table
printf '[SYCL/exported symbols]\n_Z5scalei=1|1\n' | cmp - text/lib_0.prop || fail "the properties differ"
printf '_Z5scalei\n' | cmp - text/lib_0.sym || fail "the exported function is not an entry"
printf 'K\n' | cmp - text/lib_1.sym || fail "the kernel is not an entry"
expect 0 postlink text/lib_0.spv
says '  exports   _Z5scalei  scale(int)'
expect 0 postlink lib.cl app.cl --split per_source -o made --to syclbin
expect 0 image show made/lib.syclbin
says 'SYCLBIN, modules: 2, images: 2'
says '  entry K'
expect 0 postlink lib.cl -o made --to c --layout 96
grep -q '"_Z5scalei"' made/lib.c || fail "the C source does not name the function"

# Native images, and options for the compiler.
expect 0 postlink lib.cl --format native
says 'image lib/0: native'
printf '#ifdef NAME\nint NAME(int x) { return x; }\n#endif\n' >named.cl
expect 0 postlink named.cl --build-options -DNAME=called_so
says '  exports   called_so'
expect 0 postlink named.cl
says 'module named, split off, images: 0'

# A scenario: every module with its own split, or with the option's.
cat >scenario.yaml <<'END'
assay: 1
summary: Two modules, one of which is split.
modules:
  app:
    needs: [library]
    sources:
      - language: opencl-c
        code: |
          int f(int x);
          kernel void apply(global int *data) { data[0] = f(data[0]); }
  library:
    split: per_kernel
    sources:
      - language: opencl-c
        code: |
          int f(int x) { return x + 1; }
          kernel void own(global int *data) { data[0] = f(data[0]); }
memory:
  data: {type: int, values: [1]}
steps:
  - submit: {kernel: apply, range: [1], args: [data]}
  - expect: {memory: data, equals: [2]}
END
expect 0 postlink scenario.yaml
sizeless >shown
cat >wanted <<'END'
module app, split off, images: 1
image app/0: spirv64
  kernels   apply
  imports   f
module library, split per_kernel, images: 2
image library/0: spirv64
  exports   f
image library/1: spirv64
  kernels   own
END
cmp shown wanted || fail "the modules of the scenario differ" shown
expect 0 postlink scenario.yaml --split off
says 'module library, split off, images: 1'

# Refusals: of the source, at its line, and by post-link.
printf 'int f(int x) {\n  return y;\n}\n' >wrong.cl
expect 1 postlink wrong.cl
says "wrong.cl:2:10: error: use of undeclared identifier 'y'"
printf 'int f(int x) { return x; }\nint h(int x) {\n  __asm__("nop");\n  return x;\n}\n' >assembly.cl
expect 1 postlink assembly.cl
says "source assembly.cl, line 3: 'h' contains inline assembly, which SPIR-V does not have"
printf 'struct S { int v; };\nint h(int x);\n\nS s{h(3)};\n' >start.clcpp
expect 1 postlink start.clcpp
says "source start.clcpp, line 4: 'llvm.global_ctors' is not empty"
expect 1 postlink lib.cl lib.cl
says "defines '_Z5scalei', which another source of module lib also defines"
printf 'define i32 @f( {\n' >wrong.ll
expect 1 postlink wrong.ll
says 'wrong.ll:2:1: error: expected type'
printf 'no SPIR-V at all' >wrong.spv
expect 1 postlink wrong.spv
says 'wrong.spv: error: '

# Usage.
expect 2 postlink
says 'expected a source file, or a scenario'
expect 2 postlink none.cl
says 'none.cl'
: >empty.cl
expect 2 postlink empty.cl
says 'empty.cl is empty'
expect 2 postlink lib.txt
says 'lib.txt: expected a file *.cl'
expect 2 postlink lib.cl scenario.yaml
says 'scenario.yaml: expected a file *.cl'
expect 2 postlink lib.cl --split sometimes
says '--split sometimes: expected off, per_source, per_kernel or auto'
expect 2 postlink lib.cl --format dxil
says '--format dxil: expected spirv64, native or ptx'
expect 2 postlink lib.cl --build-options -fplugin=x
says "'-fplugin=x' is refused"
expect 2 postlink lib.cl --to text
says '--to, --layout and --compress need -o DIR'
expect 2 postlink lib.cl -o made --to elf
says '--to elf: expected text, syclbin or c'
expect 3 postlink lib.cl -o lib.cl/below
says '-o lib.cl/below: the folder cannot be created'

[ $failures -eq 0 ] || echo "$failures failures"
[ $failures -eq 0 ]
