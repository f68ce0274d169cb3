#include "show/heatmap_layout.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "show/font.h"
#include "show/ticks.h"

enum {
    CELL_MAX = 72,     /* a cell need not be larger than this to be seen from the last row */
    FIELD_WISH = 1100, /* pixels along the longer side of a single map, if they help */
    PITCH = 11,        /* dots from one label to the next: a capital, a tail and a free row */
    FLAT = 8,          /* cells of maps without labels may be this many times longer than high */
    FIELD_LEAST = 24,  /* pixels a map must have at least */
    AXIS_MOST = 160,   /* dots a title or axis name may claim for itself */
};

int layout_gap(const Layout *layout) {
    return 4 * layout->scale;
}

int layout_line(int scale) {
    return (FONT_HEIGHT + 1) * scale;
}

static int min_int(int a, int b) {
    return a < b ? a : b;
}

static int max_int(int a, int b) {
    return a > b ? a : b;
}

static int labels_widest(const char *const *labels, int count) {
    char text[LABEL_SIZE];
    int widest = 0;
    for (int i = labels ? 0 : count - 1; i < count; i++) { /* the last number is the widest */
        label_text(labels, i, text);
        widest = max_int(widest, font_width(text));
    }
    return widest;
}

/* Every how many entries a label can stand when `pixels` hold `count` of them and a label takes
 * `pitch`: any number for tokens, a round one for numbers. All tokens are worth giving up the free
 * row between two labels. */
static int label_step(bool tokens, int count, int pixels, int pitch, int scale) {
    int room = max_int(pixels / pitch, 1);
    if (tokens) {
        bool all = count * (pitch - scale) <= pixels;
        return all ? 1 : (count + room - 1) / room;
    }
    return max_int((int)tick_step(count, room), 1);
}

static int own_bar_width(const Layout *l, const Frame *f) {
    return (8 + 12 + 6 + bar_dots(f->low, f->high, bar_ticks(f->height, l->scale))) * l->scale;
}

/* Everything about one map that depends on the sizes of cells and font, but not on its neighbours.
 */
static void frame_measure(Layout *l, Frame *f) {
    const Heatmap *map = f->map;
    int scale = l->scale, most = l->count > 1 ? 72 : 110; /* dots of a label before it is cut */
    f->width = l->cell_width > 0 ? map->cols * l->cell_width : min_int(map->cols, l->squeeze_width);
    f->height =
        l->cell_height > 0 ? map->rows * l->cell_height : min_int(map->rows, l->squeeze_height);
    f->row_dots = f->row_named ? min_int(f->row_widest, most) : 0;
    f->col_dots = f->col_named ? min_int(f->col_widest, most) : 0;
    f->row_step = label_step(map->row_labels, map->rows, f->height, PITCH * scale, scale);
    int flat = (f->col_dots + 4) * scale;
    f->turned = map->col_labels && flat > f->width / map->cols;
    f->col_step = label_step(
        map->col_labels, map->cols, f->width,
        f->turned || (map->col_labels && flat < PITCH * scale) ? PITCH * scale : flat, scale);
    f->left = (f->row_named ? f->row_dots + 6 : 0) * scale;
    f->top = (!f->col_named ? 2 : f->turned ? f->col_dots + 6 : FONT_HEIGHT + 3) * scale;
    if (f->col_named && map->col_axis) {
        f->top += layout_line(scale);
    }
    if (f->row_named && map->row_axis) {
        f->left += layout_line(scale) + (scale > 1 ? 2 * scale : 4);
        int wide = min_int(font_width(map->row_axis), AXIS_MOST) * scale;
        f->top = max_int(f->top, wide - f->height); /* a name longer than a low field */
    }
    f->right = l->shared_bar ? 0 : own_bar_width(l, f);
}

/* Where labels have to be small the titles of the maps need not be: they are drawn larger if all of
 * them then fit whole into two lines, as wide as the narrowest slot. */
