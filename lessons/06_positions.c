/* Lesson 06. Where am I?
 *
 * Attention looks at a set of words (4.3): mix them up, and its answers are mixed up the same way.
 * Where a word stands must be told. Four ways of telling:
 *
 *     sinusoidal   x_p + PE(p)            PE(p)[2i] = sin(p w_i), PE(p)[2i + 1] = cos(p w_i)
 *     learned      x_p + E[p]             a table of weights, one row for each position
 *     RoPE         R(p) q_p, R(p) k_p     R(p) turns pair i of the numbers by the angle p w_i
 *     ALiBi        q_i . k_j - m |i - j|  a penalty for distance, m different for each head
 *
 * with w_i = 10000^(-2i / d). They are by Vaswani et al. 2017, Gehring et al. 2017, Su et al. 2021,
 * and Press, Smith and Lewis 2022. Two tell each word where it stands, two tell each pair of words
 * how far apart they are. Which of them still knows in a text longer than any it has learnt from?
 *
 * You will see what the four do to numbers (6.1), who can tell whether A comes before B (6.2), who
 * can copy the letter two places back as a sequence grows beyond those of training (6.3), and what
 * becomes of a reader of text when the text goes on (6.4; `--text FILE` reads your own). Ten
 * seconds. B batch, L or T length, d width, H heads, D = d / H, V vocabulary. */
#include "core/check.h"
#include "core/measure.h"
#include "lesson/experiments/char_task.h"
#include "lesson/experiments/copy_task.h"
#include "lesson/experiments/order_task.h"
#include "lesson/experiments/position_numbers.h"
#include "lesson/lesson.h"
#include "notes/06_positions.h"

#include <math.h>
#include <stdlib.h>

/* ---- the new idea: four ways to tell where ---- */

enum { SINE_FIRST, COSINE_FIRST, WAVE_EACH /* a mistake: no two columns share a wave */ };

/* Exercise 6.1. Columns 2i and 2i + 1 are one wave: it turns by this angle from word to word. */
static double wave(int j, int d, int form) {
    return pow(10000.0, -(double)(form == WAVE_EACH ? j : j - j % 2) / d);
}

/* Exercise 6.1. pe (L, d), row t for position start + t; an odd d has one sine more. */
void sinusoidal(float *pe, int start, int L, int d, int form) {
    for (int t = 0; t < L; t++) {
        for (int j = 0; j < d; j++) {
            double angle = (start + t) * wave(j, d, form);
            bool sine = (j % 2 == 0) == (form != COSINE_FIRST);
            pe[t * d + j] = (float)(sine ? sin(angle) : cos(angle));
        }
    }
}

/* Exercise 6.2. From row PE(p) to row PE(p + k), whatever p, both (d): pair i turns by k w_i. */
void sinusoidal_move(float *moved, const float *row, int k, int d) {
    for (int j = 0; j + 1 < d; j += 2) {
        double angle = k * wave(j, d, SINE_FIRST), s = (double)row[j], c = (double)row[j + 1];
        moved[j] = (float)(s * cos(angle) + c * sin(angle));
        moved[j + 1] = (float)(c * cos(angle) - s * sin(angle));
    }
}

/* Exercise 6.3. A query or key x (D) at position p: pair i is turned by p w_i. */
void rope(float *x, int p, int D) {
    for (int j = 0; j + 1 < D; j += 2) {
        double angle = p * wave(j, D, SINE_FIRST), a = (double)x[j], b = (double)x[j + 1];
        x[j] = (float)(a * cos(angle) - b * sin(angle));
        x[j + 1] = (float)(a * sin(angle) + b * cos(angle));
    }
}

/* Exercise 6.4. The slope m of head h = 1 .. H, H a power of 2; others have another rule. */
float alibi_slope(int h, int H) {
    return exp2f(-8.0f * (float)h / (float)H);
}

/* Exercise 6.4. The score of query i and key j, before softmax. */
float alibi(float score, int i, int j, float slope) {
    return score - slope * (float)abs(i - j);
}

/* ---- and where they enter a Transformer: these two functions are all that differs ---- */

static bool broken(const PositionModel *m, const char *mistake) {
    return run_broken(m->plan.context, mistake);
}

