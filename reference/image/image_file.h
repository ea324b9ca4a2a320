/* A file with device images in any container: SYCLBIN, or an ELF file with fat binaries. */
#ifndef REFERENCE_IMAGE_IMAGE_FILE_H
#define REFERENCE_IMAGE_IMAGE_FILE_H

#include "reference/image/fat_binary.h"
#include "reference/image/syclbin.h"

typedef enum rt_image_file_kind { RT_IMAGE_FILE_SYCLBIN, RT_IMAGE_FILE_ELF } rt_image_file_kind;

typedef struct rt_image_file {
    rt_image_file_kind kind;
    rt_syclbin syclbin;        /* SYCLBIN */
    const rt_fat_binary *fats; /* ELF: in the order of their descriptors */
    uint32_t fat_count;
    rt_device_binaries binaries; /* of the whole file, as stored, without decompression */
} rt_image_file;

/* Reads a file.  Names and code point into it or into the arena.  UNSUPPORTED: the file begins like
 * neither container; MALFORMED: an ELF file without device images; otherwise the statuses of the
 * containers' readers. *out_file is empty on failure. */
RT_MUST_USE rt_status rt_image_file_read(rt_sink *sink, rt_arena *arena, rt_bytes file,
                                         rt_image_file *out_file);

#endif