static void names_choose(Layout *l) {
    l->name_scale = l->scale;
    l->name_width = HEATMAP_MAX_SIDE;
    if (l->scale > 1) {
        return;
    }
    int narrow = HEATMAP_MAX_SIDE;
    for (int i = 0; i < l->count; i++) {
        narrow = min_int(narrow, l->frames[i].slot_width);
    }
    for (int i = 0; i < l->count; i++) {
        Lines lines;
        lines_break(&lines, l->frames[i].map->title, narrow / 2, LINES_MAX);
        bool cut = lines.count > 0 && strstr(lines.text[lines.count - 1], "\xE2\x80\xA6");
        if (lines.count > 2 || cut) {
            return;
        }
    }
    l->name_scale = 2;
    l->name_width = narrow;
}

/* The title needs the width of the slot, which needs the widths of all maps of the column. */
static void frame_title(Layout *l, Frame *f) {
    int width = min_int(f->slot_width, l->name_width);
    lines_break(&f->title, f->map->title, width / l->name_scale, LINES_MAX);
    if (f->title.count > 0) {
        f->top += f->title.count * layout_line(l->name_scale) + 2 * l->scale;
    }
}

/* Slots of one column of the grid: as wide as its widest map, fields aligned. Returns where the
 * next column starts. */
static int column_place(Layout *l, int column, int x) {
    int left = 0, right = 0, text = 0;
    for (int i = column; i < l->count; i += l->columns) {
        Frame *f = &l->frames[i];
        left = max_int(left, f->left);
        right = max_int(right, f->width + f->right);
        int title = f->map->title ? min_int(font_width(f->map->title), AXIS_MOST) : 0;
        int axis = f->map->col_axis ? min_int(font_width(f->map->col_axis), AXIS_MOST) : 0;
        text = max_int(text, max_int(title, axis) * l->scale);
    }
    int width = max_int(left + right, text);
    for (int i = column; i < l->count; i += l->columns) {
        Frame *f = &l->frames[i];
        f->slot_x = x;
        f->slot_width = width;
        f->x = x + left;
    }
    return x + width + 3 * layout_gap(l);
}

static int row_place(Layout *l, int row, int y) {
    int top = 0, height = 0;
    int first = row * l->columns, last = min_int(first + l->columns, l->count);
    for (int i = first; i < last; i++) {
        frame_title(l, &l->frames[i]);
        top = max_int(top, l->frames[i].top);
        height = max_int(height, l->frames[i].height);
    }
    for (int i = first; i < last; i++) {
        l->frames[i].y = y + top;
    }
    return y + top + height + 3 * layout_gap(l);
}

/* The bar beside the whole grid, from the top of the first field down. */
static void shared_bar_place(Layout *l, int right, int bottom) {
    const Frame *f = &l->frames[0];
    l->bar_y = f->y;
    l->bar_height = bottom - f->y;
    l->bar_x = right;
    l->bar_width = 12 * l->scale;
    int dots = bar_dots(f->low, f->high, bar_ticks(l->bar_height, l->scale));
    l->width = l->bar_x + l->bar_width + (dots + 6) * l->scale;
}

static void layout_place(Layout *l, const char *title) {
    int margin = 2 * layout_gap(l), x = margin;
    for (int i = 0; i < l->count; i++) {
        l->frames[i].row_named = l->sharing < 1 || i % l->columns == 0;
        l->frames[i].col_named = l->sharing < 2 || i < l->columns;
        frame_measure(l, &l->frames[i]);
    }
    for (int column = 0; column < l->columns; column++) {
        x = column_place(l, column, x);
    }
    names_choose(l);
    int bar = l->shared_bar ? 60 * l->scale : 0; /* about; only the title needs it this early */
    int wide = max_int(x + bar, 320 * l->scale) - 2 * margin;
    l->title_scale = min_int(l->name_scale + 1, 3);
    if (title && font_width(title) * l->title_scale > wide &&
        font_width(title) * l->name_scale <= wide) {
        l->title_scale = l->name_scale; /* one smaller line reads better than two */
    }
    lines_break(&l->title, title, wide / l->title_scale, LINES_MAX);
    int y = margin + l->title.count * layout_line(l->title_scale);
    y += l->title.count > 0 ? layout_gap(l) : 0;
    for (int row = 0; row < l->rows; row++) {
        y = row_place(l, row, y);
    }
    y -= 3 * layout_gap(l);
    l->width = x - 3 * layout_gap(l);
    if (l->shared_bar) {
        shared_bar_place(l, x - layout_gap(l), y);
    }
    for (int i = 0; i < l->title.count; i++) {
        l->width = max_int(l->width, margin + font_width(l->title.text[i]) * l->title_scale);
    }
    l->legend_y = y + 2 * layout_gap(l);
    y += l->marked ? 2 * layout_gap(l) + layout_line(l->scale) : 0;
    l->width += margin;
    l->height = y + margin;
}

