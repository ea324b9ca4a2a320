/* Generated scenarios, as the commands `generate` and `fuzz` take them from the command line. */
#ifndef CONFORMANCE_CLI_GENERATED_H
#define CONFORMANCE_CLI_GENERATED_H

#include "conformance/cli/options.h"
#include "conformance/tools/generate/host/host.h"

/* A kind of scenario that is drawn from a seed (static). */
typedef struct cnf_generated_kind {
    const char *name;
    void (*write)(const gen_request *request, rt_buffer *out, uint32_t *out_unit_count);
    bool has_variations, has_weights;
} cnf_generated_kind;

/* Finds a kind by its name; NULL after reporting on stderr that there is none. */
const cnf_generated_kind *cnf_generated_kind_find(rt_text name);

/* The name of a variation for people and command lines, such as "fresh"; empty for GEN_AS_DRAWN. */
const char *cnf_generated_variation(gen_variation variation);

/* Finds the variation that --variation names, or GEN_AS_DRAWN without that option. Returns false
 * after reporting on stderr that the kind has none, or none of that name. */
bool cnf_generated_variation_read(const cnf_generated_kind *kind, const cnf_arguments *arguments,
                                  gen_variation *out_variation);

/* Reads --feature and --weights. Returns false after reporting a mistake on stderr. */
bool cnf_generated_weights_read(const cnf_generated_kind *kind, const cnf_arguments *arguments,
                                gen_weights *out_weights);

#endif
