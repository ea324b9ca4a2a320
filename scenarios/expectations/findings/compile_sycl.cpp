// Compiles a SYCL source with the compiler of libsycl-jit and prints the device images that it
// makes, each once: its functions, sets of virtual functions, aspects and variables.
//
//   ./compile_sycl SOURCE [OPTION…]
//
// The format is SYCLBIN, version 1 (intel/llvm, sycl/doc/design/SYCLBINDesign.md).
#include <sycl/sycl.hpp>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace syclex = sycl::ext::oneapi::experimental;

struct file_header {
    uint32_t magic, version, modules, ir_modules, native_images, padding;
    uint64_t metadata_size, binary_size, global_offset, global_size;
};
struct module_header {
    uint64_t metadata_offset, metadata_size;
    uint32_t ir_count, first_ir, native_count, first_native;
};
static const size_t ir_header_size = 32;

// The words of a byte array in base64 (6 bits a letter, the lowest first) after its length in bits.
static std::string words_of(const std::string &text)
{
    static const std::string letters =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string bytes, words;
    unsigned held = 0, bits = 0;
    for (char letter : text) {
        held |= static_cast<unsigned>(letters.find(letter)) << bits;
        for (bits += 6; bits >= 8; bits -= 8, held >>= 8)
            bytes.push_back(static_cast<char>(held & 0xff));
    }
    for (size_t at = 8; at + 4 <= bytes.size(); at += 4) {
        uint32_t word;
        std::memcpy(&word, bytes.data() + at, sizeof word);
        words += " " + std::to_string(word);
    }
    return words;
}

// What the metadata of an image says, on one line: SET: NAME NAME; SET: …
static std::string image_text(const std::string &metadata)
{
    static const std::set<std::string> shown = {"[SYCL/kernel names]", "[SYCL/virtual functions]",
                                                "[SYCL/device requirements]",
                                                "[SYCL/device globals]"};
    std::istringstream lines(metadata);
    std::string set, text;
    std::set<std::string> sets, names;
    auto set_end = [&] {
        text = set;
        for (const std::string &name : names)
            text += " " + name;
        if (!names.empty() && shown.count(set)) sets.insert(text);
        names.clear();
    };
    for (std::string line; std::getline(lines, line);) {
        if (!line.empty() && line[0] == '[') {
            set_end();
            set = line;
            continue;
        }
        std::string name = line.substr(0, line.find('='));
        name.erase(0, name.find('$') + 1); /* the prefix of this compilation */
        if (name == "aspects") name += words_of(line.substr(line.find('|') + 1));
        names.insert(name);
    }
    set_end();
    text.clear();
    for (const std::string &one : sets)
        text += "\n  " + one;
    return text;
}

static void images_print(const char *bytes)
{
    file_header file;
    std::memcpy(&file, bytes, sizeof file);
    const char *metadata = bytes + sizeof file + file.modules * sizeof(module_header) +
                           (file.ir_modules + file.native_images) * ir_header_size;
    std::set<std::string> images;
    for (uint32_t i = 0; i < file.modules; i++) {
        module_header module;
        std::memcpy(&module, bytes + sizeof file + i * sizeof module, sizeof module);
        images.insert(
            image_text(std::string(metadata + module.metadata_offset, module.metadata_size)));
    }
    for (const std::string &image : images)
        std::printf("image%s\n", image.c_str());
}

int main(int count, char **words)
try {
    std::ifstream file(count > 1 ? words[1] : "");
    std::string source{std::istreambuf_iterator<char>(file), {}}, log;
    std::vector<std::string> options(words + (count > 2 ? 2 : count), words + count);
    sycl::context context{sycl::device{sycl::cpu_selector_v}};
    auto bundle =
        syclex::create_kernel_bundle_from_source(context, syclex::source_language::sycl, source);
    auto object = syclex::compile(
        bundle, syclex::properties{syclex::save_log{&log}, syclex::build_options{options}});
    auto content = object.ext_oneapi_get_content();
    std::string bytes(content.data(), content.size());
    std::printf("accepted\n");
    images_print(bytes.data() + bytes.find("IBYS"));
    return 0;
} catch (const sycl::exception &refused) {
    std::printf("refused: %s\n", refused.what());
    return 1;
} catch (const std::exception &failed) {
    std::printf("neither accepted nor refused: %s\n", failed.what());
    return 2;
}
