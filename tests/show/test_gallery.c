/* The page as a whole, as text; tests/plots/test_gallery_browser.c opens it. */
#include "show/gallery.h"

#include "gallery_folder.h"
#include "show/gallery_run.h"

#define CLAIMS "step\tid\ttext\tvalue\top\tbound\tstatus\n"
#define ATTENTION "layer\thead\tquery\tkey\tquery_token\tkey_token\tweight\n"

static const GalleryParts parts = {"/* style */\n", "/* script */\n", "<p>words</p>\n"};
static GalleryCount count;
static char *page;

static void page_make(void) {
    Error error;
    size_t size;
    if (!gallery_write(scratch_folder(), &parts, &count, &error)) {
        fail_msg("%s", error.text);
    }
    page = text_read(scratch_path("index.html"), &size);
    assert_int_equal(strlen(page), size);
}

static void run_put(const char *name, const char *claims) {
    char file[128];
    snprintf(file, sizeof file, "%s/run.tsv", name);
    scratch_text(file, "lesson\t02_bahdanau\ntitle\tLook back\nflags\t--seed 3\nseed\t3\n"
                       "seconds\t43.223\n");
    snprintf(file, sizeof file, "%s/claims.tsv", name);
    scratch_text(file, claims);
}

static void test_a_run_with_all_it_has(void **state) {
    (void)state;
    run_put("02_bahdanau", CLAIMS "2.1\ta\tadds up to 1\t1.5e-7\t<=\t1e-6\tholds\n"
                                  "2.2\tb\tmatches, %\t0.412\t>\t0.6\tfails\n"
                                  "2.3\tc\tphrases\t-\t>\t1\tnot_made\n"
                                  "2.4\td\tseconds\t-\t<\t2\ttiming\n");
    scratch_text("02_bahdanau/timing_claims.tsv", CLAIMS "2.4\td\tseconds\t1.25\t<\t2\ttiming\n");
    scratch_text("02_bahdanau/attention.tsv", ATTENTION "0\t0\t0\t0\ta\tb\t0.5\n");
    heatmap_put("02_bahdanau/map.png", "Where it looks");
    page_make();
    assert_int_equal(count.runs, 1);
    assert_int_equal(count.pictures, 1);
    assert_int_equal(count.broken, 0);
    assert_has(page,
               "<span class=\"badge holds\">1 holds</span> <span class=\"badge fails\">1 fails"
               "</span> <span class=\"badge not-made\">1 not made</span> <span class=\"badge "
               "timing\">1 timing</span>");
    assert_has(page, "<tr class=\"holds\" data-id=\"a\">");
    assert_has(page, "<tr class=\"fails\" data-id=\"b\"><td class=\"status\"><span>\xE2\x9C\x97 "
                     "fails</span></td><td class=\"step\">2.2</td><td class=\"says\">matches</td>"
                     "<td class=\"value\" title=\"0.412\">41.2 %</td><td class=\"bound\">&gt; 60 "
                     "%</td>");
    assert_has(page, "<td class=\"value\" title=\"-\">-</td>");
    assert_has(page, "<td class=\"value\" title=\"1.25\">1.25</td>"); /* of timing_claims.tsv */
    assert_has(page, "<div data-key=\"flags\"><dt>flags</dt><dd>--seed 3</dd></div>");
    assert_has(page, "src=\"02_bahdanau/map.png\"");
    assert_has(page, "alt=\"Where it looks. Heatmap; rows from top to bottom: query: word being "
                     "written; columns from left to right: key: word looked at");
    assert_has(page, "Rows, top to bottom: <b>query: word being written</b>.");
    assert_has(page, "A query is the token that looks, a key one it may look at");
    assert_has(page, "href=\"02_bahdanau/attention.tsv\"");
    assert_has(page, "<script type=\"application/json\" class=\"attention\">{\"texts\":");
    assert_has(page, "/* style */");
    assert_has(page, "/* script */");
    assert_has(page, "<p>words</p>");
    assert_has(page, "<td data-label=\"seconds\">43.2</td>");
    free(page);
}

/* Nothing on the page leads out of its folder. */
static void test_nothing_comes_from_elsewhere(void **state) {
    (void)state;
    run_put("a", CLAIMS);
    heatmap_put("a/map.png", "x");
    page_make();
    assert_has_not(page, "://");
    assert_has_not(page, "src=\"/");
    assert_has_not(page, "href=\"/");
    assert_has_not(page, "@import");
    assert_has(page, "default-src 'none'");
    free(page);
}

