#include "support/tensors.h"

#include "core/optim.h"
#include "core/threads.h"

#include <stdlib.h>

/* Two weights in one block: "a" (3) and "b" (20). */
typedef struct Fixture {
    Params params;
    Tensor *a, *b;
} Fixture;

static Fixture fixture_new(void) {
    Fixture f = {.params = params_new()};
    f.a = params_add(&f.params, NULL, "a", init_constant(1.0f), SHAPE(3));
    f.b = params_add(&f.params, NULL, "b", init_constant(-2.0f), SHAPE(20));
    Rng rng = rng_seeded(1, 0);
    params_allocate(&f.params, &rng);
    return f;
}

static void set_gradients(Fixture *f, const float *a, float b) {
    memcpy(f->a->grad, a, 3 * sizeof *a);
    for (int i = 0; i < 20; i++) {
        f->b->grad[i] = b;
    }
}

static void test_grad_norm_is_that_of_all_together(void **state) {
    (void)state;
    Fixture f = fixture_new();
    set_gradients(&f, (const float[]){1, -2, 4}, 0.5f);
    assert_close(params_grad_norm(&f.params), sqrt(1 + 4 + 16 + 20 * 0.25), 0.0, 1e-6);
    params_free(&f.params);
}

static void test_fault_24_clipping_scales_all_together(void **state) {
    (void)state;
    Fixture f = fixture_new();
    set_gradients(&f, (const float[]){3, 0, 0}, 0.0f);
    f.b->grad[0] = 4.0f; /* norms 3 and 4, together 5 */
    assert_close(params_clip_norm(&f.params, 1.0), 5.0, 0.0, 1e-6);
    assert_close((double)f.a->grad[0], 0.6, 1e-6, 0.0);
    assert_close((double)f.b->grad[0], 0.8, 1e-6, 0.0);
    assert_close(params_grad_norm(&f.params), 1.0, 1e-5, 0.0);
    params_free(&f.params);
}

static void test_clipping_leaves_small_gradients_alone(void **state) {
    (void)state;
    Fixture f = fixture_new();
    set_gradients(&f, (const float[]){0.3f, 0.4f, 0}, 0.0f);
    assert_close(params_clip_norm(&f.params, 1.0), 0.5, 0.0, 1e-6);
    assert_grad(f.a, 0.0, 0.3f, 0.4f, 0);
    set_gradients(&f, (const float[]){3, 4, 0}, 0.0f);
    assert_close(params_clip_norm(&f.params, 5.0), 5.0, 0.0, 0.0); /* exactly at the limit */
    assert_grad(f.a, 0.0, 3, 4, 0);
    set_gradients(&f, (const float[]){0, 0, 0}, 0.0f);
    assert_close(params_clip_norm(&f.params, 1.0), 0.0, 0.0, 0.0);
    expect_exact_message("params_clip_norm: the limit 0 is not positive",
                         params_clip_norm(&f.params, 0.0));
    params_free(&f.params);
}

static void test_sgd_by_hand(void **state) {
    (void)state;
    Fixture f = fixture_new();
    Sgd sgd = sgd_new(&f.params, 0.5f);
    set_gradients(&f, (const float[]){1, 2, -4}, 1.0f);
    sgd_step(&sgd, 0.1f); /* v = g */
    assert_data(f.a, 1e-6, 0.9f, 0.8f, 1.4f);
    sgd_step(&sgd, 0.1f); /* v = 0.5 g + g */
    assert_data(f.a, 1e-6, 0.75f, 0.5f, 2.0f);
    set_gradients(&f, (const float[]){0, 0, 0}, 0.0f);
    sgd_step(&sgd, 1.0f); /* v = 0.75 g: rolls on by itself */
    assert_data(f.a, 1e-6, 0.0f, -1.0f, 5.0f);
    assert_close((double)f.b->data[19], -2.0 - 0.1 - 0.15 - 0.75, 1e-6, 0.0);
    sgd_free(&sgd);
    assert_null(sgd.velocity);
    params_free(&f.params);
}

static void test_sgd_without_momentum_is_plain_descent(void **state) {
    (void)state;
    Fixture f = fixture_new();
    Sgd sgd = sgd_new(&f.params, 0.0f);
    for (int step = 1; step <= 4; step++) {
        set_gradients(&f, (const float[]){1, 2, -4}, 0.0f);
        sgd_step(&sgd, 0.25f);
        float s = 0.25f * (float)step;
        assert_data(f.a, 1e-6, 1.0f - s, 1.0f - 2.0f * s, 1.0f + 4.0f * s);
    }
    sgd_free(&sgd);
    params_free(&f.params);
}

