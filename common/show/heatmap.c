#include "show/heatmap.h"

#include "show/heatmap_draw.h"

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
        ok = canvas_write_png(&canvas, path, error);
    }
    canvas_free(&canvas);
    layout_free(&layout);
    return ok;
}
