/* Reading ELF files. Source: System V ABI, chapters "Object Files" (ELF64) and "Symbol Table". */
#include "backends/vendor/elf.h"

#include "reference/base/check.h"

#include <elf.h>
#include <string.h>

/* Reads the header of a section. */
static bool section_read(rt_bytes bytes, const Elf64_Ehdr *header, uint32_t index,
                         Elf64_Shdr *out_section)
{
    rt_bytes at;
    if (index >= header->e_shnum) return false;
    /* There are fewer than 2^16 sections, so the product fits. The sum may wrap around, which the
     * check below detects. */
    uint64_t offset = header->e_shoff + (uint64_t)index * sizeof *out_section;
    if (offset < header->e_shoff || !rt_bytes_slice(bytes, offset, sizeof *out_section, &at))
        return false;
    memcpy(out_section, at.data, sizeof *out_section);
    return true;
}

bool vendor_elf_read(rt_bytes bytes, uint16_t machine, vendor_elf *out_elf)
{
    Elf64_Ehdr header;
    *out_elf = (vendor_elf){.bytes = bytes};
    if (bytes.size < sizeof header) return false;
    memcpy(&header, bytes.data, sizeof header);
    if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
        header.e_machine != machine || header.e_shentsize != sizeof(Elf64_Shdr))
        return false;
    Elf64_Shdr section, names;
    for (uint32_t i = 0; i < header.e_shnum; i++) {
        if (!section_read(bytes, &header, i, &section)) return false;
        if (section.sh_type != SHT_SYMTAB) continue;
        return section_read(bytes, &header, section.sh_link, &names) &&
               rt_bytes_slice(bytes, section.sh_offset, section.sh_size, &out_elf->symbols) &&
               rt_bytes_slice(bytes, names.sh_offset, names.sh_size, &out_elf->names);
    }
    return true;
}

bool vendor_elf_section(const vendor_elf *elf, uint32_t type, rt_bytes *out_bytes)
{
    Elf64_Ehdr header;
    Elf64_Shdr section;
    CHECK(elf->bytes.size >= sizeof header); /* vendor_elf_read */
    memcpy(&header, elf->bytes.data, sizeof header);
    for (uint32_t i = 0; i < header.e_shnum; i++)
        if (section_read(elf->bytes, &header, i, &section) && section.sh_type == type)
            return rt_bytes_slice(elf->bytes, section.sh_offset, section.sh_size, out_bytes);
    return false;
}

bool vendor_elf_find(const vendor_elf *elf, vendor_symbol_kind kind, bool takes_local, rt_text name,
                     uint32_t *out_index, uint64_t *out_size)
{
    unsigned char type = kind == VENDOR_SYMBOL_FUNCTION ? STT_FUNC : STT_OBJECT;
    if (name.length == 0) return false;
    for (uint32_t i = 0; i < elf->symbols.size / sizeof(Elf64_Sym); i++) {
        Elf64_Sym symbol;
        memcpy(&symbol, elf->symbols.data + i * sizeof symbol, sizeof symbol);
        if (symbol.st_shndx == SHN_UNDEF || ELF64_ST_TYPE(symbol.st_info) != type) continue;
        if (!takes_local && ELF64_ST_BIND(symbol.st_info) == STB_LOCAL) continue;
        rt_bytes at;
        if (!rt_bytes_slice(elf->names, symbol.st_name, name.length + 1, &at)) continue;
        if (at.data[name.length] != '\0' || memcmp(at.data, name.data, name.length) != 0) continue;
        *out_index = i;
        *out_size = symbol.st_size;
        return true;
    }
    return false;
}
