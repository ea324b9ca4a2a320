/* Runs a program with the library preloaded, and reads the records that it leaves. */
#include "conformance/cli/registrations.h"

#include "conformance/build/toolchain.h"
#include "conformance/process/files.h"
#include "conformance/process/process.h"
#include "conformance/process/scratch.h"
#include "reference/base/number.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LIBRARY_NAME "libassay_reference.so"

/* ---- The program --------------------------------------------------------------------------- */

/* True if the file is a shared object that the system cannot run: without an interpreter. */
static bool is_library(const char *path)
{
    FILE *file = fopen(path, "rbe");
    Elf64_Ehdr header;
    bool is_object = file && fread(&header, sizeof header, 1, file) == 1 &&
                     memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
                     header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_type == ET_DYN &&
                     header.e_phentsize == sizeof(Elf64_Phdr);
    bool runs = false;
    for (uint16_t i = 0; is_object && i < header.e_phnum; i++) {
        Elf64_Phdr segment;
        is_object = fseek(file, (long)(header.e_phoff + i * sizeof segment), SEEK_SET) == 0 &&
                    fread(&segment, sizeof segment, 1, file) == 1;
        runs = runs || (is_object && segment.p_type == PT_INTERP);
    }
    if (file) fclose(file);
    return is_object && !runs;
}

/* A program to be started: its path and its words, ended by NULL. */
typedef struct program_command {
    char path[PATH_MAX];
    const char **words;
    bool opens; /* our own, which opens a shared object */
} program_command;

static rt_status command_find(rt_sink *sink, rt_arena *arena, const rt_text *words, uint32_t count,
                              const char *library, program_command *out_command)
{
    static const char this_program[] = CNF_THIS_PROGRAM;
    const char *name = rt_arena_text(arena, words[0]).data;
    out_command->words = rt_arena_alloc_array(arena, (size_t)count + 5, sizeof(char *));
    bool is_found = strchr(name, '/') ? realpath(name, out_command->path) != NULL
                                      : cnf_toolchain_find_program(out_command->path, name) ||
                                            realpath(name, out_command->path);
    if (!is_found)
        return rt_fail(sink, RT_UNAVAILABLE, RT_RULE_NONE, "%s: no such program or library", name);
    if (count == 1 && is_library(out_command->path)) {
        const char *const opening[] = {"assay", "open", library,
                                       rt_arena_text(arena, rt_text_of(out_command->path)).data};
        memcpy(out_command->words, opening, sizeof opening);
        memcpy(out_command->path, this_program, sizeof this_program);
        out_command->opens = true;
        return RT_STATUS_OK;
    }
    for (uint32_t i = 0; i < count; i++)
        out_command->words[i] = rt_arena_text(arena, words[i]).data;
    return RT_STATUS_OK;
}

/* ---- The process --------------------------------------------------------------------------- */

/* Runs the program with the library preloaded and records in the folder. */
static rt_status program_run(rt_sink *sink, rt_arena *arena, const program_command *command,
                             rt_text folder, const char *preload, uint32_t timeout_ms)
{
    const char *others = getenv("LD_PRELOAD");
    const char *const changes[] = {
        rt_arena_printf(arena, API_RECORD_VARIABLE "=%.*s", RT_TEXT_ARG(folder)).data,
        command->opens ? NULL
                       : rt_arena_printf(arena, "LD_PRELOAD=%s%s%s", preload, others ? ":" : "",
                                         others ? others : "")
                             .data,
        NULL};
    int descriptors[] = {-1, STDERR_FILENO, STDERR_FILENO};
    const cnf_start start = {.program = command->path,
                             .arguments = command->words,
                             .environment = cnf_start_environment(arena, changes),
                             .descriptors = descriptors,
                             .descriptor_count = 3};
    cnf_process process = {.output = -1, .errors = -1}; /* both go to our standard error */
    int error = cnf_start_process(&start, &process.pid);
    if (error)
        return rt_fail(sink, RT_IO, RT_RULE_NONE, "%s cannot be started: %s", command->words[0],
                       strerror(error));
    rt_buffer output = {0}, errors = {0};
    const cnf_process_result result = cnf_process_finish(&process, timeout_ms, &output, &errors);
    CHECK(output.size == 0 && errors.size == 0);
    if (result.end == CNF_PROCESS_EXITED && result.code == 0) return RT_STATUS_OK;
    rt_buffer outcome = {0};
    cnf_process_describe(&outcome, result, timeout_ms);
    fprintf(stderr, "assay: %s %s\n", command->words[0], rt_buffer_string(&outcome));
    rt_buffer_free(&outcome);
    return RT_STATUS_OK;
}