/* With its corrections Adam's first step is lr in the direction of the sign, whatever the size. */
static void test_adams_first_step_is_the_rate(void **state) {
    (void)state;
    Fixture f = fixture_new();
    Adam adam = adam_new(&f.params);
    assert_close((double)adam.beta1, 0.9, 1e-7, 0.0);
    assert_close((double)adam.beta2, 0.999, 1e-7, 0.0);
    assert_close((double)adam.eps, 1e-8, 1e-12, 0.0);
    assert_true(adam.weight_decay == 0.0f);
    set_gradients(&f, (const float[]){1e-3f, -1, 1e3f}, 0.0f);
    adam_step(&adam, 0.01f);
    assert_data(f.a, 2e-6, 0.99f, 1.01f, 0.99f);
    assert_true(f.b->data[0] == -2.0f); /* no gradient, no step */
    assert_int_equal(adam.step, 1);
    adam_free(&adam);
    assert_null(adam.m);
    assert_null(adam.v);
    params_free(&f.params);
}

/* Algorithm 1 of Kingma and Ba, in double, as it is printed there. */
typedef struct Reference {
    double p, m, v, lr, beta1, beta2, eps, decay;
    int t;
} Reference;

static void reference_step(Reference *r, double g) {
    r->t++;
    r->p -= r->lr * r->decay * r->p;
    r->m = r->beta1 * r->m + (1.0 - r->beta1) * g;
    r->v = r->beta2 * r->v + (1.0 - r->beta2) * g * g;
    double m = r->m / (1.0 - pow(r->beta1, r->t)), v = r->v / (1.0 - pow(r->beta2, r->t));
    r->p -= r->lr * m / (sqrt(v) + r->eps);
}

static void adam_follows_reference(float beta1, float beta2, float eps, float decay) {
    Fixture f = fixture_new();
    Adam adam = adam_new(&f.params);
    adam.beta1 = beta1;
    adam.beta2 = beta2;
    adam.eps = eps;
    adam.weight_decay = decay;
    Rng rng = rng_seeded(4, 0);
    Reference r[3];
    for (int i = 0; i < 3; i++) {
        r[i] = (Reference){1.0,           0, 0, 0.01, (double)beta1, (double)beta2, (double)eps,
                           (double)decay, 0};
    }
    for (int step = 0; step < 200; step++) {
        for (int i = 0; i < 3; i++) {
            f.a->grad[i] = rng_normal(&rng) * powf(10.0f, (float)i - 2.0f);
            reference_step(&r[i], (double)f.a->grad[i]);
        }
        adam_step(&adam, 0.01f);
        for (int i = 0; i < 3; i++) {
            assert_close((double)f.a->data[i], r[i].p, 2e-5, 1e-5);
        }
    }
    adam_free(&adam);
    params_free(&f.params);
}

static void test_adam_follows_the_printed_algorithm(void **state) {
    (void)state;
    adam_follows_reference(0.9f, 0.999f, 1e-8f, 0.0f);
    adam_follows_reference(0.9f, 0.98f, 1e-9f, 0.0f);
    adam_follows_reference(0.5f, 0.9f, 0.1f, 0.0f); /* an eps that shows where it stands */
}

static void test_adamw_decays_apart_from_the_gradient(void **state) {
    (void)state;
    adam_follows_reference(0.9f, 0.999f, 1e-8f, 0.1f);
    Fixture f = fixture_new();
    Adam adam = adam_new(&f.params);
    adam.weight_decay = 0.5f;
    adam_step(&adam, 0.1f); /* gradients of zero: only the decay, by 1 - 0.05 */
    assert_data(f.a, 1e-6, 0.95f, 0.95f, 0.95f);
    assert_close((double)f.b->data[7], -1.9, 1e-6, 0.0);
    adam_free(&adam);
    params_free(&f.params);
}

static void test_adam_reset_forgets_everything(void **state) {
    (void)state;
    Fixture f = fixture_new();
    Adam adam = adam_new(&f.params);
    float after[2][64];
    assert_int_equal(f.params.size, 48);
    for (int round = 0; round < 2; round++) {
        Rng rng = rng_seeded(1, 0);
        params_initialise(&f.params, &rng);
        for (int step = 0; step < 5; step++) {
            set_gradients(&f, (const float[]){1, -2, (float)step}, 0.5f);
            adam_step(&adam, 0.1f);
        }
        memcpy(after[round], f.params.data, 48 * sizeof(float));
        adam_reset(&adam);
        assert_int_equal(adam.step, 0);
    }
    assert_same_bits(after[1], after[0], 48);
    adam_free(&adam);
    params_free(&f.params);
}

