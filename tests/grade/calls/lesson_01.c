/* What lesson 01 writes out. */
#include "grade/calls/call.h"

#include <string.h>

typedef struct Cell {
    Tensor *W, *U, *b;
} Cell;

void cell_forward(const Cell *cell, const float *x, const float *before, float *h);
void cell_backward(const Cell *cell, const float *x, const float *before, const float *h,
                   const float *dh, float *dh_before);

void check_01_step(Call *c);
void check_01_step(Call *c) {
    int H = call_int(c, "H");
    Cell cell = {call_tensor(c, "W"), call_tensor(c, "U"), call_tensor(c, "b")};
    Tensor *h = tape_constant(call_tape(c), "h", NULL, SHAPE(H));
    cell_forward(&cell, call_floats(c, "x"), call_floats(c, "before"), h->data);
    answer_tensor(c, "h", h);
}

/* The gradients begin with numbers of their own: the step has to add to them. */
void check_01_step_back(Call *c);
void check_01_step_back(Call *c) {
    int H = call_int(c, "H"), I = call_int(c, "I");
    Cell cell = {call_tensor(c, "W"), call_tensor(c, "U"), call_tensor(c, "b")};
    memcpy(cell.W->grad, call_floats(c, "dW"), (size_t)(H * H) * sizeof(float));
    memcpy(cell.U->grad, call_floats(c, "dU"), (size_t)(H * I) * sizeof(float));
    Tensor *dh_before = tape_constant(call_tape(c), "dh_before", NULL, SHAPE(H));
    cell_backward(&cell, call_floats(c, "x"), call_floats(c, "before"), call_floats(c, "h"),
                  call_floats(c, "dh"), dh_before->data);
    answer_tensor(c, "dh_before", dh_before);
    answer_gradient(c, "dW", cell.W);
    answer_gradient(c, "dU", cell.U);
    answer_gradient(c, "db", cell.b);
}
