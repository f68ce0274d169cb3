#include "show/gallery_attention.h"

#include "gallery_folder.h"

#define HEADER "layer\thead\tquery\tkey\tquery_token\tkey_token\tweight\n"

static Attention attention;
static Error problem;

static bool read_text(const char *lines) {
    char *text = malloc(strlen(HEADER) + strlen(lines) + 1);
    strcpy(text, HEADER);
    strcat(text, lines);
    scratch_text("attention.tsv", text);
    free(text);
    return attention_read(&attention, place("attention.tsv"), ATTENTION_WEIGHTS, &problem);
}

static void assert_json(const char *expected) {
    WRITTEN(json, attention_json(out, &attention));
    assert_string_equal(json, expected);
    free(json);
}

/* Appends a map of Q queries and K keys to a file; every weight is `weight`. */
static void map_put(FILE *file, int layer, int head, int Q, int K, const char *token,
                    double weight) {
    for (int i = 0; i < Q * K; i++) {
        fprintf(file, "%d\t%d\t%d\t%d\t%s%d\t%s%d\t%g\n", layer, head, i / K, i % K, token, i / K,
                token, i % K, weight);
    }
}

static FILE *file_begin(void) {
    FILE *file = fopen(place("attention.tsv"), "w");
    assert_non_null(file);
    fputs(HEADER, file);
    return file;
}

static void file_end(FILE *file, long room) {
    assert_int_equal(fclose(file), 0);
    if (!attention_read(&attention, place("attention.tsv"), room, &problem)) {
        fail_msg("%s", problem.text);
    }
}

/* faults.md 27: queries are rows, keys are columns. */
static void test_rows_are_queries(void **state) {
    (void)state;
    assert_true(read_text("1\t2\t0\t0\tle\tthe\t0.9\n1\t2\t0\t1\tle\tcat\t0.1\n"
                          "1\t2\t0\t2\tle\tsat\t0\n1\t2\t1\t0\tchat\tthe\t0.00004\n"
                          "1\t2\t1\t1\tchat\tcat\t0.99995\n1\t2\t1\t2\tchat\tsat\t1e-30\n"));
    assert_int_equal(attention.count, 1);
    assert_int_equal(attention.maps[0].queries, 2);
    assert_int_equal(attention.maps[0].keys, 3);
    assert_json("{\"texts\":[\n{\"n\":\"\",\"q\":[\"le\",\"chat\"],\"k\":[\"the\",\"cat\",\"sat\"],"
                "\"full\":[2,3],\"maps\":[\n{\"l\":1,\"h\":2,\"w\":\"9000,1000,,,10000,\"}]}]}");
    attention_free(&attention);
}

static void test_maps_of_the_same_tokens_are_one_text(void **state) {
    (void)state;
    FILE *file = file_begin();
    map_put(file, 0, 0, 2, 3, "a", .25);
    map_put(file, 0, 1, 2, 3, "a", .25);
    map_put(file, 0, 0, 2, 3, "b", .25); /* another text */
    map_put(file, 0, 0, 2, 3, "a", .5);  /* another model, the same text and head */
    map_put(file, 0, 0, 3, 2, "a", .5);  /* another shape */
    file_end(file, ATTENTION_WEIGHTS);
    assert_int_equal(attention.count, 5);
    assert_int_equal(attention.texts, 3);
    static const int texts[] = {0, 0, 1, 0, 2};
    for (int i = 0; i < 5; i++) {
        assert_int_equal(attention.maps[i].text, texts[i]);
    }
    assert_int_equal(attention.weights, 30);
    assert_int_equal(attention.bad_lines, 0);
    attention_free(&attention);
}

/* Encoder, decoder and cross attention of the same words are told apart by their name, which the
 * file gives in its last column; older files end before it. */
static void test_maps_of_another_name_are_another_text(void **state) {
    (void)state;
    static const char header[] = "layer\thead\tquery\tkey\tquery_token\tkey_token\tweight\tmap\n";
    char text[1024];
    snprintf(text, sizeof text, "%s%s", header,
             "0\t0\t0\t0\ta\tb\t1\tencoder\n"
             "0\t1\t0\t0\ta\tb\t0.5\tencoder\n"
             "0\t0\t0\t0\ta\tb\t0.25\t</script>\\n\n"
             "0\t0\t0\t0\ta\tb\t0.125\n"); /* no name: not such a file's line */
    scratch_text("attention.tsv", text);
    assert_true(attention_read(&attention, place("attention.tsv"), ATTENTION_WEIGHTS, &problem));
    assert_int_equal(attention.count, 3);
    assert_int_equal(attention.texts, 2);
    assert_int_equal(attention.bad_lines, 1);
    assert_string_equal(attention.maps[1].name, "encoder");
    assert_json(
        "{\"texts\":[\n{\"n\":\"encoder\",\"q\":[\"a\"],\"k\":[\"b\"],\"full\":[1,1],"
        "\"maps\":[\n{\"l\":0,\"h\":0,\"w\":\"10000\"},\n{\"l\":0,\"h\":1,\"w\":\"5000\"}]},\n"
        "{\"n\":\"\\u003c/script\\u003e\\n\",\"q\":[\"a\"],\"k\":[\"b\"],\"full\":[1,1],"
        "\"maps\":[\n{\"l\":0,\"h\":0,\"w\":\"2500\"}]}]}");
    attention_free(&attention);
}

