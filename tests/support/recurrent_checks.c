#include "support/gradient_check.h"
#include "support/recurrent.h"

#include <stdlib.h>

typedef struct Sizes {
    int T, B, I, H;
} Sizes;

/* Inputs of a layer, the same numbers for the same seed. */
enum { X, H0, C0, W_IH, W_HH, B_IH, B_HH, INPUT_COUNT };
static const char *const input_names[] = {"x", "h0", "c0", "w_ih", "w_hh", "b_ih", "b_hh"};

typedef struct Setting {
    CellKind kind;
    Sizes s;
    const int *len;
    bool reverse;
    bool given[INPUT_COUNT];    /* false: NULL (initial states only) */
    bool constant[INPUT_COUNT]; /* true: has no gradient */
} Setting;

typedef struct Outcome {
    Tape tape;
    Tensor *in[INPUT_COUNT];
    States out;
} Outcome;

typedef States (*Form)(Tape *tape, const Recurrent *layer, Tensor *x, CellState initial,
                       SequenceOptions options);

static Recurrent layer_of(CellKind kind, Tensor *const *in) {
    return recurrent_of(kind, in[W_IH], in[W_HH], in[B_IH], in[B_HH]);
}

static void make_inputs(Outcome *o, const Setting *set) {
    Sizes s = set->s;
    int G = recurrent_gates(set->kind) * s.H;
    const int shapes[INPUT_COUNT][4] = {
        {3, s.T, s.B, s.I}, {2, s.B, s.H}, {2, s.B, s.H}, {2, G, s.I}, {2, G, s.H}, {1, G}, {1, G}};
    Rng rng = rng_seeded(3, (uint64_t)(s.T * 1000 + s.H));
    for (int i = 0; i < INPUT_COUNT; i++) {
        Tensor *t =
            set->constant[i]
                ? random_constant(&o->tape, &rng, input_names[i], shapes[i][0], shapes[i] + 1)
                : random_variable(&o->tape, &rng, input_names[i], shapes[i][0], shapes[i] + 1);
        o->in[i] = set->given[i] ? t : NULL;
    }
}

/* Forward, and backward from random gradients of both results. */
static Outcome outcome_of(const Setting *set, Form form) {
    Outcome o = {.tape = tape_new()};
    make_inputs(&o, set);
    Recurrent layer = layer_of(set->kind, o.in);
    o.out = form(&o.tape, &layer, o.in[X], (CellState){o.in[H0], o.in[C0]},
                 (SequenceOptions){.len = set->len, .reverse = set->reverse});
    if (o.out.c != NULL) {
        Rng rng = rng_seeded(5, 0);
        fill_random(o.out.c->grad, tensor_size(o.out.c), -1.0f, 1.0f, &rng);
    }
    backward_random(&o.tape, o.out.y, 4);
    return o;
}

static void assert_agree(const Setting *set, const char *what, const float *fused,
                         const float *composed, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (!is_close((double)fused[i], (double)composed[i], 1e-5, 1e-5)) {
            fail_msg("%s [%zu]: fused %.8g, composed %.8g (T %d, B %d, I %d, H %d, %s, %s, %s)",
                     what, i, (double)fused[i], (double)composed[i], set->s.T, set->s.B, set->s.I,
                     set->s.H, set->len != NULL ? "with lengths" : "no lengths",
                     set->reverse ? "reverse" : "forward",
                     set->given[H0] ? "initial state given" : "initial state NULL");
        }
    }
}

static void compare_forms(const Setting *set) {
    Outcome fused = outcome_of(set, states_fused), composed = outcome_of(set, states_composed);
    assert_true(tensor_same_shape(fused.out.y, composed.out.y));
    assert_agree(set, "y", fused.out.y->data, composed.out.y->data, tensor_size(fused.out.y));
    if (fused.out.c != NULL) {
        assert_agree(set, "c", fused.out.c->data, composed.out.c->data, tensor_size(fused.out.c));
    }
    for (int i = 0; i < INPUT_COUNT; i++) {
        if (fused.in[i] != NULL && fused.in[i]->grad != NULL) {
            char name[32];
            snprintf(name, sizeof name, "gradient of %s", input_names[i]);
            assert_agree(set, name, fused.in[i]->grad, composed.in[i]->grad,
                         tensor_size(fused.in[i]));
        }
    }
    tape_free(&fused.tape);
    tape_free(&composed.tape);
}

static Setting setting_of(CellKind kind, Sizes s) {
    Setting set = {.kind = kind, .s = s};
    for (int i = 0; i < INPUT_COUNT; i++) {
        set.given[i] = i != C0 || kind == CELL_LSTM;
    }
    return set;
}

