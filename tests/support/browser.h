/* A browser without a window, for pages that test themselves. */
#ifndef TESTS_SUPPORT_BROWSER_H
#define TESTS_SUPPORT_BROWSER_H

#include "assert_close.h"

enum { BROWSER_SECONDS = 60, BROWSER_SETUP_SECONDS = 200, BROWSER_PATH = 4096 };

/* Looks for Chromium; where it is missing, lets .ci/setup get it if that needs no password. False
 * when there is none in the end, or none that opens a page; `problem` says so in one line. */
bool browser_find(char path[BROWSER_PATH], char problem[512]);

typedef struct BrowserPage {
    char *page;     /* the document as it was when all was loaded */
    char *messages; /* what the browser said, its console among it */
} BrowserPage;

/* Opens the URL and prints the document. The browser keeps its things in `folder`, which must
 * exist; it and all it started are ended after BROWSER_SECONDS, which fails the test. */
BrowserPage browser_open(const char *browser, const char *folder, const char *url, int width,
                         bool dark);
void browser_page_free(BrowserPage *page);

#endif
