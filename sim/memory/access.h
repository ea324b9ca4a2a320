/* Finds the object that an address points into. */
#ifndef SIM_ACCESS_H
#define SIM_ACCESS_H

#include "sim/memory/state.h"

/* The object that an address points into, and the address's offset in it. */
typedef struct sim_view_memory {
    uint8_t *data;     /* first byte of the object; NULL for PRIVATE */
    uint8_t *defined;  /* shadow of data; NULL: all bytes are defined, or PRIVATE */
    uint64_t size;     /* size of the object in bytes */
    uint64_t offset;   /* the address's offset in the object; wraps around below 0 */
    uint64_t position; /* PRIVATE: where the object begins in a work-item's private bytes */
    uint32_t class;    /* sim_address_class */
    uint32_t object;   /* the object number in the address */
    struct sim_race_shadow *race; /* NULL: accesses to the object cannot race */
    bool is_constant;             /* stores are findings because the memory is constant */
    uint8_t forbidden;            /* SIM_FORBIDS_…, with stores if it is constant */
    rt_text label;
} sim_view_memory;

/* Finds the object of an address. False, with *out_kind set, if there is none. */
bool sim_access_find(sim_exec *x, uint64_t address, sim_view_memory *out_view,
                     sim_finding_kind *out_kind);

/* Creates the shadow of an object whose bytes are all defined, because undefined bytes are about to
 * be stored, and puts it in the view. */
void sim_access_unsettle(sim_exec *x, sim_view_memory *view);

#endif
