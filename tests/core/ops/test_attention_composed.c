/* The fused attention against the same computation from single operations, over random sizes and
 * options; and what only the fused form has to keep: memory, bits, dropout drawn twice. */
#include "support/composed_attention.h"
#include "support/tensors.h"

#include "core/threads.h"

#include <stdlib.h>

/* Asked by the leak checker: LLVM's OpenMP library keeps the teams of threads it grew out of. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) {
    return "leak:libomp";
}

/* ---- random cases ---- */

enum { MOST_BATCH = 3, MOST_HEADS = 4 };

typedef struct Case {
    int B, H, Lq, Lk, D, Dv;
    int key_length[MOST_BATCH];
    float slopes[MOST_HEADS];
    float reach; /* of the numbers of q */
    bool constant[3];
    AttentionOptions options;
} Case;

static int between(Rng *rng, int low, int high) {
    return low + (int)rng_below(rng, (uint32_t)(high - low + 1));
}

static bool one_in(Rng *rng, uint32_t n) {
    return rng_below(rng, n) == 0;
}

/* Every fourth case has more queries or keys than fit into a block. */
static Case random_case(uint64_t seed, Rng *rng) {
    int longest = seed % 4 == 0 ? 300 : 40;
    Case c = {.B = between(rng, 1, MOST_BATCH), .H = between(rng, 1, MOST_HEADS)};
    c.Lq = one_in(rng, 4) ? between(rng, 1, 4) : between(rng, 1, longest);
    c.Lk = one_in(rng, 3) ? c.Lq : between(rng, 1, longest);
    c.D = between(rng, 1, 40);
    c.Dv = one_in(rng, 2) ? c.D : between(rng, 1, 40);
    c.reach = one_in(rng, 3) ? 8.0f : 1.0f;
    for (int b = 0; b < MOST_BATCH; b++) {
        c.key_length[b] = one_in(rng, 4) ? 0 : between(rng, 0, c.Lk);
    }
    for (int h = 0; h < MOST_HEADS; h++) {
        c.slopes[h] = rng_range(rng, 0.01f, 1.0f);
    }
    for (int i = 0; i < 3; i++) {
        c.constant[i] = one_in(rng, 5);
    }
    c.options.causal = one_in(rng, 2);
    c.options.scale = one_in(rng, 4) ? rng_range(rng, -1.0f, 1.0f) : 0.0f;
    c.options.dropout = one_in(rng, 3) ? rng_range(rng, 0.0f, 0.9f) : 0.0f;
    c.options.dropout_key = rng_bits(rng);
    return c;
}

/* The pointers of the options hold only where the case stays. */
static void point_options(Case *c, Rng *rng) {
    c->options.key_length = one_in(rng, 2) ? c->key_length : NULL;
    c->options.slopes = one_in(rng, 3) ? c->slopes : NULL;
}

typedef struct Inputs {
    Tensor *q, *k, *v;
} Inputs;

static Tensor *input(Tape *tape, Rng *rng, const char *name, float reach, bool constant, int ndim,
                     const int *dim) {
    Tensor *x = tape_variable(tape, name, NULL, ndim, dim);
    fill_random(x->data, tensor_size(x), -reach, reach, rng);
    x->grad = constant ? NULL : x->grad;
    return x;
}

/* The same numbers each time. */
static Inputs case_inputs(Tape *tape, const Case *c, uint64_t seed) {
    Rng rng = rng_seeded(seed, 1);
    Inputs in;
    in.q = input(tape, &rng, "q", c->reach, c->constant[0], SHAPE(c->B, c->H, c->Lq, c->D));
    in.k = input(tape, &rng, "k", 1.0f, c->constant[1], SHAPE(c->B, c->H, c->Lk, c->D));
    in.v = input(tape, &rng, "v", 1.0f, c->constant[2], SHAPE(c->B, c->H, c->Lk, c->Dv));
    return in;
}

/* Three ways: heads behind each other, heads side by side, from single operations. */
typedef enum Way { BY_HEAD, BY_TOKEN, COMPOSED } Way;

static Tensor *attend_by(Tape *tape, Way way, const Case *c, Inputs in) {
    AttentionOptions options = c->options;
    if (way == COMPOSED) {
        return composed_attention(tape, in.q, in.k, in.v, &options).y;
    }
    if (way == BY_HEAD) {
        return op_attention(tape, in.q, in.k, in.v, options);
    }
    options.heads = c->H;
    Tensor *y = op_attention(tape, op_merge_heads(tape, in.q), op_merge_heads(tape, in.k),
                             op_merge_heads(tape, in.v), options);
    return op_split_heads(tape, y, c->H);
}

static void assert_same_gradient(const Tensor *actual, const Tensor *expected) {
    assert_true((actual->grad == NULL) == (expected->grad == NULL));
    if (actual->grad != NULL) {
        assert_all_close(actual->grad, expected->grad, tensor_size(actual), 1e-5, 1e-4);
    }
}

