#include "support/lesson_run.h"

#include <stdlib.h>

static const char header[] = "step\tid\ttext\tvalue\top\tbound\tstatus";
static const char *const statuses[] = {"holds", "fails", "not_made", "timing"};

/* Copies the next of the tab-separated columns of *line; false when there is none or it is longer
 * than its place. */
static bool column(char **line, char *place, size_t size) {
    if (*line == NULL) {
        return false;
    }
    char *text = strsep(line, "\t");
    return snprintf(place, size, "%s", text) < (int)size;
}

static bool claim_read(char *line, LessonClaim *c) {
    return column(&line, c->step, sizeof c->step) && column(&line, c->id, sizeof c->id) &&
           column(&line, c->text, sizeof c->text) && column(&line, c->value, sizeof c->value) &&
           column(&line, c->op, sizeof c->op) && column(&line, c->bound, sizeof c->bound) &&
           column(&line, c->status, sizeof c->status) && line == NULL;
}

static bool status_known(const char *status) {
    bool known = false;
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++) {
        known = known || strcmp(status, statuses[i]) == 0;
    }
    return known;
}

/* Does `value op bound` hold? 1 or 0, or -1 when the line does not say. */
static int compare(const LessonClaim *c) {
    char *value_end, *bound_end;
    double value = strtod(c->value, &value_end), bound = strtod(c->bound, &bound_end);
    if (value_end == c->value || *value_end != '\0' || bound_end == c->bound ||
        *bound_end != '\0') {
        return -1;
    }
    return strcmp(c->op, "<") == 0    ? value < bound
           : strcmp(c->op, "<=") == 0 ? value <= bound
           : strcmp(c->op, ">") == 0  ? value > bound
           : strcmp(c->op, ">=") == 0 ? value >= bound
           : strcmp(c->op, "==") == 0 ? value == bound
                                      : -1;
}

static const char *claim_problem(const LessonClaims *claims, const LessonClaim *claim) {
    for (const LessonClaim *other = claims->claim; other < claim; other++) {
        if (strcmp(other->id, claim->id) == 0) {
            return "the id occurs twice";
        }
    }
    if (claim->step[0] == '\0' || claim->id[0] == '\0' || claim->text[0] == '\0') {
        return "an empty column";
    }
    if (!status_known(claim->status)) {
        return "an unknown status";
    }
    bool held = strcmp(claim->status, "holds") == 0, failed = strcmp(claim->status, "fails") == 0;
    if ((held && compare(claim) != 1) || (failed && compare(claim) == 1)) {
        return "the status is not what the numbers say";
    }
    return NULL;
}

static void claims_read(LessonClaims *claims, char *text) {
    char *line = strsep(&text, "\n");
    if (strcmp(line, header) != 0) {
        snprintf(claims->problem, sizeof claims->problem, "claims.tsv begins with \"%.80s\"", line);
        return;
    }
    while ((line = strsep(&text, "\n")) != NULL && (line[0] != '\0' || text != NULL)) {
        LessonClaim *claim = &claims->claim[claims->count];
        char copy[128];
        snprintf(copy, sizeof copy, "%s", line);
        if (claims->count == LESSON_MAX_CLAIMS || !claim_read(line, claim)) {
            snprintf(claims->problem, sizeof claims->problem, "not seven columns: \"%.100s\"",
                     copy);
            return;
        }
        const char *problem = claim_problem(claims, claim);
        if (problem != NULL) {
            snprintf(claims->problem, sizeof claims->problem, "%s: \"%.100s\"", problem, copy);
            return;
        }
        claims->count++;
    }
    if (claims->count == 0) {
        snprintf(claims->problem, sizeof claims->problem, "claims.tsv has no claim");
    }
}

LessonClaims lesson_claims(const LessonRun *run) {
    LessonClaims claims = {0};
    char *text = lesson_file(run, "claims.tsv", NULL);
    if (text == NULL) {
        snprintf(claims.problem, sizeof claims.problem, "there is no claims.tsv");
        return claims;
    }
    claims_read(&claims, text);
    free(text);
    return claims;
}

const char *lesson_claim(const LessonRun *run, const char *id) {
    LessonClaims claims = lesson_claims(run);
    const char *status = "missing";
    for (int i = 0; i < claims.count; i++) {
        for (size_t s = 0; s < sizeof statuses / sizeof *statuses; s++) {
            bool here = strcmp(claims.claim[i].id, id) == 0;
            status =
                here && strcmp(claims.claim[i].status, statuses[s]) == 0 ? statuses[s] : status;
        }
    }
    return status;
}

int lesson_claim_count(const LessonRun *run, const char *status) {
    LessonClaims claims = lesson_claims(run);
    int count = 0;
    for (int i = 0; i < claims.count; i++) {
        count += strcmp(claims.claim[i].status, status) == 0;
    }
    return count;
}