static void test_hostile_names_and_contents(void **state) {
    (void)state;
    static const char evil[] = "<img src=x onerror=alert(1)>\"'&</script><!--\xE2\x80\xA8";
    char name[256], text[1024];
    snprintf(name, sizeof name, "x\" onmouseover=\"alert(1) <b>%%2e#?'&/run.tsv");
    snprintf(text, sizeof text, "lesson\t%s\ntitle\t%s\nflags\t%s\nseed\t%s\nseconds\t%s\n%s\t%s\n",
             evil, evil, evil, evil, evil, evil, evil);
    scratch_text(name, text);
    memcpy(strrchr(name, '/'), "/claims.tsv", 12);
    snprintf(text, sizeof text, CLAIMS "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", evil, evil, evil, evil, evil,
             evil, evil);
    scratch_text(name, text);
    memcpy(strrchr(name, '/'), "/attention.tsv", 15);
    snprintf(text, sizeof text, ATTENTION "0\t0\t0\t0\t%s\t%s\t1\n", evil, evil);
    scratch_text(name, text);
    memcpy(strrchr(name, '/'), "/<b>.png", 9);
    heatmap_put(name, evil);
    memcpy(strrchr(name, '/'), "/'\"<i>.tsv", 11);
    scratch_text(name, "x");
    page_make();
    assert_int_equal(count.pictures, 1);
    static const char *const never[] = {"<img src=x", "<b>%",    "\" onmouseover",
                                        "<i>.tsv",    "<b>.png", "<!--"};
    for (int i = 0; i < 6; i++) {
        assert_has_not(page, never[i]);
    }
    assert_has(page, "src=\"x%22%20onmouseover%3D%22alert%281%29%20%3Cb%3E%252e%23%3F%27%26/"
                     "%3Cb%3E.png\"");
    int ends = 0; /* of the data and of the script; an evil one would be a third */
    for (const char *at = page; (at = strstr(at, "</script>")) != NULL; at++) {
        ends++;
    }
    assert_int_equal(ends, 2);
    free(page);
}

static void test_missing_and_broken_files_are_named(void **state) {
    (void)state;
    run_put("broken", "");
    scratch_text("broken/half.png", "\x89PNG");
    scratch_text("broken/attention.tsv", "not this\n");
    scratch_text("bare/run.tsv", "\n\n");
    page_make();
    assert_int_equal(count.runs, 2);
    assert_int_equal(count.pictures, 0);
    assert_int_equal(count.broken, 4);
    assert_has(page, "claims.tsv: the file is empty");
    assert_has(page, "bare/claims.tsv: there is no such file");
    assert_has(page, "half.png: not a whole PNG picture");
    assert_has(page, "its first line is not that of an attention.tsv");
    assert_has(page, "This run has no pictures.");
    assert_has(page, "no claims</span>");
    free(page);
}

static void test_huge_files_are_bounded(void **state) {
    (void)state;
    char *text = malloc(200000), *at = text;
    at += sprintf(at, CLAIMS);
    for (int i = 0; i < 700; i++) {
        at += sprintf(at, "1\tid%d\tsays\t1\t<\t2\tholds\n", i);
    }
    run_put("many", text);
    memset(text, 'x', 199999);
    text[199999] = '\0';
    memcpy(text, "long\t", 5);
    scratch_text("many/run.tsv", text);
    scratch_text("large/run.tsv", "lesson\tx\n");
    assert_int_equal(truncate(place("large/run.tsv"), 1L << 30), 0); /* a file with a hole */
    assert_int_equal(truncate(place("many/run.tsv"), 200000), 0);
    FILE *file = fopen(place("large/attention.tsv"), "w");
    fputs(ATTENTION, file);
    for (int map = 0; map < 100; map++) {
        for (int i = 0; i < 65 * 65; i++) {
            fprintf(file, "%d\t0\t%d\t%d\ta\tb\t0.123\n", map, i / 65, i % 65);
        }
    }
    assert_int_equal(fclose(file), 0);
    free(text);
    page_make();
    assert_has(page, "201 more lines of claims.tsv are left out");
    assert_has(page, "run.tsv: larger than the limit of 262144 bytes");
    assert_has(page, "Of maps with more than 64 queries or keys the first 64 are shown.");
    assert_has(page, "3 more maps are left out, to keep this page small");
    assert_true(strlen(page) < 3000000);
    free(page);
}

/* Long lists are cut, and the page says by how much. */
static void test_long_lists_are_cut(void **state) {
    (void)state;
    char text[16384] = "lesson\tx\n", name[64];
    for (int i = 1; i < 303; i++) {
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "key%d\tvalue%d\n", i, i);
    }
    run_put("a", CLAIMS);
    scratch_text("a/run.tsv", text);
    strcpy(text, CLAIMS);
    for (int i = 0; i < 501; i++) {
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "1\tid%d\tx\t1\t<\t2\tholds\n", i);
    }
    scratch_text("a/claims.tsv", text);
    for (int i = 0; i < 403; i++) {
        snprintf(name, sizeof name, "a/zz%d.txt", i);
        scratch_text(name, "x");
    }
    page_make();
    assert_has(page, "3 more lines of run.tsv are left out.");
    assert_has(page, "data-key=\"key299\"");
    assert_has_not(page, "data-key=\"key300\"");
    assert_has(page, "2 more lines of claims.tsv are left out.");
    assert_has(page, "data-id=\"id498\"");
    assert_has_not(page, "data-id=\"id499\"");
    assert_has(page, "5 more files of this folder are left out.");
    free(page);
}