/* What the first layer gets: words (B, L, d), made longer (Vaswani 3.4), and their places. */
Tensor *enter(const PositionModel *m, Tape *tape, Tensor *words) {
    int B = words->dim[0], L = words->dim[1], d = words->dim[2], end = m->start + L;
    Tensor *x = broken(m, "pe_not_scaled") ? words : op_scale(tape, words, sqrtf((float)d));
    if (m->plan.kind == POSITION_LEARNED) {
        Tensor *table = m->position.table; /* (rows, d) */
        CHECK(end <= table->dim[0], "position: %d wanted, the learned table has %d", end,
              table->dim[0]);
        return op_add(tape, x, op_slice(tape, table, m->start, end));
    }
    if (m->plan.kind == POSITION_SINUSOIDAL) {
        bool along_batch = broken(m, "pe_batch_axis");
        Tensor *pe = tape_constant(tape, "PE", NULL, SHAPE(along_batch ? B : L, d));
        sinusoidal(pe->data, m->start, pe->dim[0], d, m->plan.form);
        return along_batch ? op_add_middle(tape, x, pe) : op_add(tape, x, pe);
    }
    return x;
}

/* What the heads find: q, k, v (B, L, d), H heads side by side. op_attention() is lesson 04, for
 * all heads in one pass; op_rope() is rope() for each token and head, with its way back. */
Tensor *look(const PositionModel *m, Tape *tape, Tensor *q, Tensor *k, Tensor *v,
             Tensor **weights) {
    int H = m->plan.heads;
    float slopes[POSITION_MOST_HEADS];
    AttentionOptions options = {.heads = H, .causal = m->plan.causal, .weights = weights};
    if (m->plan.kind == POSITION_ROPE) {
        q = op_rope(tape, q, H, m->start, ROPE_INTERLEAVED);
        k = op_rope(tape, k, H, m->start, ROPE_INTERLEAVED);
        if (broken(m, "rope_on_values")) {
            v = op_rope(tape, v, H, m->start, ROPE_INTERLEAVED);
        }
    } else if (m->plan.kind == POSITION_ALIBI) {
        for (int h = 1; h <= H; h++) {
            slopes[h - 1] = alibi_slope(h, H);
        }
        options.slopes = slopes;
    }
    return op_attention(tape, q, k, v, options);
}

/* ---- who takes part ---- */

enum { NONE, SINE, LEARNED, ROPE, ALIBI, COSINE, CAUSAL, ARMS };
static const char *const names[] = {"none",  "sinusoidal",   "learned",         "RoPE",
                                    "ALiBi", "cosine first", "none, but causal"};

/* The arm's model by this plan; all share their first weights. */
static void model_new(Run *run, PositionModel *m, int arm, PositionPlan plan) {
    Rng rng = run_rng(run, "first weights");
    bool told = arm != CAUSAL && !run_broken(run, "no_positions");
    plan.kind = !told ? POSITION_NONE : arm == COSINE ? POSITION_SINUSOIDAL : (PositionKind)arm;
    plan.form = arm == COSINE                    ? COSINE_FIRST
                : run_broken(run, "pe_exponent") ? WAVE_EACH
                                                 : SINE_FIRST;
    plan.causal = plan.causal || arm == CAUSAL;
    plan.enter = enter;
    plan.look = look;
    plan.context = run;
    position_model_new(m, plan, &rng);
}

static const PositionArms all = {names, ARMS, model_new}, but_causal = {names, CAUSAL, model_new};

/* ---- 6.1 ---- */

