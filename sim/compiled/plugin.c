/* The library's table: from a kernel's register code to an object file, by LLVM, and to machine
 * code in memory, by its ORC. Object files are kept in a folder, so that a kernel is compiled once.
 */
#include "sim/compiled/emit.h"

#include "reference/base/alloc.h"
#include "reference/base/hash.h"
#include "reference/base/store.h"
#include "reference/base/stream.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/BitReader.h>
#include <llvm-c/BitWriter.h>
#include <llvm-c/Error.h>
#include <llvm-c/LLJIT.h>
#include <llvm-c/Orc.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <llvm/Config/llvm-config.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define KEPT_SIZE_MAX  ((uint64_t)256 << 20) /* bytes */
#define KEPT_SIZE_LEFT (KEPT_SIZE_MAX / 4 * 3)

/* From LLVM 18 on, the default ends the process if one iteration leaves something to be combined.
 */
#if LLVM_VERSION_MAJOR >= 18
#define INSTCOMBINE "instcombine<no-verify-fixpoint>"
#else
#define INSTCOMBINE "instcombine"
#endif

/* Removes variables, repeated work and branches that cannot be taken. */
#define PASSES "function(sroa,early-cse," INSTCOMBINE ",simplifycfg,loop-mssa(licm))"

#if LLVM_VERSION_MAJOR >= 15
typedef LLVMOrcCSymbolMapPair tier_symbol;
#else
typedef LLVMJITCSymbolMapPair tier_symbol;
#endif

/* lane.c as bitcode. */
static const uint8_t lanes_bitcode[] = {
#include "lanes_bitcode.inc"
};

/* What a compiled kernel owns. */
typedef struct tier_owner {
    LLVMOrcLLJITRef jit;
    RT_VECTOR(void *) memory;
    uint32_t *orders;
} tier_owner;

static const char *const processors[] = {"x86-64", "x86-64-v3", "x86-64-v4"};

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void targets_start(void)
{
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
}

/* Compiled code reaches data and helpers through tables that the linker makes, wherever they are.
 */
static LLVMTargetMachineRef machine_create(uint32_t level)
{
    LLVMTargetRef target;
    char *message = NULL, *triple = LLVMGetDefaultTargetTriple();
    CHECK(level < sizeof processors / sizeof *processors);
    if (LLVMGetTargetFromTriple(triple, &target, &message)) {
        LLVMDisposeMessage(message);
        LLVMDisposeMessage(triple);
        return NULL;
    }
    LLVMTargetMachineRef machine =
        LLVMCreateTargetMachine(target, triple, processors[level], "", LLVMCodeGenLevelDefault,
                                LLVMRelocPIC, LLVMCodeModelDefault);
    LLVMDisposeMessage(triple);
    return machine;
}

static bool module_improve(LLVMModuleRef module, LLVMTargetMachineRef machine)
{
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef error = LLVMRunPasses(module, PASSES, machine, options);
    LLVMDisposePassBuilderOptions(options);
    if (error) LLVMConsumeError(error);
    return !error;
}

/* Emits the kernel into a module of the context; NULL if LLVM refuses. */
static LLVMModuleRef module_create(LLVMContextRef llvm, const tier_flat *flat, uint32_t level,
                                   const sim_tier_helpers *helpers, LLVMTargetMachineRef machine,
                                   tier_data *data, tier_owner *owner, sim_tier_code *out_code)
{
    LLVMMemoryBufferRef bytes = LLVMCreateMemoryBufferWithMemoryRange(
        (const char *)lanes_bitcode, sizeof lanes_bitcode, "lanes", false);
    tier_emitter e = {.flat = flat, .level = level, .helpers = helpers, .llvm = llvm, .data = data};
    bool is_refused = LLVMParseBitcodeInContext2(llvm, bytes, &e.lanes);
    LLVMDisposeMemoryBuffer(bytes);
    if (is_refused) return NULL;
    CHECK(e.lanes != NULL);
    e.module = LLVMModuleCreateWithNameInContext("tier", llvm);
    LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(machine);
    LLVMSetModuleDataLayout(e.module, layout);
    LLVMDisposeTargetData(layout);
    e.builder = LLVMCreateBuilderInContext(llvm);
    e.variables = LLVMCreateBuilderInContext(llvm);
    tier_emit(&e, out_code);
    LLVMDisposeBuilder(e.builder);
    LLVMDisposeBuilder(e.variables);
    LLVMDisposeModule(e.lanes);
    for (uint32_t i = 0; i < e.accesses.count; i += TIER_ACCESS_BLOCK)
        *rt_vector_push(&owner->memory) = e.accesses.items[i];
    *rt_vector_push(&owner->memory) = e.accesses.items;
    out_code->accesses = e.accesses.items;
    if (LLVMVerifyModule(e.module, LLVMPrintMessageAction, NULL)) {
        LLVMDisposeModule(e.module);
        return NULL;
    }
    return e.module;
}

