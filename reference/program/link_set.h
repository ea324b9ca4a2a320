/* The link set of an image: the image itself, the images that its imports need, and those that a
 * contributor adds.
 *
 * Source: document 003 (SharedLibraries.md), "Device images collection and linking", rules
 * DL-RESOLVE-01 to DL-RESOLVE-18; document 004 (VirtualFunctions.md), "Changes to the runtime". */
#ifndef REFERENCE_PROGRAM_LINK_SET_H
#define REFERENCE_PROGRAM_LINK_SET_H

#include "reference/base/choose.h"
#include "reference/base/profile.h"
#include "reference/base/status.h"
#include "reference/module/loader.h"
#include "reference/program/tables.h"
#include "reference/program/target.h"

typedef struct rt_link_set {
    RT_VECTOR(const rt_registered_image *) images; /* the requesting image first, each once */
    bool searched; /* the requesting image has imports or names sets of virtual functions, so it
                    * must be linked even if it is the only one */
} rt_link_set;

/* A contributor's answer for one image of a link set. */
typedef struct rt_link_contribution {
    RT_VECTOR(const rt_registered_image *)
    images; /* images that join the set; may contain images already in the set, and duplicates */
    bool links; /* the image must be linked; always if an image joins it */
} rt_link_contribution;

struct rt_link_context;

/* Determines which images must join the link set of `requesting` because `member` is in it, even if
 * no member imports anything from them.  A higher layer (reference/vfunc) implements it; it is
 * called once for each member, including those that it added.  The caller frees
 * out_contribution->images.  Any failure makes the launch, or the creation of the bundle, fail. */
typedef rt_status rt_link_contribute(const struct rt_link_context *context,
                                     const rt_registered_image *requesting,
                                     const rt_registered_image *member,
                                     rt_link_contribution *out_contribution);

/* The input of resolution; everything is borrowed for the call. */
typedef struct rt_link_context {
    rt_sink *sink;
    rt_trace *trace;
    rt_chooser *chooser;
    rt_loader *loader;
    const rt_program_tables *tables;
    const rt_device *device;
    rt_profile profile;
    /* If some of the suitable images belong to preloaded modules, one of those is taken.
     * Document 003 considers this policy ("ODR violations", the LD_PRELOAD part; DL-PRELOAD-03). */
    bool prefer_preloaded;
    bool open; /* imports without an exporter may stay unresolved; for kernel bundles, whose images
                * the application links itself (requirements.yaml, key dpcpp, tag A28) */
    rt_link_contribute *contribute; /* NULL: images join only for imports */
} rt_link_context;

/* Collects the link set of `requesting` into out_set (zero-initialised by the caller, freed with
 * rt_link_set_free even after a failure). ERRC_BUILD, rule DL-RESOLVE-09: imports that no suitable
 * registered image exports, unless they may stay unresolved; the diagnostic names all of them.
 * Also returns the contributor's codes.  Cost: linear in the imports and exports of the set, and in
 * the work of the contributor. */
RT_MUST_USE rt_status rt_link_set_collect(const rt_link_context *context,
                                          const rt_registered_image *requesting,
                                          rt_link_set *out_set);

/* Frees the list of images and leaves the set empty and usable. */
void rt_link_set_free(rt_link_set *set);

#endif
