/* Lesson 01. Why does a recurrent network forget?
 *
 *     h_t = tanh(W h_{t-1} + U x_t + b)                                   Elman 1990
 *
 * A small network reads a sequence step by step and keeps what it has read in its state h. To learn
 * that step 50 depends on step 1, the error travels back through every step between them
 * (Rumelhart, Hinton and Williams 1986; Werbos 1990), and each of these steps multiplies it:
 *
 *     dL/dh_{t-1} = W^T diag(1 - h_t^2) dL/dh_t                           Bengio et al. 1994
 *
 * You will see three steps with every number (1.1), that walk back in C, equal to the tape's (1.2),
 * how fast the gradient fades or explodes under W, under the bias of a gate and under attention
 * (1.3), who can still name the first symbol after 50 others (1.4), and what it costs that every
 * step waits for the one before (1.5). LSTM, GRU and attention are black boxes here; lesson 02
 * opens attention. It takes about 15 seconds; with --quick about one. */
#include "core/measure.h"
#include "lesson/experiments/clipping.h"
#include "lesson/experiments/decay_plot.h"
#include "lesson/experiments/recall.h"
#include "lesson/experiments/serial_cost.h"
#include "lesson/lesson.h"
#include "notes/01_rnn.h"

#include <math.h>
#include <string.h>

enum { T_SHORT = 100, T_LONG = 1000, CUT = 5 /* steps, with --break bptt_truncate */ };

typedef struct Cell {
    Tensor *W; /* (H, H) */
    Tensor *U; /* (H, I) */
    Tensor *b; /* (H) */
} Cell;

/* Exercise 1.1. One step: h = tanh(W before + U x + b), x (I), before and h (H). */
void cell_forward(const Cell *cell, const float *x, const float *before, float *h) {
    int H = cell->U->dim[0], I = cell->U->dim[1];
    for (int i = 0; i < H; i++) {
        float a = cell->b->data[i];
        for (int j = 0; j < H; j++) {
            a += cell->W->data[i * H + j] * before[j];
        }
        for (int j = 0; j < I; j++) {
            a += cell->U->data[i * I + j] * x[j];
        }
        h[i] = tanhf(a);
    }
}

/* Exercise 1.2. One step back: from dh = dL/dh_t to dh_before = dL/dh_{t-1}, both (H). What the
 * step owes to W, U and b is added to their gradients, because all steps share them. */
void cell_backward(const Cell *cell, const float *x, const float *before, const float *h,
                   const float *dh, float *dh_before) {
    int H = cell->U->dim[0], I = cell->U->dim[1];
    memset(dh_before, 0, (size_t)H * sizeof(float));
    for (int i = 0; i < H; i++) {
        float da = dh[i] * (1.0f - h[i] * h[i]); /* tanh' = 1 - tanh^2 */
        cell->b->grad[i] += da;
        for (int j = 0; j < H; j++) {
            cell->W->grad[i * H + j] += da * before[j];
            dh_before[j] += cell->W->data[i * H + j] * da; /* W^T da */
        }
        for (int j = 0; j < I; j++) {
            cell->U->grad[i * I + j] += da * x[j];
        }
    }
}

/* ---- 1.1 ---- */

