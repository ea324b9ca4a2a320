/* What the files of this folder share: the manager's state, and building. */
#ifndef REFERENCE_PROGRAM_PROGRAM_INTERNAL_H
#define REFERENCE_PROGRAM_PROGRAM_INTERNAL_H

#include "reference/program/cache.h"

/* A program that some thread is building at this moment. */
typedef struct rt_pending_build {
    rt_image_id image;
    uint32_t device;
} rt_pending_build;

struct rt_program_manager {
    rt_sink *sink;
    rt_trace *trace;
    rt_chooser *chooser; /* guarded by lock */
    rt_loader *loader;
    rt_registry *registry;
    pthread_mutex_t lock;
    pthread_cond_t built; /* some pending build ended */
    rt_program_tables tables;
    rt_cache cache;
    RT_VECTOR(rt_pending_build) pending;
    uint32_t program_count;  /* ids given so far */
    uint32_t programs_alive; /* zero when the manager is destroyed */
};

/* Makes the executable program of a link set on a device: one program object per image, then the
 * link (DL-LINK-01, DL-LINK-02).  Called without the lock.  *out_executable is the caller's. */
RT_MUST_USE rt_status rt_program_build(rt_program_manager *manager, const rt_device *device,
                                       uint32_t program_id, const rt_link_set *set,
                                       dev_program **out_executable);

#endif