static void test_large_maps_are_cut_to_their_beginning(void **state) {
    (void)state;
    FILE *file = file_begin();
    map_put(file, 0, 0, 70, 90, "w", .125);
    map_put(file, 0, 1, 1, 1, "w", 1);
    file_end(file, ATTENTION_WEIGHTS);
    assert_int_equal(attention.count, 2);
    assert_int_equal(attention.maps[0].queries, 70);
    assert_int_equal(attention.maps[0].keys, 90);
    assert_int_equal(attention.maps[0].kept_queries, ATTENTION_SIDE);
    assert_int_equal(attention.maps[0].kept_keys, ATTENTION_SIDE);
    assert_string_equal(attention.maps[0].query[63], "w63");
    assert_true(attention.maps[0].weights[64 * 64 - 1] == .125);
    assert_int_equal(attention.weights, 64 * 64 + 1);
    attention_free(&attention);
}

static void test_no_more_than_there_is_room_for(void **state) {
    (void)state;
    FILE *file = file_begin();
    for (int i = 0; i < 4; i++) {
        map_put(file, 0, i, 2, 2, "w", .5);
    }
    file_end(file, 9);
    assert_int_equal(attention.count, 2);
    assert_int_equal(attention.weights, 8);
    assert_int_equal(attention.maps_left_out, 2);
    attention_free(&attention);
    file = file_begin();
    for (int i = 0; i < ATTENTION_MAPS + 5; i++) {
        map_put(file, i, 0, 1, 1, "w", 1);
    }
    file_end(file, ATTENTION_WEIGHTS);
    assert_int_equal(attention.count, ATTENTION_MAPS);
    assert_int_equal(attention.maps_left_out, 5);
    attention_free(&attention);
    file = file_begin();
    map_put(file, 0, 0, 2, 2, "w", .5);
    file_end(file, 4); /* just enough */
    assert_int_equal(attention.count, 1);
    attention_free(&attention);
    file = file_begin();
    map_put(file, 0, 0, 2, 2, "w", .5);
    file_end(file, 0);
    assert_int_equal(attention.count, 0);
    assert_json("{\"texts\":[]}");
    attention_free(&attention);
}

static void test_bad_lines_are_counted_and_passed_over(void **state) {
    (void)state;
    assert_true(read_text("0\t0\t0\t0\ta\tx\t1\n"
                          "no tabs\n0\t0\t0\t0\ta\tx\n0\t0\t0\t0\ta\tx\t1\tmore\n"
                          "-1\t0\t0\t0\ta\tx\t1\n0\t0\t1e3\t0\ta\tx\t1\n0\t0\t0\t1\ta\ty\tmuch\n"
                          "99999999999999999999\t0\t0\t0\ta\tx\t1\n0\t0\t5\t0\ta\tx\t1\n"
                          "0\t1\t0\t1\ta\ty\t1\n\n0\t0\t0\t1\ta\ty\t0.5\r\n"
                          "0\t0\t1\t0\tb\tx\t0.25\n0\t0\t1\t1\tb\ty\t0.75\n0\t0\t1\t2\tb\tz\t1\n"));
    assert_int_equal(attention.count, 1);
    assert_int_equal(attention.bad_lines, 10);
    assert_json("{\"texts\":[\n{\"n\":\"\",\"q\":[\"a\",\"b\"],\"k\":[\"x\",\"y\"],\"full\":[2,2],"
                "\"maps\":[\n"
                "{\"l\":0,\"h\":0,\"w\":\"10000,5000,2500,7500\"}]}]}");
    attention_free(&attention);
}

/* Numbers that no map has; a head or layer that changes within a map; a row that ends too early. */
static void test_lines_that_do_not_belong(void **state) {
    (void)state;
    assert_true(read_text("1000000\t0\t0\t0\ta\tx\t1\n"));
    assert_int_equal(attention.count, 0);
    assert_int_equal(attention.bad_lines, 1);
    attention_free(&attention);
    assert_true(read_text("0\t0\t0\t0\ta\tx\t1\n1\t0\t0\t1\ta\ty\t1\n0\t1\t0\t1\ta\ty\t1\n"));
    assert_int_equal(attention.bad_lines, 2);
    assert_int_equal(attention.maps[0].keys, 1);
    attention_free(&attention);
    assert_true(read_text("0\t0\t0\t0\ta\tx\t1\n0\t0\t0\t1\ta\ty\t1\n0\t0\t1\t0\tb\tx\t1\n"
                          "0\t0\t2\t0\tc\tx\t1\n0\t0\t2\t1\tc\ty\t1\n"));
    assert_int_equal(attention.bad_lines, 2);
    assert_int_equal(attention.maps[0].queries, 1);
    attention_free(&attention);
}

