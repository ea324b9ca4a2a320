/* The fake library declared in fake_nvjitlink.h. */
#include "backends/nvjitlink/test/fake_nvjitlink.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static fake_nvjitlink fake;

void *fake_control(void)
{
    return &fake;
}

/* A link. */
struct nvJitLink {
    char log[1024];
    unsigned char cubin[4096];
    size_t cubin_size;
};

/* True if a call must fail; records the call.  `link` may be NULL. */
static bool fails(const char *name, nvj_handle *link)
{
    if (!fake_script_fails(&fake.script, name)) return false;
    if (link && fake.log) strncat(link->log, fake.log, sizeof link->log - strlen(link->log) - 1);
    if (fake.written) {
        ssize_t done = write(STDERR_FILENO, fake.written, strlen(fake.written));
        (void)done;
    }
    return true;
}

nvJitLinkVersion_call nvJitLinkVersion;
nvj_result nvJitLinkVersion(unsigned *out_major, unsigned *out_minor)
{
    if (fails("nvJitLinkVersion", NULL)) return fake.script.fail_with;
    *out_major = 13;
    *out_minor = 7;
    return NVJ_SUCCESS;
}

nvJitLinkCreate_call nvJitLinkCreate;
nvj_result nvJitLinkCreate(nvj_handle **out_handle, uint32_t count, const char **options)
{
    fake.options[0] = '\0';
    fake.added = 0;
    for (uint32_t i = 0; i < count; i++) {
        size_t used = strlen(fake.options);
        snprintf(fake.options + used, sizeof fake.options - used, "%s ", options[i]);
    }
    nvj_handle *link = calloc(1, sizeof *link);
    if (!link) abort();
    /* As in the library, a refused link still gets a handle, so that its log can be read. */
    bool failing = fails("nvJitLinkCreate", link);
    if (failing && fake.script.fail_with == NVJ_SUCCESS && !fake.log && !fake.written) {
        free(link);
        return NVJ_SUCCESS;
    }
    fake.script.live++;
    *out_handle = link;
    return failing ? fake.script.fail_with : NVJ_SUCCESS;
}

nvJitLinkDestroy_call nvJitLinkDestroy;
nvj_result nvJitLinkDestroy(nvj_handle **handle)
{
    bool failing = fails("nvJitLinkDestroy", *handle);
    free(*handle);
    *handle = NULL;
    fake.script.live--;
    return failing ? fake.script.fail_with : NVJ_SUCCESS;
}

nvJitLinkAddData_call nvJitLinkAddData;
nvj_result nvJitLinkAddData(nvj_handle *handle, int type, const void *data, size_t size,
                            const char *name)
{
    if (type != NVJ_INPUT_PTX || memchr(data, '\0', size) || !name) abort();
    fake.added++;
    return fails("nvJitLinkAddData", handle) ? fake.script.fail_with : NVJ_SUCCESS;
}

/* Adds a symbol for each word. */
static void symbols_add(const char *words, unsigned char type, Elf64_Sym *symbols, uint32_t *count,
                        char *names, size_t *names_size)
{
    while (*words) {
        size_t length = strcspn(words, " ");
        Elf64_Sym *symbol = &symbols[(*count)++];
        symbol->st_name = (Elf64_Word)*names_size;
        symbol->st_info = (unsigned char)(STB_GLOBAL << 4 | type);
        symbol->st_shndx = 1;
        symbol->st_size = 12;
        memcpy(names + *names_size, words, length);
        *names_size += length + 1;
        words += length + (words[length] == ' ');
    }
}

/* Builds the file: ELF header, three section headers, symbols, names. */
static void cubin_make(nvj_handle *link)
{
    enum { SECTIONS = 3, SYMBOLS_MAX = 16 };
    Elf64_Sym symbols[SYMBOLS_MAX] = {{0}};
    uint32_t count = 1;
    char names[512] = {0};
    size_t names_size = 1;
    symbols_add(fake.functions, STT_FUNC, symbols, &count, names, &names_size);
    symbols_add(fake.variables, STT_OBJECT, symbols, &count, names, &names_size);
    /* An undefined symbol, as in every cubin that the library makes. */
    symbols_add("elsewhere", STT_OBJECT, symbols, &count, names, &names_size);
    symbols[count - 1].st_shndx = SHN_UNDEF;
    Elf64_Ehdr header = {.e_machine = EM_CUDA,
                         .e_shoff = sizeof header,
                         .e_shentsize = sizeof(Elf64_Shdr),
                         .e_shnum = SECTIONS};
    memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = fake.no_cubin ? ELFCLASS32 : ELFCLASS64;
    uint64_t at = sizeof header + SECTIONS * sizeof(Elf64_Shdr);
    Elf64_Shdr sections[SECTIONS] = {
        {0},
        {.sh_type = SHT_SYMTAB, .sh_offset = at, .sh_size = count * sizeof *symbols, .sh_link = 2},
        {.sh_type = SHT_STRTAB, .sh_offset = at + count * sizeof *symbols, .sh_size = names_size},
    };
    memcpy(link->cubin, &header, sizeof header);
    memcpy(link->cubin + sizeof header, sections, sizeof sections);
    memcpy(link->cubin + at, symbols, count * sizeof *symbols);
    memcpy(link->cubin + at + count * sizeof *symbols, names, names_size);
    link->cubin_size = (size_t)at + count * sizeof *symbols + names_size - fake.cubin_cut;
}

nvJitLinkComplete_call nvJitLinkComplete;
nvj_result nvJitLinkComplete(nvj_handle *handle)
{
    cubin_make(handle);
    return fails("nvJitLinkComplete", handle) ? fake.script.fail_with : NVJ_SUCCESS;
}

nvJitLinkGetLinkedCubinSize_call nvJitLinkGetLinkedCubinSize;
nvj_result nvJitLinkGetLinkedCubinSize(nvj_handle *handle, size_t *out_size)
{
    if (fails("nvJitLinkGetLinkedCubinSize", handle)) return fake.script.fail_with;
    *out_size = fake.cubin_size ? fake.cubin_size : handle->cubin_size;
    return NVJ_SUCCESS;
}

nvJitLinkGetLinkedCubin_call nvJitLinkGetLinkedCubin;
nvj_result nvJitLinkGetLinkedCubin(nvj_handle *handle, void *cubin)
{
    if (fails("nvJitLinkGetLinkedCubin", handle)) return fake.script.fail_with;
    memcpy(cubin, handle->cubin, handle->cubin_size);
    return NVJ_SUCCESS;
}

nvJitLinkGetErrorLogSize_call nvJitLinkGetErrorLogSize;
nvj_result nvJitLinkGetErrorLogSize(nvj_handle *handle, size_t *out_size)
{
    if (fails("nvJitLinkGetErrorLogSize", NULL)) return fake.script.fail_with;
    *out_size = strlen(handle->log);
    return NVJ_SUCCESS;
}

nvJitLinkGetErrorLog_call nvJitLinkGetErrorLog;
nvj_result nvJitLinkGetErrorLog(nvj_handle *handle, char *log)
{
    if (fails("nvJitLinkGetErrorLog", NULL)) return fake.script.fail_with;
    memcpy(log, handle->log, strlen(handle->log));
    return NVJ_SUCCESS;
}
