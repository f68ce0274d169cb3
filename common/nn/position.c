#include "nn/position.h"

#include "core/check.h"

#include <math.h>

const char *const position_names[] = {"none", "sinusoidal", "learned", "rope", "alibi", NULL};

void sinusoidal_table(float *pe, int start, int length, int d) {
    CHECK(start >= 0 && length >= 1 && d >= 1,
          "sinusoidal_table: %d positions from %d of %d columns", length, start, d);
    /* Exercise 6.1 */
    for (int i = 0; i < d; i += 2) { /* columns i and i + 1 turn at one speed */
        double speed = pow(10000.0, -(double)i / d);
        for (int p = 0; p < length; p++) {
            float *row = pe + (size_t)p * (size_t)d;
            double angle = (start + p) * speed;
            row[i] = (float)sin(angle);
            if (i + 1 < d) {
                row[i + 1] = (float)cos(angle);
            }
        }
    }
    /* End of exercise 6.1 */
}

/* Exercise 6.4. 2^(-8 h / of) */
static float slope(int h, int of) {
    return (float)exp2(-8.0 * h / of);
}

/* Exercise 6.4 */
void alibi_slopes(float *slopes, int H) {
    int P = 1;
    while (2 * P <= H) {
        P *= 2;
    }
    for (int h = 1; h <= H; h++) {
        slopes[h - 1] = h <= P ? slope(h, P) : slope(2 * (h - P) - 1, 2 * P);
    }
}

Position position_new(Params *params, const char *name, PositionKind kind, int d_model, int heads,
                      int max_length) {
    CHECK(heads >= 1 && heads <= POSITION_MOST_HEADS && d_model % heads == 0,
          "position: d_model %d for %d heads: needed are 1 to %d heads that divide it", d_model,
          heads, POSITION_MOST_HEADS);
    Position position = {
        .kind = kind, .d_model = d_model, .heads = heads, .pairs = ROPE_INTERLEAVED};
    if (kind == POSITION_LEARNED) {
        CHECK(max_length >= 1, "position: a learned table of %d positions", max_length);
        position.max_length = max_length;
        position.table =
            params_add(params, name, "table", init_normal(1.0f), SHAPE(max_length, d_model));
    }
    CHECK(kind != POSITION_ROPE || d_model / heads % 2 == 0,
          "position: RoPE turns pairs of numbers, and heads of %d have no pairs", d_model / heads);
    if (kind == POSITION_ALIBI) {
        alibi_slopes(position.slopes, heads);
    }
    return position;
}

/* (L, d_model): what is added to every row of the batch. */
static Tensor *encodings(Tape *tape, const Position *position, int start, int L) {
    if (position->kind == POSITION_LEARNED) {
        CHECK(start + L <= position->max_length,
              "position: %d positions from %d, the learned table has %d", L, start,
              position->max_length);
        return op_slice(tape, position->table, start, start + L);
    }
    Tensor *pe = tape_constant(tape, "positions", NULL, SHAPE(L, position->d_model));
    sinusoidal_table(pe->data, start, L, position->d_model);
    return pe;
}

Tensor *position_add(Tape *tape, const Position *position, Tensor *x, int start) {
    CHECK(x->ndim == 3 && x->dim[2] == position->d_model, "position: %s: needed is (B, L, %d)",
          tensor_text(x).text, position->d_model);
    CHECK(start >= 0, "position: the first one is %d", start);
    if (position->kind != POSITION_SINUSOIDAL && position->kind != POSITION_LEARNED) {
        return x;
    }
    return op_add(tape, x, encodings(tape, position, start, x->dim[1]));
}
