#include "lesson/claims.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/check.h"
#include "io/tsv.h"
#include "show/claim_text.h"

bool claim_compare(double value, const char *op, double bound) {
    if (strcmp(op, "<") == 0) {
        return value < bound;
    }
    if (strcmp(op, "<=") == 0) {
        return value <= bound;
    }
    if (strcmp(op, ">") == 0) {
        return value > bound;
    }
    if (strcmp(op, ">=") == 0) {
        return value >= bound;
    }
    CHECK(strcmp(op, "==") == 0, "a claim compares with < <= > >= or ==, not with \"%s\"", op);
    return value == bound;
}

static char *copy_text(const char *text) {
    size_t size = strlen(text) + 1;
    return memcpy(check_alloc(size), text, size);
}

const Claim *claims_add(Claims *claims, const char *step, const char *id, const char *text,
                        double value, const char *op, double bound, ClaimStatus status) {
    for (int i = 0; i < claims->count; i++) {
        CHECK(strcmp(claims->list[i].id, id) != 0,
              "two claims are called \"%s\": \"%s\" and \"%s\"", id, claims->list[i].text, text);
    }
    bool holds = claim_compare(value, op, bound); /* always: a wrong op must not hide */
    if (status == CLAIM_HOLDS || status == CLAIM_FAILS) {
        status = holds ? CLAIM_HOLDS : CLAIM_FAILS;
    }
    if (claims->count == claims->capacity) {
        claims->capacity = 2 * claims->capacity + 16;
        Claim *larger = check_alloc((size_t)claims->capacity * sizeof *larger);
        if (claims->count > 0) {
            memcpy(larger, claims->list, (size_t)claims->count * sizeof *larger);
        }
        free(claims->list);
        claims->list = larger;
    }
    Claim *claim = &claims->list[claims->count++];
    *claim = (Claim){.step = copy_text(step),
                     .id = copy_text(id),
                     .text = copy_text(text),
                     .op = op,
                     .value = value,
                     .bound = bound,
                     .status = status};
    return claim;
}

int claims_count(const Claims *claims, ClaimStatus status) {
    int count = 0;
    for (int i = 0; i < claims->count; i++) {
        count += claims->list[i].status == status;
    }
    return count;
}

void claims_free(Claims *claims) {
    for (int i = 0; i < claims->count; i++) {
        free(claims->list[i].step);
        free(claims->list[i].id);
        free(claims->list[i].text);
    }
    free(claims->list);
    *claims = (Claims){0};
}

/* ---- on the terminal ---- */

const char *claim_status_name(ClaimStatus status) {
    static const char *const names[] = {"holds", "fails", "not_made", "timing"};
    return names[status];
}

static const char *status_tag(ClaimStatus status) {
    static const char *const tags[] = {"[holds]", "[fails]", "[not made]", "[timing]"};
    return tags[status];
}

static Style status_style(ClaimStatus status) {
    static const Style styles[] = {STYLE_GREEN, STYLE_RED, STYLE_DIM, STYLE_DIM};
    return styles[status];
}

void claim_show(const Terminal *term, const Claim *claim) {
    char value[CLAIM_NUMBER_SIZE], bound[CLAIM_NUMBER_SIZE], line[1024];
    claim_numbers(claim->text, claim->value, claim->bound, value, bound);
    bool missed =
        claim->status == CLAIM_TIMING && !claim_compare(claim->value, claim->op, claim->bound);
    if (claim->status == CLAIM_NOT_MADE) {
        snprintf(line, sizeof line, "%.*s (bound %s %s)", claim_shown_length(claim->text),
                 claim->text, claim->op, bound);
    } else {
        snprintf(line, sizeof line, "%.*s: %s (bound %s %s%s)", claim_shown_length(claim->text),
                 claim->text, value, claim->op, bound, missed ? ": not met, not judged" : "");
    }
    terminal_prose_tagged(term, status_style(claim->status), status_tag(claim->status), line);
}

void claims_show(const Terminal *term, const Claims *claims) {
    Table table = table_new("claim\tstep\tsays\tvalue\tbound");
    for (int i = 0; i < claims->count; i++) {
        const Claim *claim = &claims->list[i];
        char value[CLAIM_NUMBER_SIZE], bound[CLAIM_NUMBER_SIZE];
        claim_numbers(claim->text, claim->value, claim->bound, value, bound);
        bool made = claim->status != CLAIM_NOT_MADE;
        char *text = terminal_clean(term, claim->text); /* a tab would begin another cell */
        int cut = (int)(strlen(claim->text) - (size_t)claim_shown_length(claim->text));
        table_row_styled(&table, status_style(claim->status), "%s\t%s\t%.*s\t%s\t%s %s",
                         status_tag(claim->status), claim->step, (int)strlen(text) - cut, text,
                         made ? value : "-", claim->op, bound);
        free(text);
    }
    if (claims->count > 0) {
        terminal_table(term, &table);
    }
    table_free(&table);
}

/* ---- on disk ---- */

static void write_claim(FILE *out, const Claim *claim, bool with_value) {
    tsv_put(out, claim->step);
    putc('\t', out);
    tsv_put(out, claim->id);
    putc('\t', out);
    tsv_put(out, claim->text);
    putc('\t', out);
    if (with_value) {
        tsv_number(out, claim->value);
    } else {
        putc('-', out);
    }
    fprintf(out, "\t%s\t", claim->op);
    tsv_number(out, claim->bound);
    fprintf(out, "\t%s\n", claim_status_name(claim->status));
}

/* One of the two files: all claims, values of timing ones left out, or the timing ones alone. */
static bool write_file(const Claims *claims, const char *folder, bool timing, Error *error) {
    char *path = path_join(folder, timing ? "timing_claims.tsv" : "claims.tsv");
    CHECK(path != NULL, "out of memory");
    AtomicFile file;
    FILE *out = atomic_open(&file, path, error);
    if (out) {
        fputs("step\tid\ttext\tvalue\top\tbound\tstatus\n", out);
        for (int i = 0; i < claims->count; i++) {
            ClaimStatus status = claims->list[i].status;
            if (!timing) {
                bool measured = status == CLAIM_HOLDS || status == CLAIM_FAILS;
                write_claim(out, &claims->list[i], measured);
            } else if (status == CLAIM_TIMING) {
                write_claim(out, &claims->list[i], true);
            }
        }
    }
    bool ok = out && atomic_commit(&file, error);
    free(path);
    return ok;
}

bool claims_write(const Claims *claims, const char *folder, Error *error) {
    if (!write_file(claims, folder, false, error)) {
        return false;
    }
    if (claims_count(claims, CLAIM_TIMING) > 0) {
        return write_file(claims, folder, true, error);
    }
    char *stale = path_join(folder, "timing_claims.tsv"); /* of an earlier run */
    if (stale) {
        remove(stale);
    }
    free(stale);
    return true;
}
