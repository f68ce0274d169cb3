/* The verdict: the same to the bit, the same within the spread of the seeds, better, worse. */
#include "show/compare/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NAMED = 3 /* claims that are named as examples */ };

/* What became of the claims that both runs have measured. */
typedef struct ClaimTally {
    int judged;                  /* measured in both */
    int both;                    /* hold in both */
    int lost, won;               /* held in A and fail in B; the other way round */
    int better, worse;           /* moved, by claim_move() */
    int spread, outside;         /* with a spread to compare with, that is one; outside of it */
    int alone;                   /* measured in one of the runs only */
    int far;                     /* farther outside than chance would have it */
    const RunClaim *most[NAMED]; /* of A: those that moved most, the first farthest */
} ClaimTally;

/* Keeps the claims that moved most, in order. */
static void most_add(const Comparison *c, ClaimTally *tally, const RunClaim *a) {
    double change = claim_change(a, run_folder_claim(&c->b, a->id));
    for (int i = 0; i < NAMED; i++) {
        const RunClaim *known = tally->most[i];
        if (!known || change > claim_change(known, run_folder_claim(&c->b, known->id))) {
            memmove(&tally->most[i + 1], &tally->most[i],
                    (size_t)(NAMED - 1 - i) * sizeof *tally->most);
            tally->most[i] = a;
            return;
        }
    }
}

/* Farther outside the other's spread than its own width, and than a tenth of the way to the bound
 * (seeds that all give the same have no width). */
static bool is_far(const RunFolder *run, const RunClaim *claim, double value) {
    const ClaimSpread *s = &claim->spread;
    if (run->runs == 1 || s->made < 2) {
        return false;
    }
    double room = fmax(s->max - s->min, 0.1 * fabs(s->median - claim->bound));
    return !(value >= s->min - room && value <= s->max + room);
}

static void claim_tally(const Comparison *c, ClaimTally *tally, const RunClaim *a,
                        const RunClaim *b) {
    bool holds[2] = {strcmp(a->status, "holds") == 0, strcmp(b->status, "holds") == 0};
    ClaimMove move = claim_move(a, b);
    tally->judged++;
    tally->both += holds[0] && holds[1];
    tally->lost += holds[0] && !holds[1];
    tally->won += !holds[0] && holds[1];
    tally->better += move == MOVE_BETTER;
    tally->worse += move == MOVE_WORSE;
    if (move != MOVE_NONE) {
        most_add(c, tally, a);
    }
    bool seeds = (c->a.runs > 1 && a->spread.made > 1) || (c->b.runs > 1 && b->spread.made > 1);
    bool outside = claim_outside(&c->a, &c->b, a, b);
    bool varies = a->spread.min < a->spread.max || b->spread.min < b->spread.max;
    tally->spread += seeds && (varies || outside); /* an identity says nothing about chance */
    tally->outside += outside;
    tally->far += is_far(&c->a, a, b->spread.median) || is_far(&c->b, b, a->spread.median);
}

static ClaimTally claims_tally(const Comparison *c) {
    ClaimTally tally = {0};
    for (int i = 0; i < c->a.claim_count; i++) {
        const RunClaim *a = &c->a.claims[i], *b = run_folder_claim(&c->b, a->id);
        bool made[2] = {a->spread.made > 0, b && b->spread.made > 0};
        if (made[0] && made[1]) {
            claim_tally(c, &tally, a, b);
        }
        tally.alone += made[0] != made[1];
    }
    for (int i = 0; i < c->b.claim_count; i++) {
        const RunClaim *b = &c->b.claims[i];
        tally.alone += b->spread.made > 0 && run_folder_claim(&c->a, b->id) == NULL;
    }
    return tally;
}

/* One more seed of the same model lies outside the range of n others with probability 2 / (n + 1),
 * so some claims are expected outside; more than that by two standard deviations are too many. */
static bool outside_by_chance(const Comparison *c, const ClaimTally *tally, double *expected) {
    int seeds = c->a.runs > 1 ? c->a.runs : c->b.runs;
    if (c->a.runs > 1 && c->b.runs > 1) {
        seeds = c->a.runs < c->b.runs ? c->a.runs : c->b.runs;
    }
    double share = 2.0 / (seeds + 1), n = tally->spread;
    *expected = share * n;
    return tally->outside <= *expected + 2 * sqrt(n * share * (1 - share));
}

/* ---- words ---- */

static void say(const Comparison *c, Style style, const char *text) {
    terminal_prose_indented(c->term, style, 0, text);
}

/* "one vector: 10 symbols all right: 12 % -> 19 % (bound < 25 %), holds in A only". */
static void claim_say(const Comparison *c, const RunClaim *a) {
    const RunClaim *b = run_folder_claim(&c->b, a->id);
    char value[3][VALUE_SIZE], text[1024];
    claim_value_text(value[0], a, a->spread.median, false, 3);
    claim_value_text(value[1], b, b->spread.median, false, 3);
    claim_value_text(value[2], a, a->bound, false, 3);
    const char *hold = strcmp(a->status, b->status) == 0 ? ""
                       : strcmp(b->status, "holds") == 0 ? "; holds in B only"
                                                         : "; holds in A only";
    int size = (int)strlen(a->text);
    size -= size > 3 && strcmp(a->text + size - 3, ", %") == 0 ? 3 : 0;
    snprintf(text, sizeof text, "%.*s: %s in A, %s in B (bound %s %s)%s", size > 600 ? 600 : size,
             a->text, value[0], value[1], a->op, value[2], hold);
    bool better = claim_move(a, b) == MOVE_BETTER;
    terminal_prose_tagged(c->term, better ? STYLE_GREEN : STYLE_RED,
                          better ? "  better:" : "  worse: ", text);
}

