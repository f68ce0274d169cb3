/* Recurrent layers and optimisers of common/. */
#include "grade/calls/call.h"

#include "core/optim.h"
#include "nn/rnn.h"

#include <string.h>

static Rnn rnn_of(Call *c) {
    return (Rnn){.w_ih = call_tensor(c, "W_ih"),
                 .w_hh = call_tensor(c, "W_hh"),
                 .b_ih = call_tensor(c, "b_ih"),
                 .b_hh = call_tensor(c, "b_hh"),
                 .input = call_int(c, "I"),
                 .hidden = call_int(c, "H")};
}

void check_rnn_step(Call *c);
void check_rnn_step(Call *c) {
    Rnn rnn = rnn_of(c);
    answer_tensor(c, "h", rnn_step(call_tape(c), &rnn, call_tensor(c, "x"), call_tensor(c, "h")));
}

void check_rnn_forward(Call *c);
void check_rnn_forward(Call *c) {
    Rnn rnn = rnn_of(c);
    SequenceOptions options = {.len = call_ints(c, "len")};
    answer_tensor(
        c, "states",
        rnn_forward(call_tape(c), &rnn, call_tensor(c, "x"), call_tensor(c, "h0"), options));
}

void check_rnn_back(Call *c);
void check_rnn_back(Call *c) {
    Rnn rnn = rnn_of(c);
    Tensor *x = call_tensor(c, "x"), *h0 = call_tensor(c, "h0");
    Tensor *y = rnn_forward(call_tape(c), &rnn, x, h0, (SequenceOptions){.len = NULL});
    call_backward(c, y);
    answer_gradient(c, "dx", x);
    answer_gradient(c, "dh0", h0);
    answer_gradient(c, "dW_ih", rnn.w_ih);
    answer_gradient(c, "dW_hh", rnn.w_hh);
    answer_gradient(c, "db_hh", rnn.b_hh);
}

/* Two weights, filled from the inputs "p" and "g", (m) and (n) of them one behind the other. */
static Params params_of(Call *c, Tensor *w[2]) {
    Params params = params_new();
    int m = call_int(c, "m"), n = call_int(c, "n");
    Rng rng = rng_seeded(1, 1);
    w[0] = params_add(&params, "", "first", init_zeros(), SHAPE(m));
    w[1] = params_add(&params, "", "second", init_zeros(), SHAPE(n));
    params_allocate(&params, &rng);
    const float *p = call_floats(c, "p"), *g = call_floats(c, "g");
    for (int i = 0; i < 2; i++) {
        size_t from = i == 0 ? 0 : (size_t)m, bytes = tensor_size(w[i]) * sizeof(float);
        memcpy(w[i]->data, p + from, bytes);
        memcpy(w[i]->grad, g + from, bytes);
    }
    return params;
}

void check_clip(Call *c);
void check_clip(Call *c) {
    Tensor *w[2];
    Params params = params_of(c, w);
    answer_number(c, "returned", params_clip_norm(&params, (double)call_float(c, "max_norm")));
    answer_gradient(c, "first", w[0]);
    answer_gradient(c, "second", w[1]);
    params_free(&params);
}

/* So near 0 that the 1e-6 of the formula shows. */
void check_clip_tiny(Call *c);
void check_clip_tiny(Call *c) {
    enum { SMALLER = 100000 };
    Tensor *w[2];
    Params params = params_of(c, w);
    for (size_t i = 0; i < params.size; i++) {
        params.grad[i] /= SMALLER;
    }
    answer_number(c, "returned",
                  SMALLER * params_clip_norm(&params, (double)call_float(c, "max_norm") / SMALLER));
    for (size_t i = 0; i < params.size; i++) {
        params.grad[i] *= SMALLER;
    }
    answer_gradient(c, "first", w[0]);
    answer_gradient(c, "second", w[1]);
    params_free(&params);
}

void check_adam(Call *c);
void check_adam(Call *c) {
    Tensor *w[2];
    Params params = params_of(c, w);
    Adam adam = adam_new(&params);
    adam.weight_decay = call_float(c, "decay");
    adam.beta2 = call_float(c, "beta2");
    for (int i = 0; i < call_int(c, "steps"); i++) {
        adam_step(&adam, call_float(c, "lr"));
        for (size_t k = 0; k < params.size; k++) {
            params.grad[k] *= -0.7f;
        }
    }
    answer_tensor(c, "first", w[0]);
    answer_tensor(c, "second", w[1]);
    answer_number(c, "steps", (double)adam.step);
    adam_free(&adam);
    params_free(&params);
}

void check_adam_clipped(Call *c);
void check_adam_clipped(Call *c) {
    Tensor *w[2];
    Params params = params_of(c, w);
    Adam adam = adam_new(&params);
    float lr = call_float(c, "lr");
    double max_norm = (double)call_float(c, "max_norm");
    answer_number(c, "returned", adam_step_clipped(&adam, lr, max_norm));
    adam_step(&adam, lr); /* the gradients themselves are still whole */
    answer_tensor(c, "first", w[0]);
    answer_tensor(c, "second", w[1]);
    adam_free(&adam);
    params_free(&params);
}

void check_noam(Call *c);
void check_noam(Call *c) {
    double rate = schedule_noam(call_int(c, "step"), call_int(c, "d"), call_int(c, "warmup"));
    answer_number(c, "rate times 1000", 1000.0 * rate);
}
