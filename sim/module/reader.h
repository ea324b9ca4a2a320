/* Declarations shared by the reader's files; private to reader.c, form.c, needs.c, types.c,
 * declare.c, specialise.c, body.c, flow.c, rules.c and validate.c.
 *
 * A module is read in passes over its words, each of which relies on the previous ones:
 *
 *     form.c      every instruction has the form of the grammar and what it needs is declared
 *                 (needs.c), ids are unique, sections in order
 *     declare.c   types (types.c), constants (specialise.c, fold.c), decorations, variables
 *     body.c      functions, blocks, instructions, entry points
 *     flow.c      predecessors, reverse post-order, dominators
 *     validate.c  types of operands (rules.c), dominance, linkage */
#ifndef SIM_READER_H
#define SIM_READER_H

#include "reference/base/map.h"
#include "reference/base/vector.h"
#include "sim/module/module.h"

/* All capability numbers are less than this. */
#define SIM_CAPABILITY_BOUND 8192u

typedef struct sim_reader {
    rt_sink *sink;
    sim_module *module;
    const sim_spec_constant *values; /* given to specialisation constants */
    uint32_t value_count;
    uint32_t *words;          /* of the module, while it is read */
    uint32_t *first_use;      /* per id: word offset of the first instruction that uses it, or 0 */
    uint32_t section;         /* the current section, for form.c */
    uint32_t functions_start; /* word offset of the first OpFunction, or word_count */
    uint32_t parameter_count; /* of all functions together */
    uint32_t continued_end;   /* word offset past the last continuation that was read */
    uint64_t capabilities[SIM_CAPABILITY_BOUND / 64]; /* declared or implied; a bit for each */
    RT_VECTOR(rt_text) extensions;                    /* declared */
    bool has_function_pointers;                       /* capability FunctionPointersINTEL */
    RT_VECTOR(uint32_t) entries;                      /* word offsets of OpEntryPoint */
    RT_VECTOR(uint32_t) modes;  /* word offsets of OpExecutionMode, OpExecutionModeId */
    rt_map type_words;          /* hash of a type without its id -> word offset */
    RT_VECTOR(uint32_t) groups; /* word offsets of OpGroupDecorate, OpGroupMemberDecorate */
    RT_VECTOR(sim_decoration) decorations; /* all, in module order */
} sim_reader;

/* One instruction as it is read. */
typedef struct sim_view {
    const sim_opcode *opcode;
    const uint32_t *words; /* the whole instruction */
    uint32_t count;        /* words */
    uint32_t offset;       /* words from the module's start */
} sim_view;

enum { SIM_HEADER_WORDS = 5 };

/* The instruction at a word offset that form.c has accepted. */
sim_view sim_reader_view(const sim_reader *reader, uint32_t offset);

/* Returns a status about the instruction at a word offset, for example "word 57, OpIAdd: ...". */
#define sim_reader_fail(reader, code, offset, ...)                                                 \
    sim_reader_report((reader), (code), (offset), __FILE__, __LINE__, __VA_ARGS__)

/* Used by sim_reader_fail. */
RT_MUST_USE rt_status sim_reader_report(sim_reader *reader, rt_code code, uint32_t offset,
                                        const char *file, int line, const char *format, ...)
    RT_PRINTF(6, 7);

/* ---- form.c --------------------------------------------------------------------------------- */

/* Checks the form of every instruction, defines all ids, and counts what later passes fill. */
RT_MUST_USE rt_status sim_read_forms(sim_reader *reader);

/* Called for each operand of an instruction after result type and result, with its kind and the
 * position of its words in the instruction. */
typedef rt_status sim_operand_visitor(void *user, const sim_view *view, sim_operand_kind kind,
                                      uint32_t first, uint32_t count);

/* Visits the operands of an instruction in order, masks and enumerants before their parameters.
 * `literal_words` is the number of words of a literal whose width depends on the context (1 or 2).
 * MALFORMED: words are missing or left over; UNSUPPORTED: an enumerant that the grammar does not
 * have; otherwise the status that the visitor returns. */
RT_MUST_USE rt_status sim_walk_operands(sim_reader *reader, const sim_view *view,
                                        uint32_t literal_words, sim_operand_visitor *visitor,
                                        void *user);

/* True for operands of extended instructions that are literals although the core grammar says "id":
 * the last operands of some instructions of OpenCL.std, any operand of debug information. */
