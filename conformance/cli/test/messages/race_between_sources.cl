kernel void there(global int *data) {
  size_t i = get_global_id(0);
  data[i] = i;
  data[8 + i] = data[(i + 1) % 8];
}
