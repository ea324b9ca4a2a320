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
    rt_mapped *segments; /* their bytes are copies in the arena and so writable */
    uint32_t segment_count;
    rt_bytes dynamic;        /* the dynamic section, in the file */
    uint64_t dynamic_header; /* file offset of its program header */
} elf_reader;

/* The tables that relocations need, as addresses. */
typedef struct dynamic_tables {
    uint64_t relocations, relocation_size, symbols;
} dynamic_tables;

static rt_status fault(const elf_reader *reader, uint64_t offset, const char *what)
{
    return rt_fail(reader->sink, RT_MALFORMED, RT_RULE_NONE,
                   "damaged ELF file at byte %llu of %zu: %s", (unsigned long long)offset,
                   reader->file.size, what);
}

static rt_status unsupported(const elf_reader *reader, uint64_t offset, const char *what)
{
    return rt_fail(
        reader->sink, RT_UNSUPPORTED, RT_RULE_NONE,
        "ELF file at byte %llu: %s; assay reads executables and shared objects of x86-64",
        (unsigned long long)offset, what);
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
        return unsupported(reader, EI_CLASS, "not 64 bits, little-endian");
    if (header->e_machine != EM_X86_64)
        return unsupported(reader, offsetof(Elf64_Ehdr, e_machine), "another machine");
    if (header->e_type != ET_DYN && header->e_type != ET_EXEC)
        return unsupported(reader, offsetof(Elf64_Ehdr, e_type),
                           "an object file that has not been linked");
    if (header->e_phentsize != sizeof(Elf64_Phdr))
        return fault(reader, offsetof(Elf64_Ehdr, e_phentsize), "program headers are 56 bytes");
    uint64_t table_size = (uint64_t)header->e_phnum * sizeof(Elf64_Phdr);
    rt_bytes table;
    if (!rt_bytes_slice(reader->file, header->e_phoff, table_size, &table))
        return fault(reader, offsetof(Elf64_Ehdr, e_phoff), "program headers lie outside");
    return RT_STATUS_OK;
}

/* `at` is the file offset of the program header. */
static rt_status segment_add(elf_reader *reader, uint64_t at, const Elf64_Phdr *segment)
{
    rt_bytes bytes;
    if (!rt_bytes_slice(reader->file, segment->p_offset, segment->p_filesz, &bytes))
        return fault(reader, at, "a segment lies outside");
    if (segment->p_vaddr > UINT64_MAX - segment->p_filesz)
        return fault(reader, at, "a segment ends past the last address");
    if (segment->p_type == PT_DYNAMIC) {
        reader->dynamic = bytes;
        reader->dynamic_header = at;
    } else if (segment->p_type == PT_LOAD && bytes.size > 0) {
        CHECK(reader->segment_count < reader->header.e_phnum);
        reader->segments[reader->segment_count++] =
            (rt_mapped){segment->p_vaddr, rt_arena_bytes(reader->arena, bytes)};
    }
    return RT_STATUS_OK;
}

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
            return rt_fail(reader->sink, RT_LIMIT, RT_RULE_NONE,
                           "ELF file at byte %llu: the segments take more than twice the file",
                           (unsigned long long)at);
        }
        RT_TRY(segment_add(reader, at, &segment));
    }
    return RT_STATUS_OK;
}

/* ---- Relocations --------------------------------------------------------------------------- */

/* The file offset of the dynamic section; 0: there is none. */
static uint64_t dynamic_at(const elf_reader *reader)
{
    return reader->dynamic.data ? (uint64_t)(reader->dynamic.data - reader->file.data) : 0;
}

