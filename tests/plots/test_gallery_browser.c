/* The gallery's page in a browser: it opens, tests itself (plots/gallery/selftest.js) and says what
 * it found. Where no Chromium is and none can be had, these tests are skipped. */
#include "../show/gallery_folder.h"
#include "support/browser.h"

#define CLAIMS "step\tid\ttext\tvalue\top\tbound\tstatus\n"

static char browser[BROWSER_PATH], problem[512];
static bool there_is_one;
static char program[4096];

enum { LAYERS = 2, HEADS = 2, QUERIES = 4, KEYS = 3 };

/* Weights that differ in every place; `model` tells two maps of one head apart. */
static double weight_of(int model, int layer, int head, int query, int key) {
    int place = (((model * LAYERS + layer) * HEADS + head) * QUERIES + query) * KEYS + key;
    return fmod(.6180339887 * (place + 1), 1.0) * (place % 5 == 0 ? 1e-3 : 1);
}

static void attention_put(const char *name, int models, const char *const *tokens) {
    FILE *file = fopen(place(name), "w");
    assert_non_null(file);
    fputs("layer\thead\tquery\tkey\tquery_token\tkey_token\tweight\n", file);
    for (int i = 0; i < models * LAYERS * HEADS * QUERIES * KEYS; i++) {
        int key = i % KEYS, query = i / KEYS % QUERIES, head = i / KEYS / QUERIES % HEADS;
        int layer = i / KEYS / QUERIES / HEADS % LAYERS;
        int model = i / KEYS / QUERIES / HEADS / LAYERS;
        fprintf(file, "%d\t%d\t%d\t%d\t%s\t%s\t%.9g\n", layer, head, query, key, tokens[query],
                tokens[key], weight_of(model, layer, head, query, key));
    }
    assert_int_equal(fclose(file), 0);
}

/* A map as large as the explorer shows, to see that it is smooth. */
static void large_attention_put(const char *name) {
    FILE *file = fopen(place(name), "w");
    assert_non_null(file);
    fputs("layer\thead\tquery\tkey\tquery_token\tkey_token\tweight\tmap\n", file);
    for (int i = 0; i < 64 * 64; i++) {
        fprintf(file, "0\t0\t%d\t%d\tword%d\tword%d\t%g\t<i>large</i>\n", i / 64, i % 64, i / 64,
                i % 64, i / 64 == i % 64 ? .37 : .01);
    }
    assert_int_equal(fclose(file), 0);
}

/* Four runs; the names and texts of the last would do harm if anything were not escaped. */
static void runs_put(void) {
    static const char *const words[] = {"she", "does", "not", "sing"};
    static const char *const evil[] = {"</script><script>problems.push('evil')</script>",
                                       "<img src=x onerror=problems.push('evil')>", "\\n", "'\"&"};
    scratch_text("plots/02_a/run.tsv", "lesson\t02_a\nseed\t1\nseconds\t3\n");
    scratch_text("plots/02_a/claims.tsv", CLAIMS "1\tone\tphrases right, %\t0.5\t>\t0.25\tholds\n"
                                                 "1\ttwo\tonly here\t1\t<\t2\tholds\n");
    attention_put("plots/02_a/attention.tsv", 2, words);
    heatmap_put("plots/02_a/map.png", "One");
    heatmap_put("plots/02_a/more.png", "More");
    scratch_text("plots/mine/seed_2/run.tsv", "lesson\t02_a\nseed\t2\nseconds\t4\n");
    scratch_text("plots/mine/seed_2/claims.tsv",
                 CLAIMS "1\tone\tphrases right, %\t0.125\t>\t0.25\tfails\n");
    heatmap_put("plots/mine/seed_2/map.png", "Two");
    scratch_text("plots/mine/seed_10/run.tsv", "lesson\t02_a\nseed\t10\n");
    large_attention_put("plots/mine/seed_10/attention.tsv");
    scratch_text("plots/x'\"><img src=x onerror=problems.push(1)>#%3f/run.tsv",
                 "lesson\t<script>problems.push('evil')</script>\ntitle\t<b>\"'&</b>\n");
    scratch_text("plots/x'\"><img src=x onerror=problems.push(1)>#%3f/claims.tsv",
                 CLAIMS "9\tone\t8 <steps>: phrases right, %\t0.5\t>\t0.25\tholds\n"
                        "9\ttwo\tsomething else\t1\t<\t2\tholds\n");
    attention_put("plots/x'\"><img src=x onerror=problems.push(1)>#%3f/attention.tsv", 1, evil);
    heatmap_put("plots/x'\"><img src=x onerror=problems.push(1)>#%3f/<i>?#.png", "</title>'\"");
}

static int gallery_setup(void **state) {
    if (scratch_begin(state) != 0) {
        return -1;
    }
    runs_put();
    char command[8192];
    snprintf(command, sizeof command, "cd '%s' && '%s' >/dev/null", scratch_folder(), program);
    place("browser/x");
    return system(command);
}