/* Each claim by its status, also one that no lesson has; pictures by the end of their name. */
static void test_what_counts_as_what(void **state) {
    (void)state;
    run_put("a", CLAIMS "1\ta\tx\t1\t<\t2\tholds\n1\tb\tx\t1\t<\t2\tholds\n"
                        "1\tc\tx\t3\t<\t2\tfails\n1\td\tx\t-\t<\t2\tperhaps\n");
    heatmap_put("a/map.png", "x");
    scratch_text("a/map.png.txt", "x");
    scratch_text("a/attention.tsv", ATTENTION "0\t0\t0\t0\ta\tb\t0.5\nno\n");
    page_make();
    assert_has(page, "badge holds\">2 hold</span> <span class=\"badge fails\">1 fails</span>");
    assert_has(page, "<tr class=\"unknown\" data-id=\"d\"><td class=\"status\"><span>?</span>");
    assert_int_equal(count.pictures, 1);
    assert_has(page, "<li><a href=\"a/map.png.txt\">");
    assert_has_not(page, "<li><a href=\"a/map.png\">"); /* it stands under the picture */
    assert_has(page, "1 line of attention.tsv could not be read.");
    assert_has_not(page, "the first 64 are shown");
    free(page);
    char text[8192] = ATTENTION;
    for (int key = 0; key < 65; key++) {
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "0\t0\t0\t%d\ta\tb\t0.5\n", key);
    }
    scratch_text("a/attention.tsv", text);
    page_make();
    assert_has(page, "more than 64 queries or keys the first 64 are shown");
    free(page);
}

/* The page has room for so many weights; each run takes its share. */
static void test_weights_take_room(void **state) {
    (void)state;
    GalleryRuns runs;
    GalleryRecord record;
    long room = 3;
    run_put("a", CLAIMS);
    scratch_text("a/attention.tsv", ATTENTION "0\t0\t0\t0\ta\tb\t0.5\n0\t0\t0\t1\ta\tc\t0.5\n");
    assert_true(gallery_scan(scratch_folder(), &runs, NULL));
    assert_true(gallery_record_read(&record, scratch_folder(), &runs.runs[0], 1));
    for (int i = 0; i < 2; i++) {
        WRITTEN(text, gallery_explorer(out, &record, &room, &count));
        assert_int_equal(room, 1);
        assert_int_equal(strstr(text, "1 more map is left out") != NULL, i == 1);
        free(text);
    }
    gallery_record_free(&record);
    gallery_runs_free(&runs);
}

static void test_an_empty_gallery_says_what_to_do(void **state) {
    (void)state;
    page_make();
    assert_int_equal(count.runs, 0);
    assert_has(page, "There are no runs here yet.");
    free(page);
}

/* faults.md 26: the page is written whole or not at all. */
static void test_a_page_that_cannot_be_written(void **state) {
    (void)state;
    Error error;
    assert_false(gallery_write(scratch_path("no"), &parts, &count, &error));
    assert_has(error.text, "/no: there is no such folder");
    assert_int_equal(mkdir(place("index.html"), 0777), 0);
    assert_false(gallery_write(scratch_folder(), &parts, &count, &error));
    assert_has(error.text, "a folder of that name is in the way");
    assert_int_equal(folder_count(scratch_folder()), 1);
}

static void test_the_same_runs_give_the_same_page(void **state) {
    (void)state;
    run_put("a", CLAIMS "2.1\ta\tadds up\t1\t<=\t2\tholds\n");
    heatmap_put("a/map.png", "x");
    page_make();
    char *first = page;
    page_make();
    assert_string_equal(first, page);
    free(first);
    free(page);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        SCRATCH_TEST(test_a_run_with_all_it_has),
        SCRATCH_TEST(test_nothing_comes_from_elsewhere),
        SCRATCH_TEST(test_hostile_names_and_contents),
        SCRATCH_TEST(test_missing_and_broken_files_are_named),
        SCRATCH_TEST(test_huge_files_are_bounded),
        SCRATCH_TEST(test_long_lists_are_cut),
        SCRATCH_TEST(test_what_counts_as_what),
        SCRATCH_TEST(test_weights_take_room),
        SCRATCH_TEST(test_an_empty_gallery_says_what_to_do),
        SCRATCH_TEST(test_a_page_that_cannot_be_written),
        SCRATCH_TEST(test_the_same_runs_give_the_same_page),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
