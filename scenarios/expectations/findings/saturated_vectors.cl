/* The sum of two vectors of unsigned numbers, saturated component by component. */
kernel void saturate(global uint4 *p)
{
    uint4 sum = p[0] + p[1];
    p[2] = sum < p[0] ? (uint4)(0xffffffff) : sum;
}
