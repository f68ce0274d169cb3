/* Heads and positions of common/. */
#include "grade/calls/call.h"

#include "core/ops.h"
#include "nn/position.h"

void check_split(Call *c);
void check_split(Call *c) {
    Tensor *x = call_tensor(c, "x"), *y = op_split_heads(call_tape(c), x, call_int(c, "H"));
    answer_tensor(c, "heads", y);
    call_backward(c, y);
    answer_gradient(c, "dx", x);
}

void check_merge(Call *c);
void check_merge(Call *c) {
    Tensor *x = call_tensor(c, "heads"), *y = op_merge_heads(call_tape(c), x);
    answer_tensor(c, "y", y);
    call_backward(c, y);
    answer_gradient(c, "dheads", x);
}

void check_sinusoidal(Call *c);
void check_sinusoidal(Call *c) {
    int L = call_int(c, "L"), d = call_int(c, "d");
    Tensor *pe = tape_constant(call_tape(c), "pe", NULL, SHAPE(L, d));
    sinusoidal_table(pe->data, call_int(c, "start"), L, d);
    answer_tensor(c, "pe", pe);
}

void check_rope(Call *c);
void check_rope(Call *c) {
    Tensor *x = call_tensor(c, "x");
    RopePairs pairs = call_int(c, "halves") != 0 ? ROPE_HALF : ROPE_INTERLEAVED;
    Tensor *y = op_rope(call_tape(c), x, 0, call_int(c, "start"), pairs);
    answer_tensor(c, "y", y);
    call_backward(c, y);
    answer_gradient(c, "dx", x);
}

void check_slopes(Call *c);
void check_slopes(Call *c) {
    int H = call_int(c, "H");
    Tensor *slopes = tape_constant(call_tape(c), "slopes", NULL, SHAPE(H));
    alibi_slopes(slopes->data, H);
    answer_tensor(c, "slopes", slopes);
}
