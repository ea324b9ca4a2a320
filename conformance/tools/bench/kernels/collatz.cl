__kernel void collatz(__global uint *steps, uint most)
{
    uint n = (uint)get_global_id(0) + 1, count = 0;
    while (n != 1 && count < most) {
        n = n & 1 ? 3 * n + 1 : n >> 1;
        count++;
    }
    steps[get_global_id(0)] = count;
}
