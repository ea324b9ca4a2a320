/* The first pass over a module: checks the form of every instruction against the grammar's table,
 * the uniqueness of ids and the order of sections, and counts what later passes store in arrays.
 *
 * It does not check types.  Source: SPIR-V specification 1.6, sections 2.3 "Physical Layout" and
 * 2.4 "Logical Layout of a Module". */
#include "sim/module/reader.h"

#include <string.h>

/* ---- Operands ------------------------------------------------------------------------------ */

/* The state of a walk over one instruction's operands. */
typedef struct sim_walk {
    sim_reader *reader;
    const sim_view *view;
    uint32_t at; /* next word of the instruction */
    uint32_t literal_words;
    sim_operand_visitor *visitor;
    void *user;
} sim_walk;

static rt_status walk_operand(sim_walk *walk, sim_operand_kind kind);

static rt_status walk_list(sim_walk *walk, uint32_t first, uint32_t count)
{
    for (uint32_t i = first; i < first + count; i++) {
        sim_operand operand = sim_operand_at(i);
        if (operand.quantifier == SIM_QUANTIFIER_ONE) {
            RT_TRY(walk_operand(walk, operand.kind));
        } else if (operand.quantifier == SIM_QUANTIFIER_OPTIONAL) {
            if (walk->at < walk->view->count) RT_TRY(walk_operand(walk, operand.kind));
        } else {
            while (walk->at < walk->view->count) {
                RT_TRY(walk_operand(walk, operand.kind));
            }
        }
    }
    return RT_STATUS_OK;
}

static rt_status walk_enumerant(sim_walk *walk, sim_operand_kind kind, uint32_t value)
{
    const sim_enumerant *enumerant = sim_enumerant_find(kind, value);
    if (!enumerant) {
        return sim_reader_fail(walk->reader, RT_UNSUPPORTED, walk->view->offset,
                               "%s 0x%x is not known", sim_kind_of(kind)->name, value);
    }
    return walk_list(walk, enumerant->operand_first, enumerant->operand_count);
}

/* The number of words in an operand of the given kind, including a string's terminator; 0 if the
 * instruction ends inside it. */
static uint32_t operand_words(const sim_walk *walk, sim_operand_kind kind)
{
    uint32_t rest = walk->view->count - walk->at;
    uint32_t count = kind == SIM_KIND_LiteralContextDependentNumber ? walk->literal_words : 1;
    if (kind != SIM_KIND_LiteralString) return count <= rest ? count : 0;
    for (uint32_t i = 0; i < rest; i++) {
        uint32_t word = walk->view->words[walk->at + i];
        /* The usual test for a zero byte: a borrow reaches a high bit only if some byte is zero. */
        if ((word - 0x01010101u) & ~word & 0x80808080u) return i + 1;
    }
    return 0;
}

static rt_status walk_operand(sim_walk *walk, sim_operand_kind kind)
{
    const sim_view *view = walk->view;
    const sim_kind *row = sim_kind_of(kind);
    CHECK(walk->at <= view->count);
    if (row->category == SIM_CATEGORY_PAIR) {
        for (uint32_t i = 0; i < 2; i++) {
            /* The literal in each pair of an OpSwitch has the width of the selector. */
            bool is_label =
                row->members[i] == SIM_KIND_LiteralInteger && view->opcode->number == SIM_OpSwitch;
            RT_TRY(walk_operand(walk, is_label ? SIM_KIND_LiteralContextDependentNumber
                                               : row->members[i]));
        }
        return RT_STATUS_OK;
    }
    uint32_t first = walk->at, count = operand_words(walk, kind);
    if (count == 0) {
        return sim_reader_fail(walk->reader, RT_MALFORMED, view->offset,
                               "the instruction of %u words ends inside its operand %s",
                               view->count, row->name);
    }
    RT_TRY(walk->visitor(walk->user, view, kind, first, count));
    walk->at += count;
    uint32_t value = view->words[first];
    if (row->category == SIM_CATEGORY_VALUE) return walk_enumerant(walk, kind, value);
    if (row->category == SIM_CATEGORY_BITS) {
        for (uint32_t rest = value; rest; rest &= rest - 1)
            RT_TRY(walk_enumerant(walk, kind, rest & -rest));
    }
    if (kind != SIM_KIND_LiteralSpecConstantOpInteger) return RT_STATUS_OK;
    /* The operation inside OpSpecConstantOp takes the operands of the instruction that it names. */
    const sim_opcode *opcode = sim_opcode_find(value);
    if (!opcode || !opcode->has_type || !opcode->has_result) {
        return sim_reader_fail(walk->reader, RT_MALFORMED, view->offset,
                               "operation %u does not produce a value", value);
    }
    if (opcode->treatment == SIM_TREATMENT_REFUSED) {
        return sim_reader_fail(walk->reader, RT_UNSUPPORTED, view->offset, "%s is refused: %s",
                               opcode->name, opcode->reason);
    }
    return walk_list(walk, opcode->operand_first, opcode->operand_count);
}

