#include "show/run_folder.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the files ---- */

bool file_name_stem(const char *file, const char *ending, char *name, size_t size) {
    size_t whole = strlen(file), tail = strlen(ending);
    if (whole <= tail || strcmp(file + whole - tail, ending) != 0) {
        return false;
    }
    snprintf(name, size, "%.*s", (int)(whole - tail), file);
    return true;
}

/* Is there anything at the path that could be a run? */
static bool folder_look(RunFolder *folder, Error *error) {
    if (path_is(folder->path, ENTRY_FILE)) {
        return error_set(error, "%s: a file, where the folder of a run is needed", folder->path);
    }
    if (!names_read(folder->path, ENTRY_FILE, RUN_FOLDER_FILES, &folder->files, error)) {
        return false;
    }
    if (folder->files.left_out > 0) {
        return error_set(error, "%s: more than %d files; this is not the folder of a run",
                         folder->path, RUN_FOLDER_FILES);
    }
    if (folder->files.count == 0) {
        return error_set(error, "%s: no run: there is no file in it", folder->path);
    }
    bool record = names_has(&folder->files, "run.tsv");
    bool claims = names_has(&folder->files, "claims.tsv");
    if (!record && !claims) {
        return error_set(error, "%s: no run: neither run.tsv nor claims.tsv is there",
                         folder->path);
    }
    return (record && claims) || error_set(error, "%s: half a run: %s is missing", folder->path,
                                           record ? "claims.tsv" : "run.tsv");
}

/* ---- the tables ---- */

bool run_table_read(const char *folder, const char *file, size_t limit, TsvTable *table,
                    Error *error) {
    *table = (TsvTable){0};
    char *path = path_join(folder, file);
    bool ok = path ? tsv_read(path, limit, table, error) : error_set(error, "not enough memory");
    free(path);
    return ok;
}

bool run_record_read(const char *folder, TsvTable *record, Error *error) {
    if (!run_table_read(folder, "run.tsv", RUN_RECORD_LIMIT, record, error)) {
        return false;
    }
    for (int row = 0; row < record->rows; row++) {
        if (tsv_width(record, row) != 2) {
            error_set(error, "%s/run.tsv, line %d: no key and value; this is no run", folder,
                      record->line[row]);
            tsv_free(record);
            return false;
        }
    }
    return true;
}

static bool refuse(const RunFolder *folder, const char *file, int line, const char *what,
                   Error *error) {
    return error_set(error, "%s/%s, line %d: %s; this is no run", folder->path, file, line, what);
}

const char *run_folder_key(const RunFolder *folder, const char *key) {
    return tsv_value(&folder->record, key);
}

static bool record_check(RunFolder *folder, Error *error) {
    static const char *const needed[] = {"lesson", "seed"};
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
        if (!run_folder_key(folder, needed[i])) {
            return error_set(error, "%s/run.tsv: no line \"%s\"; this is no run", folder->path,
                             needed[i]);
        }
    }
    const char *runs = run_folder_key(folder, "runs");
    folder->runs = 1;
    return !runs || tsv_read_whole(runs, 1, 1000, &folder->runs) ||
           error_set(error, "%s/run.tsv: \"runs\" is no number of runs", folder->path);
}

static bool is_among(const char *word, const char *const *words) {
    while (*words && strcmp(word, *words) != 0) {
        words++;
    }
    return *words != NULL;
}

/* Fills a claim from line `row`; NULL or what is wrong with it. */
static const char *claim_read(const TsvTable *table, int row, RunClaim *claim) {
    static const char *const ops[] = {"<", "<=", ">", ">=", "==", NULL};
    static const char *const statuses[] = {"holds", "fails", "not_made", "timing", NULL};
    if (tsv_width(table, row) != 7) {
        return "not seven columns";
    }
    *claim = (RunClaim){.step = tsv_cell(table, row, 0),
                        .id = tsv_cell(table, row, 1),
                        .text = tsv_cell(table, row, 2),
                        .op = tsv_cell(table, row, 4),
                        .status = tsv_cell(table, row, 6),
                        .value = NAN};
    if (!is_among(claim->op, ops)) {
        return "an operator that is none";
    }
    if (!is_among(claim->status, statuses)) {
        return "a status that is none";
    }
    if (!tsv_read_number(tsv_cell(table, row, 5), &claim->bound)) {
        return "a bound that is no number";
    }
    bool holds = strcmp(claim->status, "holds") == 0;
    claim->measured = holds || strcmp(claim->status, "fails") == 0;
    if (claim->measured && !tsv_read_number(tsv_cell(table, row, 3), &claim->value)) {
        return "a value that is no number";
    }
    double value = claim->value;
    claim->spread = (ClaimSpread){claim->measured, holds, value, value, value};
    return NULL;
}

