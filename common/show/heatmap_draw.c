#include "show/heatmap_draw.h"

#include <math.h>

#include "show/font.h"
#include "show/ticks.h"

enum { CAP_HEIGHT = FONT_BASELINE + 1 - FONT_CAP_TOP };

static const Color ink = {32, 32, 36}, soft = {96, 96, 104}, border = {150, 150, 156};
static const Color grid = {222, 222, 226}, mark = {230, 85, 0}, white = {255, 255, 255};

/* The first pixel of cell `index` when `pixels` hold `count` cells. */
static int cell_start(int index, int count, int pixels) {
    return (int)((long long)index * pixels / count);
}

/* Mean of the finite values of a block of cells (rows first..last - 1 and so on); NaN when there is
 * none. A block is one cell unless there are more cells than pixels. */
static double block_mean(const Heatmap *map, int row, int row_end, int col, int col_end) {
    double sum = 0;
    int count = 0;
    for (int i = row; i < row_end; i++) {
        for (int j = col; j < col_end; j++) {
            double value = map->values[(size_t)i * (size_t)map->cols + (size_t)j];
            if (isfinite(value)) {
                sum += value;
                count++;
            }
        }
    }
    return count > 0 ? sum / count : NAN;
}

/* A cell without a value: light stripes that no colour map contains; plain grey where it is too
 * small for stripes. */
static void hatch_draw(Canvas *canvas, int x, int y, int width, int height) {
    static const Color light = {238, 238, 238}, dark = {160, 160, 160};
    for (int j = 0; j < height; j++) {
        for (int i = 0; i < width; i++) {
            bool stripe = (x + i + y + j) % 6 < 2;
            bool small = width < 6 || height < 6;
            canvas_dot(canvas, x + i, y + j, stripe || small ? dark : light);
        }
    }
}

static Color value_color(const Frame *f, const ColorTable *table, double value) {
    return color_of(table, (value - f->low) / (f->high - f->low));
}

static void value_write(Canvas *canvas, const Layout *l, int x, int y, int width, int height,
                        double value, Color background) {
    char text[32];
    snprintf(text, sizeof text, "%.2f", value);
    for (int scale = l->scale; scale >= 1; scale--) {
        int wide = font_width(text) * scale;
        if (wide + 4 <= width && CAP_HEIGHT * scale + 4 <= height) {
            canvas_text(canvas, x + (width - wide) / 2,
                        y + (height - CAP_HEIGHT * scale) / 2 - FONT_CAP_TOP * scale, text, scale,
                        color_text_on(background));
            return;
        }
    }
}

/* The cells that start at pixel (x, y) of the field. */
static void cell_draw(Canvas *canvas, const Layout *l, const Frame *f, const ColorTable *table,
                      int row, int row_end, int col, int col_end) {
    const Heatmap *map = f->map;
    int x = cell_start(col, map->cols, f->width), y = cell_start(row, map->rows, f->height);
    int width = cell_start(col_end, map->cols, f->width) - x;
    int height = cell_start(row_end, map->rows, f->height) - y;
    double value = block_mean(map, row, row_end, col, col_end);
    if (isnan(value)) {
        hatch_draw(canvas, f->x + x, f->y + y, width, height);
        return;
    }
    Color color = value_color(f, table, value);
    canvas_fill(canvas, f->x + x, f->y + y, width, height, color);
    if (map->show_values) {
        value_write(canvas, l, f->x + x, f->y + y, width, height, value, color);
    }
}

/* The first cell whose start lies behind that of `index`: the next one, or with more cells than
 * pixels the first of the next pixel. */
static int block_end(int index, int count, int pixels) {
    int start = cell_start(index, count, pixels);
    int end = index + 1;
    while (end < count && cell_start(end, count, pixels) == start) {
        end++;
    }
    return end;
}

static void cells_draw(Canvas *canvas, const Layout *l, const Frame *f) {
    const Heatmap *map = f->map;
    ColorTable table = color_table(map->map);
    for (int row = 0; row < map->rows;) {
        int row_end = block_end(row, map->rows, f->height);
        for (int col = 0; col < map->cols;) {
            int col_end = block_end(col, map->cols, f->width);
            cell_draw(canvas, l, f, &table, row, row_end, col, col_end);
            col = col_end;
        }
        row = row_end;
    }
}

