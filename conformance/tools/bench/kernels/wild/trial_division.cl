/* The smallest factor of a number, by division. */
kernel void trial_division(global const uint *a, global const uint *b, global uint *out, uint n)
{
    uint i = (uint)get_global_id(0), number = 10007 + 2 * i + 2 * (a[i] % 7) + (b[i] & 2), factor = number;
    for (uint d = 3; d < n && d * d <= number; d += 2) {
        if (number % d == 0) {
            factor = d;
            break;
        }
    }
    out[i] = factor;
}