/* Cells of maps with tokens are square; a long matrix of numbers may have flat or narrow ones. */
static void cells_shape(Layout *l, bool tokens) {
    int least = min_int(l->cell_width, l->cell_height);
    int most = tokens ? max_int(least, 1) : FLAT * max_int(least, 1);
    l->cell_width = min_int(l->cell_width, most);
    l->cell_height = min_int(l->cell_height, most);
}

/* Shrinks the cells until the picture fits; below one pixel per cell the field itself is cut down
 * to what is left. False when even that is not enough. */
static bool layout_fit(Layout *l, const char *title, bool tokens) {
    for (;;) {
        layout_place(l, title);
        int over_x = l->width - HEATMAP_MAX_SIDE, over_y = l->height - HEATMAP_MAX_SIDE;
        if (over_x <= 0 && over_y <= 0) {
            return true;
        }
        if (over_x > 0 && l->cell_width > 0) {
            l->cell_width--;
            l->squeeze_width = HEATMAP_MAX_SIDE;
        } else if (over_x > 0) {
            l->squeeze_width -= (over_x + l->columns - 1) / l->columns;
        }
        if (over_y > 0 && l->cell_height > 0) {
            l->cell_height--;
            l->squeeze_height = HEATMAP_MAX_SIDE;
        } else if (over_y > 0) {
            l->squeeze_height -= (over_y + l->rows - 1) / l->rows;
        }
        cells_shape(l, tokens && l->cell_width > 0 && l->cell_height > 0);
        if (min_int(l->squeeze_width, l->squeeze_height) < FIELD_LEAST) {
            return false;
        }
    }
}

/* Pixels that the cells of all maps take up. */
static double fields_area(const Layout *l) {
    double area = 0;
    for (int i = 0; i < l->count; i++) {
        area += (double)l->frames[i].width * l->frames[i].height;
    }
    return area;
}

/* Tries one size of the font. `*good` tells whether every token has its label and the maps, rather
 * than the texts around them, take up the picture. */
static bool layout_try(Layout *l, int scale, int sharing, const char *title, bool *good) {
    int rows = 1, cols = 1;
    bool tokens = false;
    for (int i = 0; i < l->count; i++) {
        const Heatmap *map = l->frames[i].map;
        rows = max_int(rows, map->rows);
        cols = max_int(cols, map->cols);
        tokens = tokens || map->row_labels || map->col_labels;
    }
    l->scale = scale;
    l->sharing = sharing;
    l->cell_width = min_int(max_int(FIELD_WISH / cols, 1), CELL_MAX);
    l->cell_height = min_int(max_int(FIELD_WISH / rows, 1), CELL_MAX);
    l->squeeze_width = l->squeeze_height = HEATMAP_MAX_SIDE;
    cells_shape(l, tokens);
    if (!layout_fit(l, title, tokens)) {
        return false;
    }
    *good = true;
    for (int i = 0; i < l->count; i++) {
        const Frame *f = &l->frames[i];
        *good = *good && (!f->map->row_labels || f->row_step == 1);
        *good = *good && (!f->map->col_labels || f->col_step == 1);
    }
    bool full = l->width > HEATMAP_MAX_SIDE * 9 / 10 || l->height > HEATMAP_MAX_SIDE * 9 / 10;
    *good = *good && (!full || fields_area(l) > 0.35 * l->width * l->height);
    return true;
}

static bool text_same(const char *a, const char *b) {
    return a && b ? strcmp(a, b) == 0 : a == b;
}

/* Whether two axes have the same number of entries, labels and name. */
static bool axis_same(const char *const *a, int a_count, const char *a_name, const char *const *b,
                      int b_count, const char *b_name) {
    bool same = a_count == b_count && !a == !b && text_same(a_name, b_name);
    for (int i = 0; same && a && a != b && i < a_count; i++) {
        same = text_same(a[i], b[i]);
    }
    return same;
}