static void test_a_row_that_is_not_whole_goes(void **state) {
    (void)state;
    assert_true(read_text("0\t0\t0\t0\ta\tx\t1\n0\t0\t0\t1\ta\ty\t0\n0\t0\t1\t0\tb\tx\t1\n"));
    assert_int_equal(attention.maps[0].queries, 1);
    assert_int_equal(attention.maps[0].keys, 2);
    attention_free(&attention);
    /* cut in the middle of a row, then a map that begins anew */
    assert_true(read_text("0\t0\t0\t0\ta\tx\t1\n0\t0\t0\t1\ta\ty\t0\n0\t0\t1\t0\tb\tx\t1\n"
                          "0\t0\t0\t0\tc\tz\t1\n"));
    assert_int_equal(attention.count, 2);
    assert_int_equal(attention.maps[0].queries, 1);
    attention_free(&attention);
}

static void test_weights_that_are_none(void **state) {
    (void)state;
    assert_true(read_text("0\t0\t0\t0\ta\tx\tnan\n0\t0\t0\t1\ta\ty\t-nan\n0\t0\t0\t2\ta\tz\tinf\n"
                          "0\t0\t0\t3\ta\tz\t-1e300\n0\t0\t0\t4\ta\tz\t-0.5\n"));
    assert_has(attention.bytes, "layer");
    WRITTEN(json, attention_json(out, &attention));
    assert_has(json, "\"w\":\"n,n,1000000000,-1000000000,-5000\"");
    free(json);
    attention_free(&attention);
}

static void test_hostile_tokens(void **state) {
    (void)state;
    assert_true(
        read_text("0\t0\t0\t0\t</script><script>alert(1)//\t\\n\\t\"\xE2\x80\xA8\xFF\t1\n"));
    WRITTEN(json, attention_json(out, &attention));
    assert_null(strpbrk(json, "<>&"));
    assert_has(json, "\"k\":[\"\\n\\t\\\"\\u2028\xEF\xBF\xBD\"]");
    free(json);
    attention_free(&attention);
}

static void test_files_that_are_no_attention(void **state) {
    (void)state;
    Attention none;
    assert_false(attention_read(&none, place("missing.tsv"), 100, &problem));
    assert_has(problem.text, "there is no such file");
    attention_free(&none);
    scratch_text("a.tsv", "step\tid\n");
    assert_false(attention_read(&none, place("a.tsv"), 100, &problem));
    assert_has(problem.text, "not that of an attention.tsv");
    static const char *const headers[] = {"layer\thead\tquery\tkey\tquery_token\tkey_token\n",
                                          "layer\thead\tquery\tkey\tquery_token\tkey_token\t"
                                          "weight\tmaps\n",
                                          "layer\thead\tquery\tkey\tquery_token\tkey_token\t"
                                          "weight\tmap\tmore\n"};
    for (int i = 0; i < 3; i++) {
        scratch_text("a.tsv", headers[i]);
        assert_false(attention_read(&none, place("a.tsv"), 100, &problem));
        assert_has(problem.text, "not that of an attention.tsv");
    }
    scratch_bytes("a.tsv", "layer\0head", 10);
    assert_false(attention_read(&none, place("a.tsv"), 100, &problem));
    assert_has(problem.text, "a zero byte");
    scratch_text("empty.tsv", "");
    assert_false(attention_read(&none, place("empty.tsv"), 100, &problem));
    assert_int_equal(mkdir(place("folder.tsv"), 0777), 0);
    assert_false(attention_read(&none, place("folder.tsv"), 100, &problem));
    scratch_text("huge.tsv", HEADER);
    assert_int_equal(truncate(place("huge.tsv"), (off_t)ATTENTION_FILE + 1), 0);
    assert_false(attention_read(&none, place("huge.tsv"), 100, &problem));
    assert_has(problem.text, "larger than the limit");
    assert_true(read_text(""));
    assert_int_equal(attention.count, 0);
    attention_free(&attention);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        SCRATCH_TEST(test_rows_are_queries),
        SCRATCH_TEST(test_maps_of_the_same_tokens_are_one_text),
        SCRATCH_TEST(test_maps_of_another_name_are_another_text),
        SCRATCH_TEST(test_large_maps_are_cut_to_their_beginning),
        SCRATCH_TEST(test_no_more_than_there_is_room_for),
        SCRATCH_TEST(test_bad_lines_are_counted_and_passed_over),
        SCRATCH_TEST(test_lines_that_do_not_belong),
        SCRATCH_TEST(test_a_row_that_is_not_whole_goes),
        SCRATCH_TEST(test_weights_that_are_none),
        SCRATCH_TEST(test_hostile_tokens),
        SCRATCH_TEST(test_files_that_are_no_attention),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
