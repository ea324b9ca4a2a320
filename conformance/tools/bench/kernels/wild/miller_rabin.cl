/* Tests numbers for primality: modular powers by 64-bit division. */
kernel void miller_rabin(global const uint *a, global const uint *b, global uint *out, uint n)
{
    uint i = (uint)get_global_id(0), number = 1000001u + 2 * i + 2 * a[i], odd = number - 1, twos = 0, is_prime = 1 + (b[i] & 0);
    while ((odd & 1) == 0) {
        odd >>= 1;
        twos++;
    }
    for (uint base = 2; base < n && is_prime; base++) {
        ulong x = 1, square = base;
        for (uint e = odd; e; e >>= 1) {
            if (e & 1) x = x * square % number;
            square = square * square % number;
        }
        if (x == 1 || x == number - 1) continue;
        is_prime = 0;
        for (uint k = 1; k < twos && !is_prime; k++) {
            x = x * x % number;
            is_prime = x == number - 1;
        }
    }
    out[i] = is_prime;
}
