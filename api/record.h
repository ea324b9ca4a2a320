/* Records of what the modules of another process register, for `assay image show --runtime`.
 *
 * The process has libassay_reference.so in LD_PRELOAD, and the variable names a folder.  For each
 * registration the library writes one file there: u64 process id, text executable, text path of the
 * module ("" for the executable), u64 address of the descriptor, u32 count, and as many segments of
 * the module that contains it: u64 address, bytes (reference/base/stream.h).  A file has its final
 * name, PROCESS.NUMBER, once it is complete, so a process that dies leaves no half of one. */
#ifndef API_RECORD_H
#define API_RECORD_H

#include "reference/base/status.h"
#include "reference/image/mapping.h"

#define API_RECORD_VARIABLE "ASSAY_RECORD_FOLDER"

typedef struct api_record {
    uint64_t process;
    rt_text executable, path;
    uint64_t descriptor;
    rt_mapping module;
} api_record;

/* Writes the record of a registration, if the variable is set.  Failures are printed on standard
 * error, because the program that registers cannot handle them. */
void api_record_write(const void *descriptor);

/* Reads a record; spans point into the bytes, tables are in the arena.  MALFORMED: damaged. */
RT_MUST_USE rt_status api_record_read(rt_sink *sink, rt_arena *arena, rt_bytes bytes,
                                      api_record *out_record);

#endif
