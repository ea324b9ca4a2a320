int kind(const void *p) { return to_global(p) ? 1 : 0; }
kernel void ask(global int *out) { out[0] = kind(out); }
