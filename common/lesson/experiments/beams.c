#include "lesson/experiments/beams.h"

#include <stdio.h>
#include <string.h>

const int beam_sizes[BEAM_SIZES] = {1, 2, 4};

double translations_bleu(const Translations *list) {
    Bleu bleu = {0};
    for (int i = 0; i < list->count; i++) {
        bleu_add(&bleu, list->item[i].output, list->item[i].reference);
    }
    return bleu_score(&bleu);
}

double translations_right(const Translations *list) {
    return tally_share(translations_exact(list, 0, 0));
}

void beams_compare(const Run *run, BeamComparison *beams, int moment) {
    for (int k = 0; k < BEAM_SIZES && !run_stopped(run); k++) {
        TranslateOptions options = {
            .B = 50, .count = beams->pairs, .beams = beam_sizes[k], .normalise = beams->normalise};
        Translations done = translator_translate(run, beams->translator, beams->corpus, options);
        beams->exact[moment][k] = translations_right(&done);
        beams->bleu[moment][k] = translations_bleu(&done);
        translations_free(&done);
    }
}

void beams_show(Run *run, const BeamComparison *beams, const char *const *moments) {
    char row[256] = "beams";
    for (int i = 0; i < BEAM_MOMENTS; i++) {
        size_t used = strlen(row);
        snprintf(row + used, sizeof row - used, "\t%s: exact match\tBLEU", moments[i]);
    }
    run_table(run, row);
    for (int k = 0; k < BEAM_SIZES; k++) {
        snprintf(row, sizeof row, "%d", beam_sizes[k]);
        for (int i = 0; i < BEAM_MOMENTS; i++) {
            size_t used = strlen(row);
            snprintf(row + used, sizeof row - used, "\t%.1f %%\t%.1f", 100.0 * beams->exact[i][k],
                     100.0 * beams->bleu[i][k]);
        }
        run_table_row(run, "%s", row);
    }
    run_table_end(run);
}