static void show_three_steps(Run *run, void *context) {
    (void)context;
    enum { H = 2, T = 3 };
    Tape tape = tape_new();
    Cell cell = {tape_variable(&tape, "W", (float[]){0.5f, 0.3f, -0.2f, 0.6f}, SHAPE(H, H)),
                 tape_variable(&tape, "U", (float[]){1.0f, -0.5f}, SHAPE(H, 1)),
                 tape_variable(&tape, "b", NULL, SHAPE(H))};
    float x[T + 1] = {0, 1.0f, 0, 0}, h[T + 1][H] = {{0}}, dh[T + 1][H] = {[T] = {1.0f, 0}};
    run_say(run,
            "How does a network remember? It feeds its own state back to itself: at every step "
            "the same weights make the next state of the state before and the new input:\n\n"
            "    h_t = tanh(W h_{t-1} + U x_t + b)\n\n");
    run_tensor(run, "W", cell.W);
    run_tensor(run, "U", cell.U);
    run_say(run, "b (2) and the first state h_0 (2) are zero. Something happens once, x_1 = 1, and "
                 "then there is silence, x_2 = x_3 = 0:\n");
    for (int t = 1; t <= T; t++) {
        cell_forward(&cell, &x[t], h[t - 1], h[t]);
        run_print(run, "    x_%d = %g   h_%d = tanh(%7.4f, %7.4f) = (%7.4f, %7.4f)   length %.4f\n",
                  t, (double)x[t], t, atanh((double)h[t][0]), atanh((double)h[t][1]),
                  (double)h[t][0], (double)h[t][1], vector_length(h[t], H));
    }
    run_say(run,
            "\nThe event is still there two steps later, but it fades, and so does what can be "
            "learnt from it. Let h_3[0] be the loss; on the way back each step multiplies its "
            "gradient by W^T diag(1 - h^2):\n");
    for (int t = T; t >= 1; t--) {
        run_print(run, "    dL/dh_%d = (%7.4f, %7.4f)   length %.4f\n", t, (double)dh[t][0],
                  (double)dh[t][1], vector_length(dh[t], H));
        cell_backward(&cell, &x[t], h[t - 1], h[t], dh[t], dh[t - 1]);
    }
    float pushed[T + 1][H] = {[1] = {h[1][0] + 0.01f, h[1][1]}};
    cell_forward(&cell, &x[2], pushed[1], pushed[2]);
    cell_forward(&cell, &x[3], pushed[2], pushed[3]);
    double moved = (double)(pushed[3][0] - h[3][0]), said = 0.01 * (double)dh[1][0];
    run_say(run,
            "\nIs that true? Push h_1[0] up by 0.01 and do the last two steps again: h_3[0] moves "
            "by %.6f. The gradient had said 0.01 times %.4f, which is %.6f.",
            moved, (double)dh[1][0], said);
    claim_checked(run, "push", "dL/dh foretells a push (error)", fabs(moved - said), "<", 1e-4);
    tape_free(&tape);
}

/* ---- 1.2 ---- */

/* The same network on the tape, up to L = 1/2 |h_T - y|^2: states[t]->grad is dL/dh_t then. */
static void bptt_on_tape(Tape *tape, const Cell *cell, Tensor *x, Tensor *y, Tensor **states) {
    int T = x->dim[0];
    states[0] = tape_variable(tape, "h0", NULL, SHAPE(1, y->dim[1]));
    for (int t = 1; t <= T; t++) {
        /* Exercise 1.1 */
        Tensor *Ux = op_linear(tape, op_slice(tape, x, t - 1, t), cell->U, cell->b);
        Tensor *Wh = op_linear(tape, states[t - 1], cell->W, NULL);
        states[t] = op_tanh(tape, op_add(tape, Wh, Ux));
        /* End of exercise 1.1 */
    }
    Tensor *error = op_sub(tape, states[T], y);
    tape_backward(tape, op_scale(tape, op_sum(tape, op_mul(tape, error, error)), 0.5f));
}

/* The same by hand: dh (T + 1, H) becomes dL/dh_t for all t, and the gradients of W, U, b grow. */
static void bptt_by_hand(Run *run, const Cell *cell, Tensor *x, Tensor *y, float *dh) {
    int T = x->dim[0], I = x->dim[1], H = y->dim[1];
    float h[T + 1][H];
    memset(h[0], 0, sizeof h[0]);
    for (int t = 1; t <= T; t++) {
        cell_forward(cell, x->data + (t - 1) * I, h[t - 1], h[t]);
    }
    for (int i = 0; i < H; i++) {
        dh[T * H + i] = h[T][i] - y->data[i];
    }
    int reach = run_broken(run, "bptt_truncate") ? CUT : T;
    for (int i = 0; i < reach; i++) {
        int t = run_broken(run, "wrong_order") ? 1 + i : T - i; /* the last step first */
        float *dh_t = dh + t * H;
        cell_backward(cell, x->data + (t - 1) * I, h[t - 1], h[t], dh_t, dh_t - H);
    }
}

static Tensor *random_tensor(Tape *tape, Init init, int rows, int cols, Rng *rng) {
    Tensor *tensor = tape_variable(tape, "random", NULL, SHAPE(rows, cols));
    init.fill(tensor, &init, rng);
    return tensor;
}