rt_status sim_walk_operands(sim_reader *reader, const sim_view *view, uint32_t literal_words,
                            sim_operand_visitor *visitor, void *user)
{
    const sim_opcode *opcode = view->opcode;
    CHECK(literal_words == 1 || literal_words == 2);
    sim_walk walk = {reader,        view,    1u + opcode->has_type + opcode->has_result,
                     literal_words, visitor, user};
    RT_TRY(walk_list(&walk, opcode->operand_first, opcode->operand_count));
    if (walk.at != view->count) {
        return sim_reader_fail(reader, RT_MALFORMED, view->offset,
                               "the instruction has %u words, but its operands end after %u",
                               view->count, walk.at);
    }
    return RT_STATUS_OK;
}

/* ---- Ids ----------------------------------------------------------------------------------- */

static rt_status check_id(sim_reader *reader, const sim_view *view, sim_id id)
{
    if (id == 0 || id >= reader->module->id_bound) {
        return sim_reader_fail(reader, RT_MALFORMED, view->offset,
                               "id %u is not between 1 and the bound %u", id,
                               reader->module->id_bound);
    }
    return RT_STATUS_OK;
}

static rt_status use_id(sim_reader *reader, const sim_view *view, sim_id id)
{
    RT_TRY(check_id(reader, view, id));
    if (reader->first_use[id] == 0) reader->first_use[id] = view->offset;
    return RT_STATUS_OK;
}

/* True for an extended instruction of a set that only describes the source. */
static bool is_debug_information(const sim_reader *reader, const sim_view *view)
{
    sim_id set = view->words[3];
    if (set >= reader->module->id_bound) return false;
    const sim_id_entry *entry = &reader->module->ids[set];
    return entry->kind == SIM_ID_SET && entry->index == SIM_SET_DEBUG;
}

bool sim_is_extended_literal(const sim_reader *reader, const sim_view *view, uint32_t word)
{
    if (view->opcode->group != SIM_GROUP_EXTENDED || word < 5) return false;
    if (is_debug_information(reader, view)) return true;
    const sim_extended *row = sim_extended_find(view->words[4]);
    return row && row->has_literal && word + 1 == view->count;
}

/* Checks ids, and that the module declares what the values and bits of enumerated operands need. */
static rt_status visit_form(void *user, const sim_view *view, sim_operand_kind kind, uint32_t first,
                            uint32_t count)
{
    sim_reader *reader = user;
    CHECK(count >= 1 && first + count <= view->count);
    uint32_t word = view->words[first];
    uint8_t category = sim_kind_of(kind)->category;
    if (category == SIM_CATEGORY_VALUE) return sim_needs_enumerant(reader, view, kind, word);
    if (category == SIM_CATEGORY_BITS) {
        for (uint32_t rest = word; rest; rest &= rest - 1)
            RT_TRY(sim_needs_enumerant(reader, view, kind, rest & -rest));
    }
    if (category != SIM_CATEGORY_ID) return RT_STATUS_OK;
    if (sim_is_extended_literal(reader, view, first)) return RT_STATUS_OK;
    /* Names for ids that an optimiser has removed are common and harmless, so the id need not be
     * defined. */
    if (view->opcode->group == SIM_GROUP_SOURCE) return check_id(reader, view, word);
    return use_id(reader, view, word);
}

rt_status sim_reader_literal_words(sim_reader *reader, const sim_view *view, uint32_t *out_words)
{
    *out_words = 1;
    uint16_t number = view->opcode->number;
    bool is_constant = number == SIM_OpConstant || number == SIM_OpSpecConstant;
    if (!is_constant && number != SIM_OpSwitch) return RT_STATUS_OK;
    const sim_module *module = reader->module;
    sim_id type = view->words[1];
    RT_TRY(check_id(reader, view, type));
    if (number == SIM_OpSwitch) {
        uint32_t word = module->ids[type].word;
        if (word == 0 || !sim_reader_view(reader, word).opcode->has_type) {
            return sim_reader_fail(reader, RT_MALFORMED, view->offset,
                                   "the selector %u is not a value defined earlier", type);
        }
        type = reader->words[word + 1];
    }
    const sim_id_entry *entry = &module->ids[type];
    uint32_t type_number = entry->word ? reader->words[entry->word] & 0xffff : 0;
    if (type_number != SIM_OpTypeInt && (type_number != SIM_OpTypeFloat || !is_constant)) {
        return sim_reader_fail(reader, RT_MALFORMED, view->offset,
                               "the literal's type %u is not a numerical scalar", type);
    }
    *out_words = reader->words[entry->word + 2] > 32 ? 2 : 1;
    return RT_STATUS_OK;
}

