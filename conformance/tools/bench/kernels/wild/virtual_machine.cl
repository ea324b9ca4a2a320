/* Interprets a small program for each work-item: dispatch by a switch, registers in an array. */
kernel void virtual_machine(global const uint *a, global const uint *b, global uint *out, uint n)
{
    uint i = (uint)get_global_id(0), r[8], pc = i % 64, steps = 0;
    for (uint k = 0; k < 8; k++)
        r[k] = a[(i + k) % 4096];
    while (steps++ < n) {
        uint word = b[pc % 64], x = word & 7, y = word >> 3 & 7, z = word >> 6 & 7;
        pc++;
        switch (word % 11) {
        case 0: r[x] = r[y] + r[z]; break;
        case 1: r[x] = r[y] - r[z]; break;
        case 2: r[x] = r[y] * r[z]; break;
        case 3: r[x] ^= r[y]; break;
        case 4: r[x] = r[y] >> (r[z] & 31); break;
        case 5: r[x] = r[y] << 3 | r[z]; break;
        case 6: pc += r[x] & 7; break;
        case 7: pc = r[y] > r[z] ? pc + x : pc; break;
        case 8: r[x] = a[r[y] % 4096]; break;
        case 9: r[x] = y * 8 + z; break;
        default: r[x] = ~r[y]; break;
        }
    }
    out[i] = r[0] ^ r[1] ^ r[2] ^ r[3] ^ r[4] ^ r[5] ^ r[6] ^ r[7];
}
