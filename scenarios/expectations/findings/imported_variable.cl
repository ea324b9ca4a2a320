/* A module that imports the variable. */
extern global int counter;
kernel void second(global int *out)
{
    out[0] = counter;
}
