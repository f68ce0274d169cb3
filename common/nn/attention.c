#include "nn/attention.h"

#include "core/check.h"
#include "core/kernels/rows.h"

#include <math.h>

Attended attend(Tape *tape, Tensor *scores, Tensor *values, const Mask *mask) {
    CHECK(scores->ndim == 2 && values->ndim == 3 && values->dim[0] == scores->dim[0] &&
              values->dim[1] == scores->dim[1],
          "attend: %s over %s: needed are (B, S) and (B, S, D)", tensor_text(scores).text,
          tensor_text(values).text);
    int B = scores->dim[0], S = scores->dim[1], D = values->dim[2];
    Tensor *weights = op_masked_softmax(tape, scores, mask);
    /* Exercise 2.2 */
    /* context_b = sum_s weights_bs values_bs: (1, S) times (S, D) for each b */
    Tensor *context = op_matmul(tape, op_reshape(tape, weights, SHAPE(B, 1, S)), values);
    return (Attended){op_reshape(tape, context, SHAPE(B, D)), weights};
    /* End of exercise 2.2 */
}

Tensor *attention_batch_first(Tape *tape, Tensor *states) {
    CHECK(states->ndim == 3, "attention_batch_first: %s must be (S, B, D)",
          tensor_text(states).text);
    return op_permute(tape, states, (const int[]){1, 0, 2});
}

AdditiveAttention additive_new(Params *params, const char *name, int Dq, int Dk, int A) {
    return (AdditiveAttention){
        .w_q = params_add(params, name, "w_q", init_uniform(1.0f / sqrtf((float)Dq)), SHAPE(A, Dq)),
        .w_k = params_add(params, name, "w_k", init_uniform(1.0f / sqrtf((float)Dk)), SHAPE(A, Dk)),
        .v = params_add(params, name, "v", init_uniform(1.0f / sqrtf((float)A)), SHAPE(A)),
    };
}

Tensor *additive_keys(Tape *tape, const AdditiveAttention *attention, Tensor *keys) {
    return op_linear(tape, keys, attention->w_k, NULL);
}

Tensor *additive_score(Tape *tape, const AdditiveAttention *attention, Tensor *query,
                       Tensor *projected_keys) {
    Tensor *q = op_linear(tape, query, attention->w_q, NULL);
    return op_additive_score(tape, q, projected_keys, attention->v);
}

/* With h = tanh(q + k) (kept from the way there) and ds the gradient of one score:
 * dv += ds h, and u = ds v (1 - h^2) goes to both dk and, summed over the keys, dq. Any of the
 * three may be NULL. */
static void additive_row_back(int A, float ds, const float *restrict h, const float *restrict v,
                              float *restrict dv, float *restrict dk, float *restrict dq) {
    for (int a = 0; dv != NULL && a < A; a++) {
        dv[a] += ds * h[a];
    }
    for (int a = 0; dk != NULL && a < A; a++) {
        dk[a] += ds * v[a] * (1.0f - h[a] * h[a]);
    }
    for (int a = 0; dq != NULL && a < A; a++) {
        dq[a] += ds * v[a] * (1.0f - h[a] * h[a]);
    }
}

static void additive_score_backward(const TapeNode *node) {
    const float *hidden = node->saved;
    Tensor *q = node->in[0], *k = node->in[1], *v = node->in[2];
    int B = k->dim[0], S = k->dim[1], A = k->dim[2];
    for (int b = 0; b < B; b++) {
        for (int s = 0; s < S; s++) {
            long row = (long)b * S + s;
            float ds = node->out->grad[row];
            if (ds != 0.0f) { /* it is 0 for masked keys, often a third of them */
                additive_row_back(A, ds, hidden + row * A, v->data, v->grad,
                                  k->grad != NULL ? k->grad + row * A : NULL,
                                  q->grad != NULL ? q->grad + (long)b * A : NULL);
            }
        }
    }
}

