#include "nn/kv_cache.h"

#include "core/check.h"

#include <string.h>

KvCache kv_cache_new(Arena *arena, int B, int capacity, int d_model) {
    size_t bytes = tensor_check_shape("kv_cache", SHAPE(B, capacity, d_model)) * sizeof(float);
    return (KvCache){.B = B,
                     .capacity = capacity,
                     .d_model = d_model,
                     .k = arena_alloc(arena, bytes),
                     .v = arena_alloc(arena, bytes),
                     .spare = B > 1 ? arena_alloc(arena, bytes) : NULL};
}

void kv_cache_reset(KvCache *cache) {
    cache->length = 0;
}

/* Where row b begins, in floats. */
static size_t row_of(const KvCache *cache, int b) {
    return (size_t)b * (size_t)cache->capacity * (size_t)cache->d_model;
}

static size_t bytes_of(const KvCache *cache, int tokens) {
    return (size_t)tokens * (size_t)cache->d_model * sizeof(float);
}

/* The rows in their new order are put together beside the old ones, then the two change places. */
static void reorder(KvCache *cache, float **rows, const int *parent) {
    for (int b = 0; b < cache->B; b++) {
        memcpy(cache->spare + row_of(cache, b), *rows + row_of(cache, parent[b]),
               bytes_of(cache, cache->length));
    }
    float *old = *rows;
    *rows = cache->spare;
    cache->spare = old;
}

void kv_cache_reorder(KvCache *cache, const int *parent) {
    bool moved = false;
    for (int b = 0; b < cache->B; b++) {
        CHECK(parent[b] >= 0 && parent[b] < cache->B,
              "kv_cache: row %d cannot continue row %d: "
              "there are %d rows",
              b, parent[b], cache->B);
        moved = moved || parent[b] != b;
    }
    if (moved) {
        reorder(cache, &cache->k, parent);
        reorder(cache, &cache->v, parent);
    }
}

void kv_cache_append(KvCache *cache, const Tensor *k, const Tensor *v) {
    CHECK(k->ndim == 3 && k->dim[0] == cache->B && k->dim[2] == cache->d_model &&
              tensor_same_shape(k, v),
          "kv_cache: keys %s and values %s: needed are (%d, L, %d)", tensor_text(k).text,
          tensor_text(v).text, cache->B, cache->d_model);
    int L = k->dim[1];
    CHECK(cache->length + L <= cache->capacity,
          "kv_cache: %d tokens more do not fit behind the %d in it: it holds %d", L, cache->length,
          cache->capacity);
    size_t row = (size_t)L * (size_t)cache->d_model;
    for (int b = 0; b < cache->B; b++) {
        size_t end = row_of(cache, b) + (size_t)cache->length * (size_t)cache->d_model;
        memcpy(cache->k + end, k->data + (size_t)b * row, bytes_of(cache, L));
        memcpy(cache->v + end, v->data + (size_t)b * row, bytes_of(cache, L));
    }
    cache->length += L;
}

static Tensor *so_far(Tape *tape, const char *name, const KvCache *cache, float *rows) {
    const Tensor all = {.data = rows,
                        .ndim = 3,
                        .dim = {cache->B, cache->capacity, cache->d_model, 1},
                        .name = name};
    if (cache->B == 1) {
        return tape_view(tape, &all, 0, SHAPE(1, cache->length, cache->d_model));
    }
    Tensor *copy = tape_constant(tape, name, NULL, SHAPE(cache->B, cache->length, cache->d_model));
    for (int b = 0; b < cache->B; b++) {
        memcpy(copy->data + (size_t)b * (size_t)cache->length * (size_t)cache->d_model,
               rows + row_of(cache, b), bytes_of(cache, cache->length));
    }
    return copy;
}

Tensor *kv_cache_keys(Tape *tape, const KvCache *cache) {
    return so_far(tape, "cached keys", cache, cache->k);
}

Tensor *kv_cache_values(Tape *tape, const KvCache *cache) {
    return so_far(tape, "cached values", cache, cache->v);
}
