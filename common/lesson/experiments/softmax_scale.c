#include "lesson/experiments/softmax_scale.h"

#include "core/check.h"
#include "core/kernels/rows.h"
#include "core/measure.h"
#include "lesson/lines.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void draw(float *v, long n, Rng *rng) {
    for (long i = 0; i < n; i++) {
        v[i] = rng_normal(rng);
    }
}

static double entropy_of(const float *a, int n) {
    double entropy = 0.0;
    for (int i = 0; i < n; i++) {
        entropy -= a[i] > 0.0f ? (double)a[i] * log((double)a[i]) : 0.0;
    }
    return entropy;
}

double softmax_jacobian_size(const float *a, int n) {
    double squares = 0.0;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            double J = (double)a[i] * ((i == j ? 1.0 : 0.0) - (double)a[j]);
            squares += J * J;
        }
    }
    return sqrt(squares);
}

static double largest_of(const float *a, int n) {
    double most = 0.0;
    for (int i = 0; i < n; i++) {
        most = fmax(most, (double)a[i]);
    }
    return most;
}

SoftmaxScale softmax_scale(int d, int keys, int questions, float factor, Rng *rng) {
    SoftmaxScale found = {0};
    double sum = 0.0, squares = 0.0, count = (double)keys * questions;
    double *size = check_alloc((size_t)questions * sizeof *size);
    float *q = check_alloc((size_t)d * sizeof *q), *k = check_alloc((size_t)d * sizeof *k);
    float *a = check_alloc((size_t)keys * sizeof *a);
    for (int n = 0; n < questions; n++) {
        draw(q, d, rng);
        for (int i = 0; i < keys; i++) {
            draw(k, d, rng);
            a[i] = factor * dot(q, k, d);
            sum += (double)a[i];
            squares += (double)a[i] * (double)a[i];
        }
        softmax_rows(a, a, 1, keys);
        found.largest += largest_of(a, keys) / questions;
        found.entropy += entropy_of(a, keys) / questions;
        size[n] = softmax_jacobian_size(a, keys);
        found.gradient_mean += size[n] / questions;
    }
    found.variance = squares / count - (sum / count) * (sum / count);
    found.gradient_median = spread_of(size, questions).median;
    free(size);
    free(q);
    free(k);
    free(a);
    return found;
}

/* ---- compared ---- */

/* One measure, at `offset` in SoftmaxScale, of each scale and for all sizes; for the gradient also
 * its mean without a scale. */
static void plot_measure(Run *run, Plot plot, const ScoreScale *scales, int count, size_t offset) {
    double d[SCALE_SIZES], y[SCALE_MOST + 1][SCALE_SIZES];
    const char *labels[SCALE_MOST + 1];
    char mean[64];
    for (int k = 0; k < SCALE_SIZES; k++) {
        d[k] = 4 << 2 * k;
        for (int i = 0; i < count; i++) {
            labels[i] = scales[i].name;
            memcpy(&y[i][k], (const char *)&scales[i].at[k] + offset, sizeof y[i][k]);
        }
        y[count][k] = scales[0].at[k].gradient_mean;
    }
    snprintf(mean, sizeof mean, "%s, mean", scales[0].name);
    labels[count] = mean;
    plot.x_label = "size of queries and keys d";
    plot.x_log = true;
    bool gradient = offset == offsetof(SoftmaxScale, gradient_median);
    run_lines(run, plot, labels, gradient ? count + 1 : count, d, y[0], SCALE_SIZES);
}

static void show_table(Run *run, const ScoreScale *scales, int count) {
    run_table(run,
              "d\tscores\tvariance\tlargest weight\tentropy\tgradient: median\tgradient: mean");
    for (int k = 0; k < SCALE_SIZES; k++) {
        for (int i = 0; i < count; i++) {
            const SoftmaxScale *one = &scales[i].at[k];
            run_table_row(run, "%d\t%s\t%.3g\t%.2f\t%.2f\t%.1e\t%.1e", 4 << 2 * k, scales[i].name,
                          one->variance, one->largest, one->entropy, one->gradient_median,
                          one->gradient_mean);
        }
    }
    run_table_end(run);
}

void softmax_scale_compare(Run *run, ScoreScale *scales, int count, int keys, int questions) {
    CHECK(count <= SCALE_MOST, "softmax_scale_compare: %d scales; the most is %d", count,
          SCALE_MOST);
    for (int i = 0; i < count * SCALE_SIZES; i++) {
        ScoreScale *scale = &scales[i / SCALE_SIZES];
        int k = i % SCALE_SIZES, d = 4 << 2 * k;
        Rng rng = run_rng(run, "softmax scale"); /* the same vectors for every scale */
        scale->at[k] = softmax_scale(d, keys, questions, powf((float)d, -scale->power), &rng);
    }
    show_table(run, scales, count);
    Plot variance = {.name = "scale_variance",
                     .title = "Variance of the scores",
                     .y_label = "variance",
                     .y_log = true};
    PlotLine alike = {"all keys alike", log((double)keys), false};
    Plot entropy = {.name = "scale_entropy",
                    .title = "How evenly the weights are spread",
                    .y_label = "entropy in nats",
                    .lines = &alike,
                    .line_count = 1};
    Plot gradient = {.name = "scale_gradient",
                     .title = "Gradient through the softmax: median over the questions",
                     .y_label = "size of the Jacobian",
                     .y_log = true};
    plot_measure(run, variance, scales, count, offsetof(SoftmaxScale, variance));
    plot_measure(run, entropy, scales, count, offsetof(SoftmaxScale, entropy));
    plot_measure(run, gradient, scales, count, offsetof(SoftmaxScale, gradient_median));
}
