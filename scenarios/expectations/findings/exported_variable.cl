/* A module that exports a variable. */
global int counter = 5;
kernel void first(global int *out)
{
    out[0] = counter;
}
