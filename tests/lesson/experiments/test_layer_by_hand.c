#include "support/stage.h"
#include "support/tensors.h"

#include "lesson/experiments/layer_by_hand.h"
#include "nn/transformer_layer.h"

#include <string.h>

/* Piece by piece a layer is what it is at once. */
typedef struct Play {
    float off[2];
} Play;

static void play(Run *run, void *context) {
    static const char *const rows[] = {"a", "b", "c"}, *const keys[] = {"x", "y"};
    Play *found = context;
    Params params = params_new();
    Tape tape = tape_new();
    Rng rng = rng_seeded(1, 1);
    LayerConfig config = {.d_model = 4, .heads = 2, .d_ff = 5};
    EncoderLayer e = encoder_layer_new(&params, "e", config);
    DecoderLayer l = decoder_layer_new(&params, "d", config);
    params_allocate(&params, &rng);
    Tensor *in = random_constant(&tape, &rng, "x", SHAPE(1, 3, 4));
    Tensor *memory = random_constant(&tape, &rng, "memory", SHAPE(1, 2, 4));
    Tensor *x = layer_print_self(run, &tape, &e.self, &e.norm1, in, false, rows);
    x = layer_print_thinking(run, &tape, &e.ff, &e.norm2, x, rows);
    Tensor *whole = encoder_layer_forward(&tape, &e, in, (Look){0}, NULL);
    found->off[0] = fabsf(x->data[0] - whole->data[0]) + fabsf(x->data[11] - whole->data[11]);
    CrossMemory source = multi_head_memory(&tape, &l.cross, memory);
    x = layer_print_self(run, &tape, &l.self, &l.norm1, in, true, rows);
    x = layer_print_cross(run, &tape, &l.cross, &l.norm2, x, source, rows, keys);
    x = layer_print_thinking(run, &tape, &l.ff, &l.norm3, x, rows);
    whole = decoder_layer_forward(&tape, &l, in, (Look){.causal = true}, memory, (Look){0}, NULL);
    found->off[1] = fabsf(x->data[0] - whole->data[0]) + fabsf(x->data[11] - whole->data[11]);
    params_free(&params);
    tape_free(&tape);
}

static void test_pieces_are_the_layer(void **state) {
    (void)state;
    Play found = {{1, 1}};
    Stage stage = stage_play(play, &found, "--no-plots");
    assert_close(found.off[0], 0, 1e-5, 0);
    assert_close(found.off[1], 0, 1e-5, 0);
    lesson_run_free(&stage);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_pieces_are_the_layer)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
