#include "lesson/experiments/head_class.h"

#include "core/check.h"

#include <math.h>
#include <stdio.h>

const char *const head_class_names[HEAD_CLASSES] = {"diagonal", "vertical", "block",
                                                    "uniform",  "mixed",    "dead"};

HeadClass head_class_of(const HeadMeasures *m, double rise) {
    return rise < 0.01                          ? HEAD_DEAD
           : m->diagonal > 0.6                  ? HEAD_DIAGONAL
           : m->vertical > 0.5                  ? HEAD_VERTICAL
           : m->block > 0.8 && m->entropy > 0.4 ? HEAD_BLOCK
           : m->entropy > 0.9                   ? HEAD_UNIFORM
                                                : HEAD_MIXED;
}

HeadLabel head_label(HeadClass kind, const HeadMeasures *measures) {
    HeadLabel label;
    const char *name = head_class_names[kind];
    if (kind == HEAD_DEAD) {
        HeadLabel map = head_label(head_class_of(measures, NAN), measures);
        snprintf(label.text, sizeof label.text, "%s (%.20s)", name, map.text);
    } else if (kind == HEAD_DIAGONAL) {
        snprintf(label.text, sizeof label.text, "%s %+d", name, measures->offset);
    } else if (kind == HEAD_VERTICAL) {
        snprintf(label.text, sizeof label.text, "%s %d", name, measures->column);
    } else {
        snprintf(label.text, sizeof label.text, "%s", name);
    }
    return label;
}

/* ---- measuring ---- */

HeadTally head_tally_new(void) {
    return (HeadTally){.maps = 0};
}

static void add_offsets(HeadTally *tally, const float *weights, const HeadView *view) {
    for (int offset = -HEAD_FURTHEST; offset <= HEAD_FURTHEST; offset++) {
        int first = offset < 0 ? -offset : 0;
        int end = view->cols - offset < view->rows ? view->cols - offset : view->rows;
        if (2 * (end - first) < view->rows) { /* few queries have a key there */
            continue;
        }
        for (int q = first; q < end; q++) {
            double weight = (double)weights[(long)q * view->stride + q + offset];
            tally->at[offset + HEAD_FURTHEST] += weight;
            tally->at_count[offset + HEAD_FURTHEST] += 1.0;
        }
    }
}

static void add_columns(HeadTally *tally, const float *weights, const HeadView *view) {
    double most = 0.0;
    int column = 0;
    for (int k = 0; k < view->cols; k++) {
        double sum = 0.0;
        for (int q = 0; q < view->rows; q++) {
            sum += (double)weights[(long)q * view->stride + k];
        }
        if (sum > most) {
            most = sum;
            column = k;
        }
    }
    tally->vertical += most / view->rows;
    tally->column[column < HEAD_FURTHEST ? column : HEAD_FURTHEST - 1]++;
}

static void add_row(HeadTally *tally, const float *row, const HeadView *view, int q) {
    double entropy = 0.0, inside = 0.0;
    int seen = view->cols;
    if (view->causal && q + 1 + view->cols - view->rows < seen) {
        seen = q + 1 + view->cols - view->rows;
    }
    for (int k = 0; k < view->cols; k++) {
        double weight = (double)row[k];
        entropy -= weight > 0.0 ? weight * log(weight) : 0.0;
        if (view->row_segment != NULL && view->row_segment[q] == view->col_segment[k]) {
            inside += weight;
        }
    }
    tally->block += inside;
    tally->block_rows += view->row_segment != NULL;
    if (seen > 1) {
        tally->entropy += entropy / log((double)seen);
        tally->entropy_rows++;
    }
}

void head_tally_add(HeadTally *tally, const float *weights, HeadView view) {
    CHECK(view.rows > 0 && view.cols > 0, "head_tally: a map of %d x %d", view.rows, view.cols);
    view.stride = view.stride > 0 ? view.stride : view.cols;
    add_offsets(tally, weights, &view);
    add_columns(tally, weights, &view);
    for (int q = 0; q < view.rows; q++) {
        add_row(tally, weights + (long)q * view.stride, &view, q);
    }
    tally->maps++;
}

HeadMeasures head_tally_measures(const HeadTally *tally) {
    HeadMeasures m = {.diagonal = 0.0};
    CHECK(tally->maps > 0, "head_tally: no map");
    for (int i = 0; i <= 2 * HEAD_FURTHEST; i++) {
        double mean = tally->at_count[i] > 0.0 ? tally->at[i] / tally->at_count[i] : 0.0;
        if (mean > m.diagonal) {
            m.diagonal = mean;
            m.offset = i - HEAD_FURTHEST;
        }
    }
    for (int k = 1; k < HEAD_FURTHEST; k++) {
        m.column = tally->column[k] > tally->column[m.column] ? k : m.column;
    }
    m.vertical = tally->vertical / (double)tally->maps;
    m.block = tally->block_rows > 0 ? tally->block / (double)tally->block_rows : NAN;
    m.entropy = tally->entropy_rows > 0 ? tally->entropy / (double)tally->entropy_rows : 0.0;
    return m;
}

/* ---- all heads of a layer ---- */

static HeadView view_of(const HeadBatch *batch, int b) {
    const int *segment = batch->segments != NULL ? batch->segments + (long)b * batch->Lq : NULL;
    return (HeadView){.rows = batch->query_length != NULL ? batch->query_length[b] : batch->Lq,
                      .cols = batch->key_length != NULL ? batch->key_length[b] : batch->Lk,
                      .stride = batch->Lk,
                      .row_segment = segment,
                      .col_segment = segment,
                      .causal = batch->causal};
}

/* Where the map of head h for sequence b begins. */
static const float *map_of(const float *weights, const HeadBatch *batch, int b, int h) {
    return weights + ((long)b * batch->H + h) * batch->Lq * batch->Lk;
}

void head_measure_all(const float *weights, HeadBatch batch, HeadMeasures *measures) {
    for (int h = 0; h < batch.H; h++) {
        HeadTally tally = head_tally_new();
        for (int b = 0; b < batch.B; b++) {
            head_tally_add(&tally, map_of(weights, &batch, b, h), view_of(&batch, b));
        }
        measures[h] = head_tally_measures(&tally);
    }
}

static double cosine(const float *x, const float *y, HeadView view) {
    double xx = 0.0, yy = 0.0, xy = 0.0;
    for (int q = 0; q < view.rows; q++) {
        for (int k = 0; k < view.cols; k++) {
            double a = (double)x[(long)q * view.stride + k];
            double b = (double)y[(long)q * view.stride + k];
            xx += a * a;
            yy += b * b;
            xy += a * b;
        }
    }
    return xy / sqrt(xx * yy);
}

double heads_alike(const float *weights, HeadBatch batch) {
    double sum = 0.0;
    long pairs = 0;
    for (int b = 0; b < batch.B; b++) {
        for (int i = 0; i < batch.H; i++) {
            for (int j = 0; j < i; j++) {
                sum += cosine(map_of(weights, &batch, b, i), map_of(weights, &batch, b, j),
                              view_of(&batch, b));
                pairs++;
            }
        }
    }
    return pairs > 0 ? sum / (double)pairs : NAN;
}
