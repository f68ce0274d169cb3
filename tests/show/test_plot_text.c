#include "show/plot_picture.h"

/* Runs the script once more for an SVG picture, in which texts are texts, and returns the picture.
 */
static char *picture_as_svg(const char *name) {
    Error error = {""};
    char *script = text_read(scratch_path(name), NULL);
    char *changed = malloc(strlen(script) + 1), *png = strstr(script, "pngcairo noenhanced");
    assert_non_null(png);
    assert_non_null(changed);
    sprintf(changed, "%.*ssvg%s", (int)(png - script), script, png + strlen("pngcairo"));
    assert_true(file_write(scratch_path(name), changed, strlen(changed), &error));
    char command[2 * LESSON_PATH];
    snprintf(command, sizeof command, "cd '%s' && gnuplot -e \"picture='svg'\" %s",
             scratch_folder(), name);
    assert_int_equal(system(command), 0);
    free(script);
    free(changed);
    return text_read(scratch_path("svg"), NULL);
}

/* One character of an SVG text; returns how many bytes it took. */
static size_t svg_character(const char *svg, char *out) {
    static const char *const codes[] = {"&lt;<", "&gt;>", "&amp;&", "&quot;\"", "&#39;'"};
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        size_t length = strlen(codes[i]) - 1;
        if (strncmp(svg, codes[i], length) == 0) {
            *out = codes[i][length];
            return length;
        }
    }
    *out = *svg;
    return 1;
}

/* The texts of an SVG picture without blanks (a text may be broken there), each with a '|' behind.
 */
static char *svg_texts(const char *svg) {
    char *texts = calloc(strlen(svg) + 1, 1), *to = texts;
    assert_non_null(texts);
    for (const char *at = strstr(svg, "<text"); at; at = strstr(at, "<text")) {
        const char *end = strstr(at, "</text>");
        while (at < end) {
            if (*at == '<') {
                at = strchr(at, '>') + 1;
                continue;
            }
            at += svg_character(at, to);
            to += *to != ' ' && *to != '\n';
        }
        *to++ = '|';
    }
    *to = '\0';
    return texts;
}

/* Draws a text in every place a text can have (title, both axis names, a series, a line, a name on
 * the axis) and gives back what gnuplot made of them. */
static char *text_as_drawn(const char *text) {
    const char *names[] = {text, "other"};
    const double places[] = {0, 1};
    const PlotSeries series = {text, places, loss, NULL, NULL, 2, PLOT_LINES};
    const PlotLine line = {text, 2, false};
    Plot plot = {.name = "text",
                 .title = text,
                 .x_label = text,
                 .y_label = text,
                 .series = &series,
                 .count = 1,
                 .lines = &line,
                 .line_count = 1,
                 .x_names = names,
                 .x_name_count = 2};
    assert_drawn(&plot);
    char *svg = picture_as_svg("text.gp"), *texts = svg_texts(svg);
    free(svg);
    return texts;
}

/* How often a text occurs when blanks and ends of lines are left out on both sides. */
static int text_count(const char *text, const char *texts) {
    char bare[256] = "", *joined = calloc(strlen(texts) + 1, 1), *to = joined;
    assert_non_null(joined);
    for (size_t length = 0; *text; text++) {
        bare[length] = *text;
        length += *text != ' ';
        bare[length] = '\0';
    }
    for (; *texts; texts++) {
        *to = *texts;
        to += *texts != '|';
    }
    *to = '\0';
    int count = 0;
    for (char *at = strstr(joined, bare); at; at = strstr(at + 1, bare)) {
        count++;
    }
    free(joined);
    return count;
}

/* Labels come out as typed in all six places. */
static void test_special_characters_come_out_as_typed(void **state) {
    (void)state;
    static const char *const texts[] = {
        "_^{}@&%\"\\",
        "'s' x_1 x^2 {a} @b c&d \\",
        "\"q\" e\\n it's d_k{2} 50% %g%d end\\",
        "`date` $1 #no a~b <b>x</b> \\alpha '",
        "'' a;b [0:1] {/Bold x} &lt; a,b \"",
        "\\ @{ % \xC3\xA9\xC5\x93\xE2\x82\xAC 100%_ ''",
        "{",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        char *seen = text_as_drawn(texts[i]);
        if (text_count(texts[i], seen) != 6) {
            fail_msg("'%s' came out %d times, not 6, in: %s", texts[i], text_count(texts[i], seen),
                     seen);
        }
        free(seen);
    }
}

/* A line break is a line break, in every place. */
static void test_newline_breaks_the_line(void **state) {
    (void)state;
    char *seen = text_as_drawn("first\nsecond"), *at = seen;
    int breaks = 0;
    while ((at = strstr(at, "first|second|"))) {
        breaks++;
        at++;
    }
    if (breaks != 6) {
        fail_msg("%d breaks, not 6, in: %s", breaks, seen);
    }
    free(seen);
}

static void test_bad_bytes_in_labels(void **state) {
    (void)state;
    const PlotSeries series = {"cut \xC3", steps, loss, NULL, NULL, 4, PLOT_LINES};
    Plot plot = plot_simple(&series, 1);
    plot.title = "bad \xFF\xC0 \x01\x1b[31m";
    assert_drawn(&plot);
    char *script = text_read(scratch_path("curve.gp"), NULL);
    assert_non_null(strstr(script, "bad \xEF\xBF\xBD\xEF\xBF\xBD   [31m"));
    free(script);
}

/* More series than colours, a hundred names on the axis, a title of a thousand letters. */
static void test_crowded_plots_are_drawn(void **state) {
    (void)state;
    enum { MANY = 30 };
    static PlotSeries series[MANY];
    static const char *names[MANY];
    char title[1001];
    memset(title, 'w', sizeof title - 1);
    title[sizeof title - 1] = '\0';
    for (int i = 0; i < MANY; i++) {
        series[i] = (PlotSeries){"a series", steps, loss, NULL, NULL, 4, PLOT_LINES_POINTS};
        names[i] = "a name";
    }
    Plot plot = plot_simple(series, MANY);
    plot.title = title;
    assert_drawn(&plot);
    plot.x_names = names;
    plot.x_name_count = MANY;
    assert_drawn(&plot);
    char *slanted = text_read(scratch_path("curve.gp"), NULL);
    assert_non_null(strstr(slanted, "\nset xtics rotate by -35 ('a name' 0,"));
    free(slanted);
    for (int i = 0; i < MANY; i++) {
        names[i] = "7.1"; /* short ones stand under their places */
    }
    assert_drawn(&plot);
    char *upright = text_read(scratch_path("curve.gp"), NULL);
    assert_non_null(strstr(upright, "\nset xtics rotate by 90 right ('7.1' 0,"));
    free(upright);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        SCRATCH_TEST(test_special_characters_come_out_as_typed),
        SCRATCH_TEST(test_newline_breaks_the_line),
        SCRATCH_TEST(test_bad_bytes_in_labels),
        SCRATCH_TEST(test_crowded_plots_are_drawn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