static void show_bptt(Run *run, void *context) {
    (void)context;
    enum { T = 12, I = 3, H = 8 };
    Rng rng = run_rng(run, "1.2");
    Tape tape = tape_new();
    Tensor *x = random_tensor(&tape, init_normal(1.0f), T, I, &rng), *states[T + 1];
    Tensor *y = random_tensor(&tape, init_normal(0.5f), 1, H, &rng);
    Cell cell = {random_tensor(&tape, init_orthogonal(1.2f), H, H, &rng),
                 random_tensor(&tape, init_normal(0.5f), H, I, &rng),
                 tape_variable(&tape, "b", NULL, SHAPE(H))};
    Cell twin = {tape_variable(&tape, "W", cell.W->data, SHAPE(H, H)),
                 tape_variable(&tape, "U", cell.U->data, SHAPE(H, I)),
                 tape_variable(&tape, "b", NULL, SHAPE(H))};
    run_say(run,
            "How does it learn from a mistake at the end? Let L = 1/2 |h_T - y|^2, T = %d steps, "
            "H = %d units. The first gradient is h_T - y. Then back in time: at every step a part "
            "goes to the weights and the rest to the step before.\n\n"
            "    for t = T down to 1:   da = dh_t * (1 - h_t * h_t)\n"
            "                           dW += da h_{t-1}^T    dU += da x_t^T    db += da\n"
            "                           dh_{t-1} = W^T da\n\n",
            T, H);
    float dh[T + 1][H] = {{0}};
    bptt_by_hand(run, &cell, x, y, dh[0]);
    bptt_on_tape(&tape, &twin, x, y, states);
    double of_states = 0.0;
    run_table(run, "step t\tlength of dL/dh_t by hand\ton the tape");
    for (int t = 1; t <= T; t++) {
        of_states = fmax(of_states, largest_difference(dh[t], states[t]->grad, H));
        run_table_row(run, "%d\t%.6f\t%.6f", t, vector_length(dh[t], H),
                      vector_length(states[t]->grad, H));
    }
    run_table_end(run);
    double of_weights = fmax(largest_difference(cell.W->grad, twin.W->grad, H * H),
                             fmax(largest_difference(cell.U->grad, twin.U->grad, H * I),
                                  largest_difference(cell.b->grad, twin.b->grad, H)));
    claim_checked(run, "bptt_states", "dL/dh by hand is the tape's (error)", of_states, "<=", 1e-5);
    claim_checked(run, "bptt_weights", "dL/dW, dU, db, too (error)", of_weights, "<=", 1e-5);
    tape_free(&tape);
}

/* ---- 1.3 ---- */

static double decay(Run *run, CellKind kind, float rho, float bias, float size) {
    double y[T_SHORT];
    int reach = run_broken(run, "bptt_truncate") ? CUT : T_SHORT;
    DecayCase network = {.kind = kind, .rho = rho, .bias = bias, .size = size};
    return decay_measure(&network, T_SHORT, 16, reach, run_rng(run, "1.3"), y);
}

static void show_decay_of_rnn(Run *run) {
    static const float rho[] = {0.5f, 0.9f, 1.0f, 1.5f, 4.0f}, size[] = {0.0f, 0.01f, 1.0f};
    double slope[5][3], errors = 0.0;
    run_say(run,
            "How fast does it fade? No training: %d units, W a random rotation times rho, and the "
            "gradient of the last of %d states. While h is near 0, tanh' is 1 and each step back "
            "multiplies by rho: 10 log10(rho) decades (powers of ten) in 10 steps. Measured:",
            DECAY_UNITS, T_SHORT);
    run_table(run, "rho\ttheory\tno input\tx of size .01\tx of size 1");
    for (int i = 0; i < 5; i++) {
        double theory = 10.0 * log10((double)rho[i]);
        for (int j = 0; j < 3; j++) {
            slope[i][j] = decay(run, CELL_RNN, rho[i], 0, size[j]);
        }
        errors += i < 4 ? fabs(slope[i][0] - theory) : 0.0;
        run_table_row(run, "%g\t%+.3f\t%+.3f\t%+.3f\t%+.3f", (double)rho[i], theory, slope[i][0],
                      slope[i][1], slope[i][2]);
    }
    run_table_end(run);
    run_say(run,
            "\"rho > 1 explodes, rho = 1 preserves\": not so, except near h = 0. Real inputs drive "
            "tanh to where its slope is below 1. Then rho = 1 loses %.1f decades every 10 steps, "
            "rho = 1.5 vanishes, too, and rho = 4 gains %.1f where theory says 6.",
            -slope[2][2], slope[4][2]);
    claim_checked(run, "theory", "no input, rho .5 to 1.5: off theory by", errors, "<", .01);
    claim_checked(run, "rho_1", "x of size 1, rho 1: vanishes (slope)", slope[2][2], "<", -1.5);
    claim_checked(run, "rho_1.5", "x of size 1, rho 1.5: vanishes (slope)", slope[3][2], "<", -.3);
    claim_checked(run, "rho_4", "x of size 1, rho 4: explodes (slope)", slope[4][2], ">", 1.2);
}

