/* What the tests of heatmaps share: a folder, and a map drawn and read back. */
#ifndef TESTS_SHOW_HEATMAP_PICTURE_H
#define TESTS_SHOW_HEATMAP_PICTURE_H

#include "assert_close.h"

#include "show/heatmap.h"
#include "show/heatmap_layout.h"
#include "support/scratch.h"
#include "support/picture.h"

/* Draws the maps, reads the picture back and works the places out once more. */
static inline Picture draw(const Heatmap *maps, int count, int columns, Layout *layout) {
    Error error = {""};
    const char *path = scratch_path("map.png");
    if (!heatmap_write_png(path, maps, count, columns, "A title", &error) ||
        !layout_make(layout, maps, count, columns, "A title", &error)) {
        fail_msg("%s", error.text);
    }
    Picture picture = picture_read(path);
    assert_int_equal(picture.width, layout->width);
    assert_int_equal(picture.height, layout->height);
    assert_true(picture.width <= HEATMAP_MAX_SIDE && picture.height <= HEATMAP_MAX_SIDE);
    return picture;
}

static inline Color cell_color(const Picture *picture, const Frame *f, int row, int col) {
    int x = f->x + (2 * col + 1) * f->width / (2 * f->map->cols);
    int y = f->y + (2 * row + 1) * f->height / (2 * f->map->rows);
    return picture_at(picture, x, y);
}

static inline void assert_cell(const Picture *picture, const Frame *f, int row, int col,
                               double part) {
    ColorTable table = color_table(f->map->map);
    Color seen = cell_color(picture, f, row, col), expected = color_of(&table, part);
    if (!color_equal(seen, expected)) {
        fail_msg("cell (%d, %d) is #%02x%02x%02x, not #%02x%02x%02x", row, col, seen.red,
                 seen.green, seen.blue, expected.red, expected.green, expected.blue);
    }
}

#endif
