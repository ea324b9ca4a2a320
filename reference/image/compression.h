/* Compressed images: the code of format 4, one frame of Zstandard; the format of what is inside is
 * what its first bytes say.  Source: intel/llvm, option -fsycl-compress-image (--offload-compress)
 * and its runtime's CompressedRTDeviceBinaryImage. */
#ifndef REFERENCE_IMAGE_COMPRESSION_H
#define REFERENCE_IMAGE_COMPRESSION_H

#include "reference/image/device_binary.h"

/* Bytes that the images of one file may have together when they are decompressed. */
#define RT_DECOMPRESSED_MAX (4 * (uint64_t)RT_IMAGE_SIZE_MAX)

/* A copy of the binaries in which none is compressed; new code is allocated in the arena.
 * MALFORMED: a damaged frame, with the number of its image; LIMIT: more than RT_IMAGE_SIZE_MAX
 * bytes, or RT_DECOMPRESSED_MAX of all. */
RT_MUST_USE rt_status rt_device_binaries_decompress(rt_sink *sink, rt_arena *arena,
                                                    rt_device_binaries binaries,
                                                    rt_device_binaries *out_binaries);

/* A copy in which every binary with code is compressed, allocated in the arena. */
rt_device_binaries rt_device_binaries_compress(rt_arena *arena, rt_device_binaries binaries);

#endif
