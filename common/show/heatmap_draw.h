/* Draws a picture of heatmaps whose places are known. Used by heatmap.c only. */
#ifndef SHOW_HEATMAP_DRAW_H
#define SHOW_HEATMAP_DRAW_H

#include "show/canvas.h"
#include "show/heatmap_layout.h"

/* Draws cells, outlines, labels and the colour bar of one map, if it has one of its own. */
void frame_draw(Canvas *canvas, const Layout *layout, const Frame *frame);

/* Draws what stands around the maps: the title, the shared colour bar, the legend. */
void layout_draw(Canvas *canvas, const Layout *layout);

#endif
