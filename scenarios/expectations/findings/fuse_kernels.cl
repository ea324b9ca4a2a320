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
#elif defined CHOOSE
#pragma OPENCL EXTENSION __cl_clang_function_pointers : enable
int nine(int x) { return x + 9; }
int ten(int x) { return x + 10; }
kernel void choose(global int *out) {
  int (*f)(int) = out[0] ? nine : ten;
  out[get_global_id(0)] = f(0);
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
kernel void ones(global int *a) { a[get_global_linear_id()] = 1; }
kernel void inside(global int *a) { a[get_global_id(0)] = get_local_id(0) < get_local_size(0); }
kernel void swap(global int *a, int value) {
  local int tile[2];
  size_t l = get_local_id(0);
  tile[l] = value + get_global_id(0);
  barrier(CLK_LOCAL_MEM_FENCE);
  a[get_global_id(0)] = tile[l ^ 1];
}
kernel __attribute__((reqd_work_group_size(2, 2, 1))) void square(global int *a) {
  local int last;
  int i = 8 * get_global_id(1) + get_global_id(0);
  last = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_max(&last, i);
  barrier(CLK_LOCAL_MEM_FENCE);
  a[i] = last;
}
kernel void copy(global int *out, global int *in) {
  local int tile[1];
  event_t event = async_work_group_copy(tile, in, 1, 0);
  wait_group_events(1, &event);
  out[get_global_id(0)] = tile[0];
}
#endif
