#include "show/run_folder.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- the files ---- */

static int by_name(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool is_file(const char *folder, const char *name) {
    struct stat about;
    char *path = path_join(folder, name);
    bool file = path && stat(path, &about) == 0 && S_ISREG(about.st_mode);
    free(path);
    return file;
}

static bool files_list(RunFolder *folder, DIR *listing, Error *error) {
    folder->files = calloc(RUN_FOLDER_FILES, sizeof *folder->files);
    struct dirent *entry;
    /* scandir() would hold all the names of a folder that is no run, however many */
    while (folder->files && (entry = readdir(listing))) { // cppcheck-suppress readdirCalled
        if (entry->d_name[0] == '.' || !is_file(folder->path, entry->d_name)) {
            continue;
        }
        if (folder->file_count == RUN_FOLDER_FILES) {
            return error_set(error, "%s: more than %d files; this is not the folder of a run",
                             folder->path, RUN_FOLDER_FILES);
        }
        char *name = strdup(entry->d_name);
        if (!name) {
            break;
        }
        folder->files[folder->file_count++] = name;
    }
    if (folder->file_count > 0) {
        qsort(folder->files, (size_t)folder->file_count, sizeof *folder->files, by_name);
    }
    return folder->files || error_set(error, "%s: not enough memory", folder->path);
}

bool run_folder_has(const RunFolder *folder, const char *file) {
    for (int i = 0; i < folder->file_count; i++) {
        if (strcmp(folder->files[i], file) == 0) {
            return true;
        }
    }
    return false;
}

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
    struct stat about;
    if (stat(folder->path, &about) == 0 && !S_ISDIR(about.st_mode)) {
        return error_set(error, "%s: a file, where the folder of a run is needed", folder->path);
    }
    DIR *listing = opendir(folder->path);
    if (!listing) {
        return error_set(error, "%s: %s", folder->path,
                         errno == ENOENT ? "there is no such folder" : strerror(errno));
    }
    bool listed = files_list(folder, listing, error);
    closedir(listing);
    if (!listed) {
        return false;
    }
    if (folder->file_count == 0) {
        return error_set(error, "%s: no run: there is no file in it", folder->path);
    }
    bool record = run_folder_has(folder, "run.tsv"), claims = run_folder_has(folder, "claims.tsv");
    if (!record && !claims) {
        return error_set(error, "%s: no run: neither run.tsv nor claims.tsv is there",
                         folder->path);
    }
    return (record && claims) || error_set(error, "%s: half a run: %s is missing", folder->path,
                                           record ? "claims.tsv" : "run.tsv");
}

/* ---- the tables ---- */

static bool table_read(const RunFolder *folder, const char *name, size_t limit, TsvTable *table,
                       Error *error) {
    char *path = path_join(folder->path, name);
    bool ok = path && tsv_read(path, limit, table, error);
    free(path);
    return ok;
}

static bool refuse(const RunFolder *folder, const char *file, int line, const char *what,
                   Error *error) {
    return error_set(error, "%s/%s, line %d: %s; this is no run", folder->path, file, line, what);
}

const char *run_folder_key(const RunFolder *folder, const char *key) {
    for (int row = 0; row < folder->record.rows; row++) {
        if (strcmp(tsv_cell(&folder->record, row, 0), key) == 0) {
            return tsv_cell(&folder->record, row, 1);
        }
    }
    return NULL;
}

static bool record_read(RunFolder *folder, Error *error) {
    if (!table_read(folder, "run.tsv", RUN_RECORD_LIMIT, &folder->record, error)) {
        return false;
    }
    for (int row = 0; row < folder->record.rows; row++) {
        if (tsv_width(&folder->record, row) != 2) {
            return refuse(folder, "run.tsv", folder->record.line[row], "no key and value", error);
        }
    }
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
    if (!table_read(folder, "claims.tsv", RUN_CLAIMS_LIMIT, table, error)) {
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
    const TsvTable *table = &folder->spread_table;
    if (!table_read(folder, "spread.tsv", RUN_CLAIMS_LIMIT, &folder->spread_table, error)) {
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
    if (folder_look(folder, error) && record_read(folder, error) && claims_read(folder, error) &&
        spread_read(folder, error)) {
        return true;
    }
    run_folder_free(folder);
    return false;
}

void run_folder_free(RunFolder *folder) {
    for (int i = 0; i < folder->file_count; i++) {
        free(folder->files[i]);
    }
    free(folder->files);
    free(folder->claims);
    tsv_free(&folder->record);
    tsv_free(&folder->claim_table);
    tsv_free(&folder->spread_table);
    *folder = (RunFolder){0};
}
