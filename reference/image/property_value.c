/* The length in bits that precedes the bytes of a property. */
#include "reference/image/property_value.h"

void rt_property_value_write(rt_buffer *out, const rt_property *property)
{
    CHECK(property->type == RT_PROPERTY_BYTES);
    CHECK(property->unused_bits < 8);
    CHECK_IMPLIES(property->unused_bits > 0, property->bytes.size > 0);
    rt_write_u64(out, (uint64_t)property->bytes.size * 8 - property->unused_bits);
    rt_buffer_append(out, property->bytes.data, property->bytes.size);
}

bool rt_property_value_read(rt_bytes value, rt_property *property)
{
    if (value.size < RT_PROPERTY_LENGTH_SIZE) return false;
    rt_reader reader = rt_reader_of(value);
    uint64_t bits = rt_read_u64(&reader);
    size_t size = value.size - RT_PROPERTY_LENGTH_SIZE;
    uint64_t bytes_needed = bits / 8 + (bits % 8 != 0);
    if (bytes_needed != size) return false;
    property->type = RT_PROPERTY_BYTES;
    property->bytes = (rt_bytes){value.data + RT_PROPERTY_LENGTH_SIZE, size};
    property->unused_bits = (uint8_t)((8 - bits % 8) % 8);
    return true;
}