/* Thin lines between cells that are large enough to lose a pixel, and a border around all. */
static void lines_draw(Canvas *canvas, const Frame *f) {
    int wide = f->width / f->map->cols, high = f->height / f->map->rows;
    for (int col = 1; wide >= 16 && high >= 16 && col < f->map->cols; col++) {
        canvas_fill(canvas, f->x + col * wide, f->y, 1, f->height, grid);
    }
    for (int row = 1; wide >= 16 && high >= 16 && row < f->map->rows; row++) {
        canvas_fill(canvas, f->x, f->y + row * high, f->width, 1, grid);
    }
    canvas_outline(canvas, f->x - 1, f->y - 1, f->width + 2, f->height + 2, 1, border);
}

/* A box that stands out on every colour: a strong line with a white one inside. */
static void mark_draw(Canvas *canvas, int x, int y, int width, int height) {
    int least = width < height ? width : height, thick = least >= 40 ? 4 : least >= 20 ? 3 : 2;
    if (least < 8) {
        canvas_outline(canvas, x, y, width, height, 1, mark);
        return;
    }
    canvas_outline(canvas, x + 1, y + 1, width - 1, height - 1, thick, mark);
    canvas_outline(canvas, x + 1 + thick, y + 1 + thick, width - 1 - 2 * thick,
                   height - 1 - 2 * thick, 1, white);
}

static void marks_draw(Canvas *canvas, const Frame *f) {
    const Heatmap *map = f->map;
    for (int row = 0; map->marks && row < map->rows; row++) {
        for (int col = 0; col < map->cols; col++) {
            if (map->marks[(size_t)row * (size_t)map->cols + (size_t)col]) {
                int x = cell_start(col, map->cols, f->width);
                int y = cell_start(row, map->rows, f->height);
                int width = cell_start(col + 1, map->cols, f->width) - x;
                int height = cell_start(row + 1, map->rows, f->height) - y;
                mark_draw(canvas, f->x + x, f->y + y, width > 0 ? width : 1,
                          height > 0 ? height : 1);
            }
        }
    }
}

static int clamp_int(int value, int low, int high) {
    return value > high ? (high < low ? low : high) : value < low ? low : value;
}

/* Row labels end at the left of the field, each with a short line to the middle of its row. */
static void row_labels_draw(Canvas *canvas, const Layout *l, const Frame *f) {
    char label[LABEL_SIZE], text[LABEL_SIZE];
    int scale = l->scale, rows = f->map->rows;
    for (int row = 0; row < rows; row += f->row_step) {
        int middle = (cell_start(row, rows, f->height) + cell_start(row + 1, rows, f->height)) / 2;
        int y = f->y + middle;
        label_text(f->map->row_labels, row, label);
        int wide = font_shorten(text, sizeof text, label, f->row_dots) * scale;
        canvas_text(canvas, f->x - 6 * scale - wide,
                    y - (FONT_CAP_TOP + FONT_HEIGHT - 2) * scale / 2, text, scale, ink);
        canvas_fill(canvas, f->x - 3 * scale, y, 2 * scale, 1, border);
    }
}

/* Column labels stand on the field, upright when they are narrow enough. */
static void col_labels_draw(Canvas *canvas, const Layout *l, const Frame *f) {
    char label[LABEL_SIZE], text[LABEL_SIZE];
    int scale = l->scale, cols = f->map->cols;
    for (int col = 0; col < cols; col += f->col_step) {
        int middle = (cell_start(col, cols, f->width) + cell_start(col + 1, cols, f->width)) / 2;
        int x = f->x + middle;
        label_text(f->map->col_labels, col, label);
        int wide = font_shorten(text, sizeof text, label, f->col_dots) * scale;
        if (f->turned) {
            canvas_text_up(canvas, x - (FONT_CAP_TOP + FONT_HEIGHT - 2) * scale / 2,
                           f->y - 6 * scale, text, scale, ink);
        } else {
            canvas_text(canvas, x - wide / 2, f->y - (FONT_HEIGHT + 3) * scale, text, scale, ink);
        }
        canvas_fill(canvas, x, f->y - 3 * scale, 1, 2 * scale, border);
    }
}

