/* What lesson 06 writes out. */
#include "grade/calls/call.h"

void sinusoidal(float *pe, int start, int L, int d, int form);
void sinusoidal_move(float *moved, const float *row, int k, int d);
void rope(float *x, int p, int D);
float alibi_slope(int h, int H);
float alibi(float score, int i, int j, float slope);

void check_06_sinusoidal(Call *c);
void check_06_sinusoidal(Call *c) {
    int L = call_int(c, "L"), d = call_int(c, "d");
    Tensor *pe = tape_constant(call_tape(c), "pe", NULL, SHAPE(L, d));
    sinusoidal(pe->data, call_int(c, "start"), L, d, 0);
    answer_tensor(c, "pe", pe);
}

void check_06_move(Call *c);
void check_06_move(Call *c) {
    int d = call_int(c, "d");
    Tensor *moved = tape_constant(call_tape(c), "moved", NULL, SHAPE(d));
    sinusoidal_move(moved->data, call_floats(c, "row"), call_int(c, "k"), d);
    answer_tensor(c, "moved", moved);
}

void check_06_rope(Call *c);
void check_06_rope(Call *c) {
    Tensor *x = call_tensor(c, "x");
    rope(x->data, call_int(c, "p"), call_int(c, "D"));
    answer_tensor(c, "x", x);
}

void check_06_alibi(Call *c);
void check_06_alibi(Call *c) {
    int H = 1 << call_int(c, "log_H"), h = 1 + call_int(c, "h") % H;
    answer_number(c, "slope", (double)alibi_slope(h, H));
    answer_number(c, "score",
                  (double)alibi(call_float(c, "score"), call_int(c, "i"), call_int(c, "j"),
                                call_float(c, "slope")));
}
