// The format of a fat binary, as versions 8 and 9 of shipped DPC++ read it, for the programs here
// that build device images by hand.
#pragma once
#include <cstddef>
#include <cstdint>
#include <sycl/version.hpp>

struct entry {
    void *address;
    const char *name;
    size_t size;
    int32_t flags, reserved;
};
struct property {
    const char *name;
    const void *value;
    uint32_t type; // 1: a number, kept in size; 2: bytes, after their length in bits
    uint64_t size;
};
struct property_set {
    const char *name;
    const property *begin, *end;
};
struct image {
    uint16_t version;
    uint8_t kind, format;
    const char *target, *compile_options, *link_options;
#if __LIBSYCL_MAJOR_VERSION < 9
    const char *manifest_begin, *manifest_end;
#endif
    const unsigned char *begin, *end;
    const entry *entries_begin, *entries_end;
    const property_set *sets_begin, *sets_end;
};
struct descriptor {
    uint16_t version, count;
    const image *images;
    const entry *host_begin, *host_end;
};
extern "C" void __sycl_register_lib(const void *);
extern "C" void __sycl_unregister_lib(const void *);

#define CODE(name)                                                                                 \
    asm(".section .rodata\n.balign 8\n" #name "_begin: .incbin \"" #name ".spv\"\n" #name          \
        "_end:\n.previous");                                                                       \
    extern "C" const unsigned char name##_begin[], name##_end[]

/* The contents of a device image; all of it must stay valid while the process runs. */
struct contents {
    const unsigned char *begin, *end;
    const char *entry; /* a kernel, or a function that other images call; null: no entries */
    const property_set *sets;
    size_t set_count;
    uint8_t format = 2; /* SPIR-V; 1: compiled ahead of time */
    const char *target = "spir64";
};

/* Fills in an image with one entry at most. */
static void describe(image *out, const contents &of, const entry *entries)
{
    *out = image{};
    out->version = __LIBSYCL_MAJOR_VERSION < 9 ? 2 : 3;
    out->kind = 4;
    out->format = of.format;
    out->target = of.target;
    out->compile_options = out->link_options = "";
    out->begin = of.begin;
    out->end = of.end;
    out->entries_begin = entries;
    out->entries_end = entries + (of.entry ? 1 : 0);
    out->sets_begin = of.sets;
    out->sets_end = of.sets + of.set_count;
}

/* Registers an image, as the constructor of a shared library does.  Returns what its destructor
 * passes to __sycl_unregister_lib. */
[[maybe_unused]] static const descriptor *add(const contents &of)
{
    auto *entries = new entry[1]{{nullptr, of.entry, 0, 0, 0}};
    auto *made = new image;
    describe(made, of, entries);
    auto *registered = new descriptor{1, 1, made, nullptr, nullptr};
    __sycl_register_lib(registered);
    return registered;
}
