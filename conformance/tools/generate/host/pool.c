#include "conformance/tools/generate/host/pool.h"

#include "conformance/tools/generate/random.h"
#include "reference/base/check.h"

/* A drawing of one module: the names that are defined come from `names`, which all siblings share,
 * and everything else from `bodies`. */
typedef struct drawing {
    gen_random names, bodies;
    bool is_executable;
    bool calls_little; /* one or two libraries provide all that an image needs */
    gen_pool_style style;
    uint32_t sibling;
} drawing;

enum { NUMBER_BITS = 40, IMAGES_OF_MODULE = 3 };

/* A definition that calls some of the functions in `callable`. */
static gen_body draw_body(drawing *draw, uint32_t callable, uint32_t percent)
{
    gen_body body = {.number = gen_random_bits(&draw->bodies) >> (64 - NUMBER_BITS)};
    for (uint32_t f = 0; f < GEN_FUNCTIONS; f++)
        if ((callable & 1u << f) && gen_random_chance(&draw->bodies, percent))
            body.callees |= 1u << f;
    for (uint32_t c = 0; c < GEN_CONSTANTS; c++)
        if (gen_random_chance(&draw->bodies, draw->is_executable ? 12 : 30))
            body.constants |= 1u << c;
    return body;
}

/* Chooses the names of an image; `functions` and `kernels` are those of its module so far, each of
 * which has one definition. Kernels and functions of one name are in different modules. */
static void draw_names(drawing *draw, gen_image *image, uint32_t functions, uint32_t kernels)
{
    bool has_kernels = draw->is_executable || gen_random_chance(&draw->names, 50);
    for (uint32_t f = 0; f < GEN_FUNCTIONS; f++)
        if (!(functions & 1u << f) &&
            gen_random_chance(&draw->names, draw->is_executable ? 15 : 30))
            image->functions |= 1u << f;
    if (kernels & 1u << GEN_SHARED_KERNEL) image->functions &= ~(1u << GEN_SHARED_FUNCTION);
    for (uint32_t k = 0; k < GEN_KERNELS; k++)
        if (has_kernels && !(kernels & 1u << k) && gen_random_chance(&draw->names, 40))
            image->kernels |= 1u << k;
    if ((functions | image->functions) & 1u << GEN_SHARED_FUNCTION)
        image->kernels &= ~(1u << GEN_SHARED_KERNEL);
    if (image->functions == 0 && image->kernels == 0) image->kernels = 1u & ~kernels;
}

/* The same for modules that are not of the general style. */
static void draw_styled_names(drawing *draw, gen_image *image, uint32_t kernels)
{
    if (draw->style == GEN_POOL_NARROW)
        image->functions = 1u << gen_random_below(&draw->names, GEN_FUNCTIONS);
    if (draw->style == GEN_POOL_OVERLAPPING)
        image->functions = 1u << draw->sibling % 3 | 1u << (draw->sibling + 1) % 3;
    for (uint32_t k = 0; k < GEN_KERNELS && draw->style == GEN_POOL_SEPARATE && image->kernels == 0;
         k++)
        if (!(kernels & 1u << k)) image->kernels = 1u << k;
}

static void draw_bodies(drawing *draw, gen_image *image, bool is_first)
{
    static const uint32_t percents[] = {25, [GEN_POOL_NARROW] = 45, [GEN_POOL_OVERLAPPING] = 0};
    for (uint32_t f = 0; f < GEN_FUNCTIONS; f++)
        if (image->functions & 1u << f)
            image->function_bodies[f] = draw_body(draw, ~((2u << f) - 1), percents[draw->style]);
    for (uint32_t k = 0; k < GEN_KERNELS; k++)
        if (image->kernels & 1u << k)
            image->kernel_bodies[k] = draw_body(draw, ~0u, draw->calls_little ? 10 : 30);
    bool has_variable = is_first && gen_random_chance(&draw->bodies, 50);
    for (uint32_t k = 0; k < GEN_KERNELS && has_variable; k++)
        if ((image->kernels & 1u << k) && gen_random_chance(&draw->bodies, 60))
            image->increment |= 1u << k;
    image->has_image_scope =
        image->increment != 0 && image->functions == 0 && gen_random_chance(&draw->bodies, 60);
    image->needs_fp64 = gen_random_chance(&draw->bodies, 15);
}

