/* The matrix product, blocked for the caches after Goto and van de Geijn ("Anatomy of
 * high-performance matrix multiplication", 2008).
 *
 * Innermost is a tile of C in registers (gemm_tile.c). Around it:
 *   - k is cut into blocks of K_BLOCK: a panel of B (K_BLOCK x TILE_COLS) then stays in the first
 *     cache while all tiles of a block of rows use it;
 *   - n is cut into blocks of N_BLOCK: that part of B, packed, stays in the second cache;
 *   - m is cut into blocks of M_BLOCK: that part of A, packed, stays there too.
 * Small matrices, which the lessons are full of, already are in the caches, and packing them would
 * take as long as multiplying them: those are read where they stand. Only what cannot be read in
 * place is packed: B when it is transposed, and B's last columns when they do not fill a tile. */
#include "core/kernels/gemm.h"

#include "core/kernels/gemm_pack.h"
#include "core/kernels/gemm_tile.h"
#include "core/kernels/rows.h"
#include "core/threads.h"

#ifdef _OPENMP
#include <omp.h>
#endif

enum {
    K_BLOCK = 256,
    M_BLOCK = 96 / TILE_ROWS * TILE_ROWS,
    N_BLOCK = 512,
    IN_PLACE_FLOATS = 1 << 14, /* an operand up to this size is read where it stands */
    DOT_ROWS = 2,              /* with so few rows, transposing B takes longer than the product */
    THREAD_WORK = 1 << 23,     /* multiply-adds (some 50 us) worth waking another thread for */
};

/* Room for packed blocks, one for each thread, so that no product ever allocates. */
static _Thread_local float packed_a[M_BLOCK * K_BLOCK] __attribute__((aligned(64)));
static _Thread_local float packed_b[K_BLOCK * (N_BLOCK + TILE_COLS)] __attribute__((aligned(64)));

typedef struct Gemm {
    bool trans_a, trans_b;
    int m, n, k;
    const float *a, *b;
    long lda, ldb;
    bool accumulate;
    float *c;
    long ldc;
} Gemm;

static int smaller(int a, int b) {
    return a < b ? a : b;
}

static const float *a_at(const Gemm *g, int i, int p) {
    return g->a + (g->trans_a ? p * g->lda + i : i * g->lda + p);
}

static const float *b_at(const Gemm *g, int p, int j) {
    return g->b + (g->trans_b ? j * g->ldb + p : p * g->ldb + j);
}

/* Rows begin .. begin + rows of the block of A at depth p, packed or where it stands. */
static APlace place_a(const Gemm *g, int i, int p, int rows, int depth, bool pack) {
    if (!pack) {
        return (APlace){a_at(g, i, p), g->trans_a ? 1 : g->lda, g->trans_a ? g->lda : 1};
    }
    for (int r = 0; r < rows; r += TILE_ROWS) {
        pack_a_panel(g->trans_a, smaller(TILE_ROWS, rows - r), depth, a_at(g, i + r, p), g->lda,
                     packed_a + (long)r * depth);
    }
    return (APlace){packed_a, 1, TILE_ROWS};
}

/* One block of rows against one block of columns: all tiles of C in it. */
static void block_product(const Gemm *g, int i, int rows, int j, int cols, int p, int depth,
                          bool pack_a, bool in_place_b) {
    bool add = g->accumulate || p > 0;
    APlace a = place_a(g, i, p, rows, depth, pack_a);
    for (int jj = 0; jj < cols; jj += TILE_COLS) {
        int width = smaller(TILE_COLS, cols - jj);
        bool in_place = in_place_b && width == TILE_COLS;
        const float *b = in_place ? b_at(g, p, j + jj) : packed_b + (long)jj * depth;
        for (int ii = 0; ii < rows; ii += TILE_ROWS) {
            APlace panel = a;
            panel.a += pack_a ? (long)ii * depth : ii * a.row_step;
            gemm_tile(smaller(TILE_ROWS, rows - ii), width, depth, panel, b,
                      in_place ? g->ldb : TILE_COLS, add, g->c + (i + ii) * g->ldc + j + jj,
                      g->ldc);
        }
    }
}

