/* Three binaries that use every feature of a fat binary; the tests of fat binaries write, build and
 * read them back. */
#ifndef REFERENCE_IMAGE_TEST_SAMPLE_BINARIES_H
#define REFERENCE_IMAGE_TEST_SAMPLE_BINARIES_H

#include "reference/image/device_binary.h"

static const rt_text sample_entries[] = {{"add", 3}, {"a \"b\" \\ \?\?/ \xC3\xA9", 14}};

static const rt_property sample_symbols[] = {
    {.name = {"f", 1}, .type = RT_PROPERTY_UINT32, .number = 4294967295}};
static const rt_property sample_masks[] = {
    {.name = {"add", 3},
     .type = RT_PROPERTY_BYTES,
     .bytes = {(const uint8_t *)"\5", 1},
     .unused_bits = 5},
    {.name = {"none", 4}, .type = RT_PROPERTY_BYTES},
};
static const rt_property_set sample_sets[] = {
    {{RT_SET_EXPORTED_SYMBOLS, sizeof RT_SET_EXPORTED_SYMBOLS - 1}, sample_symbols, 1},
    {{"SYCL/kernel param opt", 21}, sample_masks, 2},
    {{"SYCL/assert used", 16}, NULL, 0},
};

#define SAMPLE_SPIRV "\x03\x02\x23\x07 code \xFF\n"

static const rt_device_binary sample_items[] = {
    {.format = RT_BINARY_SPIRV,
     .target = {"spir64", 6},
     .compile_options = {"-cl-opt", 7},
     .link_options = {"-x \"y\"", 6},
     .entries = sample_entries,
     .entry_count = 2,
     .properties = {sample_sets, 3},
     .code = {(const uint8_t *)SAMPLE_SPIRV, sizeof SAMPLE_SPIRV - 1}},
    {.format = RT_BINARY_NATIVE, .target = {"spir64_gen", 10}, .code = {(const uint8_t *)"xyz", 3}},
    {.format = RT_BINARY_UNKNOWN,
     .target = {"nvptx64", 7},
     .entries = sample_entries,
     .entry_count = 1,
     .code = {(const uint8_t *)"\0", 1}},
};

static const rt_device_binaries sample_binaries = {sample_items, 3};

#endif
