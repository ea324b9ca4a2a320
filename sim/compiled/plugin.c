/* The library's table: from a kernel's register code to machine code, by LLVM's ORC. */
#include "sim/compiled/emit.h"

#include "reference/base/alloc.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/BitReader.h>
#include <llvm-c/Error.h>
#include <llvm-c/LLJIT.h>
#include <llvm-c/Orc.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <llvm/Config/llvm-config.h>
#include <pthread.h>

/* From LLVM 18 on, the default ends the process if one iteration leaves something to be combined.
 */
#if LLVM_VERSION_MAJOR >= 18
#define INSTCOMBINE "instcombine<no-verify-fixpoint>"
#else
#define INSTCOMBINE "instcombine"
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
                                LLVMRelocDefault, LLVMCodeModelJITDefault);
    LLVMDisposeMessage(triple);
    return machine;
}

/* Removes variables, repeated work and branches that cannot be taken. */
static bool module_improve(LLVMModuleRef module, LLVMTargetMachineRef machine)
{
    static const char passes[] =
        "function(sroa,early-cse," INSTCOMBINE ",simplifycfg,loop-mssa(licm))";
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef error = LLVMRunPasses(module, passes, machine, options);
    LLVMDisposePassBuilderOptions(options);
    if (error) LLVMConsumeError(error);
    return !error;
}

/* Emits the kernel into a module of the context; NULL if LLVM refuses. */
static LLVMModuleRef module_create(LLVMContextRef llvm, const tier_flat *flat, uint32_t level,
                                   const sim_tier_helpers *helpers, LLVMTargetMachineRef machine,
                                   tier_owner *owner, sim_tier_code *out_code)
{
    LLVMMemoryBufferRef bytes = LLVMCreateMemoryBufferWithMemoryRange(
        (const char *)lanes_bitcode, sizeof lanes_bitcode, "lanes", false);
    tier_emitter e = {.flat = flat, .level = level, .helpers = helpers, .llvm = llvm};
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
    for (uint32_t i = 0; i < e.accesses.count; i++)
        *rt_vector_push(&owner->memory) = e.accesses.items[i];
    *rt_vector_push(&owner->memory) = e.accesses.items;
    out_code->accesses = e.accesses.items;
    if (LLVMVerifyModule(e.module, LLVMPrintMessageAction, NULL)) {
        LLVMDisposeModule(e.module);
        return NULL;
    }
    return e.module;
}

/* Hands the module to ORC; false if it refuses. Consumes the module, the context and the machine.
 */
static bool code_link(tier_owner *owner, LLVMOrcThreadSafeContextRef context, LLVMModuleRef module,
                      LLVMTargetMachineRef machine, sim_tier_entry **out_run)
{
    LLVMOrcLLJITBuilderRef builder = LLVMOrcCreateLLJITBuilder();
    LLVMOrcLLJITBuilderSetJITTargetMachineBuilder(
        builder, LLVMOrcJITTargetMachineBuilderCreateFromTargetMachine(machine));
    LLVMErrorRef error = LLVMOrcCreateLLJIT(&owner->jit, builder);
    LLVMOrcThreadSafeModuleRef safe = LLVMOrcCreateNewThreadSafeModule(module, context);
    if (error) {
        LLVMConsumeError(error);
        LLVMOrcDisposeThreadSafeModule(safe);
        owner->jit = NULL;
        return false;
    }
    /* At the lowest level, floor and the like are functions of the C library. */
    LLVMOrcDefinitionGeneratorRef process;
    error = LLVMOrcCreateDynamicLibrarySearchGeneratorForProcess(
        &process, LLVMOrcLLJITGetGlobalPrefix(owner->jit), NULL, NULL);
    LLVMOrcJITDylibRef library = LLVMOrcLLJITGetMainJITDylib(owner->jit);
    if (!error) LLVMOrcJITDylibAddGenerator(library, process);
    LLVMOrcExecutorAddress address = 0;
    if (!error) error = LLVMOrcLLJITAddLLVMIRModule(owner->jit, library, safe);
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

/* Creates a context that ORC owns.  LLVM 21 takes one, and cannot be asked for its own. */
static LLVMOrcThreadSafeContextRef context_create(LLVMContextRef *out_llvm)
{
#if LLVM_VERSION_MAJOR >= 21
    *out_llvm = LLVMContextCreate();
    return LLVMOrcCreateNewThreadSafeContextFromLLVMContext(*out_llvm);
#else
    LLVMOrcThreadSafeContextRef context = LLVMOrcCreateNewThreadSafeContext();
    *out_llvm = LLVMOrcThreadSafeContextGetContext(context);
    return context;
#endif
}

/* Compiles a kernel that flat.c accepts; false if LLVM refuses. */
static bool flat_compile(const tier_flat *flat, uint32_t level, const sim_tier_helpers *helpers,
                         sim_tier_code *out_code)
{
    tier_owner *owner = rt_alloc(sizeof *owner);
    LLVMTargetMachineRef machine = machine_create(level);
    LLVMContextRef llvm;
    LLVMOrcThreadSafeContextRef context = context_create(&llvm);
    bool is_done = false;
    if (machine) {
        LLVMModuleRef module = module_create(llvm, flat, level, helpers, machine, owner, out_code);
        if (module && module_improve(module, machine)) {
            is_done = code_link(owner, context, module, machine, &out_code->run);
            machine = NULL;
        } else if (module) {
            LLVMDisposeModule(module);
        }
    }
    if (machine) LLVMDisposeTargetMachine(machine);
    LLVMOrcDisposeThreadSafeContext(context);
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
                                const sim_tier_helpers *helpers, sim_tier_code *out_code)
{
    tier_flat flat;
    *out_code = (sim_tier_code){0};
    pthread_once(&once, targets_start);
    const char *reason = tier_flatten(program, function, &flat);
    if (!reason && !flat_compile(&flat, level, helpers, out_code)) reason = "is refused by LLVM";
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
