/* Dumps of the Intercept Layer: a folder for each launch, with small text files and raw contents.
 *
 *   enqueueNumber.txt, kernelName.txt, buildOptions.txt
 *   worksizes.txt          three lines of 1 to 3 numbers: range, local size (0: none), offset
 *   kernel.cl, kernel.spv  the program; other files hold device binaries
 *   ArgumentN.bin          the bytes of argument N; of memory: its handle
 *   LocalN.txt             the size of local memory
 *   SVM_Arg_Offset_N.txt   the offset of a pointer in its allocation
 *   Pre/..._Arg_N_Buffer_M.bin, Post/...  contents of allocation M before and after the launch
 *   SamplerN.txt, Image_MetaData_N.txt    samplers and images
 *
 * Source: github.com/intel/opencl-intercept-layer, docs/capture_single_kernels.md and the files
 * that version 3.0.5 and newer write. */
#include "conformance/tools/capture/capture.h"

#include "conformance/process/files.h"
#include "reference/base/number.h"
#include "reference/base/vector.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    DEPTH_MAX = 3, /* of the folders of launches below the one that the user names */
    ARGUMENTS_MAX = 1024,
    TEXT_SIZE_MAX = 1 << 20,
};

#define KERNEL_NAME "kernelName.txt"

typedef struct dump_list {
    RT_VECTOR(cap_command) launches;
    RT_VECTOR(rt_text) folders; /* of each launch */
} dump_list;

typedef struct dump_reader {
    rt_sink *sink;
    rt_arena *arena;
    rt_text folder; /* of the launch */
    cap_command *launch;
    RT_VECTOR(cap_argument) arguments;
    RT_VECTOR(bool) are_given; /* which arguments the dump has */
    RT_VECTOR(cap_memory) memories;
} dump_reader;

/* ---- Files ---------------------------------------------------------------------------------- */

static rt_text path_of(const dump_reader *reader, const char *name)
{
    return rt_arena_printf(reader->arena, "%.*s/%s", RT_TEXT_ARG(reader->folder), name);
}

static bool has_file(const dump_reader *reader, const char *name)
{
    return access(path_of(reader, name).data, F_OK) == 0;
}

static rt_status dump_fail(const dump_reader *reader, const char *name, const char *expected)
{
    return rt_fail(reader->sink, RT_MALFORMED, RT_RULE_NONE,
                   "%s:1:1: error: expected %s; dump the launch again with CaptureReplay=1",
                   path_of(reader, name).data, expected);
}

/* Reads a text file without the white space at its end. */
static rt_status text_read(const dump_reader *reader, const char *name, rt_text *out_text)
{
    rt_buffer content = {0};
    RT_TRY(cnf_file_read(reader->sink, path_of(reader, name), TEXT_SIZE_MAX, &content));
    rt_text text = rt_buffer_text(&content);
    while (text.length > 0 && (unsigned char)text.data[text.length - 1] <= ' ')
        text.length--;
    *out_text = rt_arena_text(reader->arena, text);
    rt_buffer_free(&content);
    return RT_STATUS_OK;
}

static rt_status number_read(const dump_reader *reader, const char *name, uint64_t *out_number)
{
    rt_text text;
    RT_TRY(text_read(reader, name, &text));
    if (rt_number_read(text, 0, UINT32_MAX, out_number)) return RT_STATUS_OK;
    return dump_fail(reader, name, "a number");
}

/* ---- Parts of a launch ---------------------------------------------------------------------- */

/* Reads numbers that are separated by blanks. */
static bool sizes_read(rt_text line, uint64_t sizes[3], uint32_t *out_count)
{
    *out_count = 0;
    while (line.length > 0) {
        rt_text word = rt_text_take_until(&line, ' ');
        if (word.length == 0) continue;
        if (*out_count == 3 || !rt_number_read(word, 0, UINT32_MAX, &sizes[*out_count]))
            return false;
        (*out_count)++;
    }
    return *out_count > 0;
}

