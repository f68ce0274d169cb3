/* Pictures and attention maps of a run on the gallery's page. */
#include <stdlib.h>
#include <string.h>

#include "show/escape.h"
#include "show/gallery_attention.h"
#include "show/gallery_picture.h"
#include "show/gallery_run.h"

static bool is_attention(const GalleryPicture *picture) {
    return strstr(picture->rows, "query") != NULL && strstr(picture->columns, "key") != NULL;
}

/* For who does not see it: what is drawn, as one text inside a quoted attribute. */
static void alt_put(FILE *out, const GalleryPicture *picture, const char *file) {
    html_put(out, picture->title[0] != '\0' ? picture->title : file);
    if (picture->kind == PICTURE_CURVE) {
        fputs(". Plot of ", out);
        html_put(out, picture->y[0] != '\0' ? picture->y : "values");
        fputs(" over ", out);
        html_put(out, picture->x[0] != '\0' ? picture->x : "steps");
        if (picture->series[0] != '\0') {
            fputs(": ", out);
            html_put(out, picture->series);
        }
    } else if (picture->kind == PICTURE_HEATMAP) {
        fputs(". Heatmap; rows from top to bottom: ", out);
        html_put(out, picture->rows);
        fputs("; columns from left to right: ", out);
        html_put(out, picture->columns);
        if (picture->maps[0] != '\0') {
            fputs("; maps: ", out);
            html_put(out, picture->maps);
        }
    }
}

static void heatmap_caption(FILE *out, const GalleryPicture *picture) {
    fputs("<span>Rows, top to bottom: <b>", out);
    html_put(out, picture->rows);
    fputs("</b>. Columns, left to right: <b>", out);
    html_put(out, picture->columns);
    fputs("</b>.</span> ", out);
    if (is_attention(picture)) {
        fputs("<span>A query is the token that looks, a key one it may look at; the colour of a "
              "cell says how much of its look goes there.</span> ",
              out);
    }
    if (picture->outlines[0] != '\0') {
        fputs("<span>Outlined: ", out);
        html_put(out, picture->outlines);
        fputs(".</span> ", out);
    }
}

static void curve_caption(FILE *out, const GalleryPicture *picture) {
    fputs("<span>Across: <b>", out);
    html_put(out, picture->x[0] != '\0' ? picture->x : "x");
    fputs("</b>. Upwards: <b>", out);
    html_put(out, picture->y[0] != '\0' ? picture->y : "y");
    fputs("</b>.</span> ", out);
}

static void link_put(FILE *out, const GalleryRecord *record, const char *file, const char *text) {
    fputs("<a href=\"", out);
    url_put(out, record->run->path);
    putc('/', out);
    url_put(out, file);
    fputs("\">", out);
    html_put(out, text);
    fputs("</a>", out);
}

static void caption_put(FILE *out, const GalleryRecord *record, const GalleryPicture *picture,
                        const char *file) {
    fputs("<figcaption><strong>", out);
    html_put(out, picture->title[0] != '\0' ? picture->title : file);
    fputs("</strong> ", out);
    if (picture->kind == PICTURE_HEATMAP) {
        heatmap_caption(out, picture);
    } else if (picture->kind == PICTURE_CURVE) {
        curve_caption(out, picture);
    } else {
        fputs(
            "<span>This picture does not say what it shows. If it is a map of attention, its rows "
            "are queries (tokens that look) and its columns keys (tokens that are looked "
            "at).</span> ",
            out);
    }
    fputs("<span class=\"files\">", out);
    link_put(out, record, file, file);
    if (picture->numbers[0] != '\0') {
        fputs(" \xC2\xB7 numbers: ", out);
        link_put(out, record, picture->numbers, picture->numbers);
    }
    fputs("</span></figcaption>", out);
}

static void figure_put(FILE *out, const GalleryRecord *record, const char *file,
                       GalleryCount *count) {
    GalleryPicture picture;
    Error error;
    if (!gallery_picture_read(&picture, record->folder, record->run, file, &error)) {
        count->broken++;
        fputs("<p class=\"missing\">", out);
        html_put(out, error.text);
        fputs("</p>\n", out);
        return;
    }
    count->pictures++;
    fputs("<figure data-name=\"", out);
    html_put(out, file);
    fputs("\"><a href=\"", out);
    url_put(out, record->run->path);
    putc('/', out);
    url_put(out, file);
    fputs("\"><img loading=\"lazy\" src=\"", out);
    url_put(out, record->run->path);
    putc('/', out);
    url_put(out, file);
    fprintf(out, "\" width=\"%d\" height=\"%d\" alt=\"", picture.width, picture.height);
    alt_put(out, &picture, file);
    fputs("\"></a>", out);
    caption_put(out, record, &picture, file);
    fputs("</figure>\n", out);
}

void gallery_pictures(FILE *out, const GalleryRecord *record, GalleryCount *count) {
    fputs("<section class=\"pictures\"><h3>Pictures</h3>\n<div class=\"figures\">\n", out);
    const Names *files = &record->run->files;
    for (int i = 0; i < files->count; i++) {
        if (gallery_is_picture(files->name[i])) {
            figure_put(out, record, files->name[i], count);
        }
    }
    fputs("</div>\n", out);
    if (record->pictures == 0) {
        fputs("<p class=\"missing\">This run has no pictures.</p>\n", out);
    }
    fputs("</section>\n", out);
}

/* ---- the explorer ---- */

static void left_out_put(FILE *out, const Attention *attention) {
    bool cut = false;
    for (int i = 0; i < attention->count; i++) {
        cut = cut || attention->maps[i].queries > ATTENTION_SIDE ||
              attention->maps[i].keys > ATTENTION_SIDE;
    }
    if (cut) {
        fprintf(out,
                "<p class=\"missing\">Of maps with more than %d queries or keys the first %d are "
                "shown.</p>\n",
                ATTENTION_SIDE, ATTENTION_SIDE);
    }
    if (attention->maps_left_out > 0) {
        fprintf(out,
                "<p class=\"missing\">%d %s left out, to keep this page small: attention.tsv has "
                "them.</p>\n",
                attention->maps_left_out,
                attention->maps_left_out == 1 ? "more map is" : "more maps are");
    }
    if (attention->bad_lines > 0) {
        fprintf(out, "<p class=\"missing\">%d %s of attention.tsv could not be read.</p>\n",
                attention->bad_lines, attention->bad_lines == 1 ? "line" : "lines");
    }
}

void gallery_explorer(FILE *out, const GalleryRecord *record, long *room, GalleryCount *count) {
    Attention attention;
    Error error;
    if (!names_has(&record->run->files, "attention.tsv")) {
        return;
    }
    fputs("<section class=\"explorer\"><h3>Attention explorer</h3>\n", out);
    char *path = path_join(record->folder, "attention.tsv");
    if (path == NULL || !attention_read(&attention, path, *room, &error)) {
        count->broken++;
        fputs("<p class=\"missing\">", out);
        html_put(out, path == NULL ? "not enough memory" : error.text);
        fputs("</p></section>\n", out);
        free(path);
        return;
    }
    free(path);
    *room -= attention.weights;
    fputs("<p class=\"without-script\">The explorer needs JavaScript; the weights are in "
          "attention.tsv.</p>\n<div class=\"explore\"></div>\n",
          out);
    left_out_put(out, &attention);
    fputs("<script type=\"application/json\" class=\"attention\">", out);
    attention_json(out, &attention);
    fputs("</script></section>\n", out);
    attention_free(&attention);
}
