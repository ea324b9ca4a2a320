/* Segments and dynamic relocations of an ELF file.  No offset or address from the file is used
 * before it has been checked. */
#include "reference/image/elf.h"

#include "reference/base/stream.h"

#include <elf.h>
#include <string.h>

_Static_assert(sizeof(Elf64_Ehdr) == 64 && sizeof(Elf64_Phdr) == 56, "layout of the ABI");
_Static_assert(sizeof(Elf64_Rela) == 24 && sizeof(Elf64_Sym) == 24, "layout of the ABI");
_Static_assert(sizeof(Elf64_Dyn) == 16, "layout of the ABI");

typedef struct elf_reader {
    rt_sink *sink;
    rt_arena *arena;
    rt_bytes file;
    Elf64_Ehdr header;
    rt_mapped *segments; /* their bytes are copies in the arena, and so writable */
    uint32_t segment_count;
    rt_bytes dynamic;        /* the dynamic section, in the file */
    uint64_t dynamic_header; /* file offset of its program header */
} elf_reader;

static rt_status fault(const elf_reader *reader, uint64_t offset, const char *reason)
{
    return rt_fail(reader->sink, RT_MALFORMED, RT_RULE_NONE,
                   "damaged ELF file at byte %llu of %zu: %s", (unsigned long long)offset,
                   reader->file.size, reason);
}

static rt_status unsupported(const elf_reader *reader, uint64_t offset, const char *reason)
{
    return rt_fail(reader->sink, RT_UNSUPPORTED, RT_RULE_NONE,
                   "unsupported ELF file at byte %llu: %s; assay reads 64-bit little-endian x86-64 "
                   "executables and shared objects",
                   (unsigned long long)offset, reason);
}

bool rt_elf_is(rt_bytes file)
{
    return file.size >= SELFMAG && memcmp(file.data, ELFMAG, SELFMAG) == 0;
}

static rt_status header_read(elf_reader *reader)
{
    if (!rt_elf_is(reader->file)) return fault(reader, 0, "expected the bytes 7F E L F");
    if (reader->file.size < sizeof reader->header)
        return fault(reader, reader->file.size, "the header is cut off");
    memcpy(&reader->header, reader->file.data, sizeof reader->header);
    const Elf64_Ehdr *header = &reader->header;
    if (header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB)
        return unsupported(reader, EI_CLASS, "it is not 64-bit little-endian");
    if (header->e_machine != EM_X86_64)
        return unsupported(reader, offsetof(Elf64_Ehdr, e_machine), "it is for another machine");
    if (header->e_type != ET_DYN && header->e_type != ET_EXEC)
        return unsupported(reader, offsetof(Elf64_Ehdr, e_type),
                           "it is an object file that has not been linked");
    if (header->e_phentsize != sizeof(Elf64_Phdr))
        return fault(reader, offsetof(Elf64_Ehdr, e_phentsize),
                     "expected program headers of 56 bytes");
    uint64_t table_size = (uint64_t)header->e_phnum * sizeof(Elf64_Phdr);
    rt_bytes table;
    if (!rt_bytes_slice(reader->file, header->e_phoff, table_size, &table))
        return fault(reader, offsetof(Elf64_Ehdr, e_phoff),
                     "the program headers lie outside the file");
    return RT_STATUS_OK;
}

/* Copies the loadable segments and finds the dynamic section. */
static rt_status segments_read(elf_reader *reader)
{
    uint64_t total = 0;
    reader->segments =
        rt_arena_alloc_array(reader->arena, reader->header.e_phnum, sizeof *reader->segments);
    for (uint32_t i = 0; i < reader->header.e_phnum; i++) {
        uint64_t at = reader->header.e_phoff + (uint64_t)i * sizeof(Elf64_Phdr);
        Elf64_Phdr segment;
        memcpy(&segment, reader->file.data + at, sizeof segment);
        if (segment.p_type != PT_LOAD && segment.p_type != PT_DYNAMIC) continue;
        total += segment.p_filesz > reader->file.size ? 0 : segment.p_filesz;
        if (total > 2 * (uint64_t)reader->file.size) {
            return rt_fail(
                reader->sink, RT_LIMIT, RT_RULE_NONE,
                "ELF file at byte %llu: the segments together exceed twice the size of the file",
                (unsigned long long)at);
        }
        rt_bytes bytes;
        if (!rt_bytes_slice(reader->file, segment.p_offset, segment.p_filesz, &bytes))
            return fault(reader, at, "a segment lies outside the file");
        if (segment.p_vaddr > UINT64_MAX - segment.p_filesz)
            return fault(reader, at, "a segment ends past the last address");
        if (segment.p_type == PT_DYNAMIC) {
            reader->dynamic = bytes;
            reader->dynamic_header = at;
        } else if (bytes.size > 0) {
            CHECK(reader->segment_count < reader->header.e_phnum);
            reader->segments[reader->segment_count++] =
                (rt_mapped){segment.p_vaddr, rt_arena_bytes(reader->arena, bytes)};
        }
    }
    CHECK(total <= 2 * (uint64_t)reader->file.size);
    return RT_STATUS_OK;
}

