/* The fake library declared in fake_ocloc.h. */
#include "backends/ocloc/test/fake_ocloc.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static fake_ocloc fake;

void *fake_control(void)
{
    return &fake;
}

enum { OUTPUTS = 2 };

/* What a command returns. */
typedef struct answer {
    uint32_t count;
    uint8_t *files[OUTPUTS];
    uint64_t sizes[OUTPUTS];
    char *names[OUTPUTS];
} answer;

static void answer_add(answer *made, const char *name, const void *bytes, size_t size)
{
    uint8_t *copy = malloc(size + 1);
    if (!copy) abort();
    memcpy(copy, bytes, size);
    made->files[made->count] = copy;
    made->sizes[made->count] = size;
    made->names[made->count++] = strdup(name);
}

/* Adds a symbol for each word. */
static void symbols_add(const char *words, unsigned char info, Elf64_Sym *symbols, uint32_t *count,
                        char *names, size_t *names_size)
{
    while (*words) {
        size_t length = strcspn(words, " ");
        Elf64_Sym *symbol = &symbols[(*count)++];
        symbol->st_name = (Elf64_Word)*names_size;
        symbol->st_info = info;
        symbol->st_shndx = 1;
        symbol->st_size = 12;
        memcpy(names + *names_size, words, length);
        *names_size += length + 1;
        words += length + (words[length] == ' ');
    }
}

/* The file: ELF header, four section headers, symbols, names, .ze_info. */
static void machine_code_add(answer *made)
{
    enum { SECTIONS = 4, SYMBOLS_MAX = 16 };
    Elf64_Sym symbols[SYMBOLS_MAX] = {{0}};
    uint32_t count = 1;
    char names[512] = {0};
    size_t names_size = 1;
    symbols_add(fake.functions, STB_LOCAL << 4 | STT_FUNC, symbols, &count, names, &names_size);
    symbols_add(fake.variables, STB_GLOBAL << 4 | STT_OBJECT, symbols, &count, names, &names_size);
    Elf64_Ehdr header = {.e_machine = fake.machine,
                         .e_shoff = sizeof header,
                         .e_shentsize = sizeof(Elf64_Shdr),
                         .e_shnum = SECTIONS};
    memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    uint64_t at = sizeof header + SECTIONS * sizeof(Elf64_Shdr);
    const Elf64_Shdr sections[SECTIONS] = {
        {0},
        {.sh_type = SHT_SYMTAB, .sh_offset = at, .sh_size = count * sizeof *symbols, .sh_link = 2},
        {.sh_type = SHT_STRTAB, .sh_offset = at + count * sizeof *symbols, .sh_size = names_size},
        {.sh_type = 0xff000011,
         .sh_offset = at + count * sizeof *symbols + names_size,
         .sh_size = strlen(fake.ze_info)},
    };
    unsigned char bytes[2048];
    memcpy(bytes, &header, sizeof header);
    memcpy(bytes + sizeof header, sections, sizeof sections);
    memcpy(bytes + at, symbols, count * sizeof *symbols);
    memcpy(bytes + at + count * sizeof *symbols, names, names_size);
    size_t size = (size_t)at + count * sizeof *symbols + names_size;
    memcpy(bytes + size, fake.ze_info, strlen(fake.ze_info));
    answer_add(made, "linked.bin", bytes, size + strlen(fake.ze_info));
}

static void output_add(answer *made, const char *verb, const char *what, uint32_t source_count,
                       const uint64_t *source_sizes)
{
    if (fake.without_output) return;
    if (strcmp(verb, "link") == 0) {
        fake.joined = 0;
        for (uint32_t i = 0; i < source_count; i++)
            fake.joined += source_sizes[i];
        answer_add(made, "linked.bc", "BC", 2);
    } else if (strcmp(verb, "compile") == 0) {
        machine_code_add(made);
    } else {
        const char *text = strcmp(what, "OCL_DRIVER_VERSION") == 0 ? "26.27.1 " : fake.extensions;
        answer_add(made, what, text, strlen(text));
    }
    if (fake.output_size) made->sizes[made->count - 1] = fake.output_size;
}

oclocInvoke_call oclocInvoke;
int oclocInvoke(unsigned argument_count, const char **arguments, uint32_t source_count,
                const uint8_t **sources, const uint64_t *source_sizes, const char **source_names,
                uint32_t header_count, const uint8_t **headers, const uint64_t *header_sizes,
                const char **header_names, uint32_t *out_count, uint8_t ***out_files,
                uint64_t **out_sizes, char ***out_names)
{
    (void)sources, (void)source_names, (void)headers, (void)header_sizes, (void)header_names;
    if (argument_count < 3 || strcmp(arguments[0], "ocloc") != 0 || header_count != 0) abort();
    fake.command[0] = '\0';
    for (unsigned i = 0; i < argument_count; i++) {
        size_t used = strlen(fake.command);
        snprintf(fake.command + used, sizeof fake.command - used, "%s ", arguments[i]);
    }
    answer *made = fake_script_make(&fake.script, sizeof *made);
    bool failing = fake_script_fails(&fake.script, arguments[1]);
    if (!failing) output_add(made, arguments[1], arguments[2], source_count, source_sizes);
    answer_add(made, OCLOC_LOG, fake.log, strlen(fake.log));
    *out_count = made->count;
    *out_files = made->files;
    *out_sizes = made->sizes;
    *out_names = made->names;
    return failing ? fake.script.fail_with : OCLOC_SUCCESS;
}

oclocFreeOutput_call oclocFreeOutput;
int oclocFreeOutput(uint32_t *count, uint8_t ***files, uint64_t **sizes, char ***names)
{
    answer *made = (answer *)(void *)((char *)*files - offsetof(answer, files));
    for (uint32_t i = 0; i < made->count; i++) {
        free(made->files[i]);
        free(made->names[i]);
    }
    *count = 0;
    *files = NULL;
    *sizes = NULL;
    *names = NULL;
    fake_script_end(&fake.script, made);
    return OCLOC_SUCCESS;
}
