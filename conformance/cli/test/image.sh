#!/bin/sh
# Tests assay image on the modules and files that the tests of reference/image build: they are shown, converted into
# every kind and back, and refused if damaged.
#   image.sh ASSAY WRITE_SAMPLE MODULE80 MODULE96Z
assay=$1 write_sample=$2 module80=$3 module96z=$4
. "$(dirname "$0")/harness.sh"

# The description of a module's images.
expect 0 image show "$module80"
says 'fat binary of version 3, 80 bytes per image, images: 3'
says 'image 0: SPIR-V for spir64, 12 bytes'
says '  compile options: -cl-opt'
says '  link options: -x "y"'
says '  entry add'
says '  entry a "b" \ ??/ \xc3\xa9'
says '    f = 4294967295'
says '    add = 3 bits 101'
says '    none = 0 bits'
says 'image 1: native for spir64_gen, 3 bytes'
expect 0 image show "$module96z"
says 'fat binary of version 2, 96 bytes per image, images: 3'
says 'image 0: SPIR-V for spir64, 12 bytes (compressed: '

# Converting a module to C gives its original source, with 80 bytes per image by default; a format that is unknown
# until the code is decompressed is detected and written out.
"$write_sample" 80 >"$folder/80.c" && "$write_sample" 96 >"$folder/96.c"
expect 0 image convert "$module80" --to c "$folder/again.c"
cmp "$folder/80.c" "$folder/again.c" || fail "the source with 80 bytes per image differs"
expect 0 image convert "$module96z" --to c --layout 96 "$folder/again.c"
sed 's/{2, 4, 1, "nvptx64"/{2, 4, 0, "nvptx64"/' "$folder/again.c" >"$folder/known.c"
cmp "$folder/96.c" "$folder/known.c" || fail "the source with 96 bytes per image differs"
expect 0 image convert "$module80" --to c --compress "$folder/compressed.c"
says '    "(\265/\375' "$folder/compressed.c" # 28 B5 2F FD, the magic number of Zstandard

# SYCLBIN and text, which cannot represent options.
expect 2 image convert "$module80" --to syclbin "$folder/made"
says 'SYCLBIN has no place for the options of an image'
expect 2 image convert "$module80" --to text "$folder/made"
says 'image 0 has options, which the text form cannot represent'
"$write_sample" syclbin >"$folder/sample.syclbin"
expect 0 image show "$folder/sample.syclbin"
says 'SYCLBIN, modules: 2, images: 2'
says '    state = 2'
says 'image 1: native for nvptx64, 1 bytes'
expect 0 image convert "$folder/sample.syclbin" --to syclbin "$folder/again.syclbin"
cmp "$folder/sample.syclbin" "$folder/again.syclbin" || fail "the SYCLBIN differs"
expect 0 image convert "$folder/sample.syclbin" --to text "$folder/table"
printf '[Code|Properties|Symbols]\ntable_0.bin|table_0.prop|table_0.sym\ntable_1.bin|table_1.prop|table_1.sym\n' |
    cmp - "$folder/table" || fail "the table differs" "$folder/table"
printf xyz | cmp - "$folder/table_0.bin" || fail "the code differs"
printf 'add\n' | cmp - "$folder/table_1.sym" || fail "the symbols differ"
printf '[SYCL/kernel names]\nadd=1|1\n' | cmp - "$folder/table_1.prop" || fail "the properties differ"

# Damaged files, and files of other kinds.
head -c 300 "$folder/sample.syclbin" >"$folder/cut"
expect 2 image show "$folder/cut"
says "cut: damaged SYCLBIN at byte 8 of 300: the file's size differs from the stated size"
printf 'hello' >"$folder/text"
expect 2 image show "$folder/text"
says 'neither SYCLBIN (10 FF 10 AD) nor an ELF file (7F E L F)'
expect 2 image show "$assay"
says 'the ELF file has no device images'
expect 2 image show "$folder/nothing"
says 'nothing'

# The command line.
expect 2 image
says 'expected show FILE, show --runtime PROGRAM, or convert FILE --to KIND OUT'
expect 2 image convert "$module80" --to elf "$folder/made"
says 'expected --to syclbin, --to text or --to c'
expect 2 image convert "$module80" --to c --layout 88 "$folder/made"
says '--layout 88: expected 80 or 96'
expect 3 image convert "$module80" --to c "$folder/no/such/folder"
says 'cannot be written'
expect 0 image --help
says '--compress'
[ -z "$(ls "$folder" | grep ^made)" ] || fail "a refused conversion left a file"

[ $failures -eq 0 ] || echo "$failures failures"
[ $failures -eq 0 ]
