#include "lesson/experiments/looking.h"

double translations_words_seen(const Translations *list) {
    double seen = 0.0, rows = 0.0;
    for (int n = 0; n < list->count; n++) {
        const Translation *one = &list->item[n];
        int cells = one->weights != NULL ? one->rows * one->columns : 0;
        rows += one->weights != NULL ? one->rows : 0;
        for (int i = 0; i < cells; i++) {
            seen += one->weights[i] > 0.0f;
        }
    }
    return rows > 0.0 ? seen / rows : 0.0;
}