static void show_sinusoid(Run *run) {
    enum { D = 64, P = 512, MORE = 64, FEW = 4, ODD = 5 };
    static const char *const rows[] = {"p = 0", "p = 1", "p = 2", "p = 3"};
    static const char *const hands[] = {"sin p", "cos p", "sin .025p", "cos .025p", "sin .0006p"};
    static float few[FEW * ODD], pe[(P + MORE) * D];
    int form = run_broken(run, "pe_exponent") ? WAVE_EACH : SINE_FIRST;
    sinusoidal(few, 0, FEW, ODD, form);
    sinusoidal(pe, 0, P + MORE, D, form);
    run_say(run, "What could tell a word where it stands? A clock: hands that turn at different "
                 "speeds, the first by one radian from word to word, the last hardly at all. A "
                 "hand is two numbers, its sine and its cosine. Vaswani et al. add them to the "
                 "word. With d = 5, an odd number, the last hand has only a sine:");
    run_matrix_labelled(run, "PE", few, FEW, ODD, rows, hands);
    run_say(run, "Why a clock, and not the number p? To go k words on, each hand is turned by an "
                 "angle that depends on k alone. So PE(p + k) = M_k PE(p), and M_k is the same "
                 "matrix wherever one stands: a layer that has learnt M_2 can look two words on "
                 "from anywhere. Or so one hopes; see 6.3.");
    double off[] = {few[ODD + 1] - cos(1.0), few[ODD + 2] - sin(pow(10000.0, -2.0 / ODD))};
    claim_checked(run, "cos_1", "PE(1): cos 1 = 0.5403, sin 10000^(-2/5) = 0.0251 (error)",
                  fmax(fabs(off[0]), fabs(off[1])), "<=", 1e-6);
    claim_checked(run, "move", "M_k PE(p) is PE(p + k), for p < 512 (error)",
                  position_move_error(sinusoidal_move, pe, P, MORE, D), "<=", 1e-4);
    position_picture(run, 64, D, pe, rope, alibi, alibi_slope(1, 8));
}

static void show_rope(Run *run) {
    enum { D = 64 };
    static const int places[] = {1, 4, 101, 5001};
    Rng rng = run_rng(run, "query and key");
    run_say(run, "\nRoPE adds nothing. It takes the numbers of the query and of the key for hands "
                 "and turns them by the place each stands at. In their product only the difference "
                 "of the angles is left. A query (1, 0) and a key (1, 0) one place before it:");
    run_table(run, "query at\tquery, turned\tkey, turned\ttheir product");
    for (int i = 0; i < COUNT_OF(places); i++) {
        float here[] = {1, 0}, before[] = {1, 0};
        rope(here, places[i], 2);
        rope(before, places[i] - 1, 2);
        run_table_row(run, "%d\t%+.3f %+.3f\t%+.3f %+.3f\t%.4f", places[i], (double)here[0],
                      (double)here[1], (double)before[0], (double)before[1],
                      (double)(here[0] * before[0] + here[1] * before[1]));
    }
    run_table_end(run);
    claim_checked(run, "rope_near", "RoPE: same distance, same score for p < 512 (spread)",
                  position_spread(rope, D, 512, rng), "<=", 1e-4);
    claim_checked(run, "rope_far", "RoPE: the same for p < 4096 (spread)",
                  position_spread(rope, D, 4096, rng), "<=", 1e-3);
}

static void show_alibi(Run *run) {
    enum { H = 8, N = 4 };
    static const char *const heads[] = {"h = 1", "2", "3", "4", "5", "6", "7", "8"};
    float m[H], taken[N * N];
    for (int h = 1; h <= H; h++) {
        m[h - 1] = alibi_slope(h, H);
    }
    for (int i = 0; i < N * N; i++) {
        taken[i] = alibi(0.0f, i / N, i % N, m[0]);
    }
    run_say(run, "\nALiBi turns nothing. From each score it takes the distance times a slope m: "
                 "some heads become short-sighted, others see far. The slopes of eight heads, and "
                 "what the first of them takes away, queries down, keys across:");
    run_matrix_labelled(run, "m", m, 1, H, NULL, heads);
    run_matrix(run, "-m |i - j|", taken, N, N);
    claim_checked(run, "slopes", "1 over the last of 8 slopes", 1.0 / (double)m[7], "==", 256);
}

