/* The in-memory program cache (document 003, "In-memory cache").
 *
 * The cache has two levels: the name of a kernel leads to a group of tuples, and a tuple to a
 * program (DL-CACHE-06).  A tuple states which program contains the kernel for an OS module, values
 * of specialisation constants, options and a device.  We add the context, which the document leaves
 * out: a program belongs to one context (SYCL 2020, 4.11 "Kernel bundles"), and its variables have
 * separate values in each.  Several tuples lead to one program (DL-CACHE-07): one per kernel and
 * module of the link set (DL-CACHE-08).
 *
 * For each tuple the cache holds a reference to the program.  The cache's owner does the locking.
 */
#ifndef REFERENCE_PROGRAM_CACHE_H
#define REFERENCE_PROGRAM_CACHE_H

#include "reference/program/specialise.h"

typedef struct rt_cache_key {
    rt_text kernel;
    rt_module_id module;
    rt_spec_list constants;
    rt_text options; /* of the requesting image, followed by those of the request */
    uint32_t device; /* rt_device.id */
    rt_context_id context;
} rt_cache_key;

typedef struct rt_cache_tuple {
    rt_text kernel; /* lives in the cache's arena */
    rt_module_id module;
    const rt_registered_image *image; /* the program's image that has the kernel */
    rt_program *program;              /* NULL: dropped */
} rt_cache_tuple;

typedef struct rt_cache_group {
    rt_text kernel;
    rt_map index; /* the rest of the key as text -> index in tuples */
} rt_cache_group;

typedef struct rt_cache {
    rt_arena arena;
    rt_map index; /* name of a kernel -> index in groups */
    RT_VECTOR(rt_cache_group) groups;
    RT_VECTOR(rt_cache_tuple) tuples; /* rt_program.tuples lists indices into this */
} rt_cache;

/* Takes over a dropped tuple's reference to its program; tuple->program still points to it. */
typedef void rt_cache_dropped(void *user, const rt_cache_tuple *tuple);

/* Frees the tables; the caller releases the programs' references first (rt_cache_drop). */
void rt_cache_free(rt_cache *cache);

/* The program for a key, or NULL if there is none; no reference is taken. */
rt_program *rt_cache_find(const rt_cache *cache, const rt_cache_key *key);

/* Stores a tuple for a kernel of an image of the program.  An existing tuple is kept, and false is
 * returned.  If true is returned, the caller must add the tuple's reference to the program. */
bool rt_cache_store(rt_cache *cache, const rt_cache_key *key, const rt_registered_image *image,
                    rt_program *program);

/* Drops the program's tuples, or only those of kernels of `image` if that is not NULL, and passes
 * each to `dropped`.  Cost: linear in the program's tuples. */
void rt_cache_drop(rt_cache *cache, rt_program *program, const rt_registered_image *image,
                   rt_cache_dropped *dropped, void *user);

#endif