void check_fused_equals_composed(CellKind kind) {
    static const Sizes sizes[] = {{1, 1, 1, 1}, {5, 3, 4, 7}, {7, 2, 3, 17}, {4, 5, 2, 16}};
    static const int lengths[] = {4, 1, 0, 3, 4};
    static const int one[] = {1};
    for (int n = 0; n < 4 * 8; n++) {
        Setting set = setting_of(kind, sizes[n / 8]);
        set.len = n & 1 ? (set.s.T == 1 ? one : lengths) : NULL;
        set.reverse = n & 2;
        if (n & 4) {
            set.given[H0] = set.given[C0] = false;
        }
        compare_forms(&set);
    }
    for (int i = 0; i < INPUT_COUNT; i++) { /* each input in turn without a gradient */
        Setting set = setting_of(kind, sizes[1]);
        set.constant[i] = true;
        compare_forms(&set);
    }
}

/* The states of sequence `b` of y (T, B, H), or the gradients of them, at step t. */
static const float *row_of(const Tensor *y, const float *values, int t, int b) {
    return values + ((size_t)t * (size_t)y->dim[1] + (size_t)b) * (size_t)y->dim[2];
}

/* One sequence of x alone, without its padding: forward and backward with the same cotangents. */
static void assert_same_alone(const Setting *set, const Outcome *both, int b, float *dw_hh) {
    Tape tape = tape_new();
    int L = set->len[b], I = set->s.I, H = set->s.H;
    Tensor w_hh = *both->in[W_HH];
    w_hh.grad = dw_hh; /* counted by itself */
    Recurrent layer =
        recurrent_of(set->kind, both->in[W_IH], &w_hh, both->in[B_IH], both->in[B_HH]);
    Tensor *x = tape_variable(&tape, "x", NULL, SHAPE(L, 1, I));
    for (int t = 0; t < L; t++) {
        memcpy(x->data + t * I, row_of(both->in[X], both->in[X]->data, t, b),
               (size_t)I * sizeof(float));
    }
    Tensor *y = states_fused(&tape, &layer, x, (CellState){NULL, NULL},
                             (SequenceOptions){.reverse = set->reverse})
                    .y;
    int last = set->reverse ? 0 : set->s.T - 1, last_alone = set->reverse ? 0 : L - 1;
    for (int t = 0; t < L; t++) {
        assert_all_close(row_of(both->out.y, both->out.y->data, t, b), y->data + t * H, (size_t)H,
                         1e-6, 1e-6);
        memcpy(y->grad + t * H, row_of(both->out.y, both->out.y->grad, t, b),
               (size_t)H * sizeof(float));
    }
    assert_all_close(row_of(both->out.y, both->out.y->data, last, b), y->data + last_alone * H,
                     (size_t)H, 1e-6, 1e-6); /* the summary an encoder hands over */
    tape_backward_from(&tape, y);
    for (int t = 0; t < L; t++) {
        assert_all_close(row_of(both->in[X], both->in[X]->grad, t, b), x->grad + t * I, (size_t)I,
                         1e-6, 1e-5);
    }
    tape_free(&tape);
}

/* Cotangents on real steps only, as a loss that ignores padding sends them back. */
static void backward_real_steps(Outcome *both, const int *len) {
    Rng rng = rng_seeded(9, 0);
    const Tensor *y = both->out.y;
    fill_random(y->grad, tensor_size(y), -1.0f, 1.0f, &rng);
    for (int t = 0; t < y->dim[0]; t++) {
        for (int b = 0; b < y->dim[1]; b++) {
            if (t >= len[b]) {
                memset((float *)row_of(y, y->grad, t, b), 0, (size_t)y->dim[2] * sizeof(float));
            }
        }
    }
    tape_backward_from(&both->tape, both->out.y);
}