/* Says how much the claims left open, and where to look instead. */
static void alone_say(const Comparison *c, const ClaimTally *tally) {
    char text[512];
    if (tally->alone > 0) {
        snprintf(text, sizeof text,
                 "%d %s made in one of the two only: a run that is quick, shorter, of some steps, "
                 "or with other options than the lesson speaks of makes only some. Look at how the "
                 "curves end, above.",
                 tally->alone, tally->alone == 1 ? "claim was" : "claims were");
        say(c, STYLE_PLAIN, text);
    }
}

/* The headline of two runs that differ. */
static void headline(const Comparison *c, const ClaimTally *tally) {
    char text[512], claims[160] = "";
    if (tally->lost + tally->won > 0) {
        snprintf(claims, sizeof claims,
                 " %d of %d claims that both measured hold in A only, %d in B only.", tally->lost,
                 tally->judged, tally->won);
    } else {
        snprintf(claims, sizeof claims,
                 " Of %d claims that both measured %d hold in both, %d in neither.", tally->judged,
                 tally->both, tally->judged - tally->both);
    }
    const char *word =
        tally->alone > 0 ? "Not the same; the claims cannot tell." : "Neither better nor worse.";
    if (tally->lost != tally->won) {
        word = tally->won > tally->lost ? "B is better." : "B is worse.";
    } else if (tally->lost > 0) {
        word = "Better in some, worse in others.";
    } else if (tally->better + tally->worse > 0) {
        word = tally->worse == 0    ? "B is a little better."
               : tally->better == 0 ? "B is a little worse."
                                    : "Better in some, worse in others.";
    }
    snprintf(text, sizeof text,
             "%s%s %d moved to the better, %d to the worse: farther on the good side of "
             "their own bounds, or less far (changes below 1 %% of a bound are not "
             "counted).%s",
             word, claims, tally->better, tally->worse,
             tally->better + tally->worse > 0 ? " Most of all:" : "");
    say(c, STYLE_BOLD, text);
    for (int i = 0; i < NAMED && tally->most[i]; i++) {
        claim_say(c, tally->most[i]);
    }
}

/* True when the bits say all there is to say. */
static bool verdict_bits(Comparison *c, const FileTally *files) {
    char text[512];
    if (files->tables_differ > 0 || files->same == 0) {
        return false;
    }
    if (files->pictures_differ == 0) {
        snprintf(text, sizeof text,
                 "The same to the bit: all tables and pictures (%d) are equal, byte for byte "
                 "(run.tsv and timing_*, which hold seconds, are not compared).",
                 files->same);
    } else {
        snprintf(text, sizeof text,
                 "The same numbers to the bit. %d %s in one folder only (the first is %s): drawn "
                 "by another version of gnuplot, or not drawn at all.",
                 files->pictures_differ,
                 files->pictures_differ == 1 ? "picture differs or is" : "pictures differ or are",
                 files->first);
    }
    say(c, STYLE_BOLD, text);
    return true;
}

static bool verdict_spread(const Comparison *c, const ClaimTally *tally) {
    double expected;
    char text[640];
    if (tally->spread == 0) {
        return false;
    }
    bool chance = outside_by_chance(c, tally, &expected);
    bool same = chance && tally->far == 0 && tally->lost + tally->won == 0;
    snprintf(text, sizeof text, "%s: %d of %d %s (by chance alone about %.1f), %d far outside.",
             same ? "The same within the spread of the seeds. Outside of it"
                  : "Not the same as another seed. Outside the spread of the seeds",
             tally->outside, tally->spread, tally->spread == 1 ? "claim" : "claims", expected,
             tally->far);
    say(c, STYLE_BOLD, text);
    return same;
}

static void verdict_lessons(const Comparison *c) {
    char text[512];
    snprintf(text, sizeof text,
             "Two lessons, so neither is better as a whole. They have %d %s in common: %s.",
             c->curves, c->curves == 1 ? "curve" : "curves",
             c->curves > 0 ? "how these end is above, where they go is in the pictures"
                           : "nothing can be laid over each other");
    say(c, STYLE_BOLD, text);
    for (int i = 0; i < COMPARE_ENDS && i < c->curves; i++) {
        if (*c->ends[i]) {
            say(c, STYLE_PLAIN, c->ends[i]);
        }
    }
}

void compare_verdict(Comparison *c) {
    FileTally files = compare_bytes(c);
    compare_section(c, "Verdict");
    if (compare_stopped(c)) {
        say(c, STYLE_BOLD, "None: the comparison was ended early.");
        return;
    }
    if (!compare_same_lesson(c)) {
        verdict_lessons(c);
        return;
    }
    if (verdict_bits(c, &files)) {
        return;
    }
    ClaimTally tally = claims_tally(c);
    if (tally.judged == 0) {
        say(c, STYLE_BOLD,
            "Not the same, and no claim was measured in both that could tell "
            "better from worse (a --quick run makes only the cheap ones).");
        alone_say(c, &tally);
    } else if (!verdict_spread(c, &tally)) {
        headline(c, &tally);
        alone_say(c, &tally);
    }
    if (c->a.runs == 1 && c->b.runs == 1) {
        char text[256];
        snprintf(text, sizeof text,
                 "Of the tables and pictures %d are equal to the byte, %d are not.", files.same,
                 files.tables_differ + files.pictures_differ);
        say(c, STYLE_PLAIN, text);
    }
    if (c->a.runs == 1 && c->b.runs == 1 && tally.judged > 0) {
        say(c, STYLE_PLAIN,
            c->only_seed ? "Only the seed differs, so this is what chance does; how far seeds lie "
                           "apart, a run with --runs 5 tells."
                         : "Whether another seed alone would have done as much is not known: a "
                           "run with --runs 5 tells.");
    }
}