static rt_status range_read(dump_reader *reader)
{
    static const char name[] = "worksizes.txt";
    cap_command *launch = reader->launch;
    rt_text text;
    uint32_t local, offset;
    RT_TRY(text_read(reader, name, &text));
    rt_text range = rt_text_take_until(&text, '\n'), groups = rt_text_take_until(&text, '\n');
    if (!sizes_read(range, launch->range, &launch->dimensions) ||
        !sizes_read(groups, launch->local, &local) || !sizes_read(text, launch->offset, &offset) ||
        local != launch->dimensions || offset != launch->dimensions)
        return dump_fail(reader, name, "three lines with the same number of sizes, 1 to 3");
    for (uint32_t i = 0; i < launch->dimensions; i++) {
        launch->has_local = launch->has_local || launch->local[i] > 0;
        launch->has_offset = launch->has_offset || launch->offset[i] > 0;
    }
    return RT_STATUS_OK;
}

static rt_status program_read(dump_reader *reader)
{
    static const struct {
        const char *name;
        scn_language language;
    } files[] = {{"kernel.cl", SCN_LANGUAGE_OPENCL_C}, {"kernel.spv", SCN_LANGUAGE_SPIRV}};
    cap_program *program = rt_arena_alloc(reader->arena, sizeof *program);
    cap_source *source = rt_arena_alloc(reader->arena, sizeof *source);
    *program = (cap_program){.sources = source};
    rt_text options = {0};
    if (has_file(reader, "buildOptions.txt"))
        RT_TRY(text_read(reader, "buildOptions.txt", &options));
    cap_options_split(reader->arena, options, program);
    for (size_t i = 0; i < sizeof files / sizeof *files && program->source_count == 0; i++) {
        if (!has_file(reader, files[i].name)) continue;
        *source = (cap_source){files[i].language, path_of(reader, files[i].name)};
        program->source_count = 1;
    }
    if (program->source_count == 0)
        program->loss = RT_TEXT("the dump has only binaries of its program");
    reader->launch->program = program;
    return RT_STATUS_OK;
}

/* The argument with that number; the list grows. */
static cap_argument *argument_at(dump_reader *reader, uint32_t index)
{
    while (reader->arguments.count <= index) {
        *rt_vector_push(&reader->arguments) = (cap_argument){0};
        *rt_vector_push(&reader->are_given) = false;
    }
    reader->are_given.items[index] = true;
    return &reader->arguments.items[index];
}

/* Takes the number between a prefix and an ending: "Argument3.bin". */
static bool name_take(const char *name, const char *prefix, const char *ending, uint32_t *out_index)
{
    uint64_t index;
    rt_text rest = rt_text_of(name);
    bool is_taken = rt_text_take_prefix(&rest, prefix) &&
                    rt_number_take(&rest, 10, ARGUMENTS_MAX - 1, &index) &&
                    rt_text_is(rest, ending);
    if (is_taken) *out_index = (uint32_t)index;
    return is_taken;
}

/* Reads a file of the launch's folder, if it is about an argument. */
static rt_status argument_file_read(dump_reader *reader, const char *name)
{
    uint32_t index;
    if (name_take(name, "Sampler", ".txt", &index)) {
        reader->launch->loss = RT_TEXT("it uses a sampler");
    } else if (name_take(name, "Image_MetaData_", ".txt", &index)) {
        reader->launch->loss = RT_TEXT("it uses an image");
    } else if (name_take(name, "Local", ".txt", &index)) {
        cap_argument *argument = argument_at(reader, index);
        argument->kind = CAP_LOCAL;
        return number_read(reader, name, &argument->size);
    } else if (name_take(name, "SVM_Arg_Offset_", ".txt", &index)) {
        return number_read(reader, name, &argument_at(reader, index)->offset);
    } else if (name_take(name, "Argument", ".bin", &index)) {
        rt_buffer content = {0};
        RT_TRY(cnf_file_read(reader->sink, path_of(reader, name), TEXT_SIZE_MAX, &content));
        argument_at(reader, index)->value =
            rt_arena_bytes(reader->arena, rt_buffer_bytes(&content));
        rt_buffer_free(&content);
    }
    return RT_STATUS_OK;
}

