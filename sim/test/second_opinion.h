/* A second opinion about modules: compares the verdict of SPIRV-Tools' validator with ours, except
 * for a list of accepted disagreements. Since the validator stops at the first item that its
 * version does not know, it gets a copy without such items. Source of the rules: SPIR-V
 * specification 1.6, section 2.16. */
#ifndef SIM_TEST_SECOND_OPINION_H
#define SIM_TEST_SECOND_OPINION_H

#include "reference/base/alloc.h"
#include "sim/module/opcodes.h"
#include "sim/sim.h"

#include <spirv-tools/libspirv.h>
#include <stdio.h>
#include <string.h>

typedef enum opinion {
    OPINION_INVALID,
    OPINION_VALID,
    OPINION_NONE, /* ours: refused as unsupported, which says nothing about validity */
} opinion;

/* One kind of disagreement: words from the message of the side that objects, and why the other side
 * is right or need not object.  Remove exceptions that no run needs any more; `used` counts the
 * uses.
 */
typedef struct opinion_exception {
    bool we_accept;
    bool is_rare; /* seen once in tens of thousands of mutants: few runs need it */
    const char *words;
    const char *reason;
    uint32_t used;
} opinion_exception;

static opinion_exception opinion_exceptions[] = {
#define WE_ACCEPT(words, reason)                                                                   \
    {                                                                                              \
        true, false, words, reason, 0                                                              \
    }
#define WE_ACCEPT_RARELY(words, reason)                                                            \
    {                                                                                              \
        true, true, words, reason, 0                                                               \
    }
#define WE_OBJECT(words, reason)                                                                   \
    {                                                                                              \
        false, false, words, reason, 0                                                             \
    }
#define WE_OBJECT_RARELY(words, reason)                                                            \
    {                                                                                              \
        false, true, words, reason, 0                                                              \
    }
    WE_ACCEPT("All OpVariable instructions in a function must be the first",
              "llvm-spirv 14 creates temporaries for copies where it needs them"),
    WE_ACCEPT("has not been defined",
              "translators keep LLVM's order of blocks, which need not follow dominance"),
    WE_ACCEPT("appears in the binary before its dominator",
              "translators keep LLVM's order of blocks, which need not follow dominance"),
    WE_ACCEPT("The following forward referenced IDs have not been defined",
              "names of objects that an optimiser has removed are common and harmless"),
    WE_ACCEPT("Function declarations must appear before function definitions",
              "llvm-spirv 14 writes functions out when it meets their first address"),
    WE_ACCEPT(
        "OpLoopMerge must immediately precede",
        "kernels have no structured control flow; llvm-spirv 14 writes OpLoopMerge as a hint"),
    WE_ACCEPT(
        "is already a merge block for another header",
        "kernels have no structured control flow; llvm-spirv 14 writes OpLoopMerge as a hint"),
    WE_ACCEPT("Invalid use of function type result id",
              "it does not know function pointers (SPV_INTEL_function_pointers)"),
    WE_ACCEPT(
        "is not a constant or undef",
        "translators write the address of a variable into a constant; there is no other form"),
    WE_ACCEPT("requires one of these extensions",
              "translators leave out extensions whose capability they declare"),
    WE_ACCEPT_RARELY("but is not listed as an interface",
                     "built-in variables are bound by name; nothing depends on the list"),
    WE_ACCEPT_RARELY("Target of NonWritable decoration is invalid",
                     "a rule for resources of shaders"),
    WE_ACCEPT_RARELY(
        "OpPhi's number of incoming blocks",
        "llvm-spirv 14 writes a value for each edge, also where two come from one block"),
    WE_ACCEPT_RARELY("OpMemberName", "names are for people; nothing depends on them"),
    WE_ACCEPT_RARELY("OpDecorateId", "both instructions decorate in the same way"),
    WE_ACCEPT_RARELY("cannot be used for operand Unequal",
                     "the order of an exchange that fails is not used"),
    WE_ACCEPT_RARELY("multiple times", "what a decoration or a mode says twice, it says once"),
    WE_ACCEPT_RARELY("cannot be a constant zero", "a copy of no bytes does nothing"),
    WE_OBJECT("parameters, but its type", "it does not count the parameters"),
    WE_OBJECT("decorates id", "it checks the targets of few decorations"),
    WE_OBJECT("PtrAccessChain: operand", "it does not check the element's type"),
    WE_OBJECT("integers of 32 or 64 bits", "OpenCL's environment has rules for built-ins"),
    WE_OBJECT_RARELY("SaturatedConversion decorates something",
                     "it does not check this decoration"),
    WE_OBJECT_RARELY("of printf is not a number", "it does not check the arguments of printf"),
    WE_OBJECT_RARELY("is not a power of two", "it does not check alignments"),
    WE_OBJECT_RARELY("the linkage name of id", "a symbol has a name"),
    WE_OBJECT_RARELY("constituents, but the type", "it does not count the elements of arrays"),
    WE_OBJECT_RARELY("OpFunctionCall: argument", "it takes ids that are not values as arguments"),
    WE_OBJECT_RARELY("OpBitcast: the operand has", "it does not know the width of a pointer"),
    WE_OBJECT_RARELY("which has no size", "it takes a pointer to something without a size"),
    WE_OBJECT_RARELY("OpLifetime", "it does not check the pointer"),
    WE_OBJECT_RARELY("OpSpecConstantOp: operand", "it does not check the operands' types"),
    WE_OBJECT_RARELY("OpGroup", "it does not check the types of group instructions"),
};

