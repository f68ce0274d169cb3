#include "support/golden_case.h"
#include "support/golden_kinds.h"

/* y = a b in its four forms; the transposed operands come from op_transpose(), so that all
 * gradients end in a and b. */
static void run_matmul(const Golden *golden) {
    static const char *const forms[] = {"matmul", "matmul_nt", "matmul_tn", "linear"};
    for (int form = 0; form < 4; form++) {
        GoldenCase *c = golden_begin(golden, forms[form]);
        Tape *tape = &c->tape;
        Tensor *a = golden_input(c, "a"), *b = golden_input(c, "b"), *y;
        if (form == 0 || (form == 2 && a->ndim != b->ndim) || (form == 3 && b->ndim != 2)) {
            y = op_matmul(tape, a, b); /* forms that do not exist for such shapes fall back */
        } else if (form == 1) {
            y = op_matmul_nt(tape, a, op_transpose(tape, b));
        } else if (form == 2) {
            y = op_matmul_tn(tape, op_transpose(tape, a), b);
        } else {
            y = op_linear(tape, a, op_transpose(tape, b), NULL);
        }
        golden_output(c, "y", y);
        golden_end(c);
    }
}

static void run_unary(const Golden *golden, Tensor *(*op)(Tape *tape, Tensor *x)) {
    GoldenCase *c = golden_begin(golden, golden->kind);
    golden_output(c, "y", op(&c->tape, golden_input(c, "x")));
    golden_end(c);
}

static void run_tanh(const Golden *golden) {
    run_unary(golden, op_tanh);
}

static void run_sigmoid(const Golden *golden) {
    run_unary(golden, op_sigmoid);
}

static void run_relu(const Golden *golden) {
    run_unary(golden, op_relu);
}

static void run_gelu_erf(const Golden *golden) {
    run_unary(golden, op_gelu_erf);
}

static void run_gelu_tanh(const Golden *golden) {
    run_unary(golden, op_gelu_tanh);
}

static void run_silu(const Golden *golden) {
    run_unary(golden, op_silu);
}

static void run_log_softmax(const Golden *golden) {
    run_unary(golden, op_log_softmax);
}

static Tensor *softmax_behind_open_mask(Tape *tape, Tensor *x) {
    int keys = tensor_cols(x);
    Tensor *rows = op_reshape(tape, x, SHAPE((int)tensor_rows(x), keys));
    Mask open = mask_padding(&tape->arena, &keys, 1, keys);
    return op_reshape(tape, op_masked_softmax(tape, rows, &open), x->ndim, x->dim);
}

static void run_softmax(const Golden *golden) {
    run_unary(golden, op_softmax);
    run_unary(golden, softmax_behind_open_mask);
}

static void run_layernorm(const Golden *golden) {
    GoldenCase *c = golden_begin(golden, "layernorm");
    Tensor *x = golden_input(c, "x");
    Tensor *gain = golden_input(c, "weight"), *bias = golden_input(c, "bias");
    float eps = (float)golden_number(c, "eps");
    golden_output(c, "y", op_layernorm(&c->tape, x, gain, bias, eps));
    golden_end(c);
}

static void run_embedding(const Golden *golden) {
    GoldenCase *c = golden_begin(golden, "embedding");
    const GoldenTensor *ids = golden_need(c, "ids");
    Tensor *table = golden_input(c, "table");
    golden_output(c, "y",
                  op_embedding(&c->tape, table, golden_integers(c, "ids"), ids->ndim, ids->dim));
    golden_end(c);
}

static Smoothing spread_of(const GoldenCase *c) {
    static const char *const names[] = {"all", "others", "others_nonpad"};
    static const Smoothing spreads[] = {SMOOTHING_ALL, SMOOTHING_OTHERS, SMOOTHING_OTHERS_NONPAD};
    const char *name = golden_text(c, "spread");
    for (int i = 0; i < 3; i++) {
        if (strcmp(name, names[i]) == 0) {
            return spreads[i];
        }
    }
    golden_fail(c, "attr spread is '%s'; known are all, others and others_nonpad", name);
}

static void run_cross_entropy(const Golden *golden) {
    GoldenCase *c = golden_begin(golden, "cross_entropy");
    CrossEntropy options = {
        .ignore = golden_attr(golden, "ignore") != NULL ? (int)golden_number(c, "ignore") : -1,
        .smoothing = (float)golden_number(c, "eps"),
        .spread = spread_of(c)};
    Tensor *logits = golden_input(c, "logits");
    if (golden_need(c, "targets")->size != tensor_rows(logits)) {
        golden_fail(c, "%zu targets for %zu rows of logits", golden_need(c, "targets")->size,
                    tensor_rows(logits));
    }
    golden_output(c, "loss",
                  op_cross_entropy(&c->tape, logits, golden_integers(c, "targets"), options));
    golden_end(c);
}

const GoldenKind golden_op_kinds[] = {
    {"matmul", run_matmul},
    {"matmul_batched", run_matmul},
    {"tanh", run_tanh},
    {"sigmoid", run_sigmoid},
    {"relu", run_relu},
    {"gelu_erf", run_gelu_erf},
    {"gelu_tanh", run_gelu_tanh},
    {"silu", run_silu},
    {"softmax", run_softmax},
    {"log_softmax", run_log_softmax},
    {"layernorm", run_layernorm},
    {"embedding", run_embedding},
    {"cross_entropy", run_cross_entropy},
    {NULL, NULL},
};
