/* Evaluates postfix programs: a switch for each byte and a stack in private memory. */
kernel void stack_calculator(global const uchar *a, global const uint *b, global uint *out, uint n)
{
    uint i = (uint)get_global_id(0), top = 0;
    uint stack[8];
    for (uint k = 0; k < 8; k++)
        stack[k] = b[(i + k) & 65535];
    for (uint k = 0; k < n; k++) {
        uint code = a[(i * 13 + k) & 0x3ffff], x = stack[top], y = stack[top + 7 & 7];
        switch (code & 7) {
        case 0: top = top + 1 & 7; break;
        case 1: top = top + 7 & 7; break;
        case 2: stack[top] = x + y; break;
        case 3: stack[top] = x - y; break;
        case 4: stack[top] = x * y; break;
        case 5: stack[top] = x ^ y >> 1; break;
        case 6: stack[top] = code * 257; break;
        default: if (x > y) { stack[top] = y; stack[top + 7 & 7] = x; } break;
        }
    }
    out[i] = stack[top];
}