enum { OPINION_EXCEPTIONS = sizeof opinion_exceptions / sizeof opinion_exceptions[0] };

/* True for decorations, capabilities and extensions that SPIRV-Tools 2023.1 does not know. */
static bool opinion_is_unknown(const uint32_t *words)
{
    uint32_t number = words[0] & 0xffff;
    static const uint32_t decorations[] = {6147, 6148, 6149, 6188, 6189, 6190, 6191, 6192, 6409};
    uint32_t decoration = number == SIM_OpDecorate || number == SIM_OpDecorateString ? words[2]
                          : number == SIM_OpMemberDecorate                           ? words[3]
                                                                                     : 0;
    for (size_t i = 0; i < sizeof decorations / sizeof decorations[0]; i++) {
        if (decoration == decorations[i]) return true;
    }
    return number == SIM_OpCapability && (words[1] == 6146 || words[1] == 6187 || words[1] == 6189);
}

/* Copies the words without what the validator does not know and without debug information, which
 * llvm-spirv 14 gets wrong.  The caller frees *out_words with rt_free. */
static inline uint32_t opinion_copy(const uint32_t *words, uint32_t count, uint32_t **out_words)
{
    uint32_t *copy = rt_alloc_array(count + 1, sizeof *copy), size = count < 5 ? count : 5;
    uint32_t set = 0;
    bool has_set = false;
    memcpy(copy, words, size * sizeof *copy);
    for (uint32_t at = size; at < count;) {
        uint32_t length = words[at] >> 16, number = words[at] & 0xffff;
        if (length == 0 || length > count - at) length = count - at; /* truncated: keep the rest */
        bool is_import = number == SIM_OpExtInstImport && length >= 6;
        bool is_set =
            is_import && strncmp((const char *)&words[at + 2], "OpenCL.DebugInfo", 16) == 0;
        if (is_set) set = words[at + 1];
        has_set = has_set || is_set;
        bool is_debug =
            is_set || (number == SIM_OpExtInst && length >= 5 && has_set && words[at + 3] == set);
        if (!is_debug && !(length >= 2 && opinion_is_unknown(words + at))) {
            memcpy(copy + size, words + at, length * sizeof *copy);
            size += length;
        }
        at += length;
    }
    *out_words = copy;
    return size;
}

static inline opinion opinion_ours(const uint32_t *words, uint32_t count, char *text, size_t size)
{
    rt_sink *sink = rt_sink_create();
    sim_module *module = NULL;
    rt_bytes bytes = {(const uint8_t *)words, count * sizeof *words};
    rt_status status = sim_module_create(sink, bytes, NULL, 0, &module);
    snprintf(text, size, "%s", rt_ok(status) ? "" : rt_sink_diagnostic(sink, status)->message.data);
    sim_module_destroy(module);
    rt_sink_destroy(sink);
    if (rt_ok(status)) return OPINION_VALID;
    return status.code == RT_MALFORMED ? OPINION_INVALID : OPINION_NONE;
}

static inline opinion opinion_theirs(const uint32_t *words, uint32_t count, char *text, size_t size)
{
    spv_context context = spvContextCreate(SPV_ENV_UNIVERSAL_1_6);
    spv_diagnostic diagnostic = NULL;
    uint32_t *copy;
    uint32_t copied = opinion_copy(words, count, &copy);
    spv_result_t result = spvValidateBinary(context, copy, copied, &diagnostic);
    snprintf(text, size, "%s", diagnostic && result != SPV_SUCCESS ? diagnostic->error : "");
    text[strcspn(text, "\n")] = '\0';
    rt_free(copy);
    spvDiagnosticDestroy(diagnostic);
    spvContextDestroy(context);
    return result == SPV_SUCCESS ? OPINION_VALID : OPINION_INVALID;
}

/* True if the opinions agree, or differ as an exception allows; that use of the exception is then
 * counted. */
static inline bool opinion_agrees(opinion ours, const char *our_text, opinion theirs,
                                  const char *their_text)
{
    if (ours == OPINION_NONE || ours == theirs) return true;
    for (uint32_t i = 0; i < OPINION_EXCEPTIONS; i++) {
        opinion_exception *exception = &opinion_exceptions[i];
        bool we_accept = ours == OPINION_VALID;
        if (exception->we_accept != we_accept ||
            !strstr(we_accept ? their_text : our_text, exception->words)) {
            continue;
        }
        exception->used++;
        return true;
    }
    return false;
}

#endif