/* The parts, and then what a layer with random weights makes of them. */
static void show_numbers(Run *run, void *context) {
    enum { B = 3, L = 8, FAR = 100, D = 32 };
    const PositionPlan plan = {
        .causal = true, .V = L, .d = D, .heads = 4, .layers = 1, .max_length = FAR + L};
    double moved[ALIBI + 1], rows = 0.0, scale = 0.0;
    float pe[L * D];
    int ids[B * L];
    for (int i = 0; i < B * L; i++) {
        ids[i] = i % L; /* three times the same row */
    }
    (void)context;
    show_sinusoid(run);
    show_rope(run);
    show_alibi(run);
    sinusoidal(pe, 0, L, D, SINE_FIRST);
    run_say(run, "\nSo two of them tell a word where it is, two tell how far it is from another. A "
                 "layer with random weights reads eight words at the places 0 to 7, and then the "
                 "same at 100 to 107:");
    run_table(run, "positions\tits outputs move by");
    for (int i = 0; i <= ALIBI; i++) {
        PositionModel m;
        Tape tape = tape_new();
        model_new(run, &m, i, plan);
        moved[i] = position_model_moved(&m, ids, B, L, FAR);
        Tensor *x = enter(&m, &tape, op_embedding(&tape, m.words.table, ids, SHAPE(B, L)));
        if (i == NONE) {
            scale = vector_length(x->data, L * D) / vector_length(pe, L * D);
        } else if (i == SINE) {
            rows = largest_difference(x->data, x->data + (B - 1) * L * D, L * D);
        }
        run_table_row(run, "%s\t%.6f", names[i], moved[i]);
        position_model_free(&m);
        tape_free(&tape);
    }
    run_table_end(run);
    run_say(run,
            "A detail of the paper that is easily lost: words are multiplied by sqrt(d) before PE "
            "is added. They are drawn short, N(0, 1/d): else the place drowns the word.");
    claim_checked(run, "rope_moved", "RoPE: all words moved on, outputs move by", moved[ROPE],
                  "<=", 1e-4);
    claim_checked(run, "alibi_moved", "ALiBi: all words moved on, outputs move by", moved[ALIBI],
                  "<=", 1e-6);
    claim_checked(run, "rows", "two equal rows of a batch plus PE differ by", rows, "<=", 0);
    claim_checked(run, "scale", "a word is longer than its PE, times", scale, ">", 1);
}

/* ---- 6.2 ---- */

static void claim_order(Run *run, const OrderResult *by) {
    double moved = fmin(by[SINE].swapped, fmin(by[LEARNED].swapped, by[ROPE].swapped));
    double worst = fmin(by[SINE].right, fmin(by[LEARNED].right, by[ROPE].right));
    claim_checked(run, "blind", "none: A, B exchanged, the answer moves by", by[NONE].swapped,
                  "<=", 1e-6);
    claim_checked(run, "told", "sinusoidal, learned, RoPE: it moves at least by", moved, ">", 1e-3);
    claim_checked(run, "causal", "none, but causal: it moves by", by[CAUSAL].swapped, ">", 1e-3);
    claim_checked(run, "mirror", "ALiBi: read backwards, the answer moves by", by[ALIBI].reversed,
                  "<=", 1e-6);
    claim_trained(run, "order_none", "none: right, %", by[NONE].right, "<=", 0.55);
    claim_trained(run, "order_alibi", "ALiBi, both ways: right, %", by[ALIBI].right, "<=", 0.55);
    claim_trained(run, "order_told", "sinusoidal, learned, RoPE: the worst is right, %", worst,
                  ">=", 0.95);
    claim_trained(run, "order_cosine", "cosine first: right, %", by[COSINE].right, ">=", 0.95);
    claim_trained(run, "order_causal", "none, but causal: right, %", by[CAUSAL].right, ">=", 0.95);
}

static void show_order(Run *run, void *context) {
    const PositionPlan model = {.V = 10, .d = 32, .heads = 4, .layers = 1};
    OrderPlan plan = {.T = 8, .B = 32, .steps = run_steps(run, 400, 3), .model = model};
    OrderResult by[ARMS];
    (void)context;
    run_say(run, "Eight letters, one of them A, one B: does A come before B? One layer looks both "
                 "ways, its outputs are averaged, and the answer is read from the average.\n\n"
                 "    d A f f B c g e    yes          c e B g A d d f    no\n\n"
                 "Half of the answers are yes. \"None\" is told nothing about places; \"causal\" "
                 "neither, but there a letter sees only itself and those before it. \"Cosine "
                 "first\" is the sinusoid with sine and cosine exchanged, as some write it. Below: "
                 "right answers, and how far the answer (a logit) moves at most when A and B "
                 "change places, and when all eight letters are read backwards.");
    order_compare(run, &all, plan, by);
    claim_order(run, by);
    run_say(run, "Without positions this is not hard to learn, it is impossible: to such a model "
                 "both sequences are the same. And ALiBi? Looking both ways it knows distances, "
                 "but not which way they go: a sequence and its mirror image are the same to it. A "
                 "causal model needs no positions here. Whoever sees few others stands early.");
}

/* ---- 6.3 ---- */

