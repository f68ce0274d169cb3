#include "lesson/spread.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/check.h"
#include "io/tsv.h"
#include "lesson/walkthrough.h"
#include "show/compare/compare.h"
#include "show/run_folder.h"

/* ---- numbers ---- */

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double spread_median(double *values, int count) {
    int n = 0;
    for (int i = 0; i < count; i++) {
        if (!isnan(values[i])) {
            values[n++] = values[i];
        }
    }
    if (n == 0) {
        return NAN;
    }
    qsort(values, (size_t)n, sizeof *values, by_size);
    return n % 2 == 1 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

/* ---- one run ---- */

bool spread_tell(Run *run, const char *folder, double seconds, Error *error) {
    RunFolder one;
    char took[32] = "";
    if (!run_folder_read(folder, &one, error)) {
        return false;
    }
    int holds = 0, made = 0;
    for (int i = 0; i < one.claim_count; i++) {
        holds += one.claims[i].spread.holds;
        made += one.claims[i].spread.made;
    }
    if (seconds >= 0) {
        snprintf(took, sizeof took, " (%.1f s)", seconds);
    }
    terminal_put(&run->term, holds == made ? STYLE_GREEN : STYLE_RED,
                 holds == made ? "  [holds]" : "  [fails]");
    terminal_print(&run->term, " %d of %d claims%s\n", holds, made, took);
    run_folder_free(&one);
    return true;
}

/* ---- claims ---- */

/* The value of a claim about time stands in a file of its own. */
static double timing_value(const RunFolder *one, const char *id) {
    double value = NAN;
    TsvTable table;
    char *path = path_join(one->path, "timing_claims.tsv");
    CHECK(path != NULL, "out of memory");
    if (tsv_read(path, RUN_CLAIMS_LIMIT, &table, NULL)) {
        for (int row = 1; row < table.rows; row++) {
            if (strcmp(tsv_cell(&table, row, 1), id) == 0 &&
                !tsv_read_number(tsv_cell(&table, row, 3), &value)) {
                value = NAN;
            }
        }
        tsv_free(&table);
    }
    free(path);
    return value;
}

/* Operators that outlive the file they were read from. */
static const char *op_word(const char *op) {
    static const char *const ops[] = {"<", "<=", ">", ">="};
    for (int i = 0; i < COUNT_OF(ops); i++) {
        if (strcmp(op, ops[i]) == 0) {
            return ops[i];
        }
    }
    return "==";
}

/* How the seeds differ about a claim; `values` has room for all. */
static ClaimSpread claim_spread(const RunFolder *runs, int count, const RunClaim *claim,
                                double *values) {
    ClaimSpread spread = {0, 0, NAN, NAN, NAN};
    int known = 0;
    bool timing = strcmp(claim->status, "timing") == 0;
    for (int i = 0; i < count; i++) {
        const RunClaim *other = run_folder_claim(&runs[i], claim->id);
        double value = timing ? timing_value(&runs[i], claim->id) : other ? other->value : NAN;
        spread.made += other && other->measured;
        spread.holds += other && other->spread.holds > 0;
        if (!isnan(value)) {
            values[known++] = value;
        }
    }
    spread.median = spread_median(values, known); /* sorts them */
    if (known > 0) {
        spread.min = values[0];
        spread.max = values[known - 1];
    }
    return spread;
}

static void spread_row(FILE *out, const RunClaim *claim, int seeds, ClaimSpread spread) {
    const char *const texts[] = {claim->step, claim->id, claim->text, claim->op};
    for (int i = 0; i < COUNT_OF(texts); i++) {
        tsv_put(out, texts[i]);
        putc('\t', out);
    }
    tsv_number(out, claim->bound);
    fprintf(out, "\t%d\t%d\t%d", seeds, spread.made, spread.holds);
    const double numbers[] = {spread.min, spread.median, spread.max};
    for (int i = 0; i < COUNT_OF(numbers); i++) {
        putc('\t', out);
        if (spread.made > 0) {
            tsv_number(out, numbers[i]);
        } else {
            putc('-', out);
        }
    }
    putc('\n', out);
}

static void table_add(Table *table, const Run *run, const RunClaim *claim, ClaimSpread spread) {
    char numbers[4][VALUE_SIZE] = {"-", "-", "-"}, holds[32];
    claim_value_text(numbers[3], claim, claim->bound, false, 3);
    const double values[] = {spread.min, spread.median, spread.max};
    for (int i = 0; spread.made > 0 && i < COUNT_OF(values); i++) {
        /* more digits while rounding makes a value look like its bound */
        for (int digits = 3; digits <= 9; digits++) {
            claim_value_text(numbers[i], claim, values[i], false, digits);
            if (strcmp(numbers[i], numbers[3]) != 0 || values[i] == claim->bound) {
                break;
            }
        }
    }
    snprintf(holds, sizeof holds, spread.made > 0 ? "%d of %d" : "not made", spread.holds,
             spread.made);
    int size = (int)strlen(claim->text);
    size -= size > 3 && strcmp(claim->text + size - 3, ", %") == 0 ? 3 : 0;
    char *text = terminal_clean(&run->term, claim->text);
    Style style = spread.made == 0              ? STYLE_DIM
                  : spread.holds == spread.made ? STYLE_GREEN
                  : spread.holds > 0            ? STYLE_YELLOW
                                                : STYLE_RED;
    int cut = (int)strlen(claim->text) - size;
    table_row_styled(table, style, "%s\t%s\t%.*s\t%s\t%s\t%s\t%s %s", holds, claim->step,
                     (int)strlen(text) - cut, text, numbers[0], numbers[1], numbers[2], claim->op,
                     numbers[3]);
    free(text);
}

/* Every claim of the first seed: into the run's claims, into spread.tsv and onto the screen. */
static void claims_gather(Run *run, const RunFolder *runs, int count, FILE *out) {
    double *values = check_alloc((size_t)count * sizeof *values);
    Table table = table_new("holds\tstep\tsays\tmin\tmedian\tmax\tbound");
    fputs("step\tid\ttext\top\tbound\tseeds\tmade\tholds\tmin\tmedian\tmax\n", out);
    for (int i = 0; i < runs[0].claim_count; i++) {
        const RunClaim *claim = &runs[0].claims[i];
        ClaimSpread spread = claim_spread(runs, count, claim, values);
        bool timing = strcmp(claim->status, "timing") == 0;
        claims_add(&run->claims, claim->step, claim->id, claim->text, spread.median,
                   op_word(claim->op), claim->bound,
                   timing            ? CLAIM_TIMING
                   : spread.made > 0 ? CLAIM_HOLDS
                                     : CLAIM_NOT_MADE);
        if (!timing) {
            spread_row(out, claim, count, spread);
            table_add(&table, run, claim, spread);
        }
    }
    terminal_put(&run->term, STYLE_BOLD,
                 "\nWhat these runs have shown, and how far they differ\n\n");
    if (table.count > 1) {
        terminal_table(&run->term, &table);
    }
    table_free(&table);
    free(values);
}

static void spread_write(Run *run, const RunFolder *runs, int count) {
    AtomicFile file;
    Error error = {""};
    FILE *out = atomic_open(&file, run_file(run, "spread.tsv"), &error);
    if (!out) {
        run_file_error(run, &error);
        out = fopen("/dev/null", "w"); /* the claims are needed all the same */
        CHECK(out != NULL, "/dev/null cannot be opened");
        claims_gather(run, runs, count, out);
        fclose(out);
        return;
    }
    claims_gather(run, runs, count, out);
    if (!atomic_commit(&file, &error)) {
        run_file_error(run, &error);
    }
}

/* ---- all of it ---- */

/* Steps that the seeds have run. */
static void steps_note(Run *run, const RunFolder *one) {
    const char *steps = run_folder_key(one, "steps_run");
    char text[512], *rest = text;
    snprintf(text, sizeof text, "%s", steps ? steps : "");
    for (char *word; (word = strsep(&rest, " ")) != NULL;) {
        for (int i = 0; i < run->lesson->step_count; i++) {
            run->done[i] = run->done[i] || strcmp(word, run->lesson->steps[i].number) == 0;
        }
    }
}

bool spread_gather(Run *run, const char *const *folders, int count, Error *error) {
    RunFolder *runs = check_alloc((size_t)count * sizeof *runs);
    bool ok = true;
    int read = 0;
    while (ok && read < count) {
        ok = run_folder_read(folders[read], &runs[read], error);
        read += ok;
    }
    if (ok) {
        steps_note(run, &runs[0]);
        spread_write(run, runs, count);
        spread_curves(run, folders, count);
    }
    for (int i = 0; i < read; i++) {
        run_folder_free(&runs[i]);
    }
    free(runs);
    return ok;
}