static BrowserPage open_page(const char *file, int width, bool dark) {
    if (!there_is_one) {
        print_message("skipped: %s\n", problem);
        skip();
    }
    char url[1024];
    snprintf(url, sizeof url, "file://%s/plots/%s", scratch_folder(), file);
    BrowserPage page = browser_open(browser, scratch_path("browser"), url, width, dark);
    if (strstr(page.messages, ":CONSOLE") != NULL) {
        fail_msg("the console says:\n%.2000s", strstr(page.messages, ":CONSOLE"));
    }
    return page;
}

/* All that the page tested was well, and it came to its end. */
static const char *assert_well(const BrowserPage *page) {
    const char *found = strstr(page->page, "<pre id=\"selftest\">");
    if (found == NULL) {
        fail_msg("the page did not test itself:\n%.2000s", page->page);
        return "";
    }
    const char *bad = strstr(found, "FAIL ");
    if (bad != NULL) {
        fail_msg("%.*s", (int)strcspn(bad, "\n"), bad);
    }
    assert_has(found, "\nend</pre>");
    return found;
}

static void test_the_page_is_well_in_light(void **state) {
    (void)state;
    BrowserPage page = open_page("index.html#selftest", 1280, false);
    const char *found = assert_well(&page);
    static const char *const expected[] = {"ok images 4\n",
                                           "ok every image has words\n",
                                           "ok right: the first run\n",
                                           "ok left: round to the last\n",
                                           "ok two runs\n",
                                           "ok right: another right run\n",
                                           "ok shift: another left run\n",
                                           "ok theme: back\n",
                                           "\ntheme light\n",
                                           "ok mine/seed_10: smooth\n",
                                           "ok no error\n"};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        assert_has(found, expected[i]);
    }
    assert_has(found,
               "\npair phrases right | \xE2\x9C\x93 holds 50 % | \xE2\x9C\x97 fails 12.5 % | "
               "&gt; 25 %\n");
    assert_has(found, "\npair only here | \xE2\x9C\x93 holds 1 | - | &lt; 2\n");
    assert_has(found, "\npair seed | 1 | 2\n");
    /* of two lessons: what measures the same is one line, what only has the same id is not */
    assert_has(found, "\nfirst and last phrases right | 8 &lt;steps&gt;: phrases right | ");
    assert_has(found, "\nfirst and last only here | \xE2\x9C\x93 holds 1 | - | &lt; 2\n");
    assert_has(found, "\nfirst and last something else | - | \xE2\x9C\x93 holds 1 | &lt; 2\n");
    browser_page_free(&page);
}

/* What the explorer shows for every query of every map equals attention.tsv. */
static void test_the_explorer_shows_the_weights_of_the_file(void **state) {
    (void)state;
    BrowserPage page = open_page("index.html#selftest", 1280, true);
    const char *found = assert_well(&page);
    assert_has(found, "\ntheme dark\n");
    for (int i = 0; i < 2 * LAYERS * HEADS * QUERIES; i++) {
        int query = i % QUERIES, head = i / QUERIES % HEADS, layer = i / QUERIES / HEADS % LAYERS;
        int model = i / QUERIES / HEADS / LAYERS;
        char row[256];
        int used =
            snprintf(row, sizeof row, "\nrow\tr1\t0\t%d\t%d\t%d\t%d\t", layer, head, model, query);
        for (int key = 0; key < KEYS; key++) {
            char weight[32];
            snprintf(weight, sizeof weight, "%.4f", weight_of(model, layer, head, query, key));
            used += snprintf(row + used, sizeof row - (size_t)used, "%s%s",
                             weight + (weight[0] == '0'), key + 1 < KEYS ? " " : "\n");
        }
        assert_has(found, row);
    }
    browser_page_free(&page);
}

/* As narrow as a telephone: the browser has no such window, but a frame has any width. */
static void test_the_page_fits_400_pixels(void **state) {
    (void)state;
    scratch_text(
        "plots/frame.html",
        "<!doctype html><body><iframe src=\"index.html#selftest\" width=\"400\" height=\"800\" "
        "style=\"border:0\"></iframe><script>addEventListener('message', event => {"
        "const found = document.createElement('pre'); found.id = 'selftest';"
        "found.textContent = event.data; document.body.append(found); });</script></body>");
    BrowserPage page = open_page("frame.html", 800, false);
    const char *found = assert_well(&page);
    assert_has(found, "ok the table fits 400\n");
    assert_has(found, "ok two runs fit\n");
    assert_has(found, "ok mine/seed_10 fits\n");
    browser_page_free(&page);
}

int main(void) {
    if (realpath(BUILD_FOLDER "/plots/gallery", program) == NULL) {
        perror(BUILD_FOLDER "/plots/gallery");
        return 1;
    }
    there_is_one = browser_find(browser, problem);
#define PAGE_TEST(test) cmocka_unit_test_setup_teardown(test, gallery_setup, scratch_end)
    const struct CMUnitTest tests[] = {
        PAGE_TEST(test_the_page_is_well_in_light),
        PAGE_TEST(test_the_explorer_shows_the_weights_of_the_file),
        PAGE_TEST(test_the_page_fits_400_pixels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
