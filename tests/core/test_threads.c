/* The number of threads must not change one bit of any result, forward or backward. */
#include "support/tensors.h"

#include "core/optim.h"
#include "core/threads.h"
#include "nn/attention.h"
#include "nn/gru.h"
#include "nn/lstm.h"
#include "nn/rnn.h"

#include <stdlib.h>

/* Asked by the leak checker: LLVM's OpenMP library keeps the teams of threads it grew out of. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) {
    return "leak:libomp";
}

/* A computation on random inputs that are the same at each call; fills `in` with the tensors whose
 * gradients count and returns how many they are. */
enum { MAX_INPUTS = 12 };
typedef struct Work {
    Tape tape;
    Rng rng;
    Tensor *in[MAX_INPUTS];
    int count;
} Work;
typedef Tensor *(*WorkFunction)(Work *work);

static Tensor *input(Work *work, const char *name, int ndim, const int *dim) {
    return work->in[work->count++] = random_variable(&work->tape, &work->rng, name, ndim, dim);
}

static Work work_run(WorkFunction function, int threads, Tensor **y) {
    Work work = {.tape = tape_new(), .rng = rng_seeded(1, 0)};
    threads_set(threads);
    *y = function(&work);
    backward_random(&work.tape, *y, 1);
    return work;
}

static void same_for_any_number_of_threads(WorkFunction function) {
    Tensor *one_y, *y;
    Work one = work_run(function, 1, &one_y);
    for (int threads = 2; threads <= 5; threads += 3) {
        Work other = work_run(function, threads, &y);
        assert_same_bits(y->data, one_y->data, tensor_size(y));
        for (int i = 0; i < one.count; i++) {
            assert_same_bits(other.in[i]->grad, one.in[i]->grad, tensor_size(one.in[i]));
        }
        tape_free(&other.tape);
    }
    tape_free(&one.tape);
    threads_set(1);
}

static Tensor *work_matmul(Work *w) {
    Tensor *a = input(w, "a", SHAPE(403, 251)), *b = input(w, "b", SHAPE(251, 187));
    return op_matmul(&w->tape, a, b);
}

static Tensor *work_matmul_nt(Work *w) {
    Tensor *a = input(w, "a", SHAPE(203, 251)), *b = input(w, "b", SHAPE(387, 251));
    return op_matmul_nt(&w->tape, a, b);
}

static Tensor *work_matmul_tn(Work *w) {
    Tensor *a = input(w, "a", SHAPE(301, 191)), *b = input(w, "b", SHAPE(301, 287));
    return op_matmul_tn(&w->tape, a, b);
}

static Tensor *work_long_sums(Work *w) { /* few outputs, a sum of 20,000 products for each */
    Tensor *a = input(w, "a", SHAPE(71, 20011)), *b = input(w, "b", SHAPE(20011, 7));
    return op_matmul(&w->tape, a, b);
}

static Tensor *work_one_row(Work *w) { /* more threads than rows */
    Tensor *a = input(w, "a", SHAPE(3, 3011)), *b = input(w, "b", SHAPE(3011, 1009));
    return op_matmul(&w->tape, a, b);
}

static Tensor *work_wide(Work *w) { /* blocks of columns, the last narrower than a vector */
    Tensor *a = input(w, "a", SHAPE(67, 131)), *b = input(w, "b", SHAPE(131, 1031));
    return op_matmul(&w->tape, a, b);
}

static Tensor *work_many_small(Work *w) {
    Tensor *a = input(w, "a", SHAPE(43, 67, 65)), *b = input(w, "b", SHAPE(43, 65, 51));
    return op_matmul(&w->tape, a, b);
}

static Tensor *work_few_large(Work *w) {
    Tensor *a = input(w, "a", SHAPE(2, 203, 251)), *b = input(w, "b", SHAPE(2, 251, 187));
    return op_matmul(&w->tape, a, b);
}

static Tensor *work_linear(Work *w) {
    Tensor *x = input(w, "x", SHAPE(37, 41, 64)), *m = input(w, "w", SHAPE(130, 64));
    return op_linear(&w->tape, x, m, input(w, "bias", SHAPE(130)));
}

static Tensor *work_one_token(Work *w) { /* the product that waits for memory */
    Tensor *x = input(w, "x", SHAPE(2, 1003)), *m = input(w, "w", SHAPE(1009, 1003));
    return op_linear(&w->tape, x, m, input(w, "bias", SHAPE(1009)));
}

/* Below, as many numbers as are worth another thread (kernels/parallel.h), and some more. */

