/* A Transformer small enough for tests, and pairs for it. */
#ifndef TESTS_LESSON_SMALL_TRANSFORMER_H
#define TESTS_LESSON_SMALL_TRANSFORMER_H

#include "lesson/experiments/tasks.h"
#include "lesson/experiments/transformer_translator.h"

typedef struct SmallTransformer {
    TransformerTranslator model;
    Translator translator;
    Task task; /* sequences of 2 .. 6 out of 5 symbols, to be reversed */
} SmallTransformer;

/* d 8, 2 heads, ff 12, 2 + 2 layers, sinusoidal positions. */
TransformerRecipe small_recipe(TransformerMistakes mistakes);

void small_transformer_new(SmallTransformer *small, TransformerMistakes mistakes);
void small_transformer_free(SmallTransformer *small);

/* Led through the held-out pairs. */
Traced small_traced(const SmallTransformer *small);

#endif
