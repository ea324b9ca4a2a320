/* What the files of the reader share; private to reader.c, form.c, needs.c, types.c, declare.c,
 * specialise.c, body.c, flow.c, rules.c and validate.c.
 *
 * A module is read in passes over its words, each of which relies on the ones before:
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

/* Numbers of capabilities lie below it. */
#define SIM_CAPABILITY_BOUND 8192u

typedef struct sim_reader {
    rt_sink *sink;
    sim_module *module;
    const sim_spec_constant *values; /* given to specialisation constants */
    uint32_t value_count;
    uint32_t *words;          /* of the module, while it is read */
    uint32_t *first_use;      /* per id: word offset of the first instruction that uses it, or 0 */
    uint32_t section;         /* of form.c */
    uint32_t functions_start; /* word offset of the first OpFunction, or word_count */
    uint32_t parameter_count; /* of all functions together */
    uint32_t continued_end;   /* word offset after the last continuation that was read */
    uint64_t capabilities[SIM_CAPABILITY_BOUND / 64]; /* declared or implied; a bit for each */
    RT_VECTOR(rt_text) extensions;                    /* declared */
    bool has_function_pointers;                       /* capability FunctionPointersINTEL */
    RT_VECTOR(uint32_t) entries;                      /* word offsets of OpEntryPoint */
    RT_VECTOR(uint32_t) modes;  /* word offsets of OpExecutionMode, OpExecutionModeId */
    rt_map type_words;          /* hash of a type without its id -> word offset */
    RT_VECTOR(uint32_t) groups; /* word offsets of OpGroupDecorate, OpGroupMemberDecorate */
    RT_VECTOR(sim_decoration) decorations; /* all, as they come */
} sim_reader;

/* One instruction while it is read. */
typedef struct sim_view {
    const sim_opcode *opcode;
    const uint32_t *words; /* the whole instruction */
    uint32_t count;        /* words */
    uint32_t offset;       /* words from the module's start */
} sim_view;

enum { SIM_HEADER_WORDS = 5 };

/* The instruction at a word offset that form.c has accepted. */
sim_view sim_reader_view(const sim_reader *reader, uint32_t offset);

/* Makes a status about the instruction at a word offset: "word 57, OpIAdd: ...". */
#define sim_reader_fail(reader, code, offset, ...)                                                 \
    sim_reader_report((reader), (code), (offset), __FILE__, __LINE__, __VA_ARGS__)

/* Used by sim_reader_fail. */
RT_MUST_USE rt_status sim_reader_report(sim_reader *reader, rt_code code, uint32_t offset,
                                        const char *file, int line, const char *format, ...)
    RT_PRINTF(6, 7);

/* ---- form.c --------------------------------------------------------------------------------- */

/* Checks every instruction's form, defines all ids and counts what the later passes fill. */
RT_MUST_USE rt_status sim_read_forms(sim_reader *reader);

/* Called for each operand of an instruction after result type and result: its kind, and where its
 * words lie in the instruction. */
typedef rt_status sim_operand_visitor(void *user, const sim_view *view, sim_operand_kind kind,
                                      uint32_t first, uint32_t count);

/* Visits the operands of an instruction in order, masks and enumerants before their parameters.
 * `literal_words` is the number of words of a literal whose width the context gives (1 or 2).
 * MALFORMED where words are missing or left over; UNSUPPORTED for an enumerant that the grammar
 * does not have; else what the visitor returns. */
RT_MUST_USE rt_status sim_walk_operands(sim_reader *reader, const sim_view *view,
                                        uint32_t literal_words, sim_operand_visitor *visitor,
                                        void *user);

/* True for operands of extended instructions that are literals, where the core grammar says "id":
 * of OpenCL.std some last ones, of debug information any. */
bool sim_is_extended_literal(const sim_reader *reader, const sim_view *view, uint32_t word);

/* Words of the literals whose width the instruction's context gives (the type of a constant, the
 * selector of a switch); 1 for all other instructions. */