bool sim_is_extended_literal(const sim_reader *reader, const sim_view *view, uint32_t word);

/* The number of words of a literal whose width depends on the instruction's context (the type of a
 * constant, the selector of a switch); 1 for all other instructions, or on failure. */
RT_MUST_USE rt_status sim_reader_literal_words(sim_reader *reader, const sim_view *view,
                                               uint32_t *out_words);

/* ---- needs.c -------------------------------------------------------------------------------- */

/* Records the declaration of an OpCapability or OpExtension; ignores any other instruction.
 * UNSUPPORTED: the simulator does not accept it (support.h). */
RT_MUST_USE rt_status sim_needs_declare(sim_reader *reader, const sim_view *view);

/* Checks that the module declares what an instruction, or an enumerant among its operands, needs.
 * MALFORMED: a capability or version is missing; UNSUPPORTED: no module may declare the capability.
 */
RT_MUST_USE rt_status sim_needs_instruction(sim_reader *reader, const sim_view *view);
RT_MUST_USE rt_status sim_needs_enumerant(sim_reader *reader, const sim_view *view,
                                          sim_operand_kind kind, uint32_t value);

/* The same check for `noun`, which needs one of `count` capabilities. */
RT_MUST_USE rt_status sim_needs_capability(sim_reader *reader, const sim_view *view,
                                           const char *noun, const uint16_t *alternatives,
                                           uint32_t count);

/* ---- types.c, declare.c, specialise.c, body.c, flow.c, validate.c --------------------------- */

/* Reads a type instruction into its entry of the module's types. */
RT_MUST_USE rt_status sim_read_type(sim_reader *reader, const sim_view *view);

/* Finds the type that an instruction refers to, which must be defined before it; on failure
 * *out_type is NULL. */
RT_MUST_USE rt_status sim_read_type_operand(sim_reader *reader, const sim_view *view, sim_id id,
                                            const sim_type **out_type);

/* The ids of a struct type or composite from word `first` on, and those of the `continuation`
 * instructions that immediately follow it.  The list borrows the module's words or lives as long as
 * the module.  Source: SPV_INTEL_long_composites. */
void sim_read_list(sim_reader *reader, const sim_view *view, uint32_t first, uint16_t continuation,
                   const uint32_t **out_ids, uint32_t *out_count);

/* Reads the linkage (sim_linkage_kind) of a variable or function, and its name, which is empty if
 * there is no linkage. MALFORMED: the linkage has an empty name. */
RT_MUST_USE rt_status sim_read_linkage(sim_reader *reader, const sim_view *view, sim_id id,
                                       uint8_t *out_linkage, rt_text *out_name);

/* The low `width` bits, 1 to 64 of them. */
static inline uint64_t sim_bits_masked(uint64_t bits, uint32_t width)
{
    CHECK(width >= 1 && width <= 64);
    return bits & UINT64_MAX >> (64 - width);
}

/* Replaces the default of a scalar specialisation constant by the value that was passed to
 * sim_module_create, if any.  ERRC_INVALID: the value differs in size from the constant. */
RT_MUST_USE rt_status sim_specialise_scalar(sim_reader *reader, const sim_view *view,
                                            sim_constant *constant);

/* True for the operations that OpSpecConstantOp allows: those that the specification lists there
 * for every module and for kernels. */
bool sim_makes_constant(uint16_t number);

/* Checks the types of an OpSpecConstantOp whose operands have been read. */
RT_MUST_USE rt_status sim_check_operation(sim_reader *reader, const sim_constant *constant);

RT_MUST_USE rt_status sim_read_declarations(sim_reader *reader);
RT_MUST_USE rt_status sim_read_functions(sim_reader *reader);
RT_MUST_USE rt_status sim_read_entries(sim_reader *reader);

/* Fills successors, predecessors, order, dominators and loops of every function.  MALFORMED: a
 * branch target is not a block of its function, or is the first block. */
RT_MUST_USE rt_status sim_build_flow(sim_reader *reader);

/* Checks that decorations are meaningful for their targets, and that kernels have no linkage
 * (annotate.c).  MALFORMED. */
RT_MUST_USE rt_status sim_check_annotations(sim_reader *reader);

/* Checks everything else; see validate.c. */
RT_MUST_USE rt_status sim_validate(sim_reader *reader);

#endif