static void show_copy(Run *run, void *context) {
    enum { T = 16, L = 4 * T };
    static const PlaceClaim claims[] = {
        {"copy_sine", SINE, 0, ">=", 0.95},  {"copy_learned", LEARNED, 0, ">=", 0.95},
        {"copy_rope", ROPE, 0, ">=", 0.95},  {"copy_cosine", COSINE, 0, ">=", 0.95},
        {"copy_alibi", ALIBI, 0, "<=", 0.7}, {"copy_none", NONE, 0, "<=", 0.5},
        {"sine_2", SINE, 1, "<=", 0.6},      {"learned_2", LEARNED, 1, "<=", 0.25},
        {"rope_2", ROPE, 1, ">=", 0.9},      {"rope_4", ROPE, 3, "<=", 0.3}};
    const PositionPlan model = {.causal = true, .V = 16, .d = 32, .heads = 4, .layers = 1};
    CopyPlan plan = {.T = T, .B = 32, .steps = run_steps(run, 500, 3), .model = model};
    ByPlace right = by_place_new(names, CAUSAL, (const int[]){0, T, 2 * T, 3 * T, L});
    plan.test = run_size(run, 256, 16);
    (void)context;
    run_say(run, "To know what came first is not yet to know how far away it is. At each place the "
                 "letter two places back is to be named, by one layer that looks back only:\n\n"
                 "    reads   c a f b b e a d\n"
                 "    says        c a f b b e\n\n"
                 "It is trained on 16 letters and then reads 64. Right answers by place; guessing "
                 "would give 0.07:");
    copy_compare(run, &but_causal, plan, &right);
    by_place_claims(run, &right, "right at", ", %", claims, COUNT_OF(claims));
    run_conclude(
        run,
        "Vaswani et al. (3.5) chose the sinusoid because \"it may allow the model to extrapolate "
        "to sequence lengths longer than the ones encountered during training\". Not so here: a "
        "place or two beyond, it is lost. A learned table has rows there that were never trained. "
        "RoPE holds out to twice the length and somewhat more, then fails, too: at distances it "
        "never met, its hands stand as they never stood. No head of ALiBi can point at \"two "
        "back\": it can only prefer what is near, but that it does at any length (copy_maps.png). "
        "What it gets right comes from heads with different slopes, one taken from another; it "
        "grows slowly with training (try --steps 4000).");
    by_place_free(&right);
}

/* ---- 6.4 ---- */

typedef struct Reader {
    const char *file; /* --text */
    int L, d, heads;
    float rate;
    CharText text;
} Reader;

enum { TIMES = 4, IN = 1, NEXT, FAR }; /* read up to TIMES the length of training; parts of that */

static void claim_text(Run *run, const ByPlace *nats) {
    static const PlaceClaim claims[] = {{"alibi_in", ALIBI, IN, "<", 2.1},
                                        {"alibi_far", ALIBI, FAR, "<", 2.1},
                                        {"sine_far", SINE, FAR, ">", 2.5},
                                        {"learned_far", LEARNED, FAR, ">", 2.5},
                                        {"text_rope_far", ROPE, FAR, ">", 2.5}};
    double in = by_place_mean(nats, ROPE, IN), next = by_place_mean(nats, ROPE, NEXT);
    double behind = by_place_mean(nats, ROPE, FAR) - by_place_mean(nats, NONE, FAR);
    double sine = by_place_mean(nats, SINE, IN), cosine = by_place_mean(nats, COSINE, IN);
    double best =
        fmin(fmin(sine, by_place_mean(nats, LEARNED, IN)), by_place_mean(nats, ALIBI, IN));
    by_place_claims(run, nats, "nats at", "", claims, COUNT_OF(claims));
    claim_trained(run, "rope_in", "RoPE leads within the length by, nats", best - in, ">", 0.01);
    claim_trained(run, "rope_next", "RoPE: lost by twice the length, nats", next - in, ">", 0.1);
    claim_trained(run, "text_none", "far out RoPE is behind \"none\" by, nats", behind, ">", 0.1);
    claim_trained(run, "text_cosine",
                  "within the length, sine or cosine first: a difference of, nats",
                  fabs(cosine - sine), "<", 0.1);
}