RT_MUST_USE rt_status sim_reader_literal_words(sim_reader *reader, const sim_view *view,
                                               uint32_t *out_words);

/* ---- needs.c -------------------------------------------------------------------------------- */

/* Notes what an OpCapability or OpExtension declares; does nothing with another instruction.
 * UNSUPPORTED: what the simulator does not take (support.h). */
RT_MUST_USE rt_status sim_needs_declare(sim_reader *reader, const sim_view *view);

/* MALFORMED where an instruction, or an enumerant among its operands, needs a capability or a
 * version that the module does not have; UNSUPPORTED where no module may declare the capability. */
RT_MUST_USE rt_status sim_needs_instruction(sim_reader *reader, const sim_view *view);
RT_MUST_USE rt_status sim_needs_enumerant(sim_reader *reader, const sim_view *view,
                                          sim_operand_kind kind, uint32_t value);

/* The same where `what` needs one of `count` capabilities. */
RT_MUST_USE rt_status sim_needs_capability(sim_reader *reader, const sim_view *view,
                                           const char *what, const uint16_t *wanted,
                                           uint32_t count);

/* ---- types.c, declare.c, specialise.c, body.c, flow.c, validate.c --------------------------- */

/* Reads a type instruction into its place. */
RT_MUST_USE rt_status sim_read_type(sim_reader *reader, const sim_view *view);

/* The type that an instruction names, which must be defined before it. */
RT_MUST_USE rt_status sim_read_type_operand(sim_reader *reader, const sim_view *view, sim_id id,
                                            const sim_type **out_type);

/* The ids of a struct type or composite from word `first` on, with those of the instructions that
 * continue it, which follow it without a gap and are `continuation`s.  Borrows the module's words,
 * or is valid as long as the module.  Source: SPV_INTEL_long_composites. */
void sim_read_list(sim_reader *reader, const sim_view *view, uint32_t first, uint16_t continuation,
                   const uint32_t **out_ids, uint32_t *out_count);

/* The linkage (sim_linkage_kind) of a variable or function and its name; the name is empty without.
 */
RT_MUST_USE rt_status sim_read_linkage(sim_reader *reader, const sim_view *view, sim_id id,
                                       uint8_t *out_linkage, rt_text *out_name);

/* The low `width` bits, 1 to 64 of them. */
static inline uint64_t sim_bits_masked(uint64_t bits, uint32_t width)
{
    CHECK(width >= 1 && width <= 64);
    return bits & UINT64_MAX >> (64 - width);
}

/* Gives a scalar specialisation constant, which has its default, the value that the caller of
 * sim_module_create wants it to have.  ERRC_INVALID: that has another size. */
RT_MUST_USE rt_status sim_specialise_scalar(sim_reader *reader, const sim_view *view,
                                            sim_constant *constant);

/* True for the operations that make constants: those that the specification names under
 * OpSpecConstantOp for every module and for kernels. */
bool sim_makes_constant(uint16_t number);

/* Checks the types of an OpSpecConstantOp whose operands have been read. */
RT_MUST_USE rt_status sim_check_operation(sim_reader *reader, const sim_constant *constant);

RT_MUST_USE rt_status sim_read_declarations(sim_reader *reader);
RT_MUST_USE rt_status sim_read_functions(sim_reader *reader);
RT_MUST_USE rt_status sim_read_entries(sim_reader *reader);

/* Fills successors, predecessors, order, dominators and loops of every function.  MALFORMED where a
 * branch leads anywhere but to a block of its function other than the first. */
RT_MUST_USE rt_status sim_build_flow(sim_reader *reader);

/* Checks that decorations stand where they say something, and that kernels have no linkage
 * (annotate.c).  MALFORMED. */
RT_MUST_USE rt_status sim_check_annotations(sim_reader *reader);

/* Checks all that is left, see validate.c. */
RT_MUST_USE rt_status sim_validate(sim_reader *reader);

#endif