/* ---- Relocations --------------------------------------------------------------------------- */

/* Writes the pointer that a relocation describes; relocations of other types are skipped. */
static rt_status relocation_apply(const elf_reader *reader, const rt_mapping *mapping,
                                  uint64_t symbols, const Elf64_Rela *relocation)
{
    uint64_t value = (uint64_t)relocation->r_addend;
    uint64_t type = ELF64_R_TYPE(relocation->r_info), index = ELF64_R_SYM(relocation->r_info);
    if (type != R_X86_64_RELATIVE && type != R_X86_64_64) return RT_STATUS_OK;
    rt_bytes bytes;
    if (type == R_X86_64_64) {
        Elf64_Sym symbol;
        if (!rt_mapping_bytes(mapping, symbols + index * sizeof symbol, sizeof symbol, &bytes)) {
            return rt_fail(reader->sink, RT_MALFORMED, RT_RULE_NONE,
                           "damaged ELF file: the relocation at address %#llx refers to symbol "
                           "%llu, which lies outside the segments",
                           (unsigned long long)relocation->r_offset, (unsigned long long)index);
        }
        memcpy(&symbol, bytes.data, sizeof symbol);
        /* Symbols of other modules resolve to null; images never depend on them. */
        value = symbol.st_shndx == SHN_UNDEF ? 0 : symbol.st_value + value;
    }
    if (!rt_mapping_bytes(mapping, relocation->r_offset, sizeof value, &bytes)) {
        return rt_fail(reader->sink, RT_MALFORMED, RT_RULE_NONE,
                       "damaged ELF file: a relocation applies to address %#llx, which lies "
                       "outside the segments",
                       (unsigned long long)relocation->r_offset);
    }
    uint8_t *word = (uint8_t *)bytes.data; /* in the copy of a segment */
    for (int i = 0; i < 8; i++)
        word[i] = (uint8_t)(value >> (8 * i));
    return RT_STATUS_OK;
}

static rt_status relocate(const elf_reader *reader, const rt_mapping *mapping)
{
    if (reader->dynamic.size == 0) return RT_STATUS_OK;
    const uint64_t dynamic_at = (uint64_t)(reader->dynamic.data - reader->file.data);
    CHECK(dynamic_at + reader->dynamic.size <= reader->file.size);
    uint64_t relocations = 0, relocation_size = 0, symbols = 0; /* two addresses and a size */
    bool has_end = false;
    for (size_t i = 0; !has_end && i + sizeof(Elf64_Dyn) <= reader->dynamic.size;
         i += sizeof(Elf64_Dyn)) {
        Elf64_Dyn entry;
        memcpy(&entry, reader->dynamic.data + i, sizeof entry);
        has_end = entry.d_tag == DT_NULL;
        if (entry.d_tag == DT_RELA) relocations = entry.d_un.d_ptr;
        if (entry.d_tag == DT_RELASZ) relocation_size = entry.d_un.d_val;
        if (entry.d_tag == DT_SYMTAB) symbols = entry.d_un.d_ptr;
        if (entry.d_tag == DT_RELAENT && entry.d_un.d_val != sizeof(Elf64_Rela))
            return fault(reader, dynamic_at + i, "expected relocations of 24 bytes");
    }
    if (!has_end) return fault(reader, reader->dynamic_header, "the dynamic section has no end");
    if (relocation_size == 0) return RT_STATUS_OK;
    rt_bytes table;
    if (!rt_mapping_bytes(mapping, relocations, relocation_size, &table))
        return fault(reader, dynamic_at, "the relocations lie outside the segments");
    /* Read from a copy, because a damaged file may relocate its own relocations. */
    table = rt_arena_bytes(reader->arena, table);
    for (size_t i = 0; i + sizeof(Elf64_Rela) <= table.size; i += sizeof(Elf64_Rela)) {
        Elf64_Rela relocation;
        memcpy(&relocation, table.data + i, sizeof relocation);
        RT_TRY(relocation_apply(reader, mapping, symbols, &relocation));
    }
    return RT_STATUS_OK;
}

rt_status rt_elf_map(rt_sink *sink, rt_arena *arena, rt_bytes file, rt_mapping *out_mapping)
{
    *out_mapping = (rt_mapping){0};
    elf_reader reader = {.sink = sink, .arena = arena, .file = file};
    RT_TRY(header_read(&reader));
    RT_TRY(segments_read(&reader));
    const rt_mapping mapping = {reader.segments, reader.segment_count};
    RT_TRY(relocate(&reader, &mapping));
    *out_mapping = mapping;
    return RT_STATUS_OK;
}
