/* Converts digits to numbers and bytes, and bytes to digits. */
#include "reference/base/number.h"

int rt_hex_digit(char digit)
{
    if (digit >= '0' && digit <= '9') return digit - '0';
    if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
    if (digit >= 'A' && digit <= 'F') return digit - 'A' + 10;
    return -1;
}

bool rt_number_take(rt_text *inout_rest, uint32_t base, uint64_t most, uint64_t *out_number)
{
    CHECK(base == 10 || base == 16);
    uint64_t number = 0;
    bool fits = true;
    size_t count = 0;
    for (; count < inout_rest->length; count++) {
        int digit = rt_hex_digit(inout_rest->data[count]);
        if (digit < 0 || (uint32_t)digit >= base) break;
        fits = fits && number <= (UINT64_MAX - (uint64_t)digit) / base;
        if (fits) number = number * base + (uint64_t)digit;
    }
    *inout_rest = rt_text_skip(*inout_rest, count);
    fits = fits && count > 0 && number <= most;
    *out_number = fits ? number : 0;
    return fits;
}

bool rt_number_read(rt_text text, uint64_t least, uint64_t most, uint64_t *out_number)
{
    CHECK(least <= most);
    bool fits = rt_number_take(&text, 10, most, out_number);
    if (fits && text.length == 0 && *out_number >= least) return true;
    *out_number = 0;
    return false;
}

bool rt_number_read_u32(rt_text text, uint32_t least, uint32_t most, uint32_t *out_number)
{
    uint64_t number;
    bool fits = rt_number_read(text, least, most, &number);
    *out_number = (uint32_t)number;
    return fits;
}

bool rt_number_read_signed(rt_text text, int64_t least, int64_t most, int64_t *out_number)
{
    CHECK(least <= most);
    *out_number = 0;
    bool is_negative = rt_text_take_prefix(&text, "-");
    /* The magnitude of INT64_MIN is one more than that of INT64_MAX. */
    uint64_t magnitude, magnitude_max = (uint64_t)INT64_MAX + is_negative;
    if (!rt_number_read(text, 0, magnitude_max, &magnitude)) return false;
    int64_t number =
        is_negative && magnitude > 0 ? -(int64_t)(magnitude - 1) - 1 : (int64_t)magnitude;
    if (number < least || number > most) return false;
    *out_number = number;
    return true;
}

bool rt_number_next(rt_text *inout_list, uint64_t most, uint64_t *out_number)
{
    if (!rt_number_take(inout_list, 10, most, out_number)) return false;
    if (inout_list->length == 0) return true;
    return rt_text_take_prefix(inout_list, ",") && inout_list->length > 0;
}

bool rt_hex_read(rt_text digits, uint8_t *out_bytes)
{
    if (digits.length % 2 != 0) return false;
    for (size_t i = 0; i < digits.length / 2; i++) {
        int high = rt_hex_digit(digits.data[2 * i]), low = rt_hex_digit(digits.data[2 * i + 1]);
        if (high < 0 || low < 0) return false;
        out_bytes[i] = (uint8_t)(high << 4 | low);
    }
    return true;
}

void rt_buffer_append_hex(rt_buffer *out, rt_bytes bytes)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < bytes.size; i++) {
        const char pair[] = {digits[bytes.data[i] >> 4], digits[bytes.data[i] & 15]};
        rt_buffer_append(out, pair, sizeof pair);
    }
}
