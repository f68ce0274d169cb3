/* The matrix product, blocked for the caches after Goto and van de Geijn ("Anatomy of
 * high-performance matrix multiplication", 2008).
 *
 * Innermost is a tile of C in registers, and around it a strip of tiles that share one strip of B
 * (gemm_tile.c). Around that:
 *   - k is cut into blocks of K_BLOCK and n into blocks of N_BLOCK: that part of B, packed strip by
 *     strip, stays in the second cache while all of A goes past;
 *   - m is cut into blocks of M_BLOCK: that part of A stays there too, next to B.
 * Small matrices, which the lessons are full of, already are in the caches, and packing them would
 * take as long as multiplying them: those are read where they stand. So is A, of any size, unless
 * it is transposed: a tile's rows of A are as many streams, which caches and prefetchers like. */
#include "core/kernels/gemm.h"

#include "core/kernels/gemm_dots.h"
#include "core/kernels/gemm_pack.h"
#include "core/kernels/gemm_tile.h"
#include "core/kernels/parallel.h"
#include "core/threads.h"

enum {
    K_BLOCK = 512,
    M_BLOCK = 96 / TILE_ROWS * TILE_ROWS,
    N_BLOCK = 256,
    IN_PLACE_FLOATS = 1 << 15, /* a B up to this size is read where it stands */
    IN_PLACE_ROWS = 32,        /* and any B is when so few rows of A meet it */
    IN_PLACE_COLS = 64,        /* a transposed A is when so few columns of B meet it */
    TILE_GAP = 16,             /* between packed tiles of A: 16 KB apart they share cache sets */
    THREAD_WORK = 1 << 19,     /* multiply-adds (some 5 us) worth another thread */
    DOTS_SLOWER = 16,          /* as slow is a product that waits for B to come from memory */
};

/* Room for packed blocks, one for each thread, so that no product ever allocates. */
static _Thread_local float packed_a[M_BLOCK / TILE_ROWS * (TILE_ROWS * K_BLOCK + TILE_GAP)]
    __attribute__((aligned(64)));
static _Thread_local float packed_b[K_BLOCK * N_BLOCK] __attribute__((aligned(64)));

/* All products of a call (or one of them, or a part of it), with their operands. */
typedef struct Gemm {
    bool trans_a, trans_b;
    int batch, m, n, k;
    const float *a, *b;
    long lda, stride_a, ldb, stride_b;
    bool accumulate;
    float *c;
    long ldc, stride_c;
} Gemm;

static inline int smaller(int a, int b) {
    return a < b ? a : b;
}

static inline const float *a_at(const Gemm *g, int i, int p) {
    return g->a + (g->trans_a ? p * g->lda + i : i * g->lda + p);
}

static inline const float *b_at(const Gemm *g, int p, int j) {
    return g->b + (g->trans_b ? j * g->ldb + p : p * g->ldb + j);
}

/* Rows i .. i + rows of op(A), columns p .. p + depth: packed, or where they stand. */
static APlace place_a(const Gemm *g, int i, int p, int rows, int depth) {
    long row_step = g->trans_a ? 1 : g->lda;
    bool in_place = !g->trans_a || g->n <= IN_PLACE_COLS || (long)g->m * g->k <= IN_PLACE_FLOATS;
    if (in_place) {
        return (APlace){a_at(g, i, p), row_step, g->trans_a ? g->lda : 1, TILE_ROWS * row_step};
    }
    long tile_step = (long)TILE_ROWS * depth + TILE_GAP;
    pack_a_rows(rows, depth, a_at(g, i, p), g->lda, packed_a, tile_step);
    return (APlace){packed_a, 1, TILE_ROWS, tile_step};
}

/* How many of the next `left` columns one strip takes. Less than a vector is never left over,
 * unless all of C is narrower than that. */
static inline int strip_cols(int left, bool wide) {
    if (wide && (left == WIDE_COLS || left >= WIDE_COLS + VEC_LANES)) {
        return WIDE_COLS;
    }
    return left > TILE_COLS && left < TILE_COLS + VEC_LANES ? (int)VEC_LANES
                                                            : smaller(left, TILE_COLS);
}

/* Columns j .. j + cols of C, products p .. p + depth of each sum: all strips of C in them. */
static void multiply_block(const Gemm *g, int j, int cols, int p, int depth, bool in_place_b) {
    bool wide = in_place_b && g->m <= WIDE_ROWS;
    for (int jj = 0, width; jj < cols && !in_place_b; jj += width) {
        width = strip_cols(cols - jj, false);
        pack_b_strip(g->trans_b, depth, width, b_at(g, p, j + jj), g->ldb,
                     packed_b + (long)jj * depth);
    }
    for (int i = 0; i < g->m; i += M_BLOCK) {
        int rows = smaller(M_BLOCK, g->m - i);
        APlace a = place_a(g, i, p, rows, depth);
        for (int jj = 0, width; jj < cols; jj += width) {
            width = strip_cols(cols - jj, wide);
            const float *b = in_place_b ? b_at(g, p, j + jj) : packed_b + (long)jj * depth;
            long ldb = in_place_b ? g->ldb : width > VEC_LANES ? width : VEC_LANES;
            gemm_strip(rows, width, depth, &a, b, ldb, g->accumulate || p > 0,
                       g->c + i * g->ldc + j + jj, g->ldc);
        }
    }
}