void gen_pool_separate(gen_program *program, uint32_t module)
{
    for (uint32_t i = 0; i < program->image_count; i++) {
        gen_image *image = &program->images[i];
        if (image->module != module) continue;
        uint32_t others = 0;
        for (uint32_t k = 0; k < program->image_count; k++) {
            const gen_image *other = &program->images[k];
            if (other->module != module) continue;
            if (other != image) others |= other->functions;
            if (other->kernels & 1u << GEN_SHARED_KERNEL) others |= 1u << GEN_SHARED_FUNCTION;
        }
        for (uint32_t f = 0; f < GEN_FUNCTIONS; f++)
            image->function_bodies[f].callees &= ~others;
        for (uint32_t k = 0; k < GEN_KERNELS; k++)
            image->kernel_bodies[k].callees &= ~others;
    }
}

/* The last family overlaps; of four others, two are general. */
static gen_pool_style style_of(bool is_executable, uint32_t family)
{
    static const gen_pool_style styles[] = {GEN_POOL_GENERAL, GEN_POOL_NARROW, GEN_POOL_SEPARATE,
                                            GEN_POOL_GENERAL};
    if (is_executable) return family % 3 == 2 ? GEN_POOL_SEPARATE : GEN_POOL_GENERAL;
    bool is_last = family + 1 == GEN_POOL_EXECUTABLES + GEN_POOL_LIBRARIES / GEN_POOL_SIBLINGS;
    return is_last ? GEN_POOL_OVERLAPPING : styles[family % 4];
}

gen_pool_style gen_pool_style_of(uint32_t library)
{
    return style_of(false, GEN_POOL_EXECUTABLES + library / GEN_POOL_SIBLINGS);
}

void gen_pool_add(gen_program *program, uint32_t module, uint32_t number)
{
    CHECK(number < GEN_POOL_EXECUTABLES + GEN_POOL_LIBRARIES);
    bool is_executable = number < GEN_POOL_EXECUTABLES;
    uint32_t family =
        is_executable ? number
                      : GEN_POOL_EXECUTABLES + (number - GEN_POOL_EXECUTABLES) / GEN_POOL_SIBLINGS;
    /* The families and the modules have separate streams. */
    drawing draw = {{UINT64_C(1000) + family}, {UINT64_C(2000) + number}, is_executable};
    uint32_t functions = 0, kernels = 0;
    draw.style = style_of(is_executable, family);
    draw.sibling = number % GEN_POOL_SIBLINGS;
    draw.calls_little = is_executable && number % 2 == 1;
    uint32_t image_count = 1;
    if (draw.style == GEN_POOL_SEPARATE)
        image_count = 2 + gen_random_below(&draw.names, IMAGES_OF_MODULE - 1);
    else if (draw.style == GEN_POOL_GENERAL && gen_random_chance(&draw.names, 30))
        image_count = 2;
    for (uint32_t i = 0; i < image_count; i++) {
        gen_image *image = &program->images[program->image_count];
        *image = (gen_image){.module = module, .variable = number};
        if (draw.style == GEN_POOL_GENERAL)
            draw_names(&draw, image, functions, kernels);
        else
            draw_styled_names(&draw, image, kernels);
        if (image->functions == 0 && image->kernels == 0) continue;
        draw_bodies(&draw, image, i == 0);
        functions |= image->functions;
        kernels |= image->kernels;
        program->image_count++;
        CHECK(program->image_count <= GEN_IMAGES_MAX);
    }
    gen_pool_separate(program, module);
}