/* ---- Object files --------------------------------------------------------------------------- */

/* What a module's object file depends on. The module has no addresses of this process in it. */
static rt_buffer object_key(LLVMModuleRef module, uint32_t level)
{
    LLVMMemoryBufferRef bitcode = LLVMWriteBitcodeToMemoryBuffer(module);
    rt_hash hash = rt_hash128(LLVMGetBufferStart(bitcode), LLVMGetBufferSize(bitcode));
    LLVMDisposeMemoryBuffer(bitcode);
    rt_buffer key = {0};
    rt_write_u32(&key, SIM_TIER_VERSION); /* the helpers and their places in the table */
    rt_write_text(&key, RT_TEXT(LLVM_VERSION_STRING " " PASSES));
    rt_write_text(&key, rt_text_of(processors[level]));
    rt_write_u64(&key, hash.low);
    rt_write_u64(&key, hash.high);
    return key;
}

/* Compiles a module; NULL if LLVM refuses. */
static LLVMMemoryBufferRef object_make(LLVMModuleRef module, LLVMTargetMachineRef machine)
{
    char *message = NULL;
    LLVMMemoryBufferRef object = NULL;
    if (!module_improve(module, machine)) return NULL;
    if (LLVMTargetMachineEmitToMemoryBuffer(machine, module, LLVMObjectFile, &message, &object))
        object = NULL;
    LLVMDisposeMessage(message);
    return object;
}

/* What cannot be kept is compiled again. */
static void object_keep(const rt_store *store, rt_bytes key, LLVMMemoryBufferRef object)
{
    const rt_bytes content = {(const uint8_t *)LLVMGetBufferStart(object),
                              LLVMGetBufferSize(object)};
    (void)rt_store_keep(store, key, content);
}

/* Finds the module's object file in the folder, or makes it and keeps it there; no folder: only
 * makes it. NULL if LLVM refuses. */
static LLVMMemoryBufferRef object_get(LLVMModuleRef module, LLVMTargetMachineRef machine,
                                      uint32_t level, const char *folder, bool *out_is_found)
{
    *out_is_found = false;
    if (!folder) return object_make(module, machine);
    const rt_store_parameters parameters = {
        .folder = rt_text_of(folder), .size_max = KEPT_SIZE_MAX, .size_kept = KEPT_SIZE_LEFT};
    rt_store *store = rt_store_create(&parameters);
    rt_buffer key = object_key(module, level), found = {0};
    LLVMMemoryBufferRef object;
    if (rt_store_find(store, rt_buffer_bytes(&key), &found) == RT_STORE_FOUND) {
        *out_is_found = true;
        object = LLVMCreateMemoryBufferWithMemoryRangeCopy((const char *)found.data, found.size,
                                                           "found");
    } else {
        object = object_make(module, machine);
        if (object) object_keep(store, rt_buffer_bytes(&key), object);
    }
    rt_buffer_free(&found);
    rt_buffer_free(&key);
    rt_store_destroy(store);
    return object;
}

/* ---- Machine code in memory ----------------------------------------------------------------- */

static tier_symbol symbol_of(LLVMOrcLLJITRef jit, const char *format, uint32_t number,
                             const void *pointer)
{
    char name[TIER_NAME_SIZE];
    snprintf(name, sizeof name, format, number);
    return (tier_symbol){
        .Name = LLVMOrcLLJITMangleAndIntern(jit, name),
        .Sym = {.Address = (LLVMOrcExecutorAddress)(uintptr_t)pointer,
                .Flags = {.GenericFlags = LLVMJITSymbolGenericFlagsExported}},
    };
}

/* Defines what object files refer to. */
static LLVMErrorRef symbols_define(LLVMOrcLLJITRef jit, LLVMOrcJITDylibRef library,
                                   const sim_tier_helpers *helpers, const tier_data *data)
{
    const void *table[TIER_HELPERS];
    RT_VECTOR(tier_symbol) symbols = {0};
    memcpy(table, helpers, sizeof table);
    for (uint32_t i = 0; i < TIER_HELPERS; i++)
        if (table[i]) *rt_vector_push(&symbols) = symbol_of(jit, TIER_HELPER_NAME, i, table[i]);
    for (uint32_t i = 0; i < data->count; i++)
        *rt_vector_push(&symbols) = symbol_of(jit, TIER_DATA_NAME, i, data->items[i].first);
    LLVMErrorRef error =
        LLVMOrcJITDylibDefine(library, LLVMOrcAbsoluteSymbols(symbols.items, symbols.count));
    rt_vector_free(&symbols);
    return error;
}

