#include "lesson/experiments/parts_list.h"

#include "core/check.h"
#include "lesson/walkthrough.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

size_t parts_count(const Params *params, const char *prefix, const char *word) {
    size_t sum = 0;
    for (const ParamEntry *e = params_next(params, NULL); e != NULL; e = params_next(params, e)) {
        const Tensor *w = param_tensor(e);
        bool counts = strncmp(w->name, prefix, strlen(prefix)) == 0 && strstr(w->name, word);
        sum += counts ? tensor_size(w) : 0;
    }
    return sum;
}

double parts_word_share(const PartsModel *model, bool shared) {
    size_t source = parts_count(model->params, "source.", ""), all;
    size_t target = parts_count(model->params, "target.", "");
    size_t out = parts_count(model->params, "out.", "");
    all = params_count_numbers(model->params);
    size_t once = source > target ? source : target, words = source + target + out;
    return shared ? (double)once / (double)(all - words + once) : (double)words / (double)all;
}

size_t parts_expected(TransformerConfig config, int V_source, int V) {
    size_t d = (size_t)config.layer.d_model, ff = (size_t)config.layer.d_ff, norm = 2 * d;
    size_t attention = 4 * (d * d + d), feed_forward = 2 * d * ff + ff + d;
    size_t encoder = attention + feed_forward + 2 * norm;
    size_t decoder = 2 * attention + feed_forward + 3 * norm;
    size_t words = (size_t)V_source * d + (size_t)V * d + (size_t)V * d + (size_t)V;
    return words + (size_t)config.encoder_layers * encoder +
           (size_t)config.decoder_layers * decoder + (config.layer.post_ln ? 0 : 2 * norm);
}

/* ---- the table ---- */

/* One row: `times` says how often such a part is there. */
typedef struct Part {
    const char *name, *shape;
    const char *prefix, *word;
    enum { ONCE, PER_ENCODER_LAYER, PER_DECODER_LAYER } times;
} Part;

static const Part parts[] = {
    {"table of source words", "V_source x d", "source.", "", ONCE},
    {"table of target words", "V x d", "target.", "", ONCE},
    {"encoder layer: self-attention", "q k v out: 4 (d x d), 4 d", "encoder0.", ".self.",
     PER_ENCODER_LAYER},
    {"encoder layer: feed-forward", "d x ff, ff x d, ff + d", "encoder0.", ".ff.",
     PER_ENCODER_LAYER},
    {"encoder layer: 2 norms", "2 (d + d)", "encoder0.", ".norm", PER_ENCODER_LAYER},
    {"decoder layer: self-attention", "4 (d x d), 4 d", "decoder0.", ".self.", PER_DECODER_LAYER},
    {"decoder layer: cross-attention", "4 (d x d), 4 d", "decoder0.", ".cross.", PER_DECODER_LAYER},
    {"decoder layer: feed-forward", "d x ff, ff x d, ff + d", "decoder0.", ".ff.",
     PER_DECODER_LAYER},
    {"decoder layer: 3 norms", "3 (d + d)", "decoder0.", ".norm", PER_DECODER_LAYER},
    {"last norm of the encoder", "d + d", "encoder_norm.", "", ONCE},
    {"last norm of the decoder", "d + d", "decoder_norm.", "", ONCE},
    {"output layer", "V x d, V", "out.", "", ONCE},
};

static int times_of(const Part *part, const TransformerConfig *config) {
    return part->times == ONCE                ? 1
           : part->times == PER_ENCODER_LAYER ? config->encoder_layers
                                              : config->decoder_layers;
}

/* "3 x 4,096" or "4,096", digits in groups of three. */
static void append_count(char *text, size_t size, int times, size_t count) {
    char digits[32];
    snprintf(digits, sizeof digits, "%zu", count);
    size_t n = strlen(digits), used = strlen(text);
    if (times > 1) {
        used += (size_t)snprintf(text + used, size - used, "%d x ", times);
    }
    for (size_t i = 0; i < n && used + 2 < size; i++) {
        text[used++] = digits[i];
        if ((n - i) % 3 == 1 && i + 1 < n) {
            text[used++] = ',';
        }
    }
    text[used] = '\0';
}

void parts_list_show(Run *run, const PartsModel *models, int count) {
    char row[256] = "part\tshapes";
    size_t sum[4] = {0};
    CHECK(count <= COUNT_OF(sum), "parts_list_show: %d models", count);
    for (int k = 0; k < count; k++) {
        size_t used = strlen(row);
        snprintf(row + used, sizeof row - used, "\t%s", models[k].label);
    }
    run_table(run, row);
    for (int i = 0; i < COUNT_OF(parts); i++) {
        snprintf(row, sizeof row, "%s\t%s", parts[i].name, parts[i].shape);
        for (int k = 0; k < count; k++) {
            int times = times_of(&parts[i], &models[k].config);
            size_t n = parts_count(models[k].params, parts[i].prefix, parts[i].word);
            sum[k] += (size_t)times * n;
            strncat(row, "\t", sizeof row - strlen(row) - 1);
            append_count(row, sizeof row, times, n);
        }
        run_table_row(run, "%s", row);
    }
    snprintf(row, sizeof row, "all of it\t");
    for (int k = 0; k < count; k++) {
        strncat(row, "\t", sizeof row - strlen(row) - 1);
        append_count(row, sizeof row, 1, sum[k]);
    }
    run_table_row(run, "%s", row);
    run_table_end(run);
}

/* ---- beside the base model ---- */

static double unexplained(const PartsModel *model, int V_source, int V) {
    return fabs((double)parts_expected(model->config, V_source, V) -
                (double)params_count_numbers(model->params));
}

void parts_list_with_base(Run *run, TransformerConfig config, int V_source, int V, int V_base) {
    TransformerConfig base = {.layer = {.d_model = 512, .heads = 8, .d_ff = 2048},
                              .encoder_layers = 6,
                              .decoder_layers = 6,
                              .position = POSITION_SINUSOIDAL};
    Params params[] = {params_new(), params_new()};
    const PartsModel list[] = {{"this model", &params[0], config},
                               {"base model", &params[1], base}};
    transformer_new(&params[0], "", V_source, V, config);
    transformer_new(&params[1], "", V_base, V_base, base);
    parts_list_show(run, list, COUNT_OF(list));
    run_say(run,
            "Of the base model, %.0f %% are the tables of words and the output layer. The paper "
            "lets all three share one table; then they are %.0f %%.",
            100.0 * parts_word_share(&list[1], false), 100.0 * parts_word_share(&list[1], true));
    claim_checked(run, "parts", "numbers in either model that the shapes do not explain",
                  unexplained(&list[0], V_source, V) + unexplained(&list[1], V_base, V_base),
                  "==", 0);
    params_free(&params[0]);
    params_free(&params[1]);
}
