// Work-items 0 to 5 store their ids, those for which 5 - l >= 0: with one group, g is 0.
kernel void store(global int *out) {
  int l = (int)get_local_id(0), g = (int)get_group_id(0);
  if (5 + -5 * g + -1 * l >= 0) out[l] = l;
}