static Tensor *work_rows(Work *w) {
    Tensor *x = input(w, "x", SHAPE(1211, 129)), *gain = input(w, "gain", SHAPE(129));
    Tensor *bias = input(w, "bias", SHAPE(129));
    Tensor *y = op_layernorm(&w->tape, x, gain, bias, 1e-5f);
    return op_softmax(&w->tape, op_gelu_tanh(&w->tape, op_log_softmax(&w->tape, y)));
}

static Tensor *work_pointwise(Work *w) {
    Tensor *x = input(w, "x", SHAPE(140001)), *b = input(w, "b", SHAPE(140001));
    Tensor *y = op_mul(&w->tape, op_tanh(&w->tape, x), op_sigmoid(&w->tape, b));
    y = op_add(&w->tape, op_silu(&w->tape, y), op_gelu_erf(&w->tape, x));
    return op_mean(&w->tape, op_dropout(&w->tape, y, 0.3f, 11));
}

static Tensor *work_loss(Work *w) {
    static int ids[900], targets[900];
    for (int i = 0; i < 900; i++) {
        ids[i] = i * 7 % 101;
        targets[i] = i * 11 % 203;
    }
    Tensor *table = input(w, "table", SHAPE(101, 65)), *out = input(w, "out", SHAPE(203, 65));
    Tensor *x = op_embedding(&w->tape, table, ids, SHAPE(30, 30));
    CrossEntropy options = {.ignore = 0, .smoothing = 0.1f};
    return op_cross_entropy(&w->tape, op_linear(&w->tape, x, out, NULL), targets, options);
}

enum { T = 4, B = 97, I = 67, H = 163 }; /* each product large enough for two threads */

static Tensor *work_rnn(Work *w) {
    Tensor *x = input(w, "x", SHAPE(T, B, I));
    Rnn rnn = {input(w, "w_ih", SHAPE(H, I)),
               input(w, "w_hh", SHAPE(H, H)),
               input(w, "b_ih", SHAPE(H)),
               input(w, "b_hh", SHAPE(H)),
               I,
               H};
    return rnn_forward(&w->tape, &rnn, x, NULL, (SequenceOptions){0});
}

static Tensor *work_lstm(Work *w) {
    Tensor *x = input(w, "x", SHAPE(T, B, I));
    Lstm lstm = {input(w, "w_ih", SHAPE(4 * H, I)),
                 input(w, "w_hh", SHAPE(4 * H, H)),
                 input(w, "b_ih", SHAPE(4 * H)),
                 input(w, "b_hh", SHAPE(4 * H)),
                 I,
                 H};
    return lstm_forward(&w->tape, &lstm, x, (LstmState){0}, (SequenceOptions){0}).y;
}

static Tensor *work_gru_and_attention(Work *w) {
    Tensor *x = input(w, "x", SHAPE(T, B, I)), *query = input(w, "query", SHAPE(B, H));
    Gru gru = {input(w, "w_ih", SHAPE(3 * H, I)),
               input(w, "w_hh", SHAPE(3 * H, H)),
               input(w, "b_ih", SHAPE(3 * H)),
               input(w, "b_hh", SHAPE(3 * H)),
               I,
               H};
    AdditiveAttention look = {input(w, "w_q", SHAPE(150, H)), input(w, "w_k", SHAPE(150, H)),
                              input(w, "v", SHAPE(150))};
    Tensor *states = gru_forward(&w->tape, &gru, x, NULL, (SequenceOptions){.reverse = true});
    Tensor *keys = attention_batch_first(&w->tape, states);
    Tensor *projected = additive_keys(&w->tape, &look, keys);
    Tensor *scores = additive_score(&w->tape, &look, query, projected);
    return attend(&w->tape, scores, keys, NULL).context;
}

static void test_same_bits_matmul(void **state) {
    (void)state;
    same_for_any_number_of_threads(work_matmul);
}

static void test_same_bits_matmul_transposed(void **state) {
    (void)state;
    same_for_any_number_of_threads(work_matmul_nt);
    same_for_any_number_of_threads(work_matmul_tn);
}

static void test_same_bits_long_sums_and_few_rows(void **state) {
    (void)state;
    same_for_any_number_of_threads(work_long_sums);
    same_for_any_number_of_threads(work_wide);
    same_for_any_number_of_threads(work_one_row);
}

static void test_same_bits_matmul_batched(void **state) {
    (void)state;
    same_for_any_number_of_threads(work_many_small);
    same_for_any_number_of_threads(work_few_large);
}