/* ---- The records --------------------------------------------------------------------------- */

typedef struct record_name {
    uint64_t process, number;
    rt_text file;
} record_name;

static int names_compare(const void *left, const void *right)
{
    const record_name *a = left, *b = right;
    if (a->process != b->process) return a->process < b->process ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

static rt_status record_read(rt_sink *sink, rt_text path, cnf_registrations *registrations)
{
    enum { RECORD_SIZE_MAX = 1 << 30 }; /* of one module */
    rt_buffer *content = rt_vector_push(&registrations->contents);
    *content = (rt_buffer){0};
    RT_TRY(cnf_file_read(sink, path, RECORD_SIZE_MAX, content));
    api_record record;
    RT_TRY(api_record_read(sink, &registrations->arena, rt_buffer_bytes(content), &record));
    *rt_vector_push(&registrations->records) = record;
    return RT_STATUS_OK;
}

static rt_status records_read(rt_sink *sink, rt_text folder, cnf_registrations *registrations)
{
    rt_arena arena = {0};
    RT_VECTOR(record_name) names = {0};
    DIR *listing = opendir(folder.data);
    for (const struct dirent *entry; listing && (entry = readdir(listing));) {
        record_name name;
        rt_text number = rt_text_of(entry->d_name);
        rt_text process = rt_text_take_until(&number, '.');
        if (!rt_number_read(process, 0, UINT64_MAX, &name.process) ||
            !rt_number_read(number, 0, UINT64_MAX, &name.number))
            continue;
        name.file = rt_arena_printf(&arena, "%.*s/%s", RT_TEXT_ARG(folder), entry->d_name);
        *rt_vector_push(&names) = name;
    }
    if (listing) closedir(listing);
    if (names.count > 0) qsort(names.items, names.count, sizeof *names.items, names_compare);
    rt_status status = RT_STATUS_OK;
    for (uint32_t i = 0; i < names.count && rt_ok(status); i++)
        status = record_read(sink, names.items[i].file, registrations);
    rt_vector_free(&names);
    rt_arena_reset(&arena);
    return status;
}

/* ---- The interface ------------------------------------------------------------------------- */

rt_status cnf_registrations_observe(rt_sink *sink, const rt_text *words, uint32_t count,
                                    uint32_t timeout_ms, cnf_registrations *out_registrations)
{
    *out_registrations = (cnf_registrations){0};
    rt_arena *arena = &out_registrations->arena;
    char library[PATH_MAX];
    program_command command = {0};
    rt_text folder;
    if (!cnf_toolchain_find_library(library, LIBRARY_NAME))
        return rt_fail(sink, RT_UNAVAILABLE, RT_RULE_NONE,
                       LIBRARY_NAME " is neither next to assay nor in its library folder; it is "
                                    "built and installed with assay");
    RT_TRY(command_find(sink, arena, words, count, library, &command));
    out_registrations->is_opened = command.opens;
    RT_TRY(cnf_scratch_make(sink, arena, &folder));
    /* LD_PRELOAD cannot hold a path with spaces. */
    rt_text preload = rt_arena_printf(arena, "%.*s/" LIBRARY_NAME, RT_TEXT_ARG(folder));
    rt_status status = RT_STATUS_OK;
    if (strpbrk(preload.data, " :"))
        status = rt_fail(sink, RT_UNSUPPORTED, RT_RULE_NONE,
                         "the path of the temporary folder, %.*s, contains a space or a colon; set "
                         "TMPDIR to another one",
                         RT_TEXT_ARG(folder));
    else if (symlink(library, preload.data) != 0)
        status = rt_fail(sink, RT_IO, RT_RULE_NONE, "%s cannot be created: %s", preload.data,
                         strerror(errno));
    if (rt_ok(status))
        status = program_run(sink, arena, &command, folder, preload.data, timeout_ms);
    if (rt_ok(status)) status = records_read(sink, folder, out_registrations);
    cnf_scratch_remove(folder);
    return status;
}

void cnf_registrations_free(cnf_registrations *registrations)
{
    for (uint32_t i = 0; i < registrations->contents.count; i++)
        rt_buffer_free(&registrations->contents.items[i]);
    rt_vector_free(&registrations->contents);
    rt_vector_free(&registrations->records);
    rt_arena_reset(&registrations->arena);
}
