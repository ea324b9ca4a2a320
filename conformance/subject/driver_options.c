/* Looks for the names of options in the libraries that the process has mapped. Source: proc(5),
 * /proc/PID/maps. */
#include "conformance/subject/driver_options.h"

#include "reference/base/descriptors.h"
#include "reference/base/lines.h"
#include "reference/base/nearest.h"
#include "reference/base/vector.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PREFIX = 3 }; /* only names with the same first letters are suggested */

/* An option that is looked for. */
typedef struct wanted_option {
    rt_text name;
    bool is_found;
    rt_buffer best;    /* the nearest name so far; the files that hold names are unmapped again */
    uint32_t distance; /* its distance, or a larger one than any */
} wanted_option;

typedef RT_VECTOR(wanted_option) option_list;

static bool is_name_byte(uint8_t byte)
{
    return (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z') ||
           (byte >= '0' && byte <= '9') || byte == '_';
}

/* Offers the name at an offset, which begins like the option. */
static void name_offer(wanted_option *option, rt_bytes file, size_t at)
{
    enum { NAME_MAX_SIZE = 64 };
    size_t length = 0;
    while (at + length < file.size && length <= NAME_MAX_SIZE &&
           is_name_byte(file.data[at + length]))
        length++;
    bool is_whole = at + length < file.size && file.data[at + length] == '\0';
    rt_text name = {(const char *)file.data + at, length};
    if (!is_whole || length > NAME_MAX_SIZE) return;
    option->is_found = option->is_found || rt_text_equal(name, option->name);
    uint32_t distance = rt_text_distance(option->name, name, option->distance);
    if (distance >= option->distance) return;
    option->distance = distance;
    rt_buffer_truncate(&option->best, 0);
    rt_buffer_append_text(&option->best, name);
}

/* Looks for the option, and for names like it, among the strings of a file. */
static void file_search(wanted_option *option, rt_bytes file)
{
    const uint8_t *at = file.data, *end = file.data + file.size;
    size_t prefix = option->name.length < PREFIX ? option->name.length : PREFIX;
    while (!option->is_found &&
           (at = memmem(at, (size_t)(end - at), option->name.data, prefix)) != NULL) {
        if (at == file.data || !is_name_byte(at[-1]))
            name_offer(option, file, (size_t)(at - file.data));
        at++;
    }
}

static void path_search(option_list *options, const char *path)
{
    struct stat status;
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return;
    bool is_file = fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0;
    size_t size = is_file ? (size_t)status.st_size : 0;
    void *content = is_file ? mmap(NULL, size, PROT_READ, MAP_PRIVATE, descriptor, 0) : MAP_FAILED;
    close(descriptor);
    if (content == MAP_FAILED) return;
    for (uint32_t i = 0; i < options->count; i++)
        file_search(&options->items[i], (rt_bytes){content, size});
    munmap(content, size);
}

/* Searches each mapped file once; its mappings follow each other. */
static void maps_search(option_list *options)
{
    rt_buffer maps = {0}, last = {0};
    int descriptor = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return;
    (void)rt_read_all(descriptor, &maps);
    close(descriptor);
    rt_text rest = rt_buffer_text(&maps), line;
    while (rt_line_take(&rest, &line)) {
        const char *slash = memchr(line.data, '/', line.length);
        if (!slash) continue;
        rt_text path = rt_text_skip(line, (size_t)(slash - line.data));
        if (rt_text_equal(path, rt_buffer_text(&last))) continue;
        rt_buffer_truncate(&last, 0);
        rt_buffer_append_text(&last, path);
        path_search(options, rt_buffer_string(&last));
    }
    rt_buffer_free(&last);
    rt_buffer_free(&maps);
}

void cnf_driver_options_check(rt_text names, rt_buffer *out)
{
    option_list options = {0};
    while (names.length > 0) {
        rt_text name = rt_text_take_until(&names, ',');
        *rt_vector_push(&options) = (wanted_option){.name = name, .distance = UINT32_MAX};
    }
    if (options.count > 0) maps_search(&options);
    for (uint32_t i = 0; i < options.count; i++) {
        wanted_option *option = &options.items[i];
        if (!option->is_found) {
            rt_buffer_printf(out, "%sno loaded library knows option '%.*s'", out->size ? "\n" : "",
                             RT_TEXT_ARG(option->name));
            rt_nearest nearest = rt_nearest_to(option->name);
            rt_nearest_offer(&nearest, rt_buffer_text(&option->best));
            (void)rt_nearest_suggest(&nearest, out);
        }
        rt_buffer_free(&option->best);
    }
    rt_vector_free(&options);
}