/* ---- Sections ------------------------------------------------------------------------------ */

/* The sections of a module, in order. */
typedef enum sim_section {
    SECTION_ANY, /* anywhere */
    SECTION_CAPABILITY,
    SECTION_EXTENSION,
    SECTION_SET,
    SECTION_MEMORY_MODEL,
    SECTION_ENTRY,
    SECTION_MODE,
    SECTION_SOURCE,
    SECTION_NAME,
    SECTION_PROCESSED,
    SECTION_ANNOTATION,
    SECTION_GLOBAL,   /* types, constants, variables */
    SECTION_FUNCTION, /* between functions */
    SECTION_PARAMETERS,
    SECTION_BLOCKS, /* between blocks of a function */
    SECTION_BLOCK,  /* inside a block */
    SECTION_LATE,   /* in SECTION_GLOBAL or inside functions */
} sim_section;

/* The section in which an instruction is allowed; step_function handles the instructions that
 * delimit functions and blocks. */
static sim_section section_of(const sim_opcode *opcode)
{
    static const uint8_t sections[SIM_GROUP_COUNT] = {
        [SIM_GROUP_CAPABILITY] = SECTION_CAPABILITY,
        [SIM_GROUP_EXTENSION] = SECTION_EXTENSION,
        [SIM_GROUP_SET] = SECTION_SET,
        [SIM_GROUP_MEMORY_MODEL] = SECTION_MEMORY_MODEL,
        [SIM_GROUP_ENTRY] = SECTION_ENTRY,
        [SIM_GROUP_MODE] = SECTION_MODE,
        [SIM_GROUP_SOURCE] = SECTION_SOURCE,
        [SIM_GROUP_ANNOTATION] = SECTION_ANNOTATION,
        [SIM_GROUP_TYPE] = SECTION_GLOBAL,
        [SIM_GROUP_CONSTANT] = SECTION_GLOBAL,
        [SIM_GROUP_CONTINUED] = SECTION_GLOBAL,
        [SIM_GROUP_UNDEFINED] = SECTION_LATE,
        [SIM_GROUP_VARIABLE] = SECTION_LATE,
        [SIM_GROUP_LINE] = SECTION_LATE,
        [SIM_GROUP_EXTENDED] = SECTION_LATE,
        [SIM_GROUP_ALIASING] = SECTION_ANY,
    };
    switch (opcode->number) {
    case SIM_OpNop: return SECTION_ANY;
    case SIM_OpName:
    case SIM_OpMemberName: return SECTION_NAME;
    case SIM_OpModuleProcessed: return SECTION_PROCESSED;
    default: break;
    }
    sim_section section = sections[opcode->group];
    return section || opcode->group == SIM_GROUP_ALIASING ? section : SECTION_BLOCK;
}

static rt_status misplaced(sim_reader *reader, const sim_view *view)
{
    static const char *const places[] = {
        [SECTION_ANY] = "at the beginning of the module",
        [SECTION_CAPABILITY] = "among the capabilities",
        [SECTION_EXTENSION] = "among the extensions",
        [SECTION_SET] = "among the imports of instruction sets",
        [SECTION_MEMORY_MODEL] = "after the memory model",
        [SECTION_ENTRY] = "among the entry points",
        [SECTION_MODE] = "among the execution modes",
        [SECTION_SOURCE] = "among the sources and strings",
        [SECTION_NAME] = "among the names",
        [SECTION_PROCESSED] = "after the names",
        [SECTION_ANNOTATION] = "among the annotations",
        [SECTION_GLOBAL] = "among types, constants and variables",
        [SECTION_FUNCTION] = "between functions",
        [SECTION_PARAMETERS] = "among the parameters of a function",
        [SECTION_BLOCKS] = "between blocks",
        [SECTION_BLOCK] = "inside a block",
    };
    CHECK(reader->section < SECTION_LATE);
    return sim_reader_fail(reader, RT_MALFORMED, view->offset, "the instruction is not allowed %s",
                           places[reader->section]);
}

/* For an instruction that delimits a function, its parameters or a block: checks that the current
 * section allows it, and enters the section that follows it. */
