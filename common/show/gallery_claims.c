/* The claims of a run on the gallery's page. */
#include <stdlib.h>
#include <string.h>

#include "show/claim_text.h"
#include "show/escape.h"
#include "show/gallery_run.h"

enum { MOST_SENTENCE = 400, MOST_WORD = 80 };

/* What may stand in the column `status`. */
static const struct {
    const char *name, *class, *shown;
} kinds[] = {{"holds", "holds", "\xE2\x9C\x93 holds"},
             {"fails", "fails", "\xE2\x9C\x97 fails"},
             {"not_made", "not-made", "not made"},
             {"timing", "timing", "timing"},
             {"", "unknown", "?"}};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static int kind_of(const char *status) {
    int kind = 0;
    while (kind < KINDS - 1 && strcmp(kinds[kind].name, status) != 0) {
        kind++;
    }
    return kind;
}

/* The value a claim about time has in timing_claims.tsv; "-" when it is not there. */
static const char *timed_value(const TsvTable *timing, const char *id) {
    for (int row = 1; row < timing->rows; row++) {
        if (strcmp(tsv_named(timing, row, "id"), id) == 0) {
            return tsv_named(timing, row, "value");
        }
    }
    return "-";
}

static bool is_number(const char *text, double *value) {
    char *end;
    *value = strtod(text, &end);
    return end != text && *end == '\0';
}

/* The cells for value and bound: rounded as in the terminal, in full in the title. */
static void numbers_put(FILE *out, const char *sentence, const char *value, const char *op,
                        const char *bound) {
    double number = 0, limit = 0;
    char value_text[CLAIM_NUMBER_SIZE] = "", bound_text[CLAIM_NUMBER_SIZE] = "";
    bool measured = is_number(value, &number), bounded = is_number(bound, &limit);
    claim_numbers(sentence, number, limit, value_text, bound_text);
    fputs("<td class=\"value\" title=\"", out);
    html_put_cut(out, value, MOST_WORD);
    fputs("\">", out);
    html_put_cut(out, measured ? value_text : value, MOST_WORD);
    fputs("</td><td class=\"bound\">", out);
    html_put_cut(out, op, 4);
    putc(' ', out);
    html_put_cut(out, bounded ? bound_text : bound, MOST_WORD);
    fputs("</td>", out);
}

static void claim_put(FILE *out, const GalleryRecord *record, int row) {
    const TsvTable *claims = &record->claims;
    const char *sentence = tsv_named(claims, row, "text"), *id = tsv_named(claims, row, "id");
    const char *value = tsv_named(claims, row, "value");
    int kind = kind_of(tsv_named(claims, row, "status"));
    if (strcmp(kinds[kind].name, "timing") == 0) {
        value = timed_value(&record->timing, id);
    }
    fprintf(out, "<tr class=\"%s\" data-id=\"", kinds[kind].class);
    html_put_cut(out, id, MOST_WORD);
    fprintf(out, "\"><td class=\"status\"><span>%s</span></td><td class=\"step\">",
            kinds[kind].shown);
    html_put_cut(out, tsv_named(claims, row, "step"), MOST_WORD);
    fputs("</td><td class=\"says\">", out);
    char *shown = strndup(sentence, (size_t)claim_shown_length(sentence));
    html_put_cut(out, shown, MOST_SENTENCE);
    free(shown);
    fputs("</td>", out);
    numbers_put(out, sentence, value, tsv_named(claims, row, "op"),
                tsv_named(claims, row, "bound"));
    fputs("</tr>\n", out);
}

void gallery_claims(FILE *out, const GalleryRecord *record) {
    fputs("<section class=\"claims\"><h3>Claims</h3>\n", out);
    if (record->claims.rows == 0) {
        fputs("<p class=\"missing\">No claims: ", out);
        html_put(out, record->claims_error.text);
        fputs("</p></section>\n", out);
        return;
    }
    fputs("<table><caption>What the lesson says in numbers, as measured in this run. Green holds, "
          "red fails; <i>not made</i> needs the full training; <i>timing</i> is shown and never "
          "judged.</caption>\n<thead><tr><th scope=\"col\">status</th><th scope=\"col\">step</th>"
          "<th scope=\"col\">claim</th><th scope=\"col\">value</th><th scope=\"col\">bound</th>"
          "</tr></thead>\n<tbody>\n",
          out);
    int rows = record->claims.rows;
    for (int row = 1; row < rows && row < GALLERY_MOST_CLAIMS; row++) {
        claim_put(out, record, row);
    }
    fputs("</tbody></table>\n", out);
    if (rows > GALLERY_MOST_CLAIMS) {
        fprintf(out, "<p class=\"missing\">%d more lines of claims.tsv are left out.</p>\n",
                rows - GALLERY_MOST_CLAIMS);
    }
    fputs("</section>\n", out);
}
