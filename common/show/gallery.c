#include "show/gallery.h"

#include <stdlib.h>

#include "show/escape.h"
#include "show/gallery_run.h"

/* Nothing may be loaded but the pictures, nothing sent. */
static const char head[] =
    "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
    "img-src 'self' file: data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'; "
    "base-uri 'none'; form-action 'none'\">\n"
    "<link rel=\"icon\" href=\"data:,\">\n<title>attend: gallery of runs</title>\n<style>\n";

static void chooser_put(FILE *out, const char *id, const char *label, int chosen,
                        const GalleryRecord *records, int count) {
    fprintf(out, "<label for=\"%s\">%s</label> <select id=\"%s\">\n", id, label, id);
    for (int i = 0; i < count; i++) {
        fprintf(out, "<option value=\"r%d\"%s>", records[i].number, i == chosen ? " selected" : "");
        html_put_cut(out, records[i].run->path, 100);
        fputs("</option>\n", out);
    }
    fputs("</select>\n", out);
}

/* Shown by the script, which makes it work. */
static void toolbar_put(FILE *out, const GalleryRecord *records, int count) {
    fputs("<header class=\"top\"><h1><a href=\"#all\">attend: gallery</a></h1>\n"
          "<button type=\"button\" id=\"theme\" hidden>dark</button>\n"
          "<form id=\"tools\" hidden>\n",
          out);
    chooser_put(out, "left-run", "left", 0, records, count);
    chooser_put(out, "right-run", "right", count > 1, records, count);
    fputs("<button type=\"submit\">side by side</button>\n"
          "<span class=\"steps\"><button type=\"button\" id=\"back\" aria-label=\"previous run\">"
          "\xE2\x86\x90</button><button type=\"button\" id=\"on\" aria-label=\"next run\">"
          "\xE2\x86\x92</button></span>\n</form>\n"
          "<p class=\"keys\" id=\"keys\" hidden>Keys: <kbd>\xE2\x86\x90</kbd> "
          "<kbd>\xE2\x86\x92</kbd> "
          "show the previous and the next run; side by side they change the right one, with "
          "<kbd>Shift</kbd> the left one. <kbd>Esc</kbd> goes back to all runs.</p>\n</header>\n",
          out);
}

/* "43.2" of "43.223"; what is no number as it is. */
static void seconds_put(FILE *out, const char *text) {
    char *end;
    double seconds = strtod(text, &end);
    if (end != text && *end == '\0' && seconds >= 0 && seconds < 1e9) {
        fprintf(out, "%.1f", seconds);
    } else {
        html_put_cut(out, text, 40);
    }
}

static void row_put(FILE *out, const GalleryRecord *record) {
    fprintf(out, "<tr><td><a href=\"#r%d\">", record->number);
    html_put_cut(out, record->run->path, 200);
    fputs("</a></td><td>", out);
    html_put_cut(out, gallery_record_value(record, "title"), 200);
    fputs("</td><td><code>", out);
    html_put_cut(out, gallery_record_value(record, "flags"), 200);
    fputs("</code></td><td data-label=\"seed\">", out);
    html_put_cut(out, gallery_record_value(record, "seed"), 40);
    fputs("</td><td>", out);
    gallery_badges(out, record);
    fprintf(out, "</td><td data-label=\"pictures\">%d</td><td data-label=\"seconds\">",
            record->pictures);
    seconds_put(out, gallery_record_value(record, "seconds"));
    fputs("</td></tr>\n", out);
}

static void overview_put(FILE *out, const GalleryRuns *runs, const GalleryRecord *records) {
    fputs("<section id=\"all\" tabindex=\"-1\" aria-label=\"all runs\">\n", out);
    if (runs->count == 0) {
        fputs("<p>There are no runs here yet. A lesson makes one: <code>make run-02</code>; then "
              "<code>make gallery</code> again.</p>\n",
              out);
    } else {
        fputs("<table class=\"overview\"><caption>All runs. Choose one, or two above to see them "
              "side by side.</caption>\n<thead><tr><th scope=\"col\">run</th>"
              "<th scope=\"col\">lesson</th><th scope=\"col\">flags</th><th scope=\"col\">seed</th>"
              "<th scope=\"col\">claims</th><th scope=\"col\">pictures</th>"
              "<th scope=\"col\">seconds</th></tr></thead>\n<tbody>\n",
              out);
    }
    for (int i = 0; i < runs->count; i++) {
        row_put(out, &records[i]);
    }
    fputs(runs->count > 0 ? "</tbody></table>\n" : "", out);
    if (runs->left_out > 0) {
        fprintf(out, "<p class=\"missing\">%d more runs are left out: the page shows %d.</p>\n",
                runs->left_out, GALLERY_MOST_RUNS);
    }
    fputs("</section>\n", out);
}

static void page_put(FILE *out, const GalleryParts *parts, const GalleryRuns *runs,
                     const GalleryRecord *records, GalleryCount *count) {
    long room = GALLERY_WEIGHTS;
    fprintf(out, "%s%s</style>\n</head>\n<body>\n", head, parts->style);
    toolbar_put(out, records, runs->count);
    fputs("<main>\n", out);
    overview_put(out, runs, records);
    fprintf(out, "%s<section id=\"pair\" tabindex=\"-1\" hidden></section>\n", parts->words);
    for (int i = 0; i < runs->count; i++) {
        gallery_article(out, &records[i], &room, count);
    }
    fprintf(out, "</main>\n<script>\n%s</script>\n</body>\n</html>\n", parts->script);
}

static bool page_write(const char *folder, const GalleryParts *parts, const GalleryRuns *runs,
                       const GalleryRecord *records, GalleryCount *count, Error *error) {
    AtomicFile file;
    char *path = path_join(folder, "index.html");
    FILE *out = NULL;
    if (path == NULL) {
        return error_set(error, "%s: not enough memory", folder);
    }
    out = atomic_open(&file, path, error);
    free(path);
    if (out == NULL) {
        return false;
    }
    page_put(out, parts, runs, records, count);
    return atomic_commit(&file, error);
}

bool gallery_write(const char *folder, const GalleryParts *parts, GalleryCount *count,
                   Error *error) {
    GalleryRuns runs;
    *count = (GalleryCount){0};
    if (!gallery_scan(folder, &runs, error)) {
        return false;
    }
    GalleryRecord *records = calloc((size_t)runs.count + 1, sizeof *records);
    bool ok = records != NULL;
    for (int i = 0; ok && i < runs.count; i++) {
        ok = gallery_record_read(&records[i], folder, &runs.runs[i], i + 1);
    }
    count->runs = runs.count;
    count->runs_left_out = runs.left_out;
    ok = ok ? page_write(folder, parts, &runs, records, count, error)
            : error_set(error, "%s: not enough memory", folder);
    for (int i = 0; records != NULL && i < runs.count; i++) {
        gallery_record_free(&records[i]);
    }
    free(records);
    gallery_runs_free(&runs);
    return ok;
}