static void test_the_gaps_between_weights_stay_zero(void **state) {
    (void)state;
    Fixture f = fixture_new();
    Adam adam = adam_new(&f.params);
    Sgd sgd = sgd_new(&f.params, 0.9f);
    for (int step = 0; step < 3; step++) {
        set_gradients(&f, (const float[]){1, 1, 1}, 1.0f);
        params_clip_norm(&f.params, 0.1);
        adam_step(&adam, 0.1f);
        sgd_step(&sgd, 0.1f);
    }
    for (int i = 3; i < 16; i++) {
        assert_true(f.params.data[i] == 0.0f);
    }
    adam_free(&adam);
    sgd_free(&sgd);
    params_free(&f.params);
}

static void test_optimisers_need_allocated_parameters(void **state) {
    (void)state;
    Params params = params_new();
    params_add(&params, NULL, "w", init_zeros(), SHAPE(2));
    const char *text = "an optimiser needs allocated parameters: call params_allocate";
    expect_exact_message(text, adam_new(&params));
    expect_exact_message(text, sgd_new(&params, 0.0f));
    params_free(&params);
}

static void test_noam_peaks_at_the_end_of_the_warm_up(void **state) {
    (void)state;
    assert_close(schedule_noam(4000, 512, 4000), 6.9877124e-4, 0.0, 1e-7);
    assert_true(schedule_noam(3999, 512, 4000) < schedule_noam(4000, 512, 4000));
    assert_true(schedule_noam(4001, 512, 4000) < schedule_noam(4000, 512, 4000));
    assert_close(schedule_noam(2000, 512, 4000), 0.5 * 6.9877124e-4, 0.0, 1e-7);  /* linear */
    assert_close(schedule_noam(16000, 512, 4000), 0.5 * 6.9877124e-4, 0.0, 1e-7); /* step^-.5 */
    assert_close(schedule_noam(1, 64, 1), 0.125, 0.0, 1e-12);
    assert_true(isfinite(schedule_noam(0, 512, 4000)));
}

static void test_cooldown_is_flat_then_straight_down(void **state) {
    (void)state;
    assert_close(schedule_cooldown(1, 1000, 0.2), 1.0, 0.0, 0.0);
    assert_close(schedule_cooldown(800, 1000, 0.2), 1.0, 0.0, 0.0);
    assert_close(schedule_cooldown(850, 1000, 0.2), 0.75, 1e-12, 0.0);
    assert_close(schedule_cooldown(900, 1000, 0.2), 0.5, 1e-12, 0.0);
    assert_close(schedule_cooldown(1000, 1000, 0.2), 0.0, 1e-12, 0.0);
    assert_close(schedule_cooldown(1001, 1000, 0.2), 0.0, 0.0, 0.0);
    assert_close(schedule_cooldown(1000, 1000, 0.0), 1.0, 0.0, 0.0);   /* no part cools down */
    assert_close(schedule_cooldown(250, 1000, 1.0), 0.75, 1e-12, 0.0); /* all of it does */
}

static void test_cosine_warms_up_and_sinks_to_its_floor(void **state) {
    (void)state;
    assert_close(schedule_cosine(1, 110, 10, 0.1), 0.1, 1e-12, 0.0);
    assert_close(schedule_cosine(5, 110, 10, 0.1), 0.5, 1e-12, 0.0);
    assert_close(schedule_cosine(10, 110, 10, 0.1), 1.0, 1e-12, 0.0);
    assert_close(schedule_cosine(35, 110, 10, 0.1), 0.1 + 0.45 * (1.0 + sqrt(0.5)), 1e-12, 0.0);
    assert_close(schedule_cosine(60, 110, 10, 0.1), 0.55, 1e-12, 0.0); /* half-way */
    assert_close(schedule_cosine(110, 110, 10, 0.1), 0.1, 1e-12, 0.0);
    assert_close(schedule_cosine(500, 110, 10, 0.1), 0.1, 1e-12, 0.0);
    assert_close(schedule_cosine(1, 1, 0, 0.0), 0.0, 1e-12, 0.0);
    assert_close(schedule_cosine(3, 5, 5, 0.0), 0.6, 1e-12, 0.0); /* nothing but warm-up */
}

/* One pass instead of two, and not one bit apart, above the limit and below it. */
static void test_a_clipped_step_is_clipping_and_a_step(void **state) {
    (void)state;
    for (int above = 0; above < 2; above++) {
        Fixture f = fixture_new(), g = fixture_new();
        Adam two = adam_new(&f.params), one = adam_new(&g.params);
        one.weight_decay = two.weight_decay = 0.1f;
        Rng rng = rng_seeded(5, 0);
        for (int step = 0; step < 4; step++) {
            fill_random(f.params.grad, f.params.size, -1.0f, 1.0f, &rng);
            memcpy(g.params.grad, f.params.grad, f.params.size * sizeof(float));
            double limit = above ? 0.7 : 70.0, norm = params_clip_norm(&f.params, limit);
            adam_step(&two, 0.01f);
            assert_true(adam_step_clipped(&one, 0.01f, limit) == norm);
            assert_true(norm > 0.7 && norm < 70.0);
        }
        assert_same_bits(g.params.data, f.params.data, f.params.size);
        expect_exact_message("adam_step_clipped: the limit 0 is not positive",
                             adam_step_clipped(&one, 0.01f, 0.0));
        adam_free(&one);
        adam_free(&two);
        params_free(&f.params);
        params_free(&g.params);
    }
}

