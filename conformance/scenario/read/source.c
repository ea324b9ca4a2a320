/* Sources: their language and where their code is. The code is not interpreted here; the compiler
 * checks it.
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

const char *scn_language_name(scn_language language)
{
    CHECK((unsigned)language < SCN_LANGUAGE_COUNT);
    return languages[language].name;
}

const scn_shape scn_shape_code = {SCN_TEXT("source code")};
const scn_shape scn_shape_file_name = {
    SCN_TEXT("the name of a file"),
    .pattern = "^(?!/)", /* the names that scn_companion_read opens */
};
const scn_shape scn_shape_sha256 = {SCN_TEXT("a SHA-256 hash"), .pattern = "^[0-9a-fA-F]{64}$"};

bool scn_source_finish(scn_reader *reader, const scn_shape *object, const scn_node *node,
                       scn_source *source)
{
    const scn_node *code = scn_node_value(node, "code"), *file = scn_node_value(node, "file");
    const scn_node *sha256 = scn_node_value(node, "sha256");
    CHECK((unsigned)source->language < SCN_LANGUAGE_COUNT);
    source->at = node->at;
    if (scn_object_alternative(reader, object, node, "its code") == SCN_NONE) return false;
    CHECK(!code != !file);
    if (code) {
        if (!scn_value_read(reader, &scn_shape_code, code, &source->code)) return false;
        if (source->language == SCN_LANGUAGE_SPIRV) {
            return scn_report(reader->reporter, code->at,
                              "a binary SPIR-V module is not text; name a file with 'file:', or "
                              "write the code in spirv-asm");
        }
        source->code_at = code->content_at;
        if (!sha256) return true;
        return scn_report(reader->reporter, sha256->at,
                          "'sha256' can be combined only with 'file'; remove it");
    }
    if (!scn_value_read(reader, &scn_shape_file_name, file, &source->file) ||
        !scn_companion_read(reader, file, sha256, &source->code))
        return false;
    source->code_at = file->at;
    /* LLVM IR may be bitcode, and SPIR-V is binary; all other code is text, which compilers quote
     * in their messages.
     */
    bool is_text =
        source->language != SCN_LANGUAGE_LLVM_IR && source->language != SCN_LANGUAGE_SPIRV;
    scn_reporter inside = {.arena = reader->arena};
    if (!is_text || scn_characters_check(&inside, source->code)) return true;
    CHECK(inside.count > 0);
    return scn_report(reader->reporter, file->at, "'%s' is not text: line %u: %.*s",
                      scn_excerpt(reader->arena, file->text), inside.items[0].at.line,
                      RT_TEXT_ARG(inside.items[0].text));
}

static const scn_row source_rows[] = {
    SCN_SOURCE_ROWS(scn_source, language, 0),
    SCN_HIDDEN(&scn_shape_text, scn_source, name),
    SCN_HIDDEN(&scn_shape_text, scn_source, code),
    SCN_HIDDEN(&scn_shape_text, scn_source, file),
    SCN_HIDDEN(&scn_shape_position, scn_source, code_at),
    SCN_HIDDEN(&scn_shape_position, scn_source, at),
};

static bool source_finish(scn_reader *reader, const scn_node *node, void *object)
{
    return scn_source_finish(reader, &scn_shape_source, node, object);
}

const scn_shape scn_shape_source = {
    SCN_OBJECT("a source", source_rows),
    .also = SCN_SOURCE_ALSO,
    .finish = source_finish,
};
