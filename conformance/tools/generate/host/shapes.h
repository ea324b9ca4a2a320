/* The part of a generated program that calls virtual functions: a base class in one library, and
 * classes in others that override its functions in the same sets.
 *
 * A kernel in a class's library makes an object, and a kernel of the base's library calls a
 * function of it. What the call finds depends on which libraries were loaded when the calling
 * kernel's program was linked. The functions of one set need fp64: a device without it links
 * dummies where objects are made, and refuses the calls.
 *
 * Source: VirtualFunctions.md ("Device code split", "Runtime", "optional kernel features"). */
#ifndef CONFORMANCE_TOOLS_GENERATE_HOST_SHAPES_H
#define CONFORMANCE_TOOLS_GENERATE_HOST_SHAPES_H

#include "conformance/tools/generate/host/model.h"
#include "reference/base/text.h"

/* What a module is for. */
typedef enum gen_role {
    GEN_ROLE_LINKING, /* it has the images of the model */
    GEN_ROLE_BASE,
    GEN_ROLE_SQUARE,
    GEN_ROLE_CIRCLE,
    GEN_ROLES
} gen_role;

/* What the classes have; a reduction omits parts. */
typedef enum gen_shape_part {
    GEN_SHAPE_PLAIN,   /* a function for every device */
    GEN_SHAPE_PRECISE, /* one whose overrides need fp64 */
    GEN_SHAPE_BASE,    /* a kernel that makes an object of the base class */
    GEN_SHAPE_COUNT,   /* the kernel that calls the plain function */
    GEN_SHAPE_MEASURE, /* the one that calls the precise one */
    GEN_SHAPE_PARTS
} gen_shape_part;

/* A call of a function of a new object, at a place (model.h). */
typedef struct gen_shape_call {
    gen_role class;
    bool is_precise;  /* GEN_SHAPE_PRECISE is called */
    bool is_uncalled; /* in a reduction: the object is made, and that is all */
    uint32_t place;
    bool is_refused; /* set by gen_shapes_take: the device lacks fp64 */
} gen_shape_call;

typedef struct gen_shapes {
    uint32_t parts; /* bits 1u << gen_shape_part */
    /* The classes in the calling kernels' programs, as bits 1u << role; 0: there is no program. */
    uint32_t plain[GEN_PLACES], precise[GEN_PLACES];
} gen_shapes;

/* Takes the call if its outcome is certain: the library of the class is loaded, and was when the
 * calling kernel's program was linked. `loaded` has the bits of the roles of loaded modules,
 * `without_fp64` those of devices. Returns false, and changes nothing, otherwise. */
bool gen_shapes_take(gen_shapes *shapes, uint32_t loaded, uint32_t without_fp64,
                     gen_shape_call *call);

/* Forgets the programs with code of libraries that are no longer loaded. */
void gen_shapes_unload(gen_shapes *shapes, uint32_t loaded);

/* Appends the contents of a module with a role and some parts. */
void gen_shapes_write_module(gen_role role, uint32_t parts, rt_buffer *out);

/* Appends the memories of one or several calls, whose names end with `suffix`, and a call with what
 * it is expected to return. */
void gen_shapes_write_memories(bool has_result, const char *suffix, rt_buffer *out);
void gen_shapes_write_call(const gen_shape_call *call, bool lacks_fp64, const char *place_key,
                           const char *suffix, rt_buffer *out);

#endif