static void multiply_blocked(const Gemm *g) {
    bool in_place_b = !g->trans_b && g->n >= VEC_LANES &&
                      (g->m <= IN_PLACE_ROWS || (long)g->k * g->n <= IN_PLACE_FLOATS);
    for (int j = 0, cols; j < g->n; j += cols) {
        cols = smaller(N_BLOCK, g->n - j);
        int left = g->n - j - cols;
        cols -= left > 0 && left < VEC_LANES ? VEC_LANES : 0;
        for (int p = 0; p < g->k; p += K_BLOCK) {
            multiply_block(g, j, cols, p, smaller(K_BLOCK, g->k - p), in_place_b);
        }
    }
}

static void multiply_dots(const Gemm *g) {
    gemm_dots(g->m, g->n, g->k, g->a, g->lda, g->b, g->ldb, g->accumulate, g->c, g->ldc);
}

/* k = 0: an empty sum is zero. */
static void multiply_nothing(const Gemm *g) {
    for (int i = 0; i < g->m && !g->accumulate; i++) {
        for (int j = 0; j < g->n; j++) {
            g->c[i * g->ldc + j] = 0.0f;
        }
    }
}

/* ---- which way, and on how many threads ---- */

typedef void (*Multiply)(const Gemm *g);

static Multiply choose_way(const Gemm *g) {
    if (g->k == 0) {
        return multiply_nothing;
    }
    return g->trans_b && !g->trans_a && g->m <= DOTS_ROWS ? multiply_dots : multiply_blocked;
}

/* A C of one column is one row just as well, C^T = B^T A^T, and rows are what multiply_dots takes.
 */
static void turn_column(Gemm *g) {
    if (g->n == 1 && g->ldc == 1 && !g->trans_a && (g->trans_b || g->ldb == 1)) {
        *g = (Gemm){.trans_b = true,
                    .batch = g->batch,
                    .m = 1,
                    .n = g->m,
                    .k = g->k,
                    .a = g->b,
                    .lda = g->k,
                    .stride_a = g->stride_b,
                    .b = g->a,
                    .ldb = g->lda,
                    .stride_b = g->stride_a,
                    .c = g->c,
                    .ldc = g->m,
                    .stride_c = g->stride_c,
                    .accumulate = g->accumulate};
    }
}

static Gemm gemm_item(const Gemm *g, long i) {
    Gemm item = *g;
    item.a += i * g->stride_a;
    item.b += i * g->stride_b;
    item.c += i * g->stride_c;
    return item;
}

/* A thread's share of a product: whole tiles of C's rows or of its columns, whichever are more. The
 * shares do not meet, so no result depends on them. The same thread gets the same share every time:
 * what it wrote in one product, and the weights it read for the last token, are in its own caches
 * when the next one comes, which is worth more than helping out a thread that was held up. */
static void multiply_share(const Gemm *g, Multiply multiply, int threads, int t) {
    Gemm part = *g;
    bool by_rows = g->m >= g->n;
    int size = by_rows ? g->m : g->n, unit = by_rows ? TILE_ROWS : TILE_COLS;
    int units = (size + unit - 1) / unit;
    int begin = smaller((int)((long)units * t / threads) * unit, size);
    int end = smaller((int)((long)units * (t + 1) / threads) * unit, size);
    if (by_rows) {
        part.m = end - begin;
        part.a = a_at(g, begin, 0);
        part.c += begin * g->ldc;
    } else {
        part.n = end - begin;
        part.b = b_at(g, 0, begin);
        part.c += begin;
    }
    multiply(&part);
}

static void multiply_all(Gemm *g, Multiply multiply) {
    double one = (double)g->m * g->n * g->k * (multiply == multiply_dots ? DOTS_SLOWER : 1);
    if (!worth_threads(one * g->batch, THREAD_WORK)) {
        for (int i = 0; i < g->batch; i++) { /* no copy: it would cost as much as 8 x 8 x 8 */
            multiply(g);
            g->a += g->stride_a;
            g->b += g->stride_b;
            g->c += g->stride_c;
        }
    } else if (g->batch >= threads_count()) {
#pragma omp parallel for schedule(static)
        for (int i = 0; i < g->batch; i++) {
            Gemm item = gemm_item(g, i);
            multiply(&item);
        }
    } else {
        for (int i = 0; i < g->batch; i++) {
            Gemm item = gemm_item(g, i);
            int threads = threads_count();
#pragma omp parallel for schedule(static)
            for (int t = 0; t < threads; t++) {
                multiply_share(&item, multiply, threads, t);
            }
        }
    }
}

void gemm_batched(bool trans_a, bool trans_b, int batch, int m, int n, int k, const float *a,
                  int lda, long stride_a, const float *b, int ldb, long stride_b, bool accumulate,
                  float *c, int ldc, long stride_c) {
    Gemm g = {trans_a, trans_b,  batch, m,        n,          k, a,   b,
              lda,     stride_a, ldb,   stride_b, accumulate, c, ldc, stride_c};
    if (m > 0 && n > 0) {
        turn_column(&g);
        multiply_all(&g, choose_way(&g));
    }
}

void gemm(bool trans_a, bool trans_b, int m, int n, int k, const float *a, int lda, const float *b,
          int ldb, bool accumulate, float *c, int ldc) {
    gemm_batched(trans_a, trans_b, 1, m, n, k, a, lda, 0, b, ldb, 0, accumulate, c, ldc, 0);
}