static rt_status step_function(sim_reader *reader, const sim_view *view)
{
    sim_module *module = reader->module;
    uint32_t section = reader->section;
    bool fits = false;
    switch (view->opcode->number) {
    case SIM_OpFunction:
        fits = section >= SECTION_MEMORY_MODEL && section <= SECTION_FUNCTION;
        if (module->function_count++ == 0) reader->functions_start = view->offset;
        reader->section = SECTION_PARAMETERS;
        break;
    case SIM_OpFunctionParameter:
        fits = section == SECTION_PARAMETERS;
        reader->parameter_count++;
        break;
    case SIM_OpFunctionEnd:
        fits = section == SECTION_PARAMETERS || section == SECTION_BLOCKS;
        reader->section = SECTION_FUNCTION;
        break;
    default:
        CHECK(view->opcode->number == SIM_OpLabel);
        fits = section == SECTION_PARAMETERS || section == SECTION_BLOCKS;
        module->block_count++;
        reader->section = SECTION_BLOCK;
        break;
    }
    if (!fits) {
        reader->section = section;
        return misplaced(reader, view);
    }
    return RT_STATUS_OK;
}

/* Enters the instruction's section, which must not precede the current one. */
static rt_status step_section(sim_reader *reader, const sim_view *view)
{
    const sim_opcode *opcode = view->opcode;
    if (opcode->group == SIM_GROUP_FUNCTION || opcode->group == SIM_GROUP_LABEL) {
        return step_function(reader, view);
    }
    sim_section section = section_of(opcode);
    if (section == SECTION_ANY) return RT_STATUS_OK;
    if (section == SECTION_LATE && reader->section > SECTION_GLOBAL) {
        /* From here on, lines and debug information (which body.c skips) are allowed anywhere,
         * values only inside blocks. */
        bool is_free = opcode->group == SIM_GROUP_LINE || opcode->group == SIM_GROUP_EXTENDED;
        return is_free || reader->section == SECTION_BLOCK ? RT_STATUS_OK : misplaced(reader, view);
    }
    if (section == SECTION_BLOCK) {
        if (reader->section != SECTION_BLOCK) return misplaced(reader, view);
        if (sim_group_ends_block(opcode->group)) reader->section = SECTION_BLOCKS;
        return RT_STATUS_OK;
    }
    if (section == SECTION_LATE) section = SECTION_GLOBAL;
    bool is_second = section == SECTION_MEMORY_MODEL && reader->section == SECTION_MEMORY_MODEL;
    bool lacks_model = section > SECTION_MEMORY_MODEL && reader->section < SECTION_MEMORY_MODEL;
    if (section < reader->section || is_second || lacks_model) return misplaced(reader, view);
    reader->section = section;
    return RT_STATUS_OK;
}

/* ---- The pass ------------------------------------------------------------------------------ */

/* Determines the set that an OpExtInstImport imports. */
static rt_status read_set(sim_reader *reader, const sim_view *view)
{
    rt_text name = sim_words_text(view->words + 2);
    uint32_t *set = &reader->module->ids[view->words[1]].index;
    if (rt_text_is(name, "OpenCL.std")) {
        *set = SIM_SET_OPENCL_STD;
    } else if (rt_text_is(name, "OpenCL.DebugInfo.100") || rt_text_is(name, "DebugInfo") ||
               rt_text_is(name, "SPIRV.debug") || rt_text_starts(name, "NonSemantic.")) {
        *set = SIM_SET_DEBUG;
    } else {
        return sim_reader_fail(reader, RT_UNSUPPORTED, view->offset,
                               "the instruction set %.*s is not known", RT_TEXT_ARG(name));
    }
    return RT_STATUS_OK;
}

/* The kind of this instruction's result, given the current section. */
static sim_id_kind result_kind(const sim_reader *reader, const sim_view *view)
{
    bool in_function = reader->section > SECTION_GLOBAL;
    switch (view->opcode->group) {
    case SIM_GROUP_TYPE: return SIM_ID_TYPE;
    case SIM_GROUP_CONSTANT: return SIM_ID_CONSTANT;
    case SIM_GROUP_UNDEFINED: return in_function ? SIM_ID_RESULT : SIM_ID_CONSTANT;
    case SIM_GROUP_VARIABLE: return in_function ? SIM_ID_RESULT : SIM_ID_VARIABLE;
    case SIM_GROUP_LABEL: return SIM_ID_LABEL;
    case SIM_GROUP_SET: return SIM_ID_SET;
    case SIM_GROUP_FUNCTION:
        return view->opcode->number == SIM_OpFunction ? SIM_ID_FUNCTION : SIM_ID_PARAMETER;
    case SIM_GROUP_SOURCE: return SIM_ID_STRING;
    case SIM_GROUP_ANNOTATION:
    case SIM_GROUP_ALIASING: return SIM_ID_OTHER;
    case SIM_GROUP_EXTENDED:
        return is_debug_information(reader, view) ? SIM_ID_OTHER : SIM_ID_RESULT;
    default: return SIM_ID_RESULT;
    }
}

