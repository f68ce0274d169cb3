#include "lesson/experiments/tasks.h"

#include "core/check.h"

#include <stdlib.h>

Task task_reversal(int train, int symbols, int shortest, int longest, int each, const int *lengths,
                   int length_count, Rng rng) {
    return (Task){
        .source = reversal_vocab(symbols),
        .target = reversal_vocab(symbols),
        .held_out = reversal_corpus_by_length(each, symbols, lengths, length_count, &rng),
        .train = reversal_corpus(train, symbols, shortest, longest, &rng),
    };
}

Task task_phrases(int train, int held_out, uint64_t seed) {
    PhraseData *data = phrases_new(train, held_out, seed);
    return (Task){.source = data->source_vocab,
                  .target = data->target_vocab,
                  .train = data->train,
                  .held_out = data->held_out,
                  .phrases = data->held_out_phrase,
                  .phrase_data = data};
}

Task task_dates(int train, int held_out, Rng rng) {
    Task task = {.source = dates_source_vocab(), .target = dates_target_vocab()};
    task.dates = check_alloc((size_t)held_out * sizeof *task.dates);
    task.held_out = dates_corpus(held_out, true, &rng, task.dates);
    task.train = dates_corpus(train, false, &rng, NULL);
    return task;
}

int task_find_date(const Task *task, int format) {
    for (int i = 0; i < task->held_out->count; i++) {
        if (task->dates[i].format == format) {
            return i;
        }
    }
    return 0;
}

void task_free(Task *task) {
    if (task->phrase_data != NULL) { /* everything belongs to it */
        phrases_free(task->phrase_data);
    } else {
        vocab_free(task->source);
        vocab_free(task->target);
        corpus_free(task->train);
        corpus_free(task->held_out);
        free(task->dates);
    }
    *task = (Task){0};
}