static void show_decay_of_gates(Run *run) {
    static const float bias[] = {0, 1, 2, 3, 5};
    double lstm[5], gru[5];
    run_say(run,
            "\nDo gates cure it? The LSTM and the GRU can hand a state on through a gate, and the "
            "gate's bias says how far it is open before any training. Decades in 10 steps again:");
    run_table(run, "bias\tgate open\tLSTM, forget bias\tGRU, keep bias");
    for (int i = 0; i < 5; i++) {
        lstm[i] = decay(run, CELL_LSTM, 0, bias[i], 1);
        gru[i] = decay(run, CELL_GRU, 0, bias[i], 1);
        run_table_row(run, "%g\t%.3f\t%+.2f\t%+.2f", (double)bias[i],
                      1.0 / (1.0 + exp(-(double)bias[i])), lstm[i], gru[i]);
    }
    run_table_end(run);
    if (isfinite(lstm[0]) && isfinite(gru[0])) { /* a gradient that was cut off has no slope */
        run_say(run,
                "Not so: with bias 0 both fade about as fast as the RNN (%+.2f and %+.2f). The "
                "bias does the work.",
                lstm[0], gru[0]);
    }
    claim_checked(run, "lstm_0", "LSTM, forget bias 0: vanishes (slope)", lstm[0], "<", -1.5);
    claim_checked(run, "lstm_3", "LSTM, forget bias 3: hardly (slope)", lstm[3], ">", -.1);
    claim_checked(run, "gru_0", "GRU, keep bias 0: vanishes (slope)", gru[0], "<", -1.5);
}

static void show_decay(Run *run, void *context) {
    (void)context;
    static const DecayCase curves[] = {{"RNN, rho .5, x small", CELL_RNN, 0.5f, 0, 0.01f, false},
                                       {"RNN, rho 1, x small", CELL_RNN, 1, 0, 0.01f, false},
                                       {"RNN, rho 1", CELL_RNN, 1, 0, 1, false},
                                       {"RNN, rho 4", CELL_RNN, 4, 0, 1, false},
                                       {"LSTM, forget bias 0", CELL_LSTM, 0, 0, 1, false},
                                       {"LSTM, forget bias 3", CELL_LSTM, 0, 3, 1, false},
                                       {"GRU, keep bias 3", CELL_GRU, 0, 3, 1, false},
                                       {"attention", CELL_RNN, 1, 0, 1, true}};
    enum { COUNT = COUNT_OF(curves) };
    double slope[COUNT];
    int longer = run_size(run, T_LONG, 300);
    int reach = run_broken(run, "bptt_truncate") ? CUT : longer;
    show_decay_of_rnn(run);
    show_decay_of_gates(run);
    decay_plot(run, "gradient_decay_long", curves, COUNT, longer, 2, reach, "1.3", slope);
    decay_plot(run, "gradient_decay", curves, COUNT, T_SHORT, 16, reach, "1.3", slope);
    run_say(
        run,
        "\nAnd attention? Over the states of the RNN with rho 1 it is one step away from each, and "
        "gives all about the same gradient: the flat line in gradient_decay.png. In "
        "gradient_decay_long.png, %d steps, what fades or grows leaves the range of float32.",
        longer);
    claim_checked(run, "attention", "attention: flat (|slope|)", fabs(slope[COUNT - 1]), "<", .05);
}

