#include "core/mask.h"

#include "core/check.h"

static bool *mask_cells(Arena *arena, int batch, int queries, int keys) {
    return arena_alloc(arena, (size_t)batch * (size_t)queries * (size_t)keys * sizeof(bool));
}

Mask mask_padding(Arena *arena, const int *len, int batch, int keys) {
    bool *cell = mask_cells(arena, batch, 1, keys);
    Mask mask = {batch, 1, keys, cell};
    /* Exercise 2.3 */
    for (int b = 0; b < batch; b++) {
        CHECK(len[b] >= 0 && len[b] <= keys,
              "mask_padding: length %d of sequence %d is not in 0..%d", len[b], b, keys);
        for (int k = 0; k < keys; k++) {
            *cell++ = k < len[b];
        }
    }
    /* End of exercise 2.3 */
    return mask;
}

Mask mask_causal(Arena *arena, int queries, int keys) {
    bool *cell = mask_cells(arena, 1, queries, keys);
    Mask mask = {1, queries, keys, cell};
    /* Exercise 4.2 */
    for (int q = 0; q < queries; q++) {
        for (int k = 0; k < keys; k++) {
            *cell++ = k <= q + keys - queries;
        }
    }
    /* End of exercise 4.2 */
    return mask;
}

static int common_size(const char *what, int a, int b) {
    CHECK(a == b || a == 1 || b == 1, "mask_both: %s %d and %d do not go together", what, a, b);
    return a > b ? a : b;
}

Mask mask_both(Arena *arena, Mask a, Mask b) {
    CHECK(a.keys == b.keys, "mask_both: %d keys and %d keys", a.keys, b.keys);
    int batch = common_size("batches", a.batch, b.batch);
    int queries = common_size("queries", a.queries, b.queries);
    bool *cell = mask_cells(arena, batch, queries, a.keys);
    Mask mask = {batch, queries, a.keys, cell};
    for (int n = 0; n < batch; n++) {
        for (int q = 0; q < queries; q++) {
            const bool *row_a = mask_row(&a, n, q), *row_b = mask_row(&b, n, q);
            for (int k = 0; k < a.keys; k++) {
                *cell++ = row_a[k] && row_b[k];
            }
        }
    }
    return mask;
}

const bool *mask_row(const Mask *mask, int b, int q) {
    size_t row = (size_t)(mask->batch == 1 ? 0 : b) * (size_t)mask->queries +
                 (size_t)(mask->queries == 1 ? 0 : q);
    return mask->may_look + row * (size_t)mask->keys;
}