/* Notes the contents of a memory: "Enqueue_0003_Kernel_scale_Arg_0_Buffer_0001.bin". */
static rt_status contents_note(dump_reader *reader, const char *folder, const char *name)
{
    const char *place = NULL;
    for (const char *at = name; (at = strstr(at, "_Arg_")) != NULL; at++)
        place = at; /* the kernel's name may contain the same word */
    rt_text rest = rt_text_of(place);
    uint64_t index, number;
    struct stat file;
    rt_text path =
        rt_arena_printf(reader->arena, "%.*s/%s/%s", RT_TEXT_ARG(reader->folder), folder, name);
    bool is_image = strlen(name) > 4 && strcmp(name + strlen(name) - 4, ".raw") == 0;
    if (is_image) reader->launch->loss = RT_TEXT("it uses an image");
    if (!place || is_image) return RT_STATUS_OK;
    if (!rt_text_take_prefix(&rest, "_Arg_") ||
        !rt_number_take(&rest, 10, ARGUMENTS_MAX - 1, &index) ||
        !rt_text_take_prefix(&rest, "_Buffer_") ||
        !rt_number_take(&rest, 10, UINT32_MAX - 1, &number) || !rt_text_is(rest, ".bin"))
        return RT_STATUS_OK;
    if (stat(path.data, &file) != 0 || !S_ISREG(file.st_mode) || file.st_size == 0)
        return rt_fail(reader->sink, RT_MALFORMED, RT_RULE_NONE,
                       "%s:1:1: error: expected the contents of a memory; dump the launch again "
                       "with CaptureReplay=1",
                       path.data);
    uint32_t at = 0;
    while (at < reader->memories.count && reader->memories.items[at].number != number)
        at++;
    if (at == reader->memories.count)
        *rt_vector_push(&reader->memories) = (cap_memory){.number = (uint32_t)number};
    cap_memory *memory = &reader->memories.items[at];
    bool is_after = strcmp(folder, "Post") == 0;
    if (memory->size > 0 && memory->size != (uint64_t)file.st_size)
        return rt_fail(reader->sink, RT_MALFORMED, RT_RULE_NONE,
                       "%s:1:1: error: has %lld bytes, but another file of the same memory has "
                       "%" PRIu64 "; dump the launch again with CaptureReplay=1",
                       path.data, (long long)file.st_size, memory->size);
    memory->size = (uint64_t)file.st_size;
    *(is_after ? &memory->after : &memory->before) = path;
    cap_argument *argument = argument_at(reader, (uint32_t)index);
    argument->kind = CAP_MEMORY;
    argument->memory = at;
    return RT_STATUS_OK;
}

/* ---- A launch ------------------------------------------------------------------------------- */