static void show_text(Run *run, void *context) {
    const Reader *reader = context;
    const CharText *text = &reader->text;
    int L = reader->L;
    PositionPlan model = {
        .causal = true, .V = text->V, .d = reader->d, .heads = reader->heads, .layers = 2};
    CharPlan plan = {.text = text, .L = L, .B = 16, .rate = reader->rate, .model = model};
    ByPlace nats = by_place_new(names, CAUSAL, (const int[]){0, L / 2, L, 2 * L, TIMES * L});
    plan.steps = run_steps(run, 400, 3);
    plan.windows = run_size(run, 600, 8);
    run_say(run,
            "And real text? Two layers learn to predict the next character of %s, %d characters of "
            "%d kinds, the last fifth held out. In training they see windows of %d; then they read "
            "on to %d. Nats per character by place; less is better, and who knows only how "
            "frequent each character is loses %.2f:",
            reader->file != NULL ? reader->file : "a story written for this lesson", text->length,
            text->V, L, TIMES * L, chars_unigram_nats(text, CHARS_HELD_OUT));
    char_compare(run, &but_causal, plan, &nats);
    claim_text(run, &nats);
    run_conclude(
        run,
        "\"RoPE extrapolates\": not by itself. Within %d characters it is the best, %.2f; far out "
        "it is at %.2f, worse than the model that knows nothing about places. ALiBi, which could "
        "hardly copy, reads on as if nothing had happened: for the next character what is near is "
        "nearly all that counts. Its authors promised just that: train short, test long.",
        L, by_place_mean(&nats, ROPE, IN), by_place_mean(&nats, ROPE, FAR));
    model.max_length = TIMES * L;
    Refusal refusal = position_refusal(run, &all, LEARNED, model, TIMES * L + 1);
    run_say(run,
            "The learned table had %d rows here, %d of them trained. Beyond its last row there is "
            "nothing to add, and it had better say so:\n\n    %s\n\n",
            TIMES * L, L, refusal.message);
    claim_checked(run, "refused", "learned: a place too many is refused", refusal.refused, "==", 1);
    by_place_free(&nats);
}

static bool read_text(Run *run, void *context, Error *error) {
    Reader *reader = context;
    (void)run;
    if (reader->d % (2 * reader->heads) != 0) {
        return error_set(error, "--d-model %d: %d heads need a multiple of %d", reader->d,
                         reader->heads, 2 * reader->heads);
    }
    return char_task_text(&reader->text, reader->file, TIMES * reader->L, error);
}

int main(int argc, char **argv) {
    Reader reader = {.L = 32, .d = 64, .heads = 4, .rate = 3e-3f};
    const Option options[] = {
        OPTION_FILE("text", 0, &reader.file, "FILE", "text for 6.4, UTF-8, instead of a story"),
        OPTION_INT("length", 'L', &reader.L, 8, 128, "characters in a window of 6.4"),
        OPTION_INT("d-model", 'd', &reader.d, 2, 256, "width of the model of 6.4"),
        OPTION_INT("heads", 'H', &reader.heads, 1, 16, "its heads"),
        OPTION_FLOAT("rate", 0, &reader.rate, 1e-6, 1, "its learning rate")};
    const Step steps[] = {{"6.1", "Four ways to say where", show_numbers, NULL},
                          {"6.2", "Is A before B?", show_order, NULL},
                          {"6.3", "Two places back, and longer than learnt", show_copy, NULL},
                          {"6.4", "A text that goes on", show_text, NULL}};
    const Mistake mistakes[] = {
        {"pe_exponent", "each column of the sinusoid gets a wave of its own"},
        {"pe_batch_axis", "the sinusoid is added along the batch, not along the sequence"},
        {"pe_not_scaled", "words are not made longer before the sinusoid is added"},
        {"rope_on_values", "RoPE turns the values, too"},
        {"no_positions", "no model is told where its words stand"}};
    const Lesson lesson = {
        .number = "06",
        .name = "positions",
        .title = "Where am I?",
        .question = "How does attention know where a word stands, and for how long?",
        .duration = "about 10 s",
        LESSON_TABLES(steps, mistakes, options),
        LESSON_NOTES(notes),
        .judged_with = "text length d-model heads rate",
        .examples = "--only 6.4 --text my_text.txt\n--only 6.4 --length 64\n--break no_positions",
        .context = &reader,
        .validate = read_text};
    int code = walkthrough_run(&lesson, argc, argv);
    chars_free(&reader.text);
    return code;
}
