/* The kernels against the definition in double precision, in rows that have other columns between
 * them, which must stay as they are. */
#include "support/tensors.h"

#include "core/kernels/attention.h"

#include <stdlib.h>

enum { GAP = 3 }; /* columns behind each row that belong to somebody else */
static const float FOREIGN = 123.5f;

/* Rows of one of q, k, v, y: floats to work on, and the same in double. */
typedef struct Rows {
    HeadSteps steps;
    int B, H, L, width;
    size_t size;
    float *x;
} Rows;

static Rows rows_new(int B, int H, int L, int width, bool by_token, Rng *rng) {
    int row = by_token ? H * (width + GAP) : width + GAP;
    long head = by_token ? width + GAP : (long)L * row;
    Rows rows = {{(long)H * L * (width + GAP), head, row}, B, H, L, width, 0, NULL};
    rows.size = (size_t)(B * H * L * (width + GAP));
    rows.x = check_alloc(rows.size * sizeof(float));
    for (size_t i = 0; i < rows.size; i++) {
        rows.x[i] = i % (size_t)(width + GAP) < (size_t)width ? rng_range(rng, -1, 1) : FOREIGN;
    }
    return rows;
}

static float *row_at(const Rows *rows, int b, int h, int t) {
    return rows->x + b * rows->steps.batch + h * rows->steps.head + (long)t * rows->steps.row;
}

static void assert_foreign_untouched(const Rows *rows) {
    for (size_t i = 0; i < rows->size; i++) {
        size_t column = i % (size_t)(rows->width + GAP);
        assert_true(column < (size_t)rows->width || rows->x[i] == FOREIGN);
    }
}

typedef struct Setting {
    AttentionPlan plan;
    Rows q, k, v, y, dq, dk, dv, dy;
    AttentionStats stats;
} Setting;

static Setting setting_new(AttentionPlan plan, bool by_token, Rng *rng) {
    Setting s = {.plan = plan};
    Rows *of_queries[] = {&s.q, &s.dq, &s.y, &s.dy}, *of_keys[] = {&s.k, &s.dk, &s.v, &s.dv};
    for (int i = 0; i < 4; i++) {
        int width = i < 2 ? plan.D : plan.Dv;
        *of_queries[i] = rows_new(plan.B, plan.H, plan.Lq, width, by_token, rng);
        *of_keys[i] = rows_new(plan.B, plan.H, plan.Lk, width, by_token, rng);
    }
    s.plan.q = s.q.steps;
    s.plan.k = s.k.steps;
    s.plan.v = s.v.steps;
    s.plan.y = s.y.steps;
    size_t rows = (size_t)(plan.B * plan.H * plan.Lq);
    s.stats.largest = check_alloc(rows * sizeof(float));
    s.stats.inverse = check_alloc(rows * sizeof(float));
    return s;
}

static void setting_free(Setting *s) {
    Rows *all[] = {&s->q, &s->k, &s->v, &s->y, &s->dq, &s->dk, &s->dv, &s->dy};
    for (int i = 0; i < 8; i++) {
        assert_foreign_untouched(all[i]);
        free(all[i]->x);
    }
    free(s->stats.largest);
    free(s->stats.inverse);
}

static double product(const float *a, const float *b, int n) {
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        sum += (double)a[i] * (double)b[i];
    }
    return sum;
}

/* p of query i over all keys; zeros where it sees none. */
static void exact_weights(const Setting *s, int b, int h, int i, double *p) {
    const AttentionPlan *plan = &s->plan;
    int keys = plan->key_length != NULL ? plan->key_length[b] : plan->Lk;
    int position = i + plan->Lk - plan->Lq;
    double total = 0.0, slope = plan->slopes != NULL ? (double)plan->slopes[h] : 0.0;
    for (int j = 0; j < plan->Lk; j++) {
        double score =
            (double)plan->scale * product(row_at(&s->q, b, h, i), row_at(&s->k, b, h, j), plan->D) -
            slope * abs(position - j);
        bool seen = j < keys && (!plan->causal || j <= position);
        total += p[j] = seen ? exp(score) : 0.0;
    }
    for (int j = 0; j < plan->Lk && total > 0.0; j++) {
        p[j] /= total;
    }
}