/* ---- 1.4 ---- */

static void show_recall(Run *run, void *context) {
    enum { RNN, LSTM_1, LSTM_3, LSTM_5, GRU_0, GRU_2, GRU_4, ATTENTION, ARMS, NEAR = 3, FAR, GAPS };
    static const RecallArm arms[ARMS] = {
        {"rnn", "RNN", CELL_RNN, 0, false, false},
        {"lstm_1", "LSTM, forget bias 1", CELL_LSTM, 1, false, false},
        {"lstm_3", "LSTM, forget bias 3", CELL_LSTM, 3, false, true},
        {"lstm_5", "LSTM, forget bias 5", CELL_LSTM, 5, false, true},
        {"gru_0", "GRU", CELL_GRU, 0, false, false},
        {"gru_2", "GRU, keep bias 2", CELL_GRU, 2, false, false},
        {"gru_4", "GRU, keep bias 4", CELL_GRU, 4, false, true},
        {"attention", "GRU + attention", CELL_GRU, 0, true, true}};
    static const RecallClaim claims[] = {
        {RNN, NEAR, "<", .3},    {LSTM_1, NEAR, "<", .3},     {GRU_0, NEAR, "<", .3},
        {LSTM_3, NEAR, ">", .3}, {LSTM_5, NEAR, ">", .95},    {GRU_2, NEAR, ">", .95},
        {LSTM_3, FAR, "<", .3},  {ATTENTION, NEAR, ">", .95}, {ATTENTION, FAR, ">", .95}};
    RecallPlan plan = *(const RecallPlan *)context;
    plan.repeats = run_size(run, plan.repeats, 1);
    plan.clip = run_broken(run, "no_clip") ? 0.0 : 1.0;
    plan.reach = run_broken(run, "bptt_truncate") ? CUT : 0;
    int N = plan.gap, near = run_steps(run, 600, 3), far = run_steps(run, 300, 3);
    int gaps[GAPS] = {(N + 9) / 10, (N + 4) / 5, (2 * N + 4) / 5, N, 4 * N};
    int steps[GAPS] = {near, near, near, near, far};
    Spread accuracy[ARMS][GAPS];
    run_say(
        run,
        "Does it matter? A reader of %d units sees one of 8 symbols, then distractors, and is "
        "asked for that first symbol; 1 in 8 is guessing. It trains for %d steps (%d across the "
        "longest gap), fewer when %d batches in a row are all right. Share of right answers, "
        "median of %d:",
        plan.H, near, far, RECALL_PERFECT, plan.repeats);
    recall_compare(run, &plan, arms, ARMS, gaps, steps, GAPS, accuracy[0]);
    const Spread *edge = &accuracy[LSTM_3][NEAR];
    const Spread *five = &accuracy[LSTM_5][NEAR];
    run_conclude(
        run,
        "A gate that is open to a share s forgets in about 1/(1 - s) steps: 4 at bias 1, 21 at "
        "bias 3, 149 at bias 5. What is forgotten cannot be answered; the open ones are near the "
        "edge, bias 3 from %.2f to %.2f here, bias 5 from %.2f to %.2f. To forget nothing is not "
        "enough, though: the LSTM with bias 5 does not fade in 1.3 and, in the %d steps it gets "
        "there, still has %.2f across %d. The GRU with attention is the same GRU, "
        "but it may look at every state (recall.png).",
        edge->min, edge->max, five->min, five->max, far, accuracy[LSTM_5][FAR].median, gaps[FAR]);
    recall_claims(run, arms, gaps, GAPS, accuracy[0], claims, COUNT_OF(claims));
}

/* ---- 1.5 ---- */

