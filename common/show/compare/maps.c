/* Heatmaps of the same name: A, B and B minus A. */
#include "show/compare/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "show/heatmap_numbers.h"

enum {
    PANELS = 3,
    PAGE = 4,       /* maps in one picture, three panels each */
    MAPS_MOST = 64, /* of one name; what is left over is told, and not drawn */
};

/* How far two maps are apart. */
typedef struct Apart {
    double mean, most; /* of |B - A| over the cells that have a number in both */
    bool words;        /* their rows or columns are about the same words */
} Apart;

static bool labels_same(const char *const *a, const char *const *b, int count) {
    if (!a || !b) {
        return a == b;
    }
    for (int i = 0; i < count; i++) {
        if (strcmp(a[i], b[i]) != 0) {
            return false;
        }
    }
    return true;
}

static bool shape_same(const Heatmap *a, const Heatmap *b) {
    return a->rows == b->rows && a->cols == b->cols;
}

/* B minus A into `difference`, cell by cell. */
static Apart subtract(const Heatmap *a, const Heatmap *b, float *difference) {
    size_t cells = (size_t)a->rows * (size_t)a->cols, finite = 0;
    Apart apart = {.words = labels_same(a->row_labels, b->row_labels, a->rows) &&
                            labels_same(a->col_labels, b->col_labels, a->cols)};
    for (size_t i = 0; i < cells; i++) {
        difference[i] = b->values[i] - a->values[i];
        if (isfinite(difference[i])) {
            double size = fabs((double)difference[i]);
            apart.mean += size;
            apart.most = fmax(apart.most, size);
            finite++;
        }
    }
    apart.mean = finite > 0 ? apart.mean / (double)finite : NAN;
    return apart;
}

/* ---- one picture ---- */

/* What belongs to the panels of one picture. */
typedef struct Page {
    Heatmap panels[PANELS * PAGE];
    float *differences[PAGE];
    char titles[PANELS * PAGE][160];
    int maps;
    double most; /* the largest difference: its colours are those of all maps of the page */
} Page;

static void panel_title(Page *page, int panel, const char *letter, const char *title) {
    snprintf(page->titles[panel], sizeof page->titles[panel], "%s%s%.140s", letter,
             title && *title ? ": " : "", title ? title : "");
    page->panels[panel].title = page->titles[panel];
}

/* Both maps in the same colours. */
static void range_join(Heatmap *a, Heatmap *b) {
    if (a->min < a->max && b->min < b->max) {
        a->min = b->min = fminf(a->min, b->min);
        a->max = b->max = fmaxf(a->max, b->max);
    }
}

static bool page_add(Page *page, const Heatmap *a, const Heatmap *b, Apart *apart) {
    int at = PANELS * page->maps;
    page->panels[at] = *a;
    page->panels[at + 1] = *b;
    range_join(&page->panels[at], &page->panels[at + 1]);
    *apart = (Apart){.mean = NAN, .most = NAN};
    if (shape_same(a, b)) {
        Heatmap *third = &page->panels[at + 2];
        float *difference = malloc((size_t)a->rows * (size_t)a->cols * sizeof *difference);
        if (!difference) {
            return false;
        }
        page->differences[page->maps] = difference;
        *apart = subtract(a, b, difference);
        *third = *a;
        third->values = difference;
        third->marks = NULL;
        third->map = COLOR_DIVERGING;
        page->most = fmax(page->most, apart->most);
        panel_title(page, at + 2, apart->words ? "B - A" : "B - A, cell by cell: the words differ",
                    NULL);
    }
    panel_title(page, at, "A", a->title);
    panel_title(page, at + 1, "B", b->title);
    page->maps++;
    return true;
}

/* Third panels all in the same colours; maps that could not be subtracted have none. Returns how
 * many panels a row has then. */
static int page_settle(Page *page) {
    float most = page->most > 0 ? (float)page->most : 1; /* all the same: all white */
    bool subtracted = page->differences[0] != NULL;
    for (int i = 0; i < page->maps; i++) {
        Heatmap *third = &page->panels[PANELS * i + 2];
        third->min = -most;
        third->max = most;
    }
    for (int i = 0; !subtracted && i < 2 * page->maps; i++) {
        page->panels[i] = page->panels[PANELS * (i / 2) + i % 2];
    }
    return subtracted ? PANELS : PANELS - 1;
}

/* Draws the page and empties it. `pages`: how many the name has already. */
static void page_draw(Comparison *c, Page *page, const char *name, int *pages) {
    char file[160], title[400];
    Error error = {""};
    if (page->maps == 0) {
        return;
    }
    int columns = page_settle(page), number = ++*pages;
    snprintf(file, sizeof file, number > 1 ? "%s_%d.png" : "%s.png", name, number);
    snprintf(title, sizeof title, "%s: A is %.100s, B is %.100s", name, c->a.path, c->b.path);
    char *path = path_join(c->out, file);
    if (path && c->draw) {
        if (heatmap_write_png(path, page->panels, columns * page->maps, columns, title, &error)) {
            c->pictures++;
        } else {
            compare_problem(c, &error);
        }
    }
    free(path);
    for (int i = 0; i < page->maps; i++) {
        free(page->differences[i]);
    }
    *page = (Page){.maps = 0};
}