/* What row i of y, and its part of the gradients, must be; gradients are summed up in d*. */
static void exact_row(const Setting *s, int b, int h, int i, double *p, double *y, double *dq,
                      double *dk, double *dv) {
    const AttentionPlan *plan = &s->plan;
    const float *dy = row_at(&s->dy, b, h, i);
    exact_weights(s, b, h, i, p);
    double mean = 0.0;
    for (int j = 0; j < plan->Lk; j++) {
        const float *v = row_at(&s->v, b, h, j);
        mean += p[j] * product(dy, v, plan->Dv);
        for (int d = 0; d < plan->Dv; d++) {
            y[d] += p[j] * (double)v[d];
            dv[j * plan->Dv + d] += p[j] * (double)dy[d];
        }
    }
    for (int j = 0; j < plan->Lk; j++) {
        double ds = p[j] * (product(dy, row_at(&s->v, b, h, j), plan->Dv) - mean);
        ds *= (double)plan->scale;
        for (int d = 0; d < plan->D; d++) {
            dq[d] += ds * (double)row_at(&s->k, b, h, j)[d];
            dk[j * plan->D + d] += ds * (double)row_at(&s->q, b, h, i)[d];
        }
    }
}

static void assert_row(const float *actual, const float *before, const double *change, int n) {
    for (int d = 0; d < n; d++) {
        assert_close((double)actual[d] - (before != NULL ? (double)before[d] : 0.0), change[d],
                     1e-5, 1e-4);
    }
}

/* Results of one head against the definition; `before` holds what the gradients were before. */
static void check_head(const Setting *s, const Setting *before, int b, int h) {
    const AttentionPlan *plan = &s->plan;
    int Lk = plan->Lk, D = plan->D, Dv = plan->Dv;
    double *dk = check_alloc((size_t)(Lk * D) * sizeof *dk);
    double *dv = check_alloc((size_t)(Lk * Dv) * sizeof *dv);
    double *p = check_alloc((size_t)Lk * sizeof *p);
    for (int i = 0; i < plan->Lq; i++) {
        double *y = check_alloc((size_t)Dv * sizeof *y), *dq = check_alloc((size_t)D * sizeof *dq);
        exact_row(s, b, h, i, p, y, dq, dk, dv);
        assert_row(row_at(&s->y, b, h, i), NULL, y, Dv);
        assert_row(row_at(&s->dq, b, h, i), row_at(&before->dq, b, h, i), dq, D);
        free(y);
        free(dq);
    }
    for (int j = 0; j < Lk; j++) {
        assert_row(row_at(&s->dk, b, h, j), row_at(&before->dk, b, h, j), dk + j * D, D);
        assert_row(row_at(&s->dv, b, h, j), row_at(&before->dv, b, h, j), dv + j * Dv, Dv);
    }
    free(dk);
    free(dv);
    free(p);
}

static void run_forward(Setting *s) {
    attention_forward(&s->plan, s->q.x, s->k.x, s->v.x, s->y.x, s->stats);
}

static void run_backward(Setting *s, bool dq, bool dk, bool dv) {
    AttentionGrads grads = {s->dy.x, dq ? s->dq.x : NULL, dk ? s->dk.x : NULL, dv ? s->dv.x : NULL};
    attention_backward(&s->plan, s->q.x, s->k.x, s->v.x, s->y.x, s->stats, grads);
}

static const AttentionPlan plans[] = {
    {.B = 2, .H = 3, .Lq = 5, .Lk = 7, .D = 4, .Dv = 6, .scale = 0.5f},
    {.B = 1, .H = 1, .Lq = 1, .Lk = 1, .D = 1, .Dv = 1, .scale = 1.0f, .causal = true},
    {.B = 1, .H = 2, .Lq = 64, .Lk = 128, .D = 16, .Dv = 16, .scale = 0.25f, .causal = true},
    {.B = 1, .H = 1, .Lq = 65, .Lk = 129, .D = 17, .Dv = 3, .scale = 0.25f},
    {.B = 1, .H = 2, .Lq = 200, .Lk = 90, .D = 8, .Dv = 8, .scale = 1.0f, .causal = true},
    {.B = 3,
     .H = 1,
     .Lq = 70,
     .Lk = 260,
     .D = 5,
     .Dv = 9,
     .scale = 1.5f,
     .causal = true,
     .key_length = (const int[]){0, 100, 260},
     .slopes = (const float[]){0.125f}},
};

enum { PLANS = sizeof plans / sizeof plans[0] };

