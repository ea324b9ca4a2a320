/* Commands that move bytes: read, write, copy, fill, map and unmap, and their rectangles. */
#include "opencl/misuse.h"
#include "opencl/usm.h"

#include <stdlib.h>
#include <string.h>

/* Begins a command on one buffer, whose object and context it validates, and which it keeps. */
static cl_int transfer_begin(icd_command *command, cl_command_queue queue, cl_command_type type,
                             cl_mem buffer, cl_uint wait_count, const cl_event *wait, icd_call call)
{
    cl_int code = icd_command_begin(command, queue, type, wait_count, wait, call);
    if (code != CL_SUCCESS) return code;
    if (!icd_is(buffer, ICD_MEMORY, call))
        return icd_command_drop(command,
                                icd_refuse(call, CL_INVALID_MEM_OBJECT, "expected a buffer"));
    if (buffer->context != queue->context)
        return icd_command_drop(command,
                                icd_refuse(call, CL_INVALID_CONTEXT,
                                           "buffer %u is of another context", buffer->base.number));
    icd_command_keep(command, buffer);
    return CL_SUCCESS;
}

/* Refuses a range that is not inside a buffer. */
static cl_int range_validate(cl_mem buffer, size_t offset, size_t size, icd_call call)
{
    if (offset <= buffer->size && size <= buffer->size - offset) return CL_SUCCESS;
    return icd_refuse(call, CL_INVALID_VALUE,
                      "%zu bytes at offset %zu are not inside buffer %u of %zu bytes", size, offset,
                      buffer->base.number, buffer->size);
}

/* Refuses an access of the host that the buffer's flags exclude. */
static cl_int host_validate(cl_mem buffer, bool reads, bool writes, icd_call call)
{
    bool is_excluded = (reads && buffer->flags & CL_MEM_HOST_WRITE_ONLY) ||
                       (writes && buffer->flags & CL_MEM_HOST_READ_ONLY) ||
                       buffer->flags & CL_MEM_HOST_NO_ACCESS;
    if (!is_excluded) return CL_SUCCESS;
    return icd_refuse(call, CL_INVALID_OPERATION, "buffer %u was created with flags 0x%llx",
                      buffer->base.number, (unsigned long long)buffer->flags);
}

static icd_place place_in(cl_mem buffer, size_t offset)
{
    return (icd_place){.memory = icd_root(buffer)->memory, .offset = buffer->origin + offset};
}

/* Where the "host" pointer of a transfer leads: it may be memory of the device, as
 * cl_intel_unified_shared_memory permits.  A pointer that is refused fails the command. */
static icd_place place_at(icd_command *command, const void *pointer, size_t size)
{
    icd_place place = {0};
    if (command->failure == CL_SUCCESS)
        command->failure = icd_place_make(pointer, size, command->call, &place);
    return place;
}

/* Adds the parts of a command: one range each, at an offset in a buffer; nothing for 0 bytes. */
static void read_part(icd_command *command, cl_mem buffer, size_t offset, size_t size, void *host)
{
    if (size == 0) return;
    icd_place to = place_at(command, host, size);
    if (command->failure != CL_SUCCESS) return;
    icd_copy_part(command, to, place_in(buffer, offset), size);
}

static void write_part(icd_command *command, cl_mem buffer, size_t offset, size_t size,
                       const void *host)
{
    if (size == 0) return;
    icd_place from = place_at(command, host, size);
    if (command->failure != CL_SUCCESS) return;
    icd_copy_part(command, place_in(buffer, offset), from, size);
}

static void copy_part(icd_command *command, cl_mem from, size_t from_offset, cl_mem to,
                      size_t to_offset, size_t size)
{
    if (size > 0)
        icd_copy_part(command, place_in(to, to_offset), place_in(from, from_offset), size);
}

/* ---- Ranges ------------------------------------------------------------------------------- */

