/* Conversions (convert.h).  Every number is split into sign, integer and power of two, which is
 * exact for all formats, and is reassembled with a single rounding. */
#include "sim/number/convert.h"

typedef struct float_format {
    uint32_t fraction; /* bits */
    uint32_t exponent; /* bits */
} float_format;

/* (-1)^is_negative * magnitude * 2^scale */
typedef struct number {
    bool is_negative, is_infinite, is_nan;
    uint64_t magnitude;
    int scale;
} number;

static const float_format *format_of(sim_number_type type)
{
    static const float_format formats[] = {{10, 5}, {23, 8}, {52, 11}};
    _Static_assert(sizeof formats / sizeof *formats == SIM_NUMBER_TYPES - SIM_NUMBER_HALF, "all");
    CHECK(type >= SIM_NUMBER_HALF && type <= SIM_NUMBER_DOUBLE);
    return &formats[type - SIM_NUMBER_HALF];
}

/* Exponent of the smallest normal number. */
static int exponent_min(const float_format *f)
{
    return 2 - (1 << (f->exponent - 1));
}

static uint64_t infinity_of(const float_format *f)
{
    return ((UINT64_C(1) << f->exponent) - 1) << f->fraction;
}

static uint64_t sign_of(const float_format *f)
{
    return UINT64_C(1) << (f->fraction + f->exponent);
}

static number number_of_float(const float_format *f, uint64_t bits)
{
    uint64_t infinity = infinity_of(f), size = bits & (sign_of(f) - 1);
    uint64_t fraction = bits & ((UINT64_C(1) << f->fraction) - 1);
    int exponent = (int)(size >> f->fraction);
    bool is_normal = exponent > 0;
    return (number){
        .is_negative = bits & sign_of(f),
        .is_infinite = size == infinity,
        .is_nan = size > infinity,
        .magnitude = is_normal ? fraction | UINT64_C(1) << f->fraction : fraction,
        .scale = exponent_min(f) + (is_normal ? exponent - 1 : 0) - (int)f->fraction,
    };
}

static number number_of_integer(sim_number_type type, uint64_t bits)
{
    uint32_t unused = 64 - 8 * sim_number_bytes(type);
    uint64_t value = bits << unused >> unused;
    if (type < SIM_NUMBER_S8) return (number){.magnitude = value};
    bool is_negative = value >> (63 - unused);
    uint64_t extended = (uint64_t)((int64_t)(bits << unused) >> unused);
    return (number){.is_negative = is_negative, .magnitude = is_negative ? 0 - extended : extended};
}

/* magnitude / 2^amount, rounded; amount >= 1. */
static uint64_t divide(const number *n, int amount, sim_rounding rounding)
{
    CHECK(amount >= 1);
    uint64_t whole = amount < 64 ? n->magnitude >> amount : 0;
    uint64_t rest = amount < 64 ? n->magnitude & ((UINT64_C(1) << amount) - 1) : n->magnitude;
    uint64_t half = amount <= 64 ? UINT64_C(1) << (amount - 1) : 0; /* 0: rest is below half */
    bool up = false;
    switch (rounding) {
    case SIM_ROUND_NEAREST: up = half && (rest > half || (rest == half && (whole & 1))); break;
    case SIM_ROUND_ZERO: break;
    case SIM_ROUND_UP: up = rest && !n->is_negative; break;
    case SIM_ROUND_DOWN: up = rest && n->is_negative; break;
    default: UNREACHABLE();
    }
    return whole + up;
}

static uint64_t float_of_number(const float_format *f, const number *n, sim_rounding rounding)
{
    uint64_t sign = n->is_negative ? sign_of(f) : 0, infinity = infinity_of(f);
    if (n->is_nan) return sign | infinity | UINT64_C(1) << (f->fraction - 1);
    if (n->is_infinite) return sign | infinity;
    if (n->magnitude == 0) return sign;
    int least = exponent_min(f), exponent = 63 - __builtin_clzll(n->magnitude) + n->scale;
    if (exponent < least) exponent = least;
    int amount = exponent - (int)f->fraction - n->scale;
    CHECK(amount > -64);
    uint64_t fraction = amount <= 0 ? n->magnitude << -amount : divide(n, amount, rounding);
    /* The leading one of a normal number increments the exponent, and so does a carry. */
    uint64_t above = (uint64_t)(exponent - least);
    uint64_t size = (above << f->fraction) + fraction;
    if (size < infinity) return sign | size;
    bool to_infinity = rounding == SIM_ROUND_NEAREST ||
                       rounding == (n->is_negative ? SIM_ROUND_DOWN : SIM_ROUND_UP);
    return sign | (to_infinity ? infinity : infinity - 1);
}

static bool integer_of_number(sim_numeric c, const number *n, uint64_t *out)
{
    bool is_signed = c.to >= SIM_NUMBER_S8;
    uint64_t ones = UINT64_MAX >> (64 - 8 * sim_number_bytes(c.to));
    uint64_t top = is_signed ? ones >> 1 : ones;
    uint64_t limit = !n->is_negative ? top : is_signed ? top + 1 : 0;
    *out = 0;
    if (n->is_nan) return c.is_saturated;
    bool is_large =
        n->is_infinite || (n->magnitude && 63 - __builtin_clzll(n->magnitude) + n->scale >= 64);
    uint64_t size = 0;
    if (!is_large) {
        size = n->scale >= 0 ? n->magnitude << (n->magnitude ? n->scale : 0)
                             : divide(n, -n->scale, c.rounding);
        is_large = size > limit;
    }
    if (is_large && !c.is_saturated) return false;
    if (is_large) size = limit;
    *out = (n->is_negative ? 0 - size : size) & ones;
    return true;
}

bool sim_convert(sim_numeric conversion, uint64_t bits, uint64_t *out_bits)
{
    CHECK(conversion.from < SIM_NUMBER_TYPES && conversion.to < SIM_NUMBER_TYPES);
    CHECK(conversion.rounding < SIM_ROUNDINGS);
    number n = conversion.from >= SIM_NUMBER_HALF
                   ? number_of_float(format_of(conversion.from), bits)
                   : number_of_integer(conversion.from, bits);
    if (conversion.to < SIM_NUMBER_HALF) return integer_of_number(conversion, &n, out_bits);
    *out_bits = float_of_number(format_of(conversion.to), &n, conversion.rounding);
    return true;
}