static void gemm_blocked(const Gemm *g) {
    long size_a = (long)g->m * g->k, size_b = (long)g->k * g->n;
    bool in_place_b = !g->trans_b && (size_b <= IN_PLACE_FLOATS || g->m <= 4 * TILE_ROWS);
    bool pack_a = size_a > IN_PLACE_FLOATS && g->n > 2 * TILE_COLS;
    int m_block = pack_a ? M_BLOCK : g->m;
    for (int j = 0; j < g->n; j += N_BLOCK) {
        int cols = smaller(N_BLOCK, g->n - j);
        for (int p = 0; p < g->k; p += K_BLOCK) {
            int depth = smaller(K_BLOCK, g->k - p);
            int first = in_place_b ? cols / TILE_COLS * TILE_COLS : 0;
            for (int jj = first; jj < cols; jj += TILE_COLS) {
                pack_b_panel(g->trans_b, depth, smaller(TILE_COLS, cols - jj), b_at(g, p, j + jj),
                             g->ldb, packed_b + (long)jj * depth);
            }
            for (int i = 0; i < g->m; i += m_block) {
                block_product(g, i, smaller(m_block, g->m - i), j, cols, p, depth, pack_a,
                              in_place_b);
            }
        }
    }
}

/* A row or two times a transposed matrix: dot products of rows that both lie in order. */
static void gemm_dots(const Gemm *g) {
    for (int i = 0; i < g->m; i++) {
        for (int j = 0; j < g->n; j++) {
            float *c = g->c + i * g->ldc + j;
            float product = dot(g->a + i * g->lda, g->b + j * g->ldb, g->k);
            *c = g->accumulate ? *c + product : product;
        }
    }
}

/* Part t of `parts` of the product: some rows of C or, when it is wider than high, some columns,
 * in whole tiles. The pieces do not meet, so no result depends on how many there are. */
static Gemm gemm_part(const Gemm *g, int t, int parts) {
    Gemm part = *g;
    bool by_rows = g->m >= g->n;
    int size = by_rows ? g->m : g->n, unit = by_rows ? TILE_ROWS : TILE_COLS;
    int units = (size + unit - 1) / unit;
    int begin = smaller((int)((long)units * t / parts) * unit, size);
    int end = smaller((int)((long)units * (t + 1) / parts) * unit, size);
    if (by_rows) {
        part.m = end - begin;
        part.a = a_at(g, begin, 0);
        part.c += begin * g->ldc;
    } else {
        part.n = end - begin;
        part.b = b_at(g, 0, begin);
        part.c += begin;
    }
    return part;
}

static void gemm_zero(const Gemm *g) {
    for (int i = 0; i < g->m && !g->accumulate; i++) {
        for (int j = 0; j < g->n; j++) {
            g->c[i * g->ldc + j] = 0.0f;
        }
    }
}

static bool worth_threads(double multiply_adds) {
#ifdef _OPENMP
    return multiply_adds >= THREAD_WORK && omp_get_max_threads() > 1 && !omp_in_parallel();
#else
    (void)multiply_adds;
    return false;
#endif
}

static void gemm_run(const Gemm *g) {
    if (g->k == 0) {
        gemm_zero(g);
    } else if (g->m <= DOT_ROWS && g->trans_b && !g->trans_a) {
        gemm_dots(g);
    } else if (!worth_threads((double)g->m * g->n * g->k)) {
        gemm_blocked(g);
    } else {
#pragma omp parallel for schedule(static, 1)
        for (int t = 0; t < threads_count(); t++) {
            Gemm part = gemm_part(g, t, threads_count());
            gemm_blocked(&part);
        }
    }
}

void gemm(bool trans_a, bool trans_b, int m, int n, int k, const float *a, int lda, const float *b,
          int ldb, bool accumulate, float *c, int ldc) {
    gemm_run(&(Gemm){trans_a, trans_b, m, n, k, a, b, lda, ldb, accumulate, c, ldc});
}

void gemm_batched(bool trans_a, bool trans_b, int batch, int m, int n, int k, const float *a,
                  int lda, long stride_a, const float *b, int ldb, long stride_b, bool accumulate,
                  float *c, int ldc, long stride_c) {
    double one = (double)m * n * k;
    if (worth_threads(one * batch) && !worth_threads(one)) {
#pragma omp parallel for schedule(static)
        for (int i = 0; i < batch; i++) {
            gemm(trans_a, trans_b, m, n, k, a + i * stride_a, lda, b + i * stride_b, ldb,
                 accumulate, c + i * stride_c, ldc);
        }
        return;
    }
    for (int i = 0; i < batch; i++) {
        gemm(trans_a, trans_b, m, n, k, a + i * stride_a, lda, b + i * stride_b, ldb, accumulate,
             c + i * stride_c, ldc);
    }
}
