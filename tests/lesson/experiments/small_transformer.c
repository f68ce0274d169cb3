#include "lesson/experiments/small_transformer.h"

TransformerRecipe small_recipe(TransformerMistakes mistakes) {
    return (TransformerRecipe){.config = {.layer = {.d_model = 8, .heads = 2, .d_ff = 12},
                                          .encoder_layers = 2,
                                          .decoder_layers = 2,
                                          .position = POSITION_SINUSOIDAL},
                               .mistakes = mistakes};
}

void small_transformer_new(SmallTransformer *small, TransformerMistakes mistakes) {
    const int lengths[] = {6, 2, 3, 5};
    small->task = task_reversal(64, 5, 2, 6, 3, lengths, 4, rng_seeded(1, 2));
    small->translator =
        transformer_translator_new(&small->model, small_recipe(mistakes), small->task.source->size,
                                   small->task.target->size, 8, rng_seeded(3, 4));
}

void small_transformer_free(SmallTransformer *small) {
    params_free(&small->model.params);
    task_free(&small->task);
}

Traced small_traced(const SmallTransformer *small) {
    return transformer_translator_traced(&small->model, &small->translator, small->task.held_out);
}
