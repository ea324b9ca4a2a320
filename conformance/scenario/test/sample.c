/* The sample scenario. */
#include "conformance/scenario/test/sample.h"

static const char sample[] =
    "assay: 1\n"
    "summary: Every part of the model.\n"
    "covers: [DL-REQ-01, {rule: DL-RESOLVE-09, at: bad}]\n"
    "modules:\n"
    "  app: {needs: [lib], split: per_kernel, build_options: -DN,\n"
    "        sources: [{language: opencl-c, code: 'kernel void k() {}'}]}\n"
    "  lib: {sources: [{language: opencl-c, code: 'int f() { return 1; }'}]}\n"
    "memory:\n"
    "  a: {type: int, values: {iota: 4}}\n"
    "  b: {type: double, count: 2}\n"
    "steps:\n"
    "  - load: lib\n"
    "  - submit: {kernel: k, range: [4, 2], offset: [1, 0], local: [2, 1], args: [a, {read: b},\n"
    "             {write: b}, {int: -3}, {float: 0x1p-3}, {local: 64}]}\n"
    "    id: s\n"
    "  - submit: {kernel: k, range: [4], after: [s]}\n"
    "    id: bad\n"
    "    expect: {error: {documents: exception,\n"
    "                     reference: {class: link-error, text: t, names: [f, g]}}}\n"
    "  - wait\n"
    "  - host_access: a\n"
    "  - expect: {memory: a, equals: [0, 1, 2, 3], launches: 1, cache_hits: 0}\n"
    "  - expect: {program_of: k, images: [app/0, lib/0]}\n"
    "  - expect: {trace: [{event: link, inputs: [app/0, lib/0], by: driver}, {event: wait}]}\n"
    "  - expect: {finding: out-of-bounds, kernel: k, memory: a, offset: 16}\n"
    "  - unload: lib\n";

rt_text scn_sample(void)
{
    return (rt_text){sample, sizeof sample - 1};
}
