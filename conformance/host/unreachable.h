/* Everything that the host program over libsycl refuses by itself: what a scenario can say, but no
 * program can do through SYCL's public interface. Such a refusal has the error code "unsupported",
 * which makes the scenario a SKIP with this reason, never a PASS and never a finding. Anything that
 * a program can do reaches libsycl, regardless of the outcome.
 *
 * For C and C++. */
#ifndef CONFORMANCE_HOST_UNREACHABLE_H
#define CONFORMANCE_HOST_UNREACHABLE_H

/* name, reason */
#define HOST_UNREACHABLE(ROW)                                                                      \
    ROW(NAME_WITH_NUL, "libsycl takes names as C strings, so no program can pass a NUL byte")      \
    ROW(DIMENSIONS, "the type of a range has 1 to 3 dimensions")                                   \
    ROW(POINTER_INTO_BUFFER, "a buffer has no address that a program could pass")                  \
    ROW(ACCESSOR_OF_POINTER, "only a buffer has accessors")                                        \
    ROW(POINTER_IN_VALUE, "a value has no room for the pointer at that offset")                    \
    ROW(BUNDLE_STATE, "a bundle's state is part of its type, so another state does not compile")   \
    ROW(CONSTANT_SIZE, "the size of a specialisation constant's value comes from its type")        \
    ROW(LAMBDA_ACCESSOR,                                                                           \
        "a lambda's kernel has four parameters for a captured accessor, and this one has one")     \
    ROW(LAMBDA_CAPTURES,                                                                           \
        "what a lambda captures is part of its type, and only one type has the name")              \
    ROW(LAMBDA_LOCAL, "this release has no work_group_memory, which a lambda captures")            \
    ROW(MODULE_KERNEL, "host code submits only kernels that its own module has, while it is "      \
                       "loaded")                                                                   \
    ROW(GLOBAL_UNKNOWN, "no loaded module declares the device_global")                             \
    ROW(COPY_BEYOND, "the host program has no type of that size, whose copies check the bounds")   \
    ROW(PATTERN, "a fill writes whole elements")

typedef enum host_unreachable {
#define HOST_UNREACHABLE_ENUM(name, reason) HOST_UNREACHABLE_##name,
    HOST_UNREACHABLE(HOST_UNREACHABLE_ENUM)
#undef HOST_UNREACHABLE_ENUM
        HOST_UNREACHABLE_COUNT
} host_unreachable;

#endif