/* ---- one name ---- */

static void apart_tell(Table *table, const Comparison *c, const char *name, int index,
                       const Heatmap *a, const Heatmap *b, Apart apart) {
    char mean[32] = "-", most[32] = "-", size[96], title[64];
    if (shape_same(a, b)) {
        snprintf(size, sizeof size, "%d x %d%s", a->rows, a->cols,
                 apart.words ? "" : ", other words");
    } else {
        snprintf(size, sizeof size, "%d x %d, %d x %d", a->rows, a->cols, b->rows, b->cols);
    }
    if (isfinite(apart.mean)) {
        snprintf(mean, sizeof mean, "%.2g", apart.mean);
        snprintf(most, sizeof most, "%.2g", apart.most);
    }
    snprintf(title, sizeof title, "%.60s", a->title ? a->title : "");
    char *clean = terminal_clean(c->term, title);
    if (*clean) {
        table_row(table, "%s\t%s\t%s\t%s\t%s", name, clean, size, mean, most);
    } else {
        table_row(table, "%s\t%d\t%s\t%s\t%s", name, index, size, mean, most);
    }
    free(clean);
}

static void files_compare(Comparison *c, Table *table, const char *name, const HeatmapFile *a,
                          const HeatmapFile *b) {
    Page pages[2] = {{.maps = 0}}; /* of maps that can be subtracted, and of others */
    int drawn = 0, count = a->count < b->count ? a->count : b->count;
    count = count < MAPS_MOST ? count : MAPS_MOST;
    for (int i = 0; i < count && !compare_stopped(c); i++) {
        Apart apart;
        Error error = {""};
        Page *page = &pages[shape_same(&a->maps[i], &b->maps[i]) ? 0 : 1];
        if (!page_add(page, &a->maps[i], &b->maps[i], &apart)) {
            error_set(&error, "%s: not enough memory", name);
            compare_problem(c, &error);
            break;
        }
        apart_tell(table, c, i == 0 ? name : "", i, &a->maps[i], &b->maps[i], apart);
        c->maps++;
        if (page->maps == PAGE) {
            page_draw(c, page, name, &drawn);
        }
    }
    page_draw(c, &pages[0], name, &drawn);
    page_draw(c, &pages[1], name, &drawn);
    if (a->count != b->count || a->count > count) {
        table_row(table, "\t%d in A, %d in B: %d compared\t\t\t", a->count, b->count, count);
    }
}

static bool maps_read(const Comparison *c, const char *file, HeatmapFile *a, HeatmapFile *b,
                      Error *error) {
    char *paths[2] = {path_join(c->a.path, file), path_join(c->b.path, file)};
    bool ok = paths[0] && paths[1] && heatmap_read_numbers(paths[0], a, error) &&
              heatmap_read_numbers(paths[1], b, error);
    free(paths[0]);
    free(paths[1]);
    return ok;
}

static void name_compare(Comparison *c, Table *table, const char *file) {
    char name[128];
    HeatmapFile a = {0}, b = {0};
    Error error = {""};
    file_name_stem(file, HEATMAP_NUMBERS_ENDING, name, sizeof name);
    if (maps_read(c, file, &a, &b, &error)) {
        files_compare(c, table, name, &a, &b);
    } else {
        compare_problem(c, &error);
    }
    heatmap_file_free(&a);
    heatmap_file_free(&b);
}

void compare_maps(Comparison *c) {
    compare_section(c, "Heatmaps of the same name, and how far they are apart");
    if (c->a.runs > 1 || c->b.runs > 1) { /* maps there would be those of an earlier run */
        terminal_prose(c->term,
                       "A run of several seeds has none of its own: compare the folders "
                       "of its seeds, such as %s/seed_%s.",
                       c->a.runs > 1 ? c->a.path : c->b.path,
                       run_folder_key(c->a.runs > 1 ? &c->a : &c->b, "seed"));
        return;
    }
    Table table = table_new("heatmap\tmap\tsize\tmean |B - A|\tmost");
    for (int i = 0; i < c->a.files.count && !compare_stopped(c); i++) {
        char stem[8];
        if (file_name_stem(c->a.files.name[i], HEATMAP_NUMBERS_ENDING, stem, sizeof stem) &&
            names_has(&c->b.files, c->a.files.name[i])) {
            name_compare(c, &table, c->a.files.name[i]);
        }
    }
    if (table.count > 1) {
        terminal_table(c->term, &table);
    } else {
        terminal_prose(c->term, "None.");
    }
    table_free(&table);
}