/* Links an object file, which it consumes, into this process; false if ORC refuses. */
static bool code_link(tier_owner *owner, LLVMMemoryBufferRef object,
                      const sim_tier_helpers *helpers, const tier_data *data,
                      sim_tier_entry **out_run)
{
    LLVMErrorRef error = LLVMOrcCreateLLJIT(&owner->jit, NULL);
    if (error) {
        LLVMConsumeError(error);
        LLVMDisposeMemoryBuffer(object);
        owner->jit = NULL;
        return false;
    }
    LLVMOrcJITDylibRef library = LLVMOrcLLJITGetMainJITDylib(owner->jit);
    error = LLVMOrcLLJITAddObjectFile(owner->jit, library, object);
    if (!error) error = symbols_define(owner->jit, library, helpers, data);
    /* At the lowest level, floor and the like are functions of the C library. */
    LLVMOrcDefinitionGeneratorRef process;
    if (!error)
        error = LLVMOrcCreateDynamicLibrarySearchGeneratorForProcess(
            &process, LLVMOrcLLJITGetGlobalPrefix(owner->jit), NULL, NULL);
    if (!error) LLVMOrcJITDylibAddGenerator(library, process);
    LLVMOrcExecutorAddress address = 0;
    if (!error) error = LLVMOrcLLJITLookup(owner->jit, &address, "tier_chunk");
    if (error) {
        LLVMConsumeError(error);
        return false;
    }
    *out_run = (sim_tier_entry *)(uintptr_t)address;
    return true;
}

static void tier_release(sim_tier_code *code)
{
    tier_owner *owner = code->owner;
    if (!owner) return;
    if (owner->jit) {
        LLVMErrorRef error = LLVMOrcDisposeLLJIT(owner->jit);
        if (error) LLVMConsumeError(error);
    }
    for (uint32_t i = 0; i < owner->memory.count; i++)
        rt_free(owner->memory.items[i]);
    rt_vector_free(&owner->memory);
    rt_free(owner->orders);
    rt_free(owner);
    *code = (sim_tier_code){0};
}

/* Compiles a kernel that flat.c accepts; false if LLVM refuses. */
static bool flat_compile(const tier_flat *flat, uint32_t level, const sim_tier_helpers *helpers,
                         const char *folder, sim_tier_code *out_code)
{
    tier_owner *owner = rt_alloc(sizeof *owner);
    tier_data data = {0};
    LLVMTargetMachineRef machine = machine_create(level);
    LLVMContextRef llvm = LLVMContextCreate();
    LLVMModuleRef module =
        machine ? module_create(llvm, flat, level, helpers, machine, &data, owner, out_code) : NULL;
    LLVMMemoryBufferRef object =
        module ? object_get(module, machine, level, folder, &out_code->is_found) : NULL;
    if (module) LLVMDisposeModule(module);
    LLVMContextDispose(llvm);
    if (machine) LLVMDisposeTargetMachine(machine);
    bool is_done = object && code_link(owner, object, helpers, &data, &out_code->run);
    rt_vector_free(&data);
    out_code->owner = owner;
    if (!is_done) tier_release(out_code);
    return is_done;
}

static void orders_set(const tier_flat *flat, sim_tier_code *code)
{
    tier_owner *owner = code->owner;
    owner->orders = rt_alloc_array(flat->barrier_count, sizeof *owner->orders);
    for (uint32_t i = 0; i < flat->blocks.count; i++) {
        const tier_block *block = &flat->blocks.items[i];
        if (block->barrier) owner->orders[block->barrier] = block->block->extra;
    }
    code->barrier_order = owner->orders;
    for (uint32_t i = 0; i < flat->instances.count; i++)
        *rt_vector_push(&owner->memory) = flat->instances.items[i].frame;
}

static const char *tier_compile(const sim_program *program, uint32_t function, uint32_t level,
                                const sim_tier_helpers *helpers, const char *folder,
                                sim_tier_code *out_code)
{
    tier_flat flat;
    *out_code = (sim_tier_code){0};
    pthread_once(&once, targets_start);
    const char *reason = tier_flatten(program, function, &flat);
    if (!reason && !flat_compile(&flat, level, helpers, folder, out_code))
        reason = "is refused by LLVM";
    if (!reason) {
        orders_set(&flat, out_code);
    } else {
        for (uint32_t i = 0; i < flat.instances.count; i++)
            rt_free(flat.instances.items[i].frame);
    }
    tier_flat_free(&flat);
    return reason;
}

__attribute__((visibility("default"))) const sim_tier_api *sim_tier_api_get(uint32_t version);
const sim_tier_api *sim_tier_api_get(uint32_t version)
{
    static const sim_tier_api api = {
        .version = SIM_TIER_VERSION, .compile = tier_compile, .release = tier_release};
    return version == SIM_TIER_VERSION ? &api : NULL;
}
