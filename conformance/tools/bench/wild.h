/* The kernels of the sets wild and unseen, and their functions compiled as C. */
#ifndef CONFORMANCE_TOOLS_BENCH_WILD_H
#define CONFORMANCE_TOOLS_BENCH_WILD_H

#include <stdint.h>

/* The work-item that runs. */
typedef struct bench_host_item {
    uint32_t local_id, local_size, group, groups;
} bench_host_item;
extern bench_host_item bench_host_now;
/* Lets the other work-items of the group run until they reach a barrier. */
void bench_host_barrier(void);

/* A kernel: two buffers of BENCH_WILD_BYTES, the output, and a number. */
typedef void bench_host_kernel(const void *a, const void *b, void *out, uint32_t n);

/* clang-format off */
/* CMakeLists.txt reads the names here. */
#define BENCH_WILD_KERNELS(X) \
    X(aes_rounds) X(atax) X(base64) X(big_product) X(bilateral_filter) X(binary_gcd)               \
    X(binomial_tree) X(bodies_double) X(byte_blend) X(cell_lists) X(chacha) X(cholesky_local)      \
    X(collatz_long) X(column_sums) X(covariance) X(crc32) X(dct_rows) X(early_exit)                \
    X(edge_relax) X(equalise) X(float4_chain) X(floyd_warshall) X(gauss_pivot) X(gram_schmidt)     \
    X(grid_distance) X(haar_wavelet) X(half_blend) X(hash_table) X(heap_sort) X(hotspot)           \
    X(hough_votes) X(insertion_sort) X(julia_double) X(kmeans_assign) X(kmp_search)                \
    X(lattice_boltzmann) X(layer_forward) X(lennard_jones) X(levenshtein) X(long_division)         \
    X(lu_local) X(matrix_chain) X(median_filter) X(merge_rank) X(miller_rabin) X(monte_carlo_pi)   \
    X(murmur3) X(n_queens) X(needleman_wunsch) X(particles_aos) X(particles_soa) X(path_finder)    \
    X(permutations) X(permuted_scatter) X(plain_calls) X(polynomial_roots) X(prefix_codes)         \
    X(quick_sort) X(radix_sort_local) X(recursion) X(rule_110) X(run_lengths) X(runge_kutta)       \
    X(scan_blelloch) X(sha256) X(siphash) X(sliding_window) X(smith_waterman) X(speckle)           \
    X(sphere_tracer) X(strided_gather) X(subgroup_sums) X(subset_sum) X(syndromes) X(tokenise)     \
    X(tree_walk) X(trial_division) X(trie_lookup) X(virtual_machine)                               \
    /* written later, for the set unseen */                                                        \
    X(asian_option) X(biquad_fixed) X(bins_local) X(bitonic_pairs) X(cloth_springs) X(fir_shorts)  \
    X(frontier_bits) X(half_distances) X(householder_local) X(jump_flood) X(kepler_double)         \
    X(knight_tours) X(label_propagation) X(lz_expand) X(pointer_jumping) X(shallow_water)          \
    X(stack_calculator) X(subgroup_votes) X(table_interpolation) X(tridiagonal) X(twister_state)   \
    X(utf8_decode) X(value_noise) X(xxhash64)
/* clang-format on */
#define BENCH_WILD_DECLARE(name) bench_host_kernel bench_host_##name;
BENCH_WILD_KERNELS(BENCH_WILD_DECLARE)

#endif
