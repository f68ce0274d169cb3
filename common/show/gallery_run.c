#include "show/gallery_run.h"

#include <stdlib.h>
#include <string.h>

#include "show/escape.h"

enum { MOST_TABLE = 1 << 18 /* bytes */, MOST_VALUE = 600 };

bool gallery_is_picture(const char *file) {
    size_t size = strlen(file);
    return size > 4 && strcmp(file + size - 4, ".png") == 0;
}

bool gallery_record_read(GalleryRecord *record, const char *folder, const GalleryRun *run,
                         int number) {
    *record = (GalleryRecord){.run = run, .number = number, .folder = path_join(folder, run->path)};
    if (record->folder == NULL) {
        return false;
    }
    run_table_read(record->folder, "run.tsv", MOST_TABLE, &record->record, &record->record_error);
    run_table_read(record->folder, "claims.tsv", MOST_TABLE, &record->claims,
                   &record->claims_error);
    run_table_read(record->folder, "timing_claims.tsv", MOST_TABLE, &record->timing, NULL);
    for (int row = 1; row < record->claims.rows; row++) {
        const char *status = tsv_named(&record->claims, row, "status");
        record->holds += strcmp(status, "holds") == 0;
        record->fails += strcmp(status, "fails") == 0;
        record->not_made += strcmp(status, "not_made") == 0;
        record->timed += strcmp(status, "timing") == 0;
    }
    for (int i = 0; i < run->files.count; i++) {
        record->pictures += gallery_is_picture(run->files.name[i]);
    }
    return true;
}

void gallery_record_free(GalleryRecord *record) {
    tsv_free(&record->record);
    tsv_free(&record->claims);
    tsv_free(&record->timing);
    free(record->folder);
    *record = (GalleryRecord){0};
}

const char *gallery_record_value(const GalleryRecord *record, const char *key) {
    const char *value = tsv_value(&record->record, key);
    return value != NULL && *value != '\0' ? value : "-";
}

static void badge_put(FILE *out, const char *class, int number, const char *words) {
    if (number > 0) {
        fprintf(out, "<span class=\"badge %s\">%d %s</span> ", class, number, words);
    }
}

void gallery_badges(FILE *out, const GalleryRecord *record) {
    badge_put(out, "holds", record->holds, record->holds == 1 ? "holds" : "hold");
    badge_put(out, "fails", record->fails, record->fails == 1 ? "fails" : "fail");
    badge_put(out, "not-made", record->not_made, "not made");
    badge_put(out, "timing", record->timed, "timing");
    if (record->claims.rows == 0) {
        fputs("<span class=\"badge not-made\">no claims</span> ", out);
    }
}

static void record_put(FILE *out, const GalleryRecord *record) {
    fputs("<section class=\"record\"><h3>Run record</h3>\n", out);
    if (record->record.rows == 0) {
        fputs("<p class=\"missing\">No record: ", out);
        html_put(out, record->record_error.text);
        fputs("</p></section>\n", out);
        return;
    }
    fputs("<dl>\n", out);
    int rows = record->record.rows;
    for (int row = 0; row < rows && row < GALLERY_MOST_RECORD; row++) {
        const char *key = tsv_cell(&record->record, row, 0);
        fputs("<div data-key=\"", out);
        html_put_cut(out, key, MOST_VALUE);
        fputs("\"><dt>", out);
        html_put_cut(out, key, MOST_VALUE);
        fputs("</dt><dd>", out);
        html_put_cut(out, tsv_cell(&record->record, row, 1), MOST_VALUE);
        fputs("</dd></div>\n", out);
    }
    fputs("</dl>\n", out);
    if (rows > GALLERY_MOST_RECORD) {
        fprintf(out, "<p class=\"missing\">%d more lines of run.tsv are left out.</p>\n",
                rows - GALLERY_MOST_RECORD);
    }
    fputs("</section>\n", out);
}

/* Links to everything in the folder that is no picture: those stand under the pictures. */
static void files_put(FILE *out, const GalleryRecord *record) {
    const Names *files = &record->run->files;
    fputs("<section class=\"files\"><h3>Files</h3>\n<ul>\n", out);
    for (int i = 0; i < files->count; i++) {
        if (!gallery_is_picture(files->name[i])) {
            fputs("<li><a href=\"", out);
            url_put(out, record->run->path);
            putc('/', out);
            url_put(out, files->name[i]);
            fputs("\">", out);
            html_put(out, files->name[i]);
            fputs("</a></li>\n", out);
        }
    }
    fputs("</ul>\n", out);
    if (files->left_out > 0) {
        fprintf(out, "<p class=\"missing\">%d more files of this folder are left out.</p>\n",
                files->left_out);
    }
    fputs("</section>\n", out);
}

void gallery_article(FILE *out, const GalleryRecord *record, long *room, GalleryCount *count) {
    const char *flags = gallery_record_value(record, "flags");
    fprintf(out,
            "<article class=\"run\" id=\"r%d\" tabindex=\"-1\" aria-labelledby=\"r%d-name\">\n",
            record->number, record->number);
    fprintf(out, "<header><h2 id=\"r%d-name\">", record->number);
    html_put(out, record->run->path);
    fputs("</h2>\n<p class=\"about\">", out);
    html_put_cut(out, gallery_record_value(record, "title"), MOST_VALUE);
    fputs("</p>\n<p class=\"typed\"><code>", out);
    html_put_cut(out, gallery_record_value(record, "lesson"), MOST_VALUE);
    putc(' ', out);
    html_put_cut(out, strcmp(flags, "-") == 0 ? "" : flags, MOST_VALUE);
    fputs("</code></p>\n<p>", out);
    gallery_badges(out, record);
    fputs("</p></header>\n", out);
    gallery_claims(out, record);
    gallery_pictures(out, record, count);
    gallery_explorer(out, record, room, count);
    record_put(out, record);
    files_put(out, record);
    count->broken += record->record.rows == 0 || record->claims.rows == 0;
    fputs("</article>\n", out);
}