static void compare(Way way, const Case *c, uint64_t seed) {
    Tape tape = tape_new();
    Inputs fused = case_inputs(&tape, c, seed), single = case_inputs(&tape, c, seed);
    Tensor *expected = attend_by(&tape, COMPOSED, c, single);
    Tensor *y = attend_by(&tape, way, c, fused);
    assert_true(tensor_same_shape(y, expected));
    assert_all_close(y->data, expected->data, tensor_size(y), 1e-5, 1e-4);
    assert_true((y->grad == NULL) == (expected->grad == NULL));
    if (y->grad != NULL) {
        Rng rng = rng_seeded(seed, 2);
        fill_random(y->grad, tensor_size(y), -1.0f, 1.0f, &rng);
        memcpy(expected->grad, y->grad, tensor_size(y) * sizeof(float));
        tape_backward_from(&tape, y);
        assert_same_gradient(fused.q, single.q);
        assert_same_gradient(fused.k, single.k);
        assert_same_gradient(fused.v, single.v);
    }
    tape_free(&tape);
}

static void test_fused_equals_composed(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        Rng rng = rng_seeded(seed, 0);
        Case c = random_case(seed, &rng);
        point_options(&c, &rng);
        compare(seed % 2 == 0 ? BY_HEAD : BY_TOKEN, &c, seed);
    }
}

/* Each block of keys brings larger scores than all before it, or smaller ones, by far: what was
 * added up must shrink to nothing, or the new must count for nothing, and no exp overflow. */
static void test_scores_that_grow_from_block_to_block(void **state) {
    (void)state;
    enum { L = 500 };
    for (int sign = -1; sign <= 1; sign += 2) {
        for (int causal = 0; causal < 2; causal++) {
            Tape tape = tape_new();
            Rng rng = rng_seeded(1, 0);
            Tensor *q = tape_constant(&tape, "q", NULL, SHAPE(1, 1, L, 1));
            Tensor *k = tape_constant(&tape, "k", NULL, SHAPE(1, 1, L, 1));
            Tensor *v = random_constant(&tape, &rng, "v", SHAPE(1, 1, L, 5));
            for (int i = 0; i < L; i++) {
                q->data[i] = (float)sign * 1e3f;
                k->data[i] = (float)i;
            }
            AttentionOptions options = {.causal = causal == 1};
            const Tensor *y = op_attention(&tape, q, k, v, options);
            for (int i = 0; i < L; i++) { /* all weight is on the last or the first key */
                int key = sign < 0 ? 0 : causal == 1 ? i : L - 1;
                assert_all_close(y->data + 5 * i, v->data + 5 * key, 5, 1e-6, 0.0);
            }
            tape_free(&tape);
        }
    }
}

/* ---- weights on demand ---- */

static void check_weights(const Case *c, uint64_t seed) {
    Tape tape = tape_new();
    Inputs with = case_inputs(&tape, c, seed), without = case_inputs(&tape, c, seed);
    Tensor *weights = NULL, *plain = attend_by(&tape, BY_HEAD, c, without);
    Case asking = *c;
    asking.options.weights = &weights;
    Tensor *y = attend_by(&tape, BY_HEAD, &asking, with);
    assert_same_bits(y->data, plain->data, tensor_size(y));
    assert_shape(weights, c->B, c->H, c->Lq, c->Lk);
    assert_null(weights->grad);
    ComposedAttention single = composed_attention(&tape, with.q, with.k, with.v, &c->options);
    assert_all_close(weights->data, single.weights->data, tensor_size(weights), 1e-5, 1e-4);
    for (int r = 0; r < c->B * c->H * c->Lq; r++) {
        double sum = 0.0;
        for (int j = 0; j < c->Lk; j++) {
            sum += (double)weights->data[(long)r * c->Lk + j];
        }
        int b = r / (c->H * c->Lq),
            seen = c->options.causal ? r % c->Lq + 1 + c->Lk - c->Lq : c->Lk;
        bool empty = seen <= 0 || (c->options.key_length != NULL && c->key_length[b] == 0);
        assert_close(sum, empty ? 0.0 : 1.0, 1e-5, 0.0);
    }
    if (y->grad != NULL) {
        Rng rng = rng_seeded(seed, 2);
        fill_random(y->grad, tensor_size(y), -1.0f, 1.0f, &rng);
        memcpy(plain->grad, y->grad, tensor_size(y) * sizeof(float));
        tape_backward_from(&tape, y);
        Tensor *a[] = {with.q, with.k, with.v}, *b[] = {without.q, without.k, without.v};
        for (int i = 0; i < 3; i++) {
            if (a[i]->grad != NULL) {
                assert_same_bits(a[i]->grad, b[i]->grad, tensor_size(a[i]));
            }
        }
    }
    tape_free(&tape);
}

static void test_asking_for_weights_changes_no_bit(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        Rng rng = rng_seeded(seed, 3);
        Case c = random_case(seed, &rng);
        point_options(&c, &rng);
        check_weights(&c, seed);
    }
}

/* ---- dropout ---- */

