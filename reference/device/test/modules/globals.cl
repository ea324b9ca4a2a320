/* Program-scope variables, and a kernel that uses them. */

global int counter = 5;
global int zeros[4];
global int table[3] = {10, 20, 30};

kernel void count(global int *out)
{
    out[0] = counter;
    out[1] = zeros[2];
    out[2] = table[0] + table[1] + table[2];
    counter += 1;
    zeros[2] += 100;
}