static rt_status dynamic_read(const elf_reader *reader, dynamic_tables *out_tables)
{
    *out_tables = (dynamic_tables){0};
    for (size_t i = 0; i + sizeof(Elf64_Dyn) <= reader->dynamic.size; i += sizeof(Elf64_Dyn)) {
        Elf64_Dyn entry;
        memcpy(&entry, reader->dynamic.data + i, sizeof entry);
        if (entry.d_tag == DT_NULL) return RT_STATUS_OK;
        if (entry.d_tag == DT_RELA) out_tables->relocations = entry.d_un.d_ptr;
        if (entry.d_tag == DT_RELASZ) out_tables->relocation_size = entry.d_un.d_val;
        if (entry.d_tag == DT_SYMTAB) out_tables->symbols = entry.d_un.d_ptr;
        if (entry.d_tag == DT_RELAENT && entry.d_un.d_val != sizeof(Elf64_Rela))
            return fault(reader, dynamic_at(reader) + i, "relocations are 24 bytes");
    }
    if (reader->dynamic.size == 0) return RT_STATUS_OK;
    return fault(reader, reader->dynamic_header, "the dynamic section has no end");
}

static rt_status symbol_value(const elf_reader *reader, const rt_mapping *mapping,
                              const dynamic_tables *tables, const Elf64_Rela *relocation,
                              uint64_t *out_value)
{
    uint64_t index = ELF64_R_SYM(relocation->r_info);
    rt_bytes bytes;
    if (!rt_mapping_bytes(mapping, tables->symbols + index * sizeof(Elf64_Sym), sizeof(Elf64_Sym),
                          &bytes)) {
        return rt_fail(reader->sink, RT_MALFORMED, RT_RULE_NONE,
                       "damaged ELF file: the relocation of address %#llx names symbol %llu, which "
                       "lies outside",
                       (unsigned long long)relocation->r_offset, (unsigned long long)index);
    }
    Elf64_Sym symbol;
    memcpy(&symbol, bytes.data, sizeof symbol);
    /* Symbols of other modules stay null; images never depend on them. */
    *out_value =
        symbol.st_shndx == SHN_UNDEF ? 0 : symbol.st_value + (uint64_t)relocation->r_addend;
    return RT_STATUS_OK;
}

/* The writable word at an address; NULL: the address is outside all segments. */
static uint8_t *word_at(const elf_reader *reader, uint64_t address)
{
    for (uint32_t i = 0; i < reader->segment_count; i++) {
        const rt_mapped *segment = &reader->segments[i];
        if (address < segment->address || segment->bytes.size < 8) continue;
        if (address - segment->address > segment->bytes.size - 8) continue;
        return (uint8_t *)segment->bytes.data + (address - segment->address);
    }
    return NULL;
}

static rt_status relocation_apply(const elf_reader *reader, const rt_mapping *mapping,
                                  const dynamic_tables *tables, const Elf64_Rela *relocation)
{
    uint64_t value = (uint64_t)relocation->r_addend;
    uint64_t type = ELF64_R_TYPE(relocation->r_info);
    if (type != R_X86_64_RELATIVE && type != R_X86_64_64) return RT_STATUS_OK;
    if (type == R_X86_64_64) RT_TRY(symbol_value(reader, mapping, tables, relocation, &value));
    uint8_t *word = word_at(reader, relocation->r_offset);
    if (!word) {
        return rt_fail(reader->sink, RT_MALFORMED, RT_RULE_NONE,
                       "damaged ELF file: a relocation of address %#llx, which lies outside",
                       (unsigned long long)relocation->r_offset);
    }
    CHECK(type == R_X86_64_RELATIVE || type == R_X86_64_64);
    for (int i = 0; i < 8; i++)
        word[i] = (uint8_t)(value >> (8 * i));
    return RT_STATUS_OK;
}

static rt_status relocate(const elf_reader *reader, const rt_mapping *mapping)
{
    dynamic_tables tables;
    RT_TRY(dynamic_read(reader, &tables));
    if (tables.relocation_size == 0) return RT_STATUS_OK;
    rt_bytes table;
    if (!rt_mapping_bytes(mapping, tables.relocations, tables.relocation_size, &table))
        return fault(reader, dynamic_at(reader), "the relocations lie outside");
    /* Read from a copy, because a damaged file may relocate its own relocations. */
    table = rt_arena_bytes(reader->arena, table);
    for (size_t i = 0; i + sizeof(Elf64_Rela) <= table.size; i += sizeof(Elf64_Rela)) {
        Elf64_Rela relocation;
        memcpy(&relocation, table.data + i, sizeof relocation);
        RT_TRY(relocation_apply(reader, mapping, &tables, &relocation));
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