static void test_kernels_follow_the_definition(void **state) {
    (void)state;
    for (uint64_t n = 0; n < 2 * PLANS; n++) {
        Rng rng = rng_seeded(n, 0), same = rng_seeded(n, 0);
        Setting s = setting_new(plans[n / 2], n % 2 == 0, &rng);
        Setting before = setting_new(plans[n / 2], n % 2 == 0, &same);
        run_forward(&s);
        run_backward(&s, true, true, true);
        for (int b = 0; b < s.plan.B; b++) {
            for (int h = 0; h < s.plan.H; h++) {
                check_head(&s, &before, b, h);
            }
        }
        setting_free(&s);
        setting_free(&before);
    }
}

static void test_weights_follow_the_definition(void **state) {
    (void)state;
    for (uint64_t n = 0; n < PLANS; n++) {
        Rng rng = rng_seeded(n, 1);
        Setting s = setting_new(plans[n], true, &rng);
        const AttentionPlan *plan = &s.plan;
        size_t rows = (size_t)(plan->B * plan->H * plan->Lq), keys = (size_t)plan->Lk;
        float *weights = check_alloc(rows * keys * sizeof *weights);
        double *p = check_alloc(keys * sizeof *p);
        memset(weights, 0x7f, rows * keys * sizeof *weights);
        run_forward(&s);
        attention_weights(plan, s.q.x, s.k.x, s.stats, weights);
        for (size_t r = 0; r < rows; r++) {
            int i = (int)r % plan->Lq, h = (int)r / plan->Lq % plan->H;
            exact_weights(&s, (int)r / plan->Lq / plan->H, h, i, p);
            assert_row(weights + r * keys, NULL, p, plan->Lk);
        }
        free(weights);
        free(p);
        setting_free(&s);
    }
}

/* A gradient that nobody wants changes nothing about the others. */
static void test_any_gradient_may_be_missing(void **state) {
    (void)state;
    for (int wanted = 0; wanted < 7; wanted++) {
        for (int dropping = 0; dropping < 2; dropping++) {
            Rng rng = rng_seeded(1, 0), same = rng_seeded(1, 0), again = rng_seeded(1, 0);
            AttentionPlan plan = plans[3];
            plan.dropout = (Dropout){dropping ? 0.5f : 0.0f, 1};
            Setting some = setting_new(plan, true, &rng), all = setting_new(plan, true, &same);
            Setting before = setting_new(plan, true, &again);
            bool dq = wanted & 1, dk = wanted & 2, dv = wanted & 4;
            run_forward(&some);
            run_forward(&all);
            run_backward(&some, dq, dk, dv);
            run_backward(&all, true, true, true);
            assert_same_bits(some.dq.x, (dq ? &all : &before)->dq.x, some.dq.size);
            assert_same_bits(some.dk.x, (dk ? &all : &before)->dk.x, some.dk.size);
            assert_same_bits(some.dv.x, (dv ? &all : &before)->dv.x, some.dv.size);
            setting_free(&some);
            setting_free(&all);
            setting_free(&before);
        }
    }
}

/* A score that is nan is not hidden; one of -infinity has weight 0, and if all are, nothing is
 * looked at. */
static void test_scores_that_are_not_finite(void **state) {
    (void)state;
    AttentionPlan plan = {.B = 1, .H = 1, .Lq = 3, .Lk = 2, .D = 1, .Dv = 1, .scale = 1.0f};
    plan.q = plan.k = plan.v = plan.y = (HeadSteps){0, 0, 1};
    float q[] = {1.0f, 0.0f, NAN}, k[] = {-INFINITY, 2.0f}, v[] = {5.0f, 7.0f};
    float y[3], largest[3], inverse[3];
    AttentionStats stats = {largest, inverse};
    attention_forward(&plan, q, k, v, y, stats);
    assert_close((double)y[0], 7.0, 0.0, 0.0);
    assert_true(isnan(y[1])); /* 0 times infinity */
    assert_true(isnan(y[2]));
    k[1] = -INFINITY;
    attention_forward(&plan, q, k, v, y, stats);
    assert_true(y[0] == 0.0f && inverse[0] == 0.0f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kernels_follow_the_definition),
        cmocka_unit_test(test_weights_follow_the_definition),
        cmocka_unit_test(test_any_gradient_may_be_missing),
        cmocka_unit_test(test_scores_that_are_not_finite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
