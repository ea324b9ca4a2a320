/* Sources: their language and where their code is. Code is taken as it is; the compiler checks it.
 */
#include "conformance/scenario/read/source.h"
#include "conformance/scenario/read/companion.h"

#include "conformance/scenario/yaml/characters.h"

static const scn_choice languages[] = {
    [SCN_LANGUAGE_OPENCL_C] = {"opencl-c", true}, [SCN_LANGUAGE_OPENCL_CPP] = {"opencl-cpp", true},
    [SCN_LANGUAGE_LLVM_IR] = {"llvm-ir", true},   [SCN_LANGUAGE_SPIRV_ASM] = {"spirv-asm", true},
    [SCN_LANGUAGE_SPIRV] = {"spirv", true},       [SCN_LANGUAGE_SYCL] = {"sycl", true},
};
_Static_assert(sizeof languages / sizeof *languages == SCN_LANGUAGE_COUNT,
               "a name for every language");
const scn_shape scn_shape_language = {SCN_CHOICE("a language", languages)};

static const scn_row stored_rows[] = {
    SCN_HIDDEN(&scn_shape_language, scn_source, language),
    SCN_HIDDEN(&scn_shape_text, scn_source, name),
    SCN_HIDDEN(&scn_shape_text, scn_source, code),
    SCN_HIDDEN(&scn_shape_text, scn_source, file),
    SCN_HIDDEN(&scn_shape_position, scn_source, code_at),
    SCN_HIDDEN(&scn_shape_position, scn_source, at),
};
const scn_shape scn_shape_stored_source = {SCN_STRUCT(stored_rows)};

const char *scn_language_name(scn_language language)
{
    CHECK((unsigned)language < SCN_LANGUAGE_COUNT);
    return languages[language].name;
}

static const scn_shape shape_code_text = {SCN_TEXT("source code")};
const scn_shape scn_shape_code = {
    .kind = SCN_SHAPE_OTHER,
    .noun = "source code",
    .read = scn_node_keep,
    .alternatives = {&shape_code_text},
};
static const scn_shape shape_file_text = {
    SCN_TEXT("the name of a file"),
    .pattern = "^(?!/)(?!(.*/)?[.][.](/|$))", /* what scn_companion_read may open */
};
const scn_shape scn_shape_file_name = {
    .kind = SCN_SHAPE_OTHER,
    .noun = "the name of a file",
    .read = scn_node_keep,
    .alternatives = {&shape_file_text},
};
static const scn_shape shape_sha256_text = {
    SCN_TEXT("a SHA-256 hash"),
    .pattern = "^[0-9a-fA-F]{64}$",
};
const scn_shape scn_shape_sha256 = {
    .kind = SCN_SHAPE_OTHER,
    .noun = "a SHA-256 hash",
    .read = scn_node_keep,
    .alternatives = {&shape_sha256_text},
};

static bool embedded_read(scn_reader *reader, const scn_source_draft *draft, scn_source *source)
{
    rt_text code;
    if (!scn_value_read(reader, &shape_code_text, draft->code, &code)) return false;
    if (draft->language == SCN_LANGUAGE_SPIRV) {
        return scn_report(reader->reporter, draft->code->at,
                          "a SPIR-V module in binary is not text; name a file with 'file:', or "
                          "write it in spirv-asm");
    }
    if (draft->sha256) {
        return scn_report(reader->reporter, draft->sha256->at,
                          "'sha256' belongs to 'file'; embedded code needs none");
    }
    source->code = code;
    source->code_at = draft->code->content_at;
    return true;
}

/* LLVM IR may be bitcode; the rest but SPIR-V is text, which compilers quote in their messages. */
static bool may_be_binary(scn_language language)
{
    return language == SCN_LANGUAGE_LLVM_IR || language == SCN_LANGUAGE_SPIRV;
}

static bool text_check(scn_reader *reader, const scn_node *file, rt_text content)
{
    scn_reporter inside = {.arena = reader->arena};
    if (scn_characters_check(&inside, content)) return true;
    CHECK(inside.count > 0);
    const scn_problem *problem = &inside.items[0];
    return scn_report(reader->reporter, file->at, "'%s' is not text: line %u: %.*s",
                      scn_shown(reader->arena, file->text), problem->at.line,
                      RT_TEXT_ARG(problem->text));
}

static bool file_read(scn_reader *reader, const scn_source_draft *draft, scn_source *source)
{
    rt_text name, content;
    if (!scn_value_read(reader, &shape_file_text, draft->file, &name)) return false;
    if (!scn_companion_read(reader, draft->file, draft->sha256, &content)) return false;
    if (!may_be_binary(draft->language) && !text_check(reader, draft->file, content)) return false;
    source->file = name;
    source->code = content;
    source->code_at = draft->file->at;
    return true;
}

bool scn_source_finish(scn_reader *reader, const scn_shape *object, const scn_node *node,
                       const scn_source_draft *draft, scn_source *out_source)
{
    out_source->at = node->at;
    out_source->language = draft->language;
    uint32_t row = scn_object_alternative(reader, object, node, "its code");
    if (row == SCN_NONE) return false;
    CHECK(!draft->code != !draft->file);
    return draft->code ? embedded_read(reader, draft, out_source)
                       : file_read(reader, draft, out_source);
}