/* Long blocks are cut up for the threads; no bit depends on how many there are. */
static void test_threads_change_no_bit(void **state) {
    (void)state;
    enum { N = 300001 };
    float *expected = NULL;
    for (int threads = 1; threads <= 8; threads += threads == 1 ? 1 : 6) {
        threads_set(threads);
        Params params = params_new();
        params_add(&params, NULL, "w", init_uniform(1.0f), SHAPE(N));
        Rng rng = rng_seeded(1, 0);
        params_allocate(&params, &rng);
        Adam adam = adam_new(&params);
        fill_random(params.grad, N, -1.0f, 1.0f, &rng);
        float *before = copy_of(params.grad, N), *weights = copy_of(params.data, N);
        double norm = params_clip_norm(&params, 3.0);
        for (int i = 0; i < N; i++) { /* every chunk, to its end */
            assert_true(params.grad[i] == before[i] * (float)(3.0 / (norm + 1e-6)));
        }
        adam_step(&adam, 0.1f);
        for (int i = 0; i < N; i++) {
            assert_true(params.grad[i] == 0.0f || params.data[i] != weights[i]);
        }
        free(before);
        free(weights);
        adam_step_clipped(&adam, 0.1f, 1.0);
        if (expected == NULL) {
            expected = copy_of(params.data, N);
        }
        assert_same_bits(params.data, expected, N);
        adam_free(&adam);
        params_free(&params);
    }
    free(expected);
    threads_set(1);
}

/* Weights that nothing has reached have a gradient of zeros, whichever function ends the pass. */
static void test_every_function_ends_the_pass(void **state) {
    (void)state;
    for (int which = 0; which < 6; which++) {
        Fixture f = fixture_new();
        Adam adam = adam_new(&f.params);
        Sgd sgd = sgd_new(&f.params, 0.5f);
        set_gradients(&f, (const float[]){1, 2, 3}, 9.0f); /* of the step before: not seen again */
        params_begin_grad(&f.params);
        double norm = 0.0;
        switch (which) {
        case 0:
            adam_step(&adam, 0.1f);
            break;
        case 1:
            norm = adam_step_clipped(&adam, 0.1f, 1.0);
            break;
        case 2:
            sgd_step(&sgd, 0.1f);
            break;
        case 3:
            norm = params_clip_norm(&f.params, 1.0);
            break;
        case 4:
            norm = params_grad_norm(&f.params);
            break;
        default:
            params_zero_grad(&f.params);
        }
        assert_true(norm == 0.0);
        assert_grad(f.a, 0.0, 0, 0, 0);
        assert_true(f.b->grad[19] == 0.0f);
        assert_false(f.a->grad_comes || f.b->grad_comes);
        assert_data(f.a, 0.0, 1, 1, 1);
        adam_free(&adam);
        sgd_free(&sgd);
        params_free(&f.params);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_grad_norm_is_that_of_all_together),
        cmocka_unit_test(test_fault_24_clipping_scales_all_together),
        cmocka_unit_test(test_clipping_leaves_small_gradients_alone),
        cmocka_unit_test(test_sgd_by_hand),
        cmocka_unit_test(test_sgd_without_momentum_is_plain_descent),
        cmocka_unit_test(test_adams_first_step_is_the_rate),
        cmocka_unit_test(test_adam_follows_the_printed_algorithm),
        cmocka_unit_test(test_adamw_decays_apart_from_the_gradient),
        cmocka_unit_test(test_adam_reset_forgets_everything),
        cmocka_unit_test(test_the_gaps_between_weights_stay_zero),
        cmocka_unit_test(test_optimisers_need_allocated_parameters),
        cmocka_unit_test(test_noam_peaks_at_the_end_of_the_warm_up),
        cmocka_unit_test(test_cooldown_is_flat_then_straight_down),
        cmocka_unit_test(test_cosine_warms_up_and_sinks_to_its_floor),
        cmocka_unit_test(test_a_clipped_step_is_clipping_and_a_step),
        cmocka_unit_test(test_threads_change_no_bit),
        cmocka_unit_test(test_every_function_ends_the_pass),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
