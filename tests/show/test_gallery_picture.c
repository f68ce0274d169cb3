#include "show/gallery_picture.h"

#include "gallery_folder.h"
#include "show/plot.h"

static GalleryPicture picture;
static Error problem;

/* Reads a picture of the run "r" in the folder. */
static bool read_picture(const char *file) {
    GalleryRuns runs;
    assert_true(gallery_scan(scratch_folder(), &runs, &problem));
    assert_int_equal(runs.count, 1);
    bool ok = gallery_picture_read(&picture, scratch_path("r"), &runs.runs[0], file, &problem);
    gallery_runs_free(&runs);
    return ok;
}

static void test_a_heatmap_says_what_it_is(void **state) {
    (void)state;
    scratch_text("r/run.tsv", "x");
    heatmap_put("r/map.png", "Where it looks, \xC3\xA9t\xC3\xA9");
    assert_true(read_picture("map.png"));
    assert_int_equal(picture.kind, PICTURE_HEATMAP);
    assert_string_equal(picture.title, "Where it looks, \xC3\xA9t\xC3\xA9");
    assert_string_equal(picture.maps, "head 0");
    assert_string_equal(picture.rows, "query: word being written");
    assert_string_equal(picture.columns, "key: word looked at");
    assert_string_equal(picture.outlines, "");
    assert_true(picture.width > 0 && picture.height > 0);
    assert_string_equal(picture.numbers, "");
    scratch_text("r/map.map.tsv", "x");
    assert_true(read_picture("map.png"));
    assert_string_equal(picture.numbers, "map.map.tsv");
    assert_int_equal(picture.kind, PICTURE_HEATMAP);
}

/* The script that show/plot.c writes, whatever stands in its texts. */
static void test_a_curve_is_known_by_its_script(void **state) {
    (void)state;
    static const double x[] = {1, 2}, y[] = {.5, .25};
    const PlotSeries series[] = {{.label = "one", .x = x, .y = y, .n = 2},
                                 {.label = "it's <two>", .x = x, .y = y, .n = 2}};
    const Plot plot = {.name = "loss",
                       .title = "It's a long title that has to be broken into two lines, for sure, "
                                "at 100 % of all widths",
                       .x_label = "step",
                       .y_label = "loss \\n (nats)",
                       .series = series,
                       .count = 2};
    scratch_text("r/run.tsv", "x");
    assert_int_equal(plot_write(scratch_path("r"), &plot, false, NULL, &problem), PLOT_NOT_ASKED);
    heatmap_put("r/loss.png", NULL);
    assert_true(read_picture("loss.png"));
    assert_int_equal(picture.kind, PICTURE_CURVE);
    assert_string_equal(picture.title, plot.title);
    assert_string_equal(picture.x, "step");
    assert_string_equal(picture.y, "loss \\n (nats)");
    assert_string_equal(picture.series, "one; it's <two>");
    assert_string_equal(picture.numbers, "loss.tsv");
    assert_string_equal(picture.script, "loss.gp");
}

static void test_a_picture_without_words(void **state) {
    (void)state;
    scratch_text("r/run.tsv", "x");
    heatmap_put("r/map.png", NULL);
    scratch_text("r/map.gp", "no gnuplot at all '\n");
    scratch_text("r/map.tsv", "");
    assert_true(read_picture("map.png"));
    assert_int_equal(picture.kind, PICTURE_CURVE);
    assert_string_equal(picture.x, "");
    assert_string_equal(picture.series, "");
}

/* A picture that does not say what its rows and columns are is no heatmap. */
static void test_a_picture_of_something_else(void **state) {
    (void)state;
    static const float value[1] = {1};
    scratch_text("r/run.tsv", "x");
    for (int i = 0; i < 3; i++) {
        const Heatmap map = {.values = value,
                             .rows = 1,
                             .cols = 1,
                             .row_axis = i == 1 ? "query" : NULL,
                             .col_axis = i == 2 ? "key" : NULL};
        assert_true(heatmap_write_png(place("r/map.png"), &map, 1, 1, "x", &problem));
        assert_true(read_picture("map.png"));
        assert_int_equal(picture.kind, PICTURE_UNKNOWN);
    }
}

static void test_what_is_no_picture_is_refused(void **state) {
    (void)state;
    size_t size;
    scratch_text("r/run.tsv", "x");
    heatmap_put("r/whole.png", "x");
    char *bytes = text_read(place("r/whole.png"), &size);
    scratch_bytes("r/half.png", bytes, size / 2);
    scratch_bytes("r/cut.png", bytes, size - 1);
    scratch_bytes("r/tail.png", bytes + 8, size - 8);
    scratch_text("r/text.png", "<svg onload=alert(1)>");
    scratch_text("r/empty.png", "");
    for (size_t i = 8; i < 33; i++) { /* each byte of the head made wrong: no crash */
        bytes[i] = (char)(bytes[i] ^ 0xFF);
        scratch_bytes("r/wrong.png", bytes, size);
        assert_false(read_picture("wrong.png"));
        bytes[i] = (char)(bytes[i] ^ 0xFF);
    }
    free(bytes);
    static const char *const files[] = {"half.png", "cut.png",   "tail.png",
                                        "text.png", "empty.png", "missing.png"};
    for (int i = 0; i < 6; i++) {
        assert_false(read_picture(files[i]));
        assert_has(problem.text, files[i]);
    }
}

/* A text that goes on without an end of the quote, or that is longer than there is room for. */
static void test_scripts_that_do_not_end(void **state) {
    (void)state;
    char *script = malloc(20000);
    memset(script, 'a', 19999);
    memcpy(script, "\nset title '\xC3\xA9", 14);
    script[19999] = '\0';
    scratch_text("r/run.tsv", "x");
    scratch_text("r/map.gp", script);
    heatmap_put("r/map.png", NULL);
    free(script);
    assert_true(read_picture("map.png"));
    assert_int_equal(strlen(picture.title), PICTURE_TEXT - 1);
    scratch_text("r/map.gp", "\nset title 'a'.\"\\n\".'b' font 'x'\nset xlabel 'cut");
    assert_true(read_picture("map.png"));
    assert_string_equal(picture.title, "a b");
    assert_string_equal(picture.x, "cut");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        SCRATCH_TEST(test_a_heatmap_says_what_it_is),
        SCRATCH_TEST(test_a_curve_is_known_by_its_script),
        SCRATCH_TEST(test_a_picture_without_words),
        SCRATCH_TEST(test_a_picture_of_something_else),
        SCRATCH_TEST(test_what_is_no_picture_is_refused),
        SCRATCH_TEST(test_scripts_that_do_not_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