Tensor *op_additive_score(Tape *tape, Tensor *q, Tensor *k, Tensor *v) {
    CHECK(q->ndim == 2 && k->ndim == 3 && v->ndim == 1 && q->dim[0] == k->dim[0] &&
              q->dim[1] == k->dim[2] && v->dim[0] == k->dim[2],
          "additive_score: query %s, keys %s and v %s: needed are (B, A), (B, S, A) and (A)",
          tensor_text(q).text, tensor_text(k).text, tensor_text(v).text);
    int B = k->dim[0], S = k->dim[1], A = k->dim[2];
    float *hidden = arena_alloc(&tape->arena, tensor_size(k) * sizeof(float));
    Tensor *scores = tape_output(tape, "additive_score", INPUTS(q, k, v), SHAPE(B, S));
    /* Exercise 2.1 */
    for (int b = 0; b < B; b++) {
        for (int s = 0; s < S; s++) {
            long row = (long)b * S + s;
            add(hidden + row * A, k->data + row * A, q->data + (long)b * A, A);
        }
    }
    tanh_forward(hidden, hidden, (long)tensor_size(k));
    for (long row = 0; row < (long)B * S; row++) {
        scores->data[row] = dot(hidden + row * A, v->data, A);
    }
    /* End of exercise 2.1 */
    tape_record(tape, "additive_score", additive_score_backward, scores, INPUTS(q, k, v), hidden);
    return scores;
}

LuongAttention luong_new(Params *params, const char *name, LuongScore score, int Dq, int Dk,
                         int A) {
    CHECK(score != LUONG_DOT || Dq == Dk,
          "luong_new: the dot score needs queries and keys of one size, not %d and %d; general and "
          "concat cope",
          Dq, Dk);
    LuongAttention attention = {.score = score};
    if (score == LUONG_GENERAL) {
        attention.w =
            params_add(params, name, "w", init_uniform(1.0f / sqrtf((float)Dk)), SHAPE(Dq, Dk));
    } else if (score == LUONG_CONCAT) {
        attention.w = params_add(params, name, "w", init_uniform(1.0f / sqrtf((float)(Dq + Dk))),
                                 SHAPE(A, Dq + Dk));
        attention.v = params_add(params, name, "v", init_uniform(1.0f / sqrtf((float)A)), SHAPE(A));
    }
    return attention;
}

Tensor *luong_keys(Tape *tape, const LuongAttention *attention, Tensor *keys) {
    if (attention->score == LUONG_GENERAL) { /* W key */
        /* Exercise 3.2 */
        return op_linear(tape, keys, attention->w, NULL);
        /* End of exercise 3.2 */
    }
    if (attention->score == LUONG_CONCAT) { /* W [query; key] = W_1 query + W_2 key */
        /* Exercise 3.3 */
        int all = tensor_cols(attention->w), Dk = tensor_cols(keys);
        return op_linear(tape, keys, op_slice_last(tape, attention->w, all - Dk, all), NULL);
        /* End of exercise 3.3 */
    }
    return keys;
}

Tensor *luong_score(Tape *tape, const LuongAttention *attention, Tensor *query,
                    Tensor *prepared_keys) {
    if (attention->score == LUONG_CONCAT) {
        /* Exercise 3.3 */
        Tensor *w_1 = op_slice_last(tape, attention->w, 0, tensor_cols(query));
        return op_additive_score(tape, op_linear(tape, query, w_1, NULL), prepared_keys,
                                 attention->v);
        /* End of exercise 3.3 */
    }
    CHECK(tensor_cols(query) == tensor_cols(prepared_keys),
          "luong_score: query %s and keys %s: a dot product needs the same size, %d != %d",
          tensor_text(query).text, tensor_text(prepared_keys).text, tensor_cols(query),
          tensor_cols(prepared_keys));
    int B = query->dim[0], D = query->dim[1], S = prepared_keys->dim[1];
    /* Exercise 3.1 */
    /* score_bs = key_bs . query_b: (1, D) times (S, D) transposed for each b */
    Tensor *q = op_reshape(tape, query, SHAPE(B, 1, D));
    return op_reshape(tape, op_matmul_nt(tape, q, prepared_keys), SHAPE(B, S));
    /* End of exercise 3.1 */
}
