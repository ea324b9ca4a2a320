kernel void k(global int *d) { d[get_global_id(0)] = 1; }
