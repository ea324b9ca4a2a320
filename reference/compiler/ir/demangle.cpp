/* The C++ library's demangler also accepts types: "i" would become "int". So it is only given text
 * that begins like a symbol. */
#include "reference/compiler/ir/demangle.h"

#include <cstdlib>
#include <cxxabi.h>

void pl_demangle(const char *symbol, rt_buffer *out_name)
{
    int status = 0;
    char *name = nullptr;
    if (symbol[0] == '_' && symbol[1] == 'Z')
        name = abi::__cxa_demangle(symbol, nullptr, nullptr, &status);
    rt_buffer_printf(out_name, "%s", name ? name : symbol);
    std::free(name);
}
