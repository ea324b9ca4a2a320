/* Finds which device_globals are copies of others.
 *
 * The class of the shipped compiler copies the initial value on the host alone: in device code the
 * copy constructor is empty, and the copy's value is zero. So the source is compiled once more,
 * with a copy constructor that stores the original's address in the pointer, which is null
 * otherwise. Only the variables of that compilation are read; its images are dropped. */
#include "conformance/build/sycl_copies.h"

#include "conformance/build/packages.h"
#include "conformance/build/sycl_constants.h"
#include "conformance/build/sycl_images.h"
#include "conformance/process/scratch.h"
#include "conformance/scenario/model/build_options.h"
#include "reference/base/descriptors.h"
#include "reference/image/syclbin.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEADER_FOLDER "sycl/ext/oneapi/device_global"
#define HEADER_PATH   HEADER_FOLDER "/device_global.hpp"

/* A class without such a constructor cannot be copied. */
#define COPY_CONSTRUCTOR "(const device_global_base &"

/* The constructors of device code, in libsycl 8 and 9, and ours. */
static const struct replacement {
    const char *theirs, *ours;
} replacements[] = {
    {"(const device_global_base<OtherT, OtherProps> &) {\n  }",
     "(const device_global_base<OtherT, OtherProps> &original)\n"
     "      : usmptr{(pointer_t)(const void *)&original} {}"},
    {"(const device_global_base &) {}", "(const device_global_base &original)\n"
                                        "      : usmptr{(pointer_t)(const void *)&original} {}"},
};
enum { REPLACEMENTS = sizeof replacements / sizeof *replacements };

/* ---- The header ------------------------------------------------------------------------------ */

/* Replaces the constructors. False: one of them does not occur exactly once. */
static bool header_change(rt_text header, rt_buffer *out)
{
    rt_buffer text = {0};
    rt_buffer_append_text(&text, header);
    bool is_known = true;
    for (size_t i = 0; i < REPLACEMENTS && is_known; i++) {
        const char *begin = rt_buffer_string(&text), *theirs = replacements[i].theirs;
        const char *at = strstr(begin, theirs);
        is_known = at && !strstr(at + 1, theirs);
        if (!is_known) break;
        rt_buffer changed = {0};
        rt_buffer_append(&changed, begin, (size_t)(at - begin));
        rt_buffer_append_text(&changed, rt_text_of(replacements[i].ours));
        rt_buffer_append_text(&changed, rt_text_of(at + strlen(theirs)));
        rt_buffer_free(&text);
        text = changed;
    }
    if (is_known) rt_buffer_append_text(out, rt_buffer_text(&text));
    rt_buffer_free(&text);
    return is_known;
}

static bool file_read(const char *path, rt_buffer *out)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    bool is_read = file >= 0 && rt_read_all(file, out);
    if (file >= 0) close(file);
    return is_read;
}

/* Writes the text to the header's path below an existing folder. */
static bool file_write(rt_arena *arena, rt_text folder, rt_bytes text)
{
    static const char *const folders[] = {"sycl", "sycl/ext", "sycl/ext/oneapi", HEADER_FOLDER};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        rt_text path = rt_arena_printf(arena, "%.*s/%s", RT_TEXT_ARG(folder), folders[i]);
        if (mkdir(path.data, 0700) != 0) return false;
    }
    rt_text path = rt_arena_printf(arena, "%.*s/" HEADER_PATH, RT_TEXT_ARG(folder));
    int file = open(path.data, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    bool is_written = file >= 0 && rt_write_all(file, text);
    if (file >= 0) close(file);
    return is_written;
}

/* ---- The second compilation ------------------------------------------------------------------ */