static void show_clipping(Run *run) {
    ClippingArm arm[2];
    int steps = run_steps(run, CLIPPING_STEPS, CLIPPING_STEPS);
    clipping_compare(run, 4.0f, 1.0f, run_broken(run, "no_clip") ? 0.0 : 1.0, steps, arm);
    run_conclude(
        run,
        "\nAnd when it explodes? The RNN with rho = 4 is to recall across %d distractors by "
        "plain gradient descent, rate 1. The first gradient is %.0f long, %.0f %% of the length "
        "of W: one such step throws the weights to where nothing is learnt, and the loss stays "
        "at %.2f (guessing: %.2f). No infinity is to be seen, tanh hides the accident. With "
        "gradients clipped, g = g min(1, 1/|g|), it gets to %.2f in %d steps (clipping.png; both "
        "are means of "
        "the last %d steps).",
        CLIPPING_GAP, arm[1].first_norm, 100 * arm[1].first_norm / arm[1].weights_norm, arm[1].loss,
        log(8.0), arm[0].loss, steps, steps < CLIPPING_LAST ? steps : CLIPPING_LAST);
    claim_trained(run, "clipped", "clipped: loss, mean at the end", arm[0].loss, "<", 1.5);
    claim_trained(run, "unclipped", "not clipped: loss, mean at the end", arm[1].loss, ">", 1.8);
    claim_checked(run, "longest", "clipped: longest gradient used", arm[0].longest, "<", 1.001);
}

static void show_serial_cost(Run *run, void *context) {
    (void)context;
    static const int T[] = {16, 64, 256, 1024};
    enum { COUNT = COUNT_OF(T), H = 64 };
    SerialCost cost[COUNT];
    const SerialCost *last = &cost[COUNT - 1];
    run_say(run,
            "What does it cost that every step waits for the one before? One sequence of T vectors "
            "of %d numbers, through the RNN and through attention (every vector looks at all). "
            "In line: the longest chain of operations each of which needs the one before.",
            H);
    serial_cost_compare(run, T, COUNT, H, cost);
    run_say(run,
            "The RNN needs three operations in line for every step, attention %d for the whole "
            "sequence. Not so: \"attention is less work\". At T = %d it takes %.0f times the "
            "multiplications. One core feels the work; thousands, on a graphics card, the waiting.",
            last->attention_chain, T[COUNT - 1], last->attention_products / last->rnn_products);
    double chain = (double)last->rnn_chain / T[COUNT - 1];
    claim_checked(run, "chain_rnn", "RNN: operations in line for each step", chain, "==", 3);
    claim_checked(run, "chain_attention", "attention: operations in line, whatever the length",
                  fmax(cost[0].attention_chain, last->attention_chain), "==", 5);
    claim_timing(run, "rnn_linear", "RNN: four times the length takes longer (times)",
                 last->rnn_seconds / cost[COUNT - 2].rnn_seconds, ">", 2);
    show_clipping(run);
}

int main(int argc, char **argv) {
    RecallPlan plan = {.H = 32, .gap = 50, .B = 32, .rate = 3e-3f, .repeats = 3};
    const Option options[] = {
        OPTION_INT("hidden", 'H', &plan.H, 1, 256, "units of the readers in 1.4"),
        OPTION_INT("distractors", 'd', &plan.gap, 1, 200, "gap in 1.4, the longest but one"),
        OPTION_INT("repeats", 0, &plan.repeats, 1, RECALL_MAX_REPEATS, "trainings for a median"),
        OPTION_FLOAT("rate", 0, &plan.rate, 1e-6, 1, "Adam's learning rate in 1.4")};
    const Step steps[] = {{"1.1", "One cell, three steps", show_three_steps, NULL},
                          {"1.2", "Backpropagation through time, by hand", show_bptt, NULL},
                          {"1.3", "How fast the gradient fades", show_decay, NULL},
                          {"1.4", "Recall across a gap", show_recall, NULL},
                          {"1.5", "The price of order, and clipping", show_serial_cost, NULL}};
    const Mistake mistakes[] = {
        {"no_clip", "gradients are used at any length; the exploding network does not learn"},
        {"bptt_truncate", "the gradient is cut after 5 steps; far memories come late or never"},
        {"wrong_order", "the walk back begins at the first step instead of the last"}};
    const Lesson lesson = {.number = "01",
                           .name = "rnn",
                           .title = "Why does a recurrent network forget?",
                           .question = "Why is the start so hard to learn from the end?",
                           .duration = "about 15 s",
                           LESSON_TABLES(steps, mistakes, options),
                           LESSON_NOTES(notes),
                           .judged_with = "hidden distractors repeats rate",
                           .examples = "--only 1.4 --distractors 20\n--break no_clip --only 1.5",
                           .context = &plan};
    return walkthrough_run(&lesson, argc, argv);
}