/* Sets the kind and index of the result; each kind is indexed in module order. */
static rt_status define_result(sim_reader *reader, const sim_view *view)
{
    sim_module *module = reader->module;
    sim_id id = view->words[1u + view->opcode->has_type];
    RT_TRY(check_id(reader, view, id));
    sim_id_entry *entry = &module->ids[id];
    if (entry->kind != SIM_ID_NONE) {
        return sim_reader_fail(reader, RT_MALFORMED, view->offset,
                               "id %u is already defined at word %u", id, entry->word);
    }
    entry->kind = (uint8_t)result_kind(reader, view);
    entry->word = view->offset;
    entry->index = SIM_NONE;
    entry->owner = SIM_NONE;
    switch (entry->kind) {
    case SIM_ID_TYPE: entry->index = module->type_count++; break;
    case SIM_ID_CONSTANT: entry->index = module->constant_count++; break;
    case SIM_ID_VARIABLE: entry->index = module->variable_count++; break;
    case SIM_ID_STRING: entry->index = view->offset; break;
    default: break; /* filled in by later passes */
    }
    return RT_STATUS_OK;
}

static rt_status read_form(sim_reader *reader, const sim_view *view)
{
    if (view->opcode->treatment == SIM_TREATMENT_REFUSED) {
        return sim_reader_fail(reader, RT_UNSUPPORTED, view->offset,
                               "the instruction is refused: %s", view->opcode->reason);
    }
    if (view->count < view->opcode->words_min) {
        return sim_reader_fail(reader, RT_MALFORMED, view->offset,
                               "the instruction has %u words, but needs at least %u", view->count,
                               view->opcode->words_min);
    }
    RT_TRY(step_section(reader, view));
    RT_TRY(sim_needs_declare(reader, view));
    RT_TRY(sim_needs_instruction(reader, view));
    if (view->opcode->has_type) RT_TRY(use_id(reader, view, view->words[1]));
    if (view->opcode->has_result) RT_TRY(define_result(reader, view));
    uint32_t literal_words = 1;
    RT_TRY(sim_reader_literal_words(reader, view, &literal_words));
    RT_TRY(sim_walk_operands(reader, view, literal_words, visit_form, reader));
    if (view->opcode->treatment == SIM_TREATMENT_EXEC) reader->module->instruction_count++;
    if (view->opcode->group == SIM_GROUP_SET) return read_set(reader, view);
    return RT_STATUS_OK;
}

rt_status sim_read_forms(sim_reader *reader)
{
    const sim_module *module = reader->module;
    reader->section = SECTION_ANY;
    reader->functions_start = module->word_count;
    uint32_t offset = SIM_HEADER_WORDS;
    while (offset < module->word_count) {
        uint32_t word = reader->words[offset];
        sim_view view = {sim_opcode_find(word & 0xffff), reader->words + offset, word >> 16,
                         offset};
        if (!view.opcode) {
            return sim_reader_fail(reader, RT_UNSUPPORTED, offset, "instruction %u is not known",
                                   word & 0xffff);
        }
        if (view.count == 0 || view.count > module->word_count - offset) {
            return sim_reader_fail(reader, RT_MALFORMED, offset,
                                   "the instruction's word count is %u, not 1 to %u", view.count,
                                   module->word_count - offset);
        }
        RT_TRY(read_form(reader, &view));
        offset += view.count;
    }
    if (reader->section > SECTION_FUNCTION) {
        return sim_reader_fail(reader, RT_MALFORMED, module->word_count,
                               "the module ends inside a function");
    }
    if (reader->section < SECTION_MEMORY_MODEL) {
        return sim_reader_fail(reader, RT_MALFORMED, module->word_count,
                               "the module ends before its memory model");
    }
    for (sim_id id = 1; id < module->id_bound; id++) {
        if (reader->first_use[id] != 0 && module->ids[id].kind == SIM_ID_NONE) {
            return sim_reader_fail(reader, RT_MALFORMED, reader->first_use[id],
                                   "id %u is never defined", id);
        }
    }
    return RT_STATUS_OK;
}