static void test_dropout_depends_on_the_key_alone(void **state) {
    (void)state;
    Case c = {.B = 2, .H = 2, .Lq = 30, .Lk = 150, .D = 8, .Dv = 8, .reach = 1.0f};
    c.options = (AttentionOptions){.dropout = 0.5f, .dropout_key = 1};
    Tape tape = tape_new();
    Inputs in = case_inputs(&tape, &c, 1);
    const Tensor *a = attend_by(&tape, BY_HEAD, &c, in), *b = attend_by(&tape, BY_TOKEN, &c, in);
    const Tensor *again = attend_by(&tape, BY_HEAD, &c, in);
    assert_same_bits(again->data, a->data, tensor_size(a));
    assert_all_close(b->data, a->data, tensor_size(a), 1e-6, 1e-5);
    c.options.dropout_key = 2;
    const Tensor *other = attend_by(&tape, BY_HEAD, &c, in);
    assert_memory_not_equal(other->data, a->data, tensor_size(a) * sizeof(float));
    tape_free(&tape);
}

/* Averaged over many keys it is as if nothing had been dropped: the mean of 1000 draws is within
 * five standard errors of it, which are measured along the way. */
static void test_dropout_keeps_the_expectation(void **state) {
    (void)state;
    enum { KEYS = 1000, N = 2 * 3 * 4 };
    Case c = {.B = 1, .H = 2, .Lq = 3, .Lk = 9, .D = 4, .Dv = 4, .reach = 1.0f};
    Tape tape = tape_new();
    double sum[N] = {0}, squares[N] = {0};
    for (uint64_t key = 0; key < KEYS; key++) {
        tape_reset(&tape);
        c.options = (AttentionOptions){.dropout = 0.3f, .dropout_key = key};
        const Tensor *y = attend_by(&tape, BY_HEAD, &c, case_inputs(&tape, &c, 1));
        for (int i = 0; i < N; i++) {
            sum[i] += (double)y->data[i];
            squares[i] += (double)y->data[i] * (double)y->data[i];
        }
    }
    c.options.dropout = 0.0f;
    const Tensor *whole = attend_by(&tape, BY_HEAD, &c, case_inputs(&tape, &c, 1));
    for (int i = 0; i < N; i++) {
        double mean = sum[i] / KEYS, variance = squares[i] / KEYS - mean * mean;
        assert_true(variance > 1e-4);
        assert_close(mean, (double)whole->data[i], 5.0 * sqrt(variance / KEYS), 0.0);
    }
    tape_free(&tape);
}

/* ---- threads and memory ---- */

static void test_threads_change_no_bit(void **state) {
    (void)state;
    const int threads[] = {1, 2, 8};
    float *first[4] = {NULL};
    Case c = {.B = 2, .H = 3, .Lq = 260, .Lk = 300, .D = 32, .Dv = 24, .reach = 2.0f};
    c.options = (AttentionOptions){
        .causal = true, .key_length = (const int[]){300, 170}, .dropout = 0.1f, .dropout_key = 7};
    for (int n = 0; n < 3; n++) {
        threads_set(threads[n]);
        Tape tape = tape_new();
        Inputs in = case_inputs(&tape, &c, 1);
        Tensor *y = attend_by(&tape, BY_HEAD, &c, in);
        backward_random(&tape, y, 1);
        const float *results[] = {y->data, in.q->grad, in.k->grad, in.v->grad};
        const size_t sizes[] = {tensor_size(y), tensor_size(in.q), tensor_size(in.k),
                                tensor_size(in.v)};
        for (int i = 0; i < 4; i++) {
            if (n == 0) {
                first[i] = copy_of(results[i], sizes[i]);
            }
            assert_same_bits(results[i], first[i], sizes[i]);
        }
        tape_free(&tape);
    }
    for (int i = 0; i < 4; i++) {
        free(first[i]);
    }
    threads_set(1);
}

/* Bytes the operation takes on the arena for L queries and keys, forward and backward: beside the
 * result and its gradient only a few numbers for each query. */
static size_t bytes_for(int L) {
    enum { H = 2, D = 4 };
    Tape tape = tape_new();
    Case c = {.B = 1, .H = H, .Lq = L, .Lk = L, .D = D, .Dv = D, .reach = 1.0f};
    Inputs in = case_inputs(&tape, &c, 1);
    size_t before = tape.arena.used;
    Tensor *y = attend_by(&tape, BY_HEAD, &c, in);
    backward_random(&tape, y, 1);
    size_t bytes = tape.arena.peak - before;
    tape_free(&tape);
    assert_true(bytes < (size_t)(2 * H * L * D + 4 * H * L) * sizeof(float) + 2048);
    return bytes;
}

static void test_memory_grows_linearly(void **state) {
    (void)state;
    size_t before = bytes_for(256);
    for (int L = 512; L <= 2048; L *= 2) {
        size_t bytes = bytes_for(L);
        assert_in_range(bytes, before, 2 * before);
        before = bytes;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fused_equals_composed),
        cmocka_unit_test(test_scores_that_grow_from_block_to_block),
        cmocka_unit_test(test_asking_for_weights_changes_no_bit),
        cmocka_unit_test(test_dropout_depends_on_the_key_alone),
        cmocka_unit_test(test_dropout_keeps_the_expectation),
        cmocka_unit_test(test_threads_change_no_bit),
        cmocka_unit_test(test_memory_grows_linearly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
