__kernel void bisect(__global const uint *sorted, __global const uint *keys, __global uint *places, uint n)
{
    uint key = keys[get_global_id(0)] * 131, low = 0, high = n;
    while (low < high) {
        uint middle = (low + high) / 2;
        if (sorted[middle] < key) low = middle + 1;
        else high = middle;
    }
    places[get_global_id(0)] = low;
}
