#include "lesson/experiments/alignment_sheet.h"

#include "core/check.h"

#include <string.h>

AlignmentSheet sheet_new(const Vocab *source, const Vocab *target) {
    return (AlignmentSheet){.source = source, .target = target, .arena = arena_new()};
}

void sheet_free(AlignmentSheet *sheet) {
    arena_free(&sheet->arena);
    *sheet = (AlignmentSheet){0};
}

/* Names of `count` positions: the tokens, and the end token behind them. */
static const char **position_names(Arena *arena, const Vocab *vocab, Ids ids, int count) {
    const char **names = arena_alloc(arena, (size_t)count * sizeof *names);
    for (int i = 0; i < count; i++) {
        names[i] = vocab_token(vocab, i < ids.length ? ids.id[i] : VOCAB_END);
    }
    return names;
}

/* Which cells a gold alignment is sure of. */
static const unsigned char *gold_marks(Arena *arena, const Phrase *gold, int rows, int columns) {
    unsigned char *marks = arena_alloc_zeroed(arena, (size_t)rows * (size_t)columns);
    for (int t = 0; t < gold->T && t < rows; t++) {
        for (int s = 0; s < gold->S && s < columns; s++) {
            marks[t * columns + s] = gold->gold[t][s] == LINK_SURE;
        }
    }
    return marks;
}

void sheet_add(AlignmentSheet *sheet, const char *title, const Translation *translation,
               const Phrase *gold) {
    int rows = translation->rows, columns = translation->columns;
    if (translation->weights == NULL) {
        return;
    }
    CHECK(sheet->count < SHEET_MAPS, "sheet_add: more than %d maps", SHEET_MAPS);
    size_t bytes = (size_t)rows * (size_t)columns * sizeof(float);
    float *values = arena_alloc(&sheet->arena, bytes);
    memcpy(values, translation->weights, bytes);
    sheet->map[sheet->count++] = (Heatmap){
        .title = title,
        .values = values,
        .rows = rows,
        .cols = columns,
        .row_labels = position_names(&sheet->arena, sheet->target, translation->output, rows),
        .col_labels = position_names(&sheet->arena, sheet->source, translation->source, columns),
        .row_axis = sheet->target->kind == VOCAB_WORDS ? "query: word being written"
                                                       : "query: character being written",
        .col_axis =
            sheet->source->kind == VOCAB_WORDS ? "key: word looked at" : "key: character looked at",
        .max = 1.0f,
        .marks = gold != NULL ? gold_marks(&sheet->arena, gold, rows, columns) : NULL,
    };
}

/* Is any byte of it above ASCII? */
static bool has_accent(const char *word) {
    while (*word != '\0' && (unsigned char)*word < 128) {
        word++;
    }
    return *word != '\0';
}

/* Is it worth a picture? */
static bool is_telling(const Phrase *phrase, int shortest, int longest) {
    bool accent = false;
    for (int t = 0; t < phrase->T; t++) {
        accent = accent || has_accent(phrase->target[t]);
    }
    return accent && phrase->S >= shortest && phrase->S <= longest && phrase_is_reordered(phrase);
}

int sheet_choose_phrases(const Phrase *phrases, int n, int count, int *chosen) {
    int found = 0, at[2] = {0, 0}; /* where to go on looking for short ones and for long ones */
    for (int i = 0; i < count; i++) {
        bool is_long = i % 2 == 1;
        int *next = &at[is_long];
        while (*next < n && !is_telling(&phrases[*next], is_long ? 12 : 6, is_long ? 14 : 9)) {
            (*next)++;
        }
        if (*next < n) {
            chosen[found++] = (*next)++;
        }
    }
    return found;
}

void sheet_show(Run *run, const AlignmentSheet *sheet, int i) {
    if (i >= 0 && i < sheet->count) {
        const Heatmap *map = &sheet->map[i];
        run_heatmap(run, map->title, map->values, map->rows, map->cols, map->row_labels,
                    map->col_labels);
    }
}

bool sheet_write(Run *run, const AlignmentSheet *sheet, const char *file, int columns,
                 const char *title) {
    for (int i = 0; i < sheet->count; i++) {
        const Heatmap *map = &sheet->map[i];
        char picture[64], name[160];
        picture_name(picture, sizeof picture, file);
        bool titled = map->title != NULL && *map->title != '\0';
        snprintf(name, sizeof name, "%s%s%.90s", picture, titled ? ": " : "",
                 titled ? map->title : "");
        run_attention(run, name, 0, 0, map->values, map->rows, map->cols, map->row_labels,
                      map->col_labels);
    }
    return sheet->count > 0 && run_heatmap_png(run, file, sheet->map, sheet->count, columns, title);
}