static void axes_draw(Canvas *canvas, const Layout *l, const Frame *f) {
    char text[LINE_SIZE];
    int scale = l->scale, line = layout_line(scale);
    if (f->map->col_axis && f->col_named) {
        int wide = font_shorten(text, sizeof text, f->map->col_axis, f->slot_width / scale) * scale;
        int x = clamp_int(f->x + (f->width - wide) / 2, f->slot_x,
                          f->slot_x + f->slot_width - f->right - wide);
        int labels = (f->turned ? f->col_dots + 6 : FONT_HEIGHT + 3) * scale;
        canvas_text(canvas, x, f->y - labels - line, text, scale, soft);
    }
    if (f->map->row_axis && f->row_named) {
        int room = f->height + f->top - f->title.count * layout_line(l->name_scale);
        int wide = font_shorten(text, sizeof text, f->map->row_axis, room / scale) * scale;
        int below = f->y + (f->height + wide) / 2; /* where the reading starts */
        below = below > f->y + f->height ? f->y + f->height : below;
        canvas_text_up(canvas, f->x - f->left, below, text, scale, soft);
    }
}

static void frame_title_draw(Canvas *canvas, const Layout *l, const Frame *f) {
    int y = f->y - f->top, scale = l->name_scale;
    for (int i = 0; i < f->title.count; i++, y += layout_line(scale)) {
        int wide = font_width(f->title.text[i]) * scale;
        int x =
            clamp_int(f->x + (f->width - wide) / 2, f->slot_x, f->slot_x + f->slot_width - wide);
        canvas_text(canvas, x, y, f->title.text[i], scale, ink);
    }
}

/* The bar: high values at the top, round numbers beside it. */
static void bar_draw(Canvas *canvas, const Layout *l, const Frame *f, int x, int y, int height) {
    int width = 12 * l->scale;
    ColorTable table = color_table(f->map->map);
    for (int i = 0; i < height; i++) {
        double part = height > 1 ? (double)(height - 1 - i) / (height - 1) : 0;
        canvas_fill(canvas, x, y + i, width, 1, color_of(&table, part));
    }
    canvas_outline(canvas, x - 1, y - 1, width + 2, height + 2, 1, border);
    double step = tick_step(f->high - f->low, bar_ticks(height, l->scale));
    for (double at = tick_first(f->low, step); at <= f->high + step * 1e-6; at += step) {
        char text[32];
        tick_text(text, sizeof text, at, step);
        int tick_y = y + (int)lround((height - 1) * (f->high - at) / (f->high - f->low));
        canvas_fill(canvas, x + width, tick_y, 3 * l->scale, 1, border);
        canvas_text(canvas, x + width + 6 * l->scale,
                    tick_y - (FONT_CAP_TOP + FONT_BASELINE + 1) * l->scale / 2, text, l->scale,
                    ink);
    }
}

void frame_draw(Canvas *canvas, const Layout *layout, const Frame *frame) {
    cells_draw(canvas, layout, frame);
    lines_draw(canvas, frame);
    marks_draw(canvas, frame);
    if (frame->row_named) {
        row_labels_draw(canvas, layout, frame);
    }
    if (frame->col_named) {
        col_labels_draw(canvas, layout, frame);
    }
    axes_draw(canvas, layout, frame);
    frame_title_draw(canvas, layout, frame);
    if (!layout->shared_bar) {
        int x = frame->x + frame->width + 8 * layout->scale;
        bar_draw(canvas, layout, frame, x, frame->y, frame->height);
    }
}

void layout_draw(Canvas *canvas, const Layout *layout) {
    int margin = 2 * layout_gap(layout), y = margin;
    for (int i = 0; i < layout->title.count; i++, y += layout_line(layout->title_scale)) {
        canvas_text(canvas, margin, y, layout->title.text[i], layout->title_scale, ink);
    }
    const Frame *first = &layout->frames[0];
    if (layout->shared_bar) {
        bar_draw(canvas, layout, first, layout->bar_x, layout->bar_y, layout->bar_height);
    }
    const Frame *marked = first;
    while (layout->marked && !marked->map->marks) {
        marked++;
    }
    if (layout->marked) {
        const char *label = marked->map->marks_label;
        int side = 10 * layout->scale, x = first->x;
        mark_draw(canvas, x, layout->legend_y + 2 * layout->scale, side, side);
        canvas_text(canvas, x + side + layout_gap(layout), layout->legend_y,
                    label ? label : "gold alignment", layout->scale, ink);
    }
}
