// The kernels of fuse_kernels.c.
#if defined LEAVE
kernel void leave(global int *a) {
  size_t i = get_global_id(0);
  if (i & 1) {
    a[i] = 1;
    return;
  }
  switch (i & 7) {
  case 2:
  case 6: a[i] = 7; return;
  case 4: a[i] = 3; return;
  }
  a[i] = -1;
}
#elif defined VALUE
kernel void add(global int *out) { out[get_global_id(0)] += VALUE; }
#else
kernel void first_at(global int *a) { a[get_global_id(0)] += 1; }
kernel void second_at(global int *b) { b[get_global_id(0)] += 10; }
kernel void grid(global int *a) { a[get_global_linear_id()] = 100 * get_global_id(1) + get_global_id(0); }
kernel void line(global int *b) { b[get_global_id(0)] = get_global_id(0); }
struct part { char small; long wide; };
kernel void take(global long *out, struct part p) { out[get_global_id(0)] = p.small + 100 * p.wide; }
#endif
