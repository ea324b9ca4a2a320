/* Records of what the modules of another process register, for `assay image show --runtime`.
 *
 * The process has libassay_reference.so in LD_PRELOAD, and the variable names a folder.  For each
 * registration the library writes one file there (reference/base/stream.h):
 *
 *     u64 process id  u64 program  text executable  text path of the module ("" for the executable)
 *     text refusal, "" if the fat binary could be read  u32 number of images
 *     image: u32 format  text target  texts compile, link options  u32 number, texts entries
 *            u32 number, property sets  u64 size of the code  bytes its beginning
 *
 * Images are decompressed, and of the code only what shows its format is kept, because a process
 * may register gigabytes.  A file has its final name, PROCESS.NUMBER, once it is complete, so a
 * process that dies leaves no half of one; numbers grow in the order of registration.  `program` is
 * a random number that tells apart the programs that a process runs, one after the other (exec).
 */
#ifndef API_RECORD_H
#define API_RECORD_H

#include "reference/base/status.h"
#include "reference/image/device_binary.h"

#define API_RECORD_VARIABLE "ASSAY_RECORD_FOLDER"

typedef struct api_record {
    uint64_t process, program;
    rt_text executable, path;
    rt_text refusal;
    rt_device_binaries binaries;
    const uint64_t *code_sizes; /* in bytes, per binary */
} api_record;

/* Writes the record of a registration, if the variable is set.  Failures are printed on standard
 * error, because the program that registers cannot handle them. */
void api_record_write(const void *descriptor);

/* Reads a record; spans point into the bytes, tables are in the arena.  MALFORMED: damaged. */
RT_MUST_USE rt_status api_record_read(rt_sink *sink, rt_arena *arena, rt_bytes bytes,
                                      api_record *out_record);

#endif