static int name_order(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* The names in a folder, sorted; none if it does not exist. */
static const char *const *names_list(rt_arena *arena, const char *path, uint32_t *out_count)
{
    RT_VECTOR(const char *) names = {0};
    DIR *folder = opendir(path);
    for (const struct dirent *entry; folder && (entry = readdir(folder)) != NULL;)
        if (*entry->d_name != '.')
            *rt_vector_push(&names) = rt_arena_text(arena, rt_text_of(entry->d_name)).data;
    if (folder) closedir(folder);
    if (names.count > 0) qsort(names.items, names.count, sizeof *names.items, name_order);
    const char *const *list = rt_arena_copy(arena, names.items, names.count, sizeof *names.items);
    *out_count = names.count;
    rt_vector_free(&names);
    return list;
}

/* Reads all files that are about arguments. */
static rt_status arguments_read(dump_reader *reader)
{
    static const char *const folders[] = {"Pre", "Post"};
    uint32_t count;
    const char *const *names = names_list(reader->arena, reader->folder.data, &count);
    for (uint32_t i = 0; i < count; i++)
        RT_TRY(argument_file_read(reader, names[i]));
    for (size_t f = 0; f < sizeof folders / sizeof *folders; f++) {
        names = names_list(reader->arena, path_of(reader, folders[f]).data, &count);
        for (uint32_t i = 0; i < count; i++)
            RT_TRY(contents_note(reader, folders[f], names[i]));
    }
    return RT_STATUS_OK;
}

/* Checks that an argument has a value or contents. */
static rt_status argument_check(const dump_reader *reader, uint32_t index)
{
    const cap_argument *argument = &reader->arguments.items[index];
    rt_arena *arena = reader->arena;
    if (argument->offset > 0 && argument->kind != CAP_MEMORY)
        return dump_fail(reader, rt_arena_printf(arena, "SVM_Arg_Offset_%u.txt", index).data,
                         "an offset of 0, since the argument has no contents in Pre");
    if (argument->kind != CAP_VALUE || argument->value.size > 0) return RT_STATUS_OK;
    return dump_fail(reader, rt_arena_printf(arena, "Argument%u.bin", index).data,
                     "the bytes of the argument");
}

/* Joins the parts of the launch, and checks that none is missing. */
static rt_status launch_finish(dump_reader *reader)
{
    cap_command *launch = reader->launch;
    launch->has_ended = true;
    for (uint32_t i = 0; i < reader->memories.count; i++) {
        cap_memory *memory = &reader->memories.items[i];
        if (memory->before.length == 0)
            return dump_fail(reader, "Pre", "the contents of every memory that Post has");
        launch->has_ended = launch->has_ended && memory->after.length > 0;
        memory->is_changed = memory->after.length > 0;
    }
    for (uint32_t i = 0; i < reader->arguments.count; i++) {
        cap_argument *argument = &reader->arguments.items[i];
        if (!reader->are_given.items[i] && launch->loss.length == 0)
            return rt_fail(reader->sink, RT_MALFORMED, RT_RULE_NONE,
                           "%.*s: error: expected a file of argument %u, since there is one of "
                           "argument %u; dump the launch again with CaptureReplay=1",
                           RT_TEXT_ARG(reader->folder), i, reader->arguments.count - 1);
        if (launch->loss.length == 0) RT_TRY(argument_check(reader, i));
        /* Only pointers have offsets. */
        if (argument->kind != CAP_MEMORY || argument->offset == 0) continue;
        reader->memories.items[argument->memory].is_block = true;
        reader->memories.items[argument->memory].usm = "shared";
    }
    launch->arguments = rt_arena_copy(reader->arena, reader->arguments.items,
                                      reader->arguments.count, sizeof *reader->arguments.items);
    launch->argument_count = reader->arguments.count;
    launch->memories = rt_arena_copy(reader->arena, reader->memories.items, reader->memories.count,
                                     sizeof *reader->memories.items);
    launch->memory_count = reader->memories.count;
    if (launch->loss.length == 0) launch->loss = launch->program->loss;
    return RT_STATUS_OK;
}

static rt_status launch_read(rt_sink *sink, rt_arena *arena, rt_text folder, cap_command *out)
{
    dump_reader reader = {.sink = sink, .arena = arena, .folder = folder, .launch = out};
    *out = (cap_command){.queue = {.is_in_order = true}}; /* launches ran one after the other */
    rt_status status = text_read(&reader, KERNEL_NAME, &out->kernel);
    if (rt_ok(status) && out->kernel.length == 0)
        status = dump_fail(&reader, KERNEL_NAME, "the name of a kernel");
    if (rt_ok(status)) status = number_read(&reader, "enqueueNumber.txt", &out->number);
    if (rt_ok(status)) status = range_read(&reader);
    if (rt_ok(status)) status = program_read(&reader);
    if (rt_ok(status)) status = arguments_read(&reader);
    if (rt_ok(status)) status = launch_finish(&reader);
    rt_vector_free(&reader.arguments);
    rt_vector_free(&reader.are_given);
    rt_vector_free(&reader.memories);
    return status;
}

/* ---- Folders -------------------------------------------------------------------------------- */

/* Adds a launch. The scenarios of two with the same number and kernel would have the same name. */
static rt_status launch_add(rt_sink *sink, dump_list *dumps, const cap_command *launch,
                            rt_text folder)
{
    for (uint32_t i = 0; i < dumps->launches.count; i++) {
        const cap_command *other = &dumps->launches.items[i];
        if (other->number == launch->number && rt_text_equal(other->kernel, launch->kernel))
            return rt_fail(sink, RT_MALFORMED, RT_RULE_NONE,
                           "%.*s/enqueueNumber.txt:1:1: error: expected another number than that "
                           "of %.*s, which has the same kernel; give the folders of different "
                           "runs one at a time",
                           RT_TEXT_ARG(folder), RT_TEXT_ARG(dumps->folders.items[i]));
    }
    *rt_vector_push(&dumps->launches) = *launch;
    *rt_vector_push(&dumps->folders) = folder;
    return RT_STATUS_OK;
}

/* Reads the launches of a folder and of those below it. */
static rt_status folder_read(rt_sink *sink, rt_arena *arena, rt_text folder, uint32_t depth,
                             dump_list *dumps)
{
    rt_text mark = rt_arena_printf(arena, "%.*s/" KERNEL_NAME, RT_TEXT_ARG(folder));
    if (access(mark.data, F_OK) == 0) {
        cap_command launch;
        RT_TRY(launch_read(sink, arena, folder, &launch));
        return launch_add(sink, dumps, &launch, folder);
    }
    uint32_t count;
    const char *const *names = names_list(arena, folder.data, &count);
    for (uint32_t i = 0; i < count && depth < DEPTH_MAX; i++) {
        struct stat file;
        rt_text path = rt_arena_printf(arena, "%.*s/%s", RT_TEXT_ARG(folder), names[i]);
        if (stat(path.data, &file) == 0 && S_ISDIR(file.st_mode))
            RT_TRY(folder_read(sink, arena, path, depth + 1, dumps));
    }
    return RT_STATUS_OK;
}

static int launch_order(const void *left, const void *right)
{
    const cap_command *a = left, *b = right;
    return (a->number > b->number) - (a->number < b->number);
}

rt_status cap_intercept_read(rt_sink *sink, rt_arena *arena, rt_text folder,
                             cap_recording *out_recording)
{
    dump_list dumps = {0};
    rt_text root = rt_arena_text(arena, folder);
    rt_status status = folder_read(sink, arena, root, 0, &dumps);
    if (rt_ok(status) && dumps.launches.count == 0)
        status = rt_fail(sink, RT_IO, RT_RULE_NONE,
                         "%s has no dump of a launch, which is a folder with the file " KERNEL_NAME
                         "; run the program under the Intercept Layer with CaptureReplay=1",
                         root.data);
    if (dumps.launches.count > 1)
        qsort(dumps.launches.items, dumps.launches.count, sizeof *dumps.launches.items,
              launch_order);
    *out_recording = (cap_recording){
        .commands = rt_arena_copy(arena, dumps.launches.items, dumps.launches.count,
                                  sizeof *dumps.launches.items),
        .command_count = dumps.launches.count,
        .captured = dumps.launches.count,
        .seen = dumps.launches.count,
        .processes = 1,
        .is_dump = true,
    };
    rt_vector_free(&dumps.launches);
    rt_vector_free(&dumps.folders);
    return status;
}