CL_API_ENTRY cl_int CL_API_CALL clEnqueueReadBuffer(cl_command_queue queue, cl_mem buffer,
                                                    cl_bool is_blocking, size_t offset, size_t size,
                                                    void *host, cl_uint wait_count,
                                                    const cl_event *wait, cl_event *out_event)
{
    ICD_ENTER;
    icd_command command;
    cl_int code =
        transfer_begin(&command, queue, CL_COMMAND_READ_BUFFER, buffer, wait_count, wait, ICD_CALL);
    if (code != CL_SUCCESS) return code;
    command.is_blocking = is_blocking;
    code = range_validate(buffer, offset, size, ICD_CALL);
    if (code == CL_SUCCESS && !host) code = REFUSE(CL_INVALID_VALUE, "the host pointer is NULL");
    if (code == CL_SUCCESS) code = host_validate(buffer, true, false, ICD_CALL);
    if (code != CL_SUCCESS) return icd_command_drop(&command, code);
    icd_misuse_mapped(&command, buffer, false, NULL, 0);
    read_part(&command, buffer, offset, size, host);
    return icd_command_end(&command, out_event);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueWriteBuffer(cl_command_queue queue, cl_mem buffer,
                                                     cl_bool is_blocking, size_t offset,
                                                     size_t size, const void *host,
                                                     cl_uint wait_count, const cl_event *wait,
                                                     cl_event *out_event)
{
    ICD_ENTER;
    icd_command command;
    cl_int code = transfer_begin(&command, queue, CL_COMMAND_WRITE_BUFFER, buffer, wait_count, wait,
                                 ICD_CALL);
    if (code != CL_SUCCESS) return code;
    command.is_blocking = is_blocking;
    code = range_validate(buffer, offset, size, ICD_CALL);
    if (code == CL_SUCCESS && !host) code = REFUSE(CL_INVALID_VALUE, "the host pointer is NULL");
    if (code == CL_SUCCESS) code = host_validate(buffer, false, true, ICD_CALL);
    if (code != CL_SUCCESS) return icd_command_drop(&command, code);
    icd_misuse_mapped(&command, buffer, true, NULL, 0);
    write_part(&command, buffer, offset, size, host);
    return icd_command_end(&command, out_event);
}

/* True if the buffers are one, or parts of one. */
static bool is_same_root(cl_mem a, cl_mem b)
{
    return icd_root(a) == icd_root(b);
}

/* Reports what a copy, which has been validated, does to memory that it must not use. */
static void copy_judge(const icd_command *command, cl_mem from, cl_mem to)
{
    icd_misuse_mapped(command, from, false, NULL, 0);
    icd_misuse_mapped(command, to, true, NULL, 0);
    icd_misuse_host_overlap(command, from, to);
}

/* Begins a copy: both buffers are validated and kept. */
static cl_int copy_begin(icd_command *command, cl_command_queue queue, cl_command_type type,
                         cl_mem from, cl_mem to, cl_uint wait_count, const cl_event *wait,
                         icd_call call)
{
    cl_int code = transfer_begin(command, queue, type, from, wait_count, wait, call);
    if (code != CL_SUCCESS) return code;
    if (!icd_is(to, ICD_MEMORY, call))
        return icd_command_drop(command,
                                icd_refuse(call, CL_INVALID_MEM_OBJECT, "expected a buffer"));
    if (to->context != queue->context)
        return icd_command_drop(command,
                                icd_refuse(call, CL_INVALID_CONTEXT,
                                           "buffer %u is of another context", to->base.number));
    icd_command_keep(command, to);
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueCopyBuffer(cl_command_queue queue, cl_mem from, cl_mem to,
                                                    size_t from_offset, size_t to_offset,
                                                    size_t size, cl_uint wait_count,
                                                    const cl_event *wait, cl_event *out_event)
{
    ICD_ENTER;
    icd_command command;
    cl_int code =
        copy_begin(&command, queue, CL_COMMAND_COPY_BUFFER, from, to, wait_count, wait, ICD_CALL);
    if (code != CL_SUCCESS) return code;
    code = range_validate(from, from_offset, size, ICD_CALL);
    if (code == CL_SUCCESS) code = range_validate(to, to_offset, size, ICD_CALL);
    if (code == CL_SUCCESS && is_same_root(from, to)) {
        size_t a = from->origin + from_offset, b = to->origin + to_offset;
        if (a < b + size && b < a + size && size > 0)
            code = REFUSE(CL_MEM_COPY_OVERLAP, "the two ranges of buffer %u overlap",
                          icd_root(from)->base.number);
    }
    if (code != CL_SUCCESS) return icd_command_drop(&command, code);
    copy_judge(&command, from, to);
    copy_part(&command, from, from_offset, to, to_offset, size);
    return icd_command_end(&command, out_event);
}

bool icd_is_pattern_size(size_t size)
{
    return size >= 1 && size <= DEV_PATTERN_SIZE_MAX && (size & (size - 1)) == 0;
}

void icd_fill_part(icd_command *command, dev_memory *memory, uint64_t offset, size_t size,
                   const void *pattern, size_t pattern_size)
{
    dev_event *event = NULL;
    dev_queue *queue = icd_device.queue;
    const dev_command described = icd_command_device(command);
    CHECK(pattern && pattern_size >= 1);
    if (size == 0) return;
    rt_status status = dev_enqueue_fill(queue, described, memory, offset, size,
                                        (rt_bytes){pattern, pattern_size}, &event);
    icd_command_part(command, status, event);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueFillBuffer(cl_command_queue queue, cl_mem buffer,
                                                    const void *pattern, size_t pattern_size,
                                                    size_t offset, size_t size, cl_uint wait_count,
                                                    const cl_event *wait, cl_event *out_event)
{
    ICD_ENTER;
    icd_command command;
    cl_int code =
        transfer_begin(&command, queue, CL_COMMAND_FILL_BUFFER, buffer, wait_count, wait, ICD_CALL);
    if (code != CL_SUCCESS) return code;
    code = range_validate(buffer, offset, size, ICD_CALL);
    bool is_pattern = pattern && icd_is_pattern_size(pattern_size);
    if (code == CL_SUCCESS && !is_pattern)
        code = REFUSE(CL_INVALID_VALUE, "a pattern of %zu bytes; expected 1, 2, 4, … or 128",
                      pattern_size);
    if (code == CL_SUCCESS && is_pattern &&
        (offset % pattern_size != 0 || size % pattern_size != 0))
        code = REFUSE(CL_INVALID_VALUE,
                      "offset %zu or size %zu is not a multiple of the pattern's %zu bytes", offset,
                      size, pattern_size);
    if (code != CL_SUCCESS) return icd_command_drop(&command, code);
    icd_misuse_mapped(&command, buffer, true, NULL, 0);
    icd_fill_part(&command, icd_root(buffer)->memory, buffer->origin + offset, size, pattern,
                  pattern_size);
    return icd_command_end(&command, out_event);
}

/* ---- Rectangles --------------------------------------------------------------------------- */

/* One side of a rectangle: where it begins and ends, and how its rows and slices follow each other.
 */
typedef struct side {
    size_t begin, row, slice; /* bytes */
    size_t extent;            /* bytes from the first to the last of the region */
} side;

/* Multiplies two sizes and adds a third; true if the result is too large. */
static bool grows_over(size_t a, size_t b, size_t c, size_t *out)
{
    return __builtin_mul_overflow(a, b, out) || __builtin_add_overflow(*out, c, out);
}

/* Completes the pitches of a side, and refuses those that are too small for the region. */
static cl_int side_make(const size_t *origin, const size_t *region, size_t row, size_t slice,
                        icd_call call, side *out_side)
{
    if (!origin || !region || region[0] == 0 || region[1] == 0 || region[2] == 0)
        return icd_refuse(call, CL_INVALID_VALUE, "a region without bytes");
    if (row == 0) row = region[0];
    if (row < region[0])
        return icd_refuse(call, CL_INVALID_VALUE, "rows of %zu bytes are shorter than the region's",
                          row);
    size_t rows, begin, extent;
    bool is_large = grows_over(region[1], row, 0, &rows);
    if (slice == 0) slice = rows;
    if (!is_large && (slice < rows || slice % row != 0))
        return icd_refuse(
            call, CL_INVALID_VALUE,
            "slices of %zu bytes do not hold %zu rows of %zu bytes, or not whole rows", slice,
            region[1], row);
    is_large = is_large || grows_over(origin[1], row, origin[0], &begin) ||
               grows_over(origin[2], slice, begin, &begin) ||
               grows_over(region[1] - 1, row, region[0], &extent) ||
               grows_over(region[2] - 1, slice, extent, &extent);
    if (is_large)
        return icd_refuse(call, CL_INVALID_VALUE, "a region that is larger than any memory");
    *out_side = (side){begin, row, slice, extent};
    return CL_SUCCESS;
}

/* The number of bytes of a row to move at once, and of rows and slices, after rows that follow each
 * other on both sides have been joined. */
static void rows_join(const side *a, const side *b, const size_t *region, size_t joined[3])
{
    CHECK(region && region[0] > 0 && a->row >= region[0] && b->row >= region[0]);
    memcpy(joined, region, 3 * sizeof *joined);
    if (a->row != joined[0] || b->row != joined[0]) return;
    joined[0] *= joined[1];
    joined[1] = 1;
    if (a->slice != joined[0] || b->slice != joined[0]) return;
    joined[0] *= joined[2];
    joined[2] = 1;
}

typedef enum rect_kind { RECT_READ, RECT_WRITE } rect_kind;

typedef struct rect {
    cl_mem buffer;
    const size_t *buffer_origin, *host_origin, *region;
    size_t buffer_row, buffer_slice, host_row, host_slice;
    uint8_t *host;
} rect;

static cl_int rect_parts(icd_command *command, const rect *r, rect_kind kind, icd_call call)
{
    side device = {0}, host = {0};
    cl_int code =
        side_make(r->buffer_origin, r->region, r->buffer_row, r->buffer_slice, call, &device);
    if (code == CL_SUCCESS)
        code = side_make(r->host_origin, r->region, r->host_row, r->host_slice, call, &host);
    if (code == CL_SUCCESS) code = range_validate(r->buffer, device.begin, device.extent, call);
    if (code == CL_SUCCESS && !r->host)
        code = icd_refuse(call, CL_INVALID_VALUE, "the host pointer is NULL");
    if (code == CL_SUCCESS)
        code = host_validate(r->buffer, kind == RECT_READ, kind == RECT_WRITE, call);
    if (code != CL_SUCCESS) return code;
    icd_misuse_mapped(command, r->buffer, kind == RECT_WRITE, NULL, 0);
    size_t joined[3];
    rows_join(&device, &host, r->region, joined);
    for (size_t z = 0; z < joined[2]; z++) {
        for (size_t y = 0; y < joined[1]; y++) {
            size_t offset = device.begin + z * device.slice + y * device.row;
            uint8_t *pointer = r->host + host.begin + z * host.slice + y * host.row;
            if (kind == RECT_READ)
                read_part(command, r->buffer, offset, joined[0], pointer);
            else
                write_part(command, r->buffer, offset, joined[0], pointer);
        }
    }
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueReadBufferRect(
    cl_command_queue queue, cl_mem buffer, cl_bool is_blocking, const size_t *buffer_origin,
    const size_t *host_origin, const size_t *region, size_t buffer_row, size_t buffer_slice,
    size_t host_row, size_t host_slice, void *host, cl_uint wait_count, const cl_event *wait,
    cl_event *out_event)
{
    ICD_ENTER;
    icd_command command;
    cl_int code = transfer_begin(&command, queue, CL_COMMAND_READ_BUFFER_RECT, buffer, wait_count,
                                 wait, ICD_CALL);
    if (code != CL_SUCCESS) return code;
    command.is_blocking = is_blocking;
    const rect r = {buffer,       buffer_origin, host_origin, region, buffer_row,
                    buffer_slice, host_row,      host_slice,  host};
    code = rect_parts(&command, &r, RECT_READ, ICD_CALL);
    if (code != CL_SUCCESS) return icd_command_drop(&command, code);
    return icd_command_end(&command, out_event);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueWriteBufferRect(
    cl_command_queue queue, cl_mem buffer, cl_bool is_blocking, const size_t *buffer_origin,
    const size_t *host_origin, const size_t *region, size_t buffer_row, size_t buffer_slice,
    size_t host_row, size_t host_slice, const void *host, cl_uint wait_count, const cl_event *wait,
    cl_event *out_event)
{
    ICD_ENTER;
    icd_command command;
    cl_int code = transfer_begin(&command, queue, CL_COMMAND_WRITE_BUFFER_RECT, buffer, wait_count,
                                 wait, ICD_CALL);
    if (code != CL_SUCCESS) return code;
    command.is_blocking = is_blocking;
    /* The host's bytes are only read. */
    const rect r = {buffer,   buffer_origin, host_origin,
                    region,   buffer_row,    buffer_slice,
                    host_row, host_slice,    (uint8_t *)(uintptr_t)host};
    code = rect_parts(&command, &r, RECT_WRITE, ICD_CALL);
    if (code != CL_SUCCESS) return icd_command_drop(&command, code);
    return icd_command_end(&command, out_event);
}

/* True if the regions share a byte: some pair of their rows does.  Sides with different pitches are
 * refused before, as the specification requires. */
static bool rects_overlap(const side *a, const side *b, const size_t *region)
{
    CHECK(a->row > 0 && a->slice > 0 && b->row > 0);
    size_t first = a->begin < b->begin ? a->begin : b->begin;
    size_t last = a->begin < b->begin ? b->begin : a->begin;
    size_t distance = last - first;
    if (distance >= a->extent) return false;
    size_t z = distance / a->slice, rest = distance % a->slice;
    size_t y = rest / a->row, x = rest % a->row;
    /* The later region begins (x, y, z) after the other one, or just before the next row or slice.
     */
    bool in_x = x<region[0], wraps_x = x + region[0]> a->row;
    size_t rows = a->slice / a->row;
    for (size_t next = 0; next < 2; next++) {
        if (next == 0 ? !in_x : !wraps_x) continue;
        size_t row = y + next;
        bool in_y = row < region[1] && z < region[2];
        bool wraps_y = row + region[1] > rows && z + 1 < region[2];
        if (in_y || wraps_y) return true;
    }
    return false;
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueCopyBufferRect(
    cl_command_queue queue, cl_mem from, cl_mem to, const size_t *from_origin,
    const size_t *to_origin, const size_t *region, size_t from_row, size_t from_slice,
    size_t to_row, size_t to_slice, cl_uint wait_count, const cl_event *wait, cl_event *out_event)
{
    ICD_ENTER;
    icd_command command;
    side a = {0}, b = {0};
    cl_int code = copy_begin(&command, queue, CL_COMMAND_COPY_BUFFER_RECT, from, to, wait_count,
                             wait, ICD_CALL);
    if (code != CL_SUCCESS) return code;
    code = side_make(from_origin, region, from_row, from_slice, ICD_CALL, &a);
    if (code == CL_SUCCESS) code = side_make(to_origin, region, to_row, to_slice, ICD_CALL, &b);
    if (code == CL_SUCCESS) code = range_validate(from, a.begin, a.extent, ICD_CALL);
    if (code == CL_SUCCESS) code = range_validate(to, b.begin, b.extent, ICD_CALL);
    if (code == CL_SUCCESS && from == to && (a.row != b.row || a.slice != b.slice))
        code = REFUSE(CL_INVALID_VALUE, "within buffer %u, both sides must have the same pitches",
                      from->base.number);
    if (code == CL_SUCCESS && is_same_root(from, to)) {
        const side x = {a.begin + from->origin, a.row, a.slice, a.extent};
        const side y = {b.begin + to->origin, b.row, b.slice, b.extent};
        if (rects_overlap(&x, &y, region))
            code = REFUSE(CL_MEM_COPY_OVERLAP, "the two regions of buffer %u overlap",
                          icd_root(from)->base.number);
    }
    if (code != CL_SUCCESS) return icd_command_drop(&command, code);
    copy_judge(&command, from, to);
    size_t joined[3];
    rows_join(&a, &b, region, joined);
    for (size_t z = 0; z < joined[2]; z++)
        for (size_t y = 0; y < joined[1]; y++)
            copy_part(&command, from, a.begin + z * a.slice + y * a.row, to,
                      b.begin + z * b.slice + y * b.row, joined[0]);
    return icd_command_end(&command, out_event);
}

/* ---- Mapping ------------------------------------------------------------------------------ */

/* Where the host finds the bytes of a mapped buffer: in the memory that it gave, or in memory that
 * all maps of the buffer share.  NULL: out of memory. */
static uint8_t *map_place(cl_mem buffer)
{
    if (buffer->host) return buffer->host;
    cl_mem root = icd_root(buffer);
    if (!root->shadow) {
        size_t size = (root->size + ICD_BASE_ALIGNMENT - 1) / ICD_BASE_ALIGNMENT;
        root->shadow = aligned_alloc(ICD_BASE_ALIGNMENT, size * ICD_BASE_ALIGNMENT);
    }
    return root->shadow ? root->shadow + buffer->origin : NULL;
}

/* Refuses bytes to be mapped for writing that are so already, through the buffer, the one that it
 * is part of, or another part of that. */
static cl_int unmapped_validate(cl_mem buffer, size_t offset, size_t size, icd_call call)
{
    const cl_map_flags writes = CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;
    size_t begin = buffer->origin + offset;
    for (cl_mem each = icd_root(buffer); each;
         each = each->parent ? each->next_part : each->parts) {
        for (uint32_t i = 0; i < each->maps.count; i++) {
            const icd_map *map = &each->maps.items[i];
            size_t first = each->origin + map->offset;
            if (map->flags & writes && first < begin + size && begin < first + map->size)
                return icd_refuse(
                    call, CL_INVALID_OPERATION,
                    "%zu bytes at offset %zu of buffer %u are mapped for writing already",
                    map->size, map->offset, each->base.number);
        }
    }
    return CL_SUCCESS;
}

/* True if any of the buffer's memory is mapped, through it or through a buffer that shares it. */
static bool is_mapped(cl_mem buffer)
{
    bool has_maps = false;
    for (cl_mem each = icd_root(buffer); each; each = each->parent ? each->next_part : each->parts)
        has_maps |= each->maps.count > 0;
    return has_maps;
}

CL_API_ENTRY void *CL_API_CALL clEnqueueMapBuffer(cl_command_queue queue, cl_mem buffer,
                                                  cl_bool is_blocking, cl_map_flags flags,
                                                  size_t offset, size_t size, cl_uint wait_count,
                                                  const cl_event *wait, cl_event *out_event,
                                                  cl_int *out_code)
{
    ICD_ENTER;
    icd_command command;
    const cl_map_flags writes = CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;
    cl_int code =
        transfer_begin(&command, queue, CL_COMMAND_MAP_BUFFER, buffer, wait_count, wait, ICD_CALL);
    icd_store(out_code, code);
    if (code != CL_SUCCESS) return NULL;
    command.is_blocking = is_blocking;
    bool is_known = flags == CL_MAP_WRITE_INVALIDATE_REGION ||
                    (flags & ~(cl_map_flags)(CL_MAP_READ | CL_MAP_WRITE)) == 0;
    if (!is_known) code = REFUSE(CL_INVALID_VALUE, "map flags 0x%llx", (unsigned long long)flags);
    if (code == CL_SUCCESS && size == 0) code = REFUSE(CL_INVALID_VALUE, "a region of 0 bytes");
    if (code == CL_SUCCESS) code = range_validate(buffer, offset, size, ICD_CALL);
    if (code == CL_SUCCESS)
        code = host_validate(buffer, flags & CL_MAP_READ, flags & writes, ICD_CALL);
    if (code == CL_SUCCESS && flags & writes)
        code = unmapped_validate(buffer, offset, size, ICD_CALL);
    uint8_t *place = code == CL_SUCCESS ? map_place(buffer) : NULL;
    if (code == CL_SUCCESS && !place) code = CL_MAP_FAILURE;
    if (code != CL_SUCCESS) {
        icd_store(out_code, icd_command_drop(&command, code));
        return NULL;
    }
    command.is_host_using = is_mapped(buffer);
    /* The host finds shared virtual memory where it is. */
    if (!(flags & CL_MAP_WRITE_INVALIDATE_REGION) && !buffer->is_svm)
        read_part(&command, buffer, offset, size, place + offset);
    code = icd_command_end(&command, out_event);
    icd_store(out_code, code);
    if (code != CL_SUCCESS) return NULL;
    *rt_vector_push(&buffer->maps) = (icd_map){place + offset, offset, size, flags};
    return place + offset;
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueUnmapMemObject(cl_command_queue queue, cl_mem buffer,
                                                        void *pointer, cl_uint wait_count,
                                                        const cl_event *wait, cl_event *out_event)
{
    ICD_ENTER;
    icd_command command;
    cl_int code = transfer_begin(&command, queue, CL_COMMAND_UNMAP_MEM_OBJECT, buffer, wait_count,
                                 wait, ICD_CALL);
    if (code != CL_SUCCESS) return code;
    uint32_t i = buffer->maps.count;
    while (i > 0 && buffer->maps.items[i - 1].pointer != pointer)
        i--;
    if (i == 0)
        return icd_command_drop(&command,
                                REFUSE(CL_INVALID_VALUE, "%p is not a mapped region of buffer %u",
                                       pointer, buffer->base.number));
    icd_map map = buffer->maps.items[i - 1];
    buffer->maps.items[i - 1] = buffer->maps.items[--buffer->maps.count];
    if (map.flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION) && !buffer->is_svm)
        write_part(&command, buffer, map.offset, map.size, map.pointer);
    return icd_command_end(&command, out_event);
}
