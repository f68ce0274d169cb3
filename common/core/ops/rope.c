/* Rotary position embedding: each pair of numbers of a query or key is turned by an angle that
 * grows with the position. The product of two turned pairs depends on the difference of their
 * angles alone, so a score depends on how far apart two tokens are and not on where they stand. */
#include "core/ops.h"

#include "core/check.h"

#include <math.h>

#define INLINE static inline __attribute__((always_inline))

static const double BASE = 10000.0;

typedef struct Rope {
    int B, H, L, D;
    bool by_token; /* (B, L, H, D) in memory, else (B, H, L, D) */
    RopePairs pairs;
    float *cos, *sin; /* (L, D / 2): of pair i of the token at start + t */
} Rope;

/* cos and sin of (start + t) base^(-2i / D) for all t. Turning by one step, in double, is exact to
 * some 1e-12 after thousands of them and much faster than a sine for each. */
static void fill_table(Rope *rope, int start) {
    int half = rope->D / 2;
    for (int i = 0; i < half; i++) {
        double step = pow(BASE, -2.0 * i / rope->D);
        double step_cos = cos(step), step_sin = sin(step);
        double c = cos(start * step), s = sin(start * step);
        for (int t = 0; t < rope->L; t++) {
            rope->cos[(long)t * half + i] = (float)c;
            rope->sin[(long)t * half + i] = (float)s;
            double turned = c * step_cos - s * step_sin;
            s = s * step_cos + c * step_sin;
            c = turned;
        }
    }
}

/* Exercise 6.3 */
/* One head of one token: pair i is at i * step and `gap` behind it. `back`: the other way round,
 * and added. */
INLINE void turn(float *to, const float *from, const float *cosine, const float *sine, int half,
                 int step, int gap, bool back) {
    for (int i = 0; i < half; i++) {
        float a = from[i * step], b = from[i * step + gap];
        if (back) { /* the transposed rotation turns back */
            to[i * step] += a * cosine[i] + b * sine[i];
            to[i * step + gap] += b * cosine[i] - a * sine[i];
        } else {
            to[i * step] = a * cosine[i] - b * sine[i];
            to[i * step + gap] = a * sine[i] + b * cosine[i];
        }
    }
}

INLINE void turn_all(const Rope *rope, float *to, const float *from, bool back) {
    int half = rope->D / 2;
    for (int b = 0; b < rope->B; b++) {
        for (int h = 0; h < rope->H; h++) {
            for (int t = 0; t < rope->L; t++) {
                long row = rope->by_token ? ((long)b * rope->L + t) * rope->H + h
                                          : ((long)b * rope->H + h) * rope->L + t;
                const float *c = rope->cos + (long)t * half, *s = rope->sin + (long)t * half;
                if (rope->pairs == ROPE_HALF) {
                    turn(to + row * rope->D, from + row * rope->D, c, s, half, 1, half, back);
                } else {
                    turn(to + row * rope->D, from + row * rope->D, c, s, half, 2, 1, back);
                }
            }
        }
    }
}

static void rope_backward(const TapeNode *node) { /* dx += dy turned back */
    turn_all(node->saved, node->in[0]->grad, node->out->grad, true);
}

static Rope rope_sizes(const Tensor *x, int heads, RopePairs pairs) {
    bool by_token = x->ndim == 3;
    CHECK(by_token || x->ndim == 4, "rope: %s: needed is (B, H, L, D) or (B, L, H * D)",
          tensor_text(x).text);
    CHECK(by_token ? heads >= 1 && x->dim[2] % heads == 0 : heads == 0 || heads == x->dim[1],
          "rope: %s does not have %d heads", tensor_text(x).text, heads);
    Rope rope = {.B = x->dim[0], .by_token = by_token, .pairs = pairs};
    rope.H = by_token ? heads : x->dim[1];
    rope.L = by_token ? x->dim[1] : x->dim[2];
    rope.D = by_token ? x->dim[2] / heads : x->dim[3];
    CHECK(rope.D % 2 == 0, "rope: a head of %s has %d numbers, which do not make pairs",
          tensor_text(x).text, rope.D);
    return rope;
}

Tensor *op_rope(Tape *tape, Tensor *x, int heads, int start, RopePairs pairs) {
    Rope *rope = arena_alloc(&tape->arena, sizeof *rope);
    *rope = rope_sizes(x, heads, pairs);
    size_t bytes = (size_t)rope->L * (size_t)(rope->D / 2) * sizeof(float);
    rope->cos = arena_alloc(&tape->arena, bytes);
    rope->sin = arena_alloc(&tape->arena, bytes);
    fill_table(rope, start);
    Tensor *y = tape_output(tape, "rope", INPUTS(x), x->ndim, x->dim);
    turn_all(rope, y->data, x->data, false);
    tape_record(tape, "rope", rope_backward, y, INPUTS(x), rope);
    return y;
}