/* Gives each variable the value of the one that it is a copy of. */
static rt_status copies_find(cnf_worker *worker, rt_text source, rt_bytes output,
                             rt_device_global_list *inout_globals)
{
    cnf_sycl_output parts;
    rt_syclbin syclbin;
    rt_device_binaries binaries;
    RT_TRY(cnf_sycl_output_read(worker, source, output, &parts));
    RT_TRY(rt_syclbin_read(worker->sink, &worker->arena, parts.syclbin, &syclbin));
    RT_TRY(rt_syclbin_binaries(worker->sink, &worker->arena, &syclbin, &binaries));
    rt_device_global *globals = rt_arena_copy(&worker->arena, inout_globals->globals,
                                              inout_globals->count, sizeof *globals);
    inout_globals->globals = globals;
    for (uint32_t i = 0; i < inout_globals->count; i++) {
        rt_device_global *global = &globals[i];
        bool is_zero = !global->image_scope && global->initial.size == 0;
        for (uint32_t k = 0; is_zero && k < binaries.count && global->initial.size == 0; k++)
            if (!cnf_sycl_copied_value(&worker->arena, binaries.items[k].code, global->unique_id,
                                       global->size, &global->initial))
                return rt_fail(
                    worker->sink, RT_UNSUPPORTED, RT_RULE_NONE,
                    "device_global '%.*s' is constructed from one of another type, "
                    "whose value the host converts, which is not built; give it the type "
                    "of the original, or the value",
                    RT_TEXT_ARG(global->name));
    }
    return RT_STATUS_OK;
}

static rt_status compile_again(cnf_worker *worker, const cnf_request_source *source,
                               const cnf_front_end_options *options,
                               rt_device_global_list *inout_globals)
{
    cnf_front_end_run run = {0};
    cnf_message_list messages = {0}; /* those of the first compilation */
    rt_status status = cnf_front_end_start(worker->sink, &worker->arena, NULL, &worker->toolchain,
                                           source, options, &run);
    if (rt_ok(status))
        status = cnf_front_end_finish(worker->sink, &worker->arena, source, &run, &messages);
    if (rt_ok(status))
        status = copies_find(worker, source->name, rt_buffer_bytes(&run.output), inout_globals);
    cnf_front_end_free(&run);
    rt_vector_free(&messages);
    return status;
}

/* Copies are possible since C++20, and matter if one variable begins with zeros and another one
 * may not: in image scope, the value is in the code. */
static bool copies_matter(const cnf_front_end_options *options, rt_device_global_list globals)
{
    bool has_zeros = false, has_value = false, is_new = false;
    rt_text option, rest = options->build_options;
    while (scn_build_options_next(&rest, &option))
        is_new = is_new || rt_text_is(option, "-std=c++20");
    for (uint32_t i = 0; i < globals.count; i++) {
        bool is_zero = !globals.globals[i].image_scope && globals.globals[i].initial.size == 0;
        has_zeros = has_zeros || is_zero;
        has_value = has_value || !is_zero;
    }
    return is_new && has_zeros && has_value;
}

rt_status cnf_sycl_copies(cnf_worker *worker, const cnf_request_source *source,
                          const cnf_front_end_options *options,
                          rt_device_global_list *inout_globals)
{
    if (!copies_matter(options, *inout_globals)) return RT_STATUS_OK;
    rt_arena *arena = &worker->arena;
    rt_buffer header = {0}, changed = {0};
    rt_text folder = {0}, packages = cnf_packages_folder(arena);
    rt_text path = rt_arena_printf(arena, "%.*s/include/" HEADER_PATH, RT_TEXT_ARG(packages));
    rt_status status = RT_STATUS_OK;
    if (!file_read(path.data, &header))
        status = rt_fail(worker->sink, RT_IO, RT_RULE_NONE, "%s cannot be read: %s", path.data,
                         strerrordesc_np(errno));
    bool is_known = rt_ok(status) && header_change(rt_buffer_text(&header), &changed);
    bool has_copies = header.size > 0 && strstr(rt_buffer_string(&header), COPY_CONSTRUCTOR);
    if (rt_ok(status) && !is_known && has_copies)
        status = rt_fail(worker->sink, RT_UNSUPPORTED, RT_RULE_NONE,
                         "%s is of a version whose constructors are not known, so the initial "
                         "values of copies of device_globals are not",
                         path.data);
    if (is_known) {
        status = cnf_scratch_make(worker->sink, arena, &folder);
        if (rt_ok(status) && !file_write(arena, folder, rt_buffer_bytes(&changed)))
            status =
                rt_fail(worker->sink, RT_IO, RT_RULE_NONE, "the folder %.*s cannot be filled: %s",
                        RT_TEXT_ARG(folder), strerrordesc_np(errno));
        cnf_front_end_options again = *options;
        again.headers = folder;
        if (rt_ok(status)) status = compile_again(worker, source, &again, inout_globals);
        if (folder.length > 0) cnf_scratch_remove(folder);
    }
    rt_buffer_free(&header);
    rt_buffer_free(&changed);
    return status;
}
