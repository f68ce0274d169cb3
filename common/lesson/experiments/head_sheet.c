#include "lesson/experiments/head_sheet.h"

#include "core/check.h"

#include <stdio.h>
#include <string.h>

static int map_of(const HeadSheet *sheet, int layer, int head) {
    CHECK(layer >= 0 && layer < sheet->layers && head >= 0 && head < sheet->heads,
          "head_sheet: layer %d, head %d of a sheet of %d x %d", layer, head, sheet->layers,
          sheet->heads);
    return layer * sheet->heads + head;
}

static const char *const *numbers(Arena *arena, int count) {
    enum { DIGITS = 12 };
    const char **text = arena_alloc(arena, (size_t)count * sizeof *text);
    for (int i = 0; i < count; i++) {
        char *number = arena_alloc(arena, DIGITS);
        snprintf(number, DIGITS, "%d", i);
        text[i] = number;
    }
    return text;
}

HeadSheet head_sheet_new(int layers, int heads, int rows, int cols) {
    CHECK(layers > 0 && heads > 0 && rows > 0 && cols > 0,
          "head_sheet: %d layers of %d heads, maps of %d x %d", layers, heads, rows, cols);
    HeadSheet sheet = {.layers = layers,
                       .heads = heads,
                       .rows = rows,
                       .cols = cols,
                       .row_axis = "query",
                       .col_axis = "key",
                       .arena = arena_new()};
    size_t count = (size_t)layers * (size_t)heads;
    size_t map = (size_t)rows * (size_t)cols * sizeof(float);
    sheet.maps = arena_alloc_zeroed(&sheet.arena, count * map);
    sheet.titles = arena_alloc_zeroed(&sheet.arena, count * sizeof *sheet.titles);
    sheet.row_labels = numbers(&sheet.arena, rows);
    sheet.col_labels = numbers(&sheet.arena, cols);
    for (int i = 0; i < layers * heads; i++) {
        if (layers > 1) {
            snprintf(sheet.titles[i], sizeof *sheet.titles, "layer %d, head %d", i / heads,
                     i % heads);
        } else {
            snprintf(sheet.titles[i], sizeof *sheet.titles, "head %d", i);
        }
    }
    return sheet;
}

void head_sheet_free(HeadSheet *sheet) {
    arena_free(&sheet->arena);
    *sheet = (HeadSheet){0};
}

void head_sheet_layer(HeadSheet *sheet, int layer, const Tensor *weights, int b) {
    int H = sheet->heads, rows = sheet->rows, cols = sheet->cols;
    CHECK(weights->ndim == 4 && weights->dim[1] == H && weights->dim[2] >= rows &&
              weights->dim[3] >= cols && b >= 0 && b < weights->dim[0],
          "head_sheet: sequence %d of %s on a sheet of %d heads, maps of %d x %d", b,
          tensor_text(weights).text, H, rows, cols);
    long Lq = weights->dim[2], Lk = weights->dim[3];
    for (int h = 0; h < H; h++) {
        const float *from = weights->data + ((long)b * H + h) * Lq * Lk;
        float *to = sheet->maps + (long)map_of(sheet, layer, h) * rows * cols;
        for (int q = 0; q < rows; q++) {
            memcpy(to + (long)q * cols, from + q * Lk, (size_t)cols * sizeof(float));
        }
    }
}

void head_sheet_title(HeadSheet *sheet, int layer, int head, const char *kind) {
    char *title = sheet->titles[map_of(sheet, layer, head)];
    size_t used = strlen(title);
    snprintf(title + used, sizeof *sheet->titles - used, ": %s", kind);
}

const float *head_sheet_map(const HeadSheet *sheet, int layer, int head) {
    return sheet->maps + (long)map_of(sheet, layer, head) * sheet->rows * sheet->cols;
}

bool head_sheet_write(Run *run, const char *file, const HeadSheet *sheet, int columns,
                      const char *title) {
    int count = sheet->layers * sheet->heads;
    char name[64];
    picture_name(name, sizeof name, file);
    Arena arena = arena_new();
    Heatmap *maps = arena_alloc_zeroed(&arena, (size_t)count * sizeof *maps);
    for (int i = 0; i < count; i++) {
        int layer = i / sheet->heads, head = i % sheet->heads;
        const float *values = head_sheet_map(sheet, layer, head);
        maps[i] = (Heatmap){.title = sheet->titles[i],
                            .values = values,
                            .rows = sheet->rows,
                            .cols = sheet->cols,
                            .row_labels = sheet->row_labels,
                            .col_labels = sheet->col_labels,
                            .row_axis = sheet->row_axis,
                            .col_axis = sheet->col_axis,
                            .max = 1.0f};
        run_attention(run, name, layer, head, values, sheet->rows, sheet->cols, sheet->row_labels,
                      sheet->col_labels);
    }
    int most = sheet->heads > HEAD_SHEET_COLUMNS ? HEAD_SHEET_COLUMNS : sheet->heads;
    bool written = run_heatmap_png(run, file, maps, count, columns > 0 ? columns : most, title);
    arena_free(&arena);
    return written;
}

void head_sheet_show(Run *run, const HeadSheet *sheet, int layer, int head) {
    run_heatmap(run, sheet->titles[map_of(sheet, layer, head)], head_sheet_map(sheet, layer, head),
                sheet->rows, sheet->cols, sheet->row_labels, sheet->col_labels);
}

const char **axis_tokens(Arena *arena, const Vocab *vocab, const int *ids, int count) {
    const char **tokens = arena_alloc(arena, (size_t)count * sizeof *tokens);
    for (int i = 0; i < count; i++) {
        tokens[i] = vocab_token(vocab, ids[i]);
    }
    return tokens;
}
