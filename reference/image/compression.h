/* Compressed images: the format is 4 and the code is a single Zstandard frame; the first bytes of
 * the decompressed code determine its format.  Source: intel/llvm, option -fsycl-compress-image
 * (--offload-compress) and the runtime's class CompressedRTDeviceBinaryImage. */
#ifndef REFERENCE_IMAGE_COMPRESSION_H
#define REFERENCE_IMAGE_COMPRESSION_H

#include "reference/image/device_binary.h"

/* Maximum total size in bytes of a file's images after decompression. */
#define RT_DECOMPRESSED_MAX (4 * (uint64_t)RT_IMAGE_SIZE_MAX)

/* Copies the binaries, decompressing those that are compressed; new code is allocated in the arena.
 * MALFORMED: a frame is damaged (the message gives the number of its image); LIMIT: a decompressed
 * image exceeds RT_IMAGE_SIZE_MAX bytes, or all of them together exceed RT_DECOMPRESSED_MAX. */
RT_MUST_USE rt_status rt_device_binaries_decompress(rt_sink *sink, rt_arena *arena,
                                                    rt_device_binaries binaries,
                                                    rt_device_binaries *out_binaries);

/* Copies the binaries into the arena, compressing each one that has code. */
rt_device_binaries rt_device_binaries_compress(rt_arena *arena, rt_device_binaries binaries);

#endif
