#include "show/heatmap.h"

#include <string.h>

#include "io/utf8.h"
#include "show/heatmap_draw.h"

enum { NOTE_SIZE = 1024 };

/* Does one of the maps before number `end` have the same text? */
static bool said_before(const Heatmap *maps, int end, const char *(*text_of)(const Heatmap *)) {
    for (int i = 0; i < end; i++) {
        const char *earlier = text_of(&maps[i]), *text = text_of(&maps[end]);
        if (earlier != NULL && strcmp(earlier, text) == 0) {
            return true;
        }
    }
    return false;
}

/* What the maps say of themselves, each text once: "position or query at". */
static void note_join(char note[NOTE_SIZE], const Heatmap *maps, int count,
                      const char *(*text_of)(const Heatmap *), const char *between) {
    size_t used = 0;
    note[0] = '\0';
    for (int i = 0; i < count && used < NOTE_SIZE; i++) {
        const char *text = text_of(&maps[i]);
        if (text != NULL && *text != '\0' && !said_before(maps, i, text_of)) {
            used += (size_t)snprintf(note + used, NOTE_SIZE - used, "%s%s", used > 0 ? between : "",
                                     text);
        }
    }
    note[utf8_truncate(note, NOTE_SIZE - 1)] = '\0';
}

static const char *title_of(const Heatmap *map) {
    return map->title;
}

static const char *rows_of(const Heatmap *map) {
    return map->row_axis;
}

static const char *columns_of(const Heatmap *map) {
    return map->col_axis;
}

static const char *outlines_of(const Heatmap *map) {
    const char *label = map->marks_label != NULL ? map->marks_label : "gold alignment";
    return map->marks != NULL ? label : NULL;
}

/* Writes the canvas with what a reader who does not see it should know. */
static bool canvas_write_noted(Canvas *canvas, const char *path, const Heatmap *maps, int count,
                               const char *title, Error *error) {
    char titles[NOTE_SIZE], rows[NOTE_SIZE], columns[NOTE_SIZE], outlines[NOTE_SIZE];
    note_join(titles, maps, count, title_of, "; ");
    note_join(rows, maps, count, rows_of, " or ");
    note_join(columns, maps, count, columns_of, " or ");
    note_join(outlines, maps, count, outlines_of, " or ");
    canvas->notes = (CanvasNotes){title, titles, rows, columns, outlines};
    bool ok = canvas_write_png(canvas, path, error);
    canvas->notes = (CanvasNotes){0};
    return ok;
}

bool heatmap_write_png(const char *path, const Heatmap *maps, int count, int columns,
                       const char *title, Error *error) {
    static const Color white = {255, 255, 255};
    Layout layout;
    Canvas canvas = {0};
    bool ok = layout_make(&layout, maps, count, columns, title, error) &&
              canvas_make(&canvas, layout.width, layout.height, white, error);
    for (int i = 0; ok && i < count; i++) {
        frame_draw(&canvas, &layout, &layout.frames[i]);
    }
    if (ok) {
        layout_draw(&canvas, &layout);
        ok = canvas_write_noted(&canvas, path, maps, count, title, error);
    }
    canvas_free(&canvas);
    layout_free(&layout);
    return ok;
}