static void test_same_bits_linear(void **state) {
    (void)state;
    same_for_any_number_of_threads(work_linear);
    same_for_any_number_of_threads(work_one_token);
}

static void test_same_bits_rows(void **state) {
    (void)state;
    same_for_any_number_of_threads(work_rows);
}

static void test_same_bits_pointwise(void **state) {
    (void)state;
    same_for_any_number_of_threads(work_pointwise);
}

static void test_same_bits_embedding_and_loss(void **state) {
    (void)state;
    same_for_any_number_of_threads(work_loss);
}

static void test_same_bits_recurrent_layers(void **state) {
    (void)state;
    same_for_any_number_of_threads(work_rnn);
    same_for_any_number_of_threads(work_lstm);
}

static void test_same_bits_gru_and_attention(void **state) {
    (void)state;
    same_for_any_number_of_threads(work_gru_and_attention);
}

/* Five steps of a training; the weights they end with. */
static void train(int threads, float *weights) {
    threads_set(threads);
    Params params = params_new();
    Tensor *w = params_add(&params, NULL, "w", init_xavier(), SHAPE(170, 90));
    Tensor *v = params_add(&params, NULL, "v", init_xavier(), SHAPE(130, 170));
    Rng rng = rng_seeded(1, 0);
    params_allocate(&params, &rng);
    Adam adam = adam_new(&params);
    Tape tape = tape_new();
    for (int step = 0; step < 5; step++) {
        tape_reset(&tape);
        params_zero_grad(&params);
        Tensor *x = random_constant(&tape, &rng, "x", SHAPE(603, 90));
        Tensor *h = op_tanh(&tape, op_linear(&tape, x, w, NULL));
        Tensor *y = op_linear(&tape, h, v, NULL);
        tape_backward(&tape, op_mean(&tape, op_mul(&tape, y, y)));
        params_clip_norm(&params, 0.01);
        adam_step(&adam, 0.01f);
    }
    memcpy(weights, w->data, 170 * 90 * sizeof(float));
    tape_free(&tape);
    adam_free(&adam);
    params_free(&params);
}

static void test_same_bits_after_training(void **state) {
    (void)state;
    float *one = check_alloc(170 * 90 * sizeof(float)),
          *more = check_alloc(170 * 90 * sizeof(float));
    train(1, one);
    for (int threads = 2; threads <= 8; threads += 6) {
        train(threads, more);
        assert_same_bits(more, one, 170 * 90);
    }
    free(one);
    free(more);
    threads_set(1);
}

static void test_the_number_set_is_the_number_in_force(void **state) {
    (void)state;
    threads_set(1);
    assert_int_equal(threads_count(), 1);
#ifdef _OPENMP
    threads_set(3);
    assert_int_equal(threads_count(), 3);
    threads_set(0);
    assert_true(threads_count() >= 1);
#else
    threads_set(3);
    assert_int_equal(threads_count(), 1);
#endif
    expect_exact_message("threads_set: -1 is no number of threads", threads_set(-1));
    threads_set(1);
}

#if defined(__SSE__) || defined(__aarch64__)
static void test_every_thread_flushes_denormals(void **state) {
    (void)state;
    int kept = 0;
    threads_set(4);
#pragma omp parallel reduction(+ : kept)
    {
        volatile float small = 2e-38f, less;
        less = small * 0.25f;       /* the exact result, 5e-39, has no normal form */
        volatile uint32_t bits = 1; /* the smallest denormal, read */
        float tiny;
        memcpy(&tiny, (const uint32_t[]){bits}, sizeof tiny);
        volatile float more = tiny;
        more = more * 1e30f;
        kept += less != 0.0f;
        kept += more != 0.0f;
    }
    assert_int_equal(kept, 0);
    threads_set(1);
}
#endif

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_bits_matmul),
        cmocka_unit_test(test_same_bits_matmul_transposed),
        cmocka_unit_test(test_same_bits_long_sums_and_few_rows),
        cmocka_unit_test(test_same_bits_matmul_batched),
        cmocka_unit_test(test_same_bits_linear),
        cmocka_unit_test(test_same_bits_rows),
        cmocka_unit_test(test_same_bits_pointwise),
        cmocka_unit_test(test_same_bits_embedding_and_loss),
        cmocka_unit_test(test_same_bits_recurrent_layers),
        cmocka_unit_test(test_same_bits_gru_and_attention),
        cmocka_unit_test(test_same_bits_after_training),
        cmocka_unit_test(test_the_number_set_is_the_number_in_force),
#if defined(__SSE__) || defined(__aarch64__)
        cmocka_unit_test(test_every_thread_flushes_denormals),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
