/* writer_repair IN OUT: repairs a module of LLVM bitcode for the SPIR-V writer, as the plugin does.
 *
 * The modules that test the simulated device come from the command-line translator, without the
 * plugin's other steps. Version 19 would write some of them wrongly
 * (reference/compiler/ir/version.h). Exit status: 1 if a file cannot be read or written. */
#include "reference/compiler/ir/version.h"

#include <llvm-c/BitReader.h>
#include <llvm-c/BitWriter.h>
#include <llvm-c/Core.h>

#include <stdio.h>

int main(int argc, char **argv)
{
    LLVMMemoryBufferRef memory = NULL;
    LLVMModuleRef module = NULL;
    char *reason = NULL;
    if (argc != 3) {
        fprintf(stderr, "usage: writer_repair IN OUT\n");
        return 1;
    }
    if (LLVMCreateMemoryBufferWithContentsOfFile(argv[1], &memory, &reason)) {
        fprintf(stderr, "writer_repair: %s: %s\n", argv[1], reason);
        LLVMDisposeMessage(reason);
        return 1;
    }
    bool is_read = !LLVMParseBitcode2(memory, &module);
    LLVMDisposeMemoryBuffer(memory);
    if (!is_read) {
        fprintf(stderr, "writer_repair: %s: is not a module of LLVM bitcode\n", argv[1]);
        return 1;
    }
    pl_writer_repair(module);
    bool is_written = LLVMWriteBitcodeToFile(module, argv[2]) == 0;
    if (!is_written) fprintf(stderr, "writer_repair: %s: cannot be written\n", argv[2]);
    LLVMDisposeModule(module);
    return is_written ? 0 : 1;
}