static void padding_is_not_seen(CellKind kind, bool reverse, float rubbish) {
    static const int len[] = {1, 5};
    Setting set = setting_of(kind, (Sizes){5, 2, 3, 4});
    set.len = len;
    set.reverse = reverse;
    set.given[H0] = set.given[C0] = false;
    Outcome both = {.tape = tape_new()};
    make_inputs(&both, &set);
    for (int t = 1; t < 5; t++) { /* what stands in the padding of the first sequence */
        for (int i = 0; i < 3; i++) {
            both.in[X]->data[(t * 2 + 0) * 3 + i] = rubbish;
        }
    }
    Recurrent layer = layer_of(kind, both.in);
    both.out = states_fused(&both.tape, &layer, both.in[X], (CellState){NULL, NULL},
                            (SequenceOptions){.len = len, .reverse = reverse});
    backward_real_steps(&both, len);
    size_t size = tensor_size(both.in[W_HH]);
    float *together = copy_of(both.in[W_HH]->grad, size),
          *alone = check_alloc(size * sizeof(float));
    assert_same_alone(&set, &both, 0, alone);
    assert_same_alone(&set, &both, 1, alone);
    assert_all_close(together, alone, size, 1e-5, 1e-5);
    for (int t = 1; t < 5; t++) {
        for (int i = 0; i < 3; i++) {
            assert_true(both.in[X]->grad[(t * 2 + 0) * 3 + i] == 0.0f);
        }
    }
    free(together);
    free(alone);
    tape_free(&both.tape);
}

void check_padding_is_not_seen(CellKind kind) {
    for (int reverse = 0; reverse <= 1; reverse++) {
        padding_is_not_seen(kind, reverse, 0.0f);
        padding_is_not_seen(kind, reverse, 1000.0f);
    }
}

/* All results of the layer as rows of one tensor. */
static Tensor *sequence_graph(Tape *tape, Tensor *const *in, const void *context) {
    const Setting *set = context;
    Recurrent layer = layer_of(set->kind, in);
    States out = states_fused(tape, &layer, in[X], (CellState){in[H0], in[C0]},
                              (SequenceOptions){set->len, set->reverse});
    Tensor *y = op_reshape(tape, out.y, SHAPE(set->s.T * set->s.B, set->s.H));
    return out.c != NULL ? op_concat(tape, 0, (Tensor *const[]){y, out.c}, 2) : y;
}

void check_sequence_gradients(CellKind kind) {
    static const Sizes sizes[] = {{1, 1, 1, 1}, {3, 2, 3, 5}, {4, 3, 1, 7}};
    static const int lengths[] = {2, 0, 3};
    for (int n = 0; n < 3 * 3; n++) {
        Setting set = setting_of(kind, sizes[n / 3]);
        set.len = n % 3 > 0 && n >= 3 ? lengths : NULL;
        set.reverse = n % 3 == 2;
        Sizes s = set.s; /* w_hh is kept small: a plain RNN that amplifies is too steep to follow */
        int G = recurrent_gates(kind) * s.H;
        if (kind == CELL_LSTM) {
            gradient_check(sequence_graph, &set, INPUT("x", s.T, s.B, s.I), INPUT("h0", s.B, s.H),
                           INPUT("c0", s.B, s.H), INPUT("w_ih", G, s.I),
                           {.name = "w_hh", INPUT_SHAPE(G, s.H), .reach = 0.7f}, INPUT("b_ih", G),
                           INPUT("b_hh", G));
        } else { /* there is no cell: a number that nothing depends on stands in its place */
            gradient_check(sequence_graph, &set, INPUT("x", s.T, s.B, s.I), INPUT("h0", s.B, s.H),
                           INPUT("unused", 1), INPUT("w_ih", G, s.I),
                           {.name = "w_hh", INPUT_SHAPE(G, s.H), .reach = 0.7f}, INPUT("b_ih", G),
                           INPUT("b_hh", G));
        }
    }
}

void check_reverse(CellKind kind) {
    Setting set = setting_of(kind, (Sizes){6, 3, 4, 5});
    Outcome forward = outcome_of(&set, states_fused);
    Outcome reverse = {.tape = tape_new()};
    make_inputs(&reverse, &set);
    Tensor *turned[6];
    for (int t = 0; t < 6; t++) {
        turned[t] = op_index(&reverse.tape, reverse.in[X], 5 - t);
    }
    Recurrent layer = layer_of(kind, reverse.in);
    States out = states_fused(&reverse.tape, &layer, op_stack(&reverse.tape, turned, 6),
                              (CellState){reverse.in[H0], reverse.in[C0]},
                              (SequenceOptions){.reverse = true});
    size_t state = 3 * 5;
    for (size_t t = 0; t < 6; t++) {
        assert_same_bits(out.y->data + t * state, forward.out.y->data + (5 - t) * state, state);
    }
    if (out.c != NULL) {
        assert_same_bits(out.c->data, forward.out.c->data, state);
    }
    Tensor *last = sequence_last(&reverse.tape, out.y, (SequenceOptions){.reverse = true});
    assert_ptr_equal(last->data, out.y->data);
    tape_free(&forward.tape);
    tape_free(&reverse.tape);
}
