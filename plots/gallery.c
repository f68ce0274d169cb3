/* The gallery: one page that shows every run.
 *
 *     gallery [DIR]
 *
 * writes DIR/index.html (DIR is plots when it is not given): the runs found in the folders of DIR,
 * and in the folders of those, each with its claims, its record, its pictures and its attention
 * maps. Open it in a browser; it needs neither a network nor a server.
 *
 * How it looks and what it does in the browser is in plots/gallery/, put together here at build
 * time. Exit status: 0 when the page was written, 2 when it could not be. */
#include <stdio.h>
#include <string.h>

#include "show/gallery.h"

/* The Makefile turns each file into the numbers of its bytes. */
static const unsigned char style[] = {
#include "plots/gallery/style.css.inc"
    0};
static const unsigned char words[] = {
#include "plots/gallery/words.html.inc"
    0};
static const unsigned char script[] = {
#include "plots/gallery/page.js.inc"
#include "plots/gallery/explorer.js.inc"
#include "plots/gallery/selftest.js.inc"
    0};

static void say(const char *folder, const GalleryCount *count) {
    printf("%s%sindex.html: %d %s, %d %s", folder, folder[strlen(folder) - 1] == '/' ? "" : "/",
           count->runs, count->runs == 1 ? "run" : "runs", count->pictures,
           count->pictures == 1 ? "picture" : "pictures");
    if (count->runs_left_out > 0) {
        printf("; %d more runs were left out", count->runs_left_out);
    }
    if (count->broken > 0) {
        printf("; %d %s could not be shown, the page says why", count->broken,
               count->broken == 1 ? "file" : "files");
    }
    printf("\n%s\n", count->runs > 0 ? "Open it in a browser."
                                     : "There is no run yet: make run-02 makes one.");
}

int main(int argc, char **argv) {
    const char *folder = argc > 1 ? argv[1] : "plots";
    const GalleryParts parts = {(const char *)style, (const char *)script, (const char *)words};
    GalleryCount count;
    Error error;
    if (argc > 2 || folder[0] == '-' || folder[0] == '\0') {
        fprintf(stderr, "gallery: usage: gallery [DIR], DIR is plots when it is not given\n");
        return 2;
    }
    if (!gallery_write(folder, &parts, &count, &error)) {
        fprintf(stderr, "gallery: %s\n", error.text);
        return 2;
    }
    say(folder, &count);
    return 0;
}