static void alike_find(Layout *l) {
    l->rows_alike = l->cols_alike = true;
    for (int i = 0; i < l->count; i++) {
        const Heatmap *map = l->frames[i].map;
        const Heatmap *first = l->frames[i - i % l->columns].map;
        const Heatmap *top = l->frames[i % l->columns].map;
        l->rows_alike = l->rows_alike && axis_same(map->row_labels, map->rows, map->row_axis,
                                                   first->row_labels, first->rows, first->row_axis);
        l->cols_alike = l->cols_alike && axis_same(map->col_labels, map->cols, map->col_axis,
                                                   top->col_labels, top->cols, top->col_axis);
    }
}

static bool map_check(const Heatmap *map, int index, Error *error) {
    if (!map->values || map->rows < 1 || map->cols < 1) {
        return error_set(error, "heatmap %d: nothing to draw, its size is (%d, %d)", index,
                         map->rows, map->cols);
    }
    if (!isfinite(map->min) || !isfinite(map->max) || map->min > map->max) {
        return error_set(error, "heatmap %d: colours cannot run from %g to %g", index,
                         (double)map->min, (double)map->max);
    }
    return true;
}

/* What does not depend on sizes: ranges, widest labels, whether one colour bar serves all. */
static bool frames_make(Layout *l, const Heatmap *maps, Error *error) {
    l->frames = calloc((size_t)l->count, sizeof *l->frames);
    if (!l->frames) {
        return error_set(error, "heatmap: not enough memory for %d maps", l->count);
    }
    l->shared_bar = true;
    for (int i = 0; i < l->count; i++) {
        Frame *f = &l->frames[i];
        if (!map_check(&maps[i], i, error)) {
            return false;
        }
        f->map = &maps[i];
        range_choose(f->map, &f->low, &f->high);
        f->row_widest = labels_widest(f->map->row_labels, f->map->rows);
        f->col_widest = labels_widest(f->map->col_labels, f->map->cols);
        bool same = f->low == l->frames[0].low && f->high == l->frames[0].high;
        l->shared_bar = l->shared_bar && same && f->map->map == maps[0].map;
        l->marked = l->marked || f->map->marks;
    }
    return true;
}

/* How far labels may be shared. */
static int sharing_most(const Layout *l) {
    return l->rows_alike ? l->cols_alike ? 2 : 1 : 0;
}

/* Large text, which is worth sharing labels for. */
static bool layout_large(Layout *l, const char *title) {
    for (int sharing = 0; sharing <= sharing_most(l); sharing++) {
        bool good = false;
        if (layout_try(l, 2, sharing, title, &good) && good) {
            return true;
        }
    }
    return false;
}

/* Small text. Labels are shared where that makes the maps a good deal larger: a sheet of all heads
 * is full of them otherwise. */
static bool layout_small(Layout *l, const char *title) {
    int best = -1;
    double most = 0;
    bool good;
    for (int sharing = 0; sharing <= sharing_most(l); sharing++) {
        if (layout_try(l, 1, sharing, title, &good) && fields_area(l) > 1.1 * most) {
            best = sharing;
            most = fields_area(l);
        }
    }
    return best >= 0 && layout_try(l, 1, best, title, &good);
}

bool layout_make(Layout *layout, const Heatmap *maps, int count, int columns, const char *title,
                 Error *error) {
    *layout = (Layout){.count = count};
    if (count < 1 || !maps) {
        return error_set(error, "heatmap: no map to draw");
    }
    layout->columns = min_int(max_int(columns, 1), count);
    layout->rows = (count + layout->columns - 1) / layout->columns;
    if (!frames_make(layout, maps, error)) {
        return false;
    }
    alike_find(layout);
    if (layout_large(layout, title) || layout_small(layout, title)) {
        return true;
    }
    return error_set(error, "heatmap: %d maps in %d columns do not fit into one picture", count,
                     layout->columns);
}

void layout_free(Layout *layout) {
    free(layout->frames);
    layout->frames = NULL;
}