const RunClaim *run_folder_claim(const RunFolder *folder, const char *id) {
    for (int i = 0; i < folder->claim_count; i++) {
        if (strcmp(folder->claims[i].id, id) == 0) {
            return &folder->claims[i];
        }
    }
    return NULL;
}

static bool claims_read(RunFolder *folder, Error *error) {
    TsvTable *table = &folder->claim_table;
    if (!run_table_read(folder->path, "claims.tsv", RUN_CLAIMS_LIMIT, table, error)) {
        return false;
    }
    if (!tsv_is(table, 0, "step\tid\ttext\tvalue\top\tbound\tstatus")) {
        return refuse(folder, "claims.tsv", 1, "the first line is another", error);
    }
    if (table->rows > RUN_FOLDER_CLAIMS) {
        return error_set(error, "%s/claims.tsv: more than %d lines; this is no run", folder->path,
                         RUN_FOLDER_CLAIMS);
    }
    folder->claims = calloc((size_t)table->rows, sizeof *folder->claims);
    if (!folder->claims) {
        return error_set(error, "%s: not enough memory", folder->path);
    }
    for (int row = 1; row < table->rows; row++) {
        RunClaim *claim = &folder->claims[folder->claim_count];
        const char *problem = claim_read(table, row, claim);
        if (!problem && run_folder_claim(folder, claim->id)) {
            problem = "an id that occurs twice";
        }
        if (problem) {
            return refuse(folder, "claims.tsv", table->line[row], problem, error);
        }
        folder->claim_count++;
    }
    return true;
}

/* step id text op bound seeds made holds min median max */
static const char *spread_row_read(RunFolder *folder, int row) {
    const TsvTable *table = &folder->spread_table;
    if (tsv_width(table, row) != 11) {
        return "not eleven columns";
    }
    RunClaim *claim = (RunClaim *)run_folder_claim(folder, tsv_cell(table, row, 1));
    ClaimSpread spread;
    int seeds;
    if (!claim || !tsv_read_whole(tsv_cell(table, row, 5), 1, folder->runs, &seeds) ||
        !tsv_read_whole(tsv_cell(table, row, 6), 0, seeds, &spread.made) ||
        !tsv_read_whole(tsv_cell(table, row, 7), 0, seeds, &spread.holds)) {
        return claim ? "seeds that are not counted" : "a claim that is not in claims.tsv";
    }
    if (spread.made > 0 && (!tsv_read_number(tsv_cell(table, row, 8), &spread.min) ||
                            !tsv_read_number(tsv_cell(table, row, 9), &spread.median) ||
                            !tsv_read_number(tsv_cell(table, row, 10), &spread.max))) {
        return "a spread without numbers";
    }
    claim->spread = spread.made > 0 ? spread : (ClaimSpread){0, 0, NAN, NAN, NAN};
    return NULL;
}

static bool spread_read(RunFolder *folder, Error *error) {
    if (folder->runs == 1) { /* a file of that name is of an earlier run */
        return true;
    }
    TsvTable *table = &folder->spread_table;
    if (!run_table_read(folder->path, "spread.tsv", RUN_CLAIMS_LIMIT, table, error)) {
        return false;
    }
    if (!tsv_is(table, 0, "step\tid\ttext\top\tbound\tseeds\tmade\tholds\tmin\tmedian\tmax")) {
        return refuse(folder, "spread.tsv", 1, "the first line is another", error);
    }
    for (int row = 1; row < table->rows; row++) {
        const char *problem = spread_row_read(folder, row);
        if (problem) {
            return refuse(folder, "spread.tsv", table->line[row], problem, error);
        }
    }
    return true;
}

bool run_folder_read(const char *path, RunFolder *folder, Error *error) {
    *folder = (RunFolder){.path = path};
    if (folder_look(folder, error) && run_record_read(path, &folder->record, error) &&
        record_check(folder, error) && claims_read(folder, error) && spread_read(folder, error)) {
        return true;
    }
    run_folder_free(folder);
    return false;
}

void run_folder_free(RunFolder *folder) {
    names_free(&folder->files);
    free(folder->claims);
    tsv_free(&folder->record);
    tsv_free(&folder->claim_table);
    tsv_free(&folder->spread_table);
    *folder = (RunFolder){0};
}
