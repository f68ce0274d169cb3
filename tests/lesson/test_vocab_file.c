#include "assert_close.h"

#include "lesson/vocab_file.h"

static Vocab *words(const char *text) {
    TokenCounts *counts = token_counts_new();
    token_counts_add_text(counts, VOCAB_WORDS, text);
    Vocab *vocab = vocab_new(VOCAB_WORDS, counts, 0, 1);
    token_counts_free(counts);
    return vocab;
}

/* What is said about one vocabulary beside another; "": that they agree. */
static void expect_verdict(const char *saved, const char *here, const char *says) {
    SafeTensors set = {0};
    Error error = {""};
    Vocab *a = words(saved), *b = words(here);
    assert_true(vocab_put(&set, "2.5/own:source", a));
    assert_false(vocab_put(&set, "2.5/own:source", b));
    bool agree = vocab_agrees(&set, "f", "2.5/own:source", "source", b, &error);
    if (agree != (*says == '\0') || strstr(error.text, says) == NULL) {
        fail_msg("\"%s\" and \"%s\": %s", saved, here, error.text);
    }
    vocab_free(a);
    vocab_free(b);
    safetensors_free(&set);
}

static void test_the_first_difference_is_named(void **state) {
    (void)state;
    expect_verdict("le chat noir", "le chat noir", "");
    expect_verdict("le chat noir", "le chien noir",
                   "number 5 is \"chat\" there and \"chien\" here");
    expect_verdict("le chat noir", "le noir chat", "number 5 is \"chat\" there and \"noir\" here");
    expect_verdict("le chat", "le chat noir", "6 entries there, 7 here; number 6 is \"\" there");
    expect_verdict("le chat noir", "le chat", "number 6 is \"noir\" there and \"\" here");
    expect_verdict("a", "ab", "number 4 is \"a\" there and \"ab\" here");
    expect_verdict("ab", "a", "number 4 is \"ab\" there and \"a\" here");
}

static void test_none_or_damaged(void **state) {
    (void)state;
    SafeTensors set = {0};
    Error error = {""};
    Vocab *vocab = words("le");
    assert_false(vocab_agrees(&set, "f", "v", "target", vocab, &error));
    assert_string_equal(error.text, "f: there is no v in it, the target vocabulary, in bytes");
    safetensors_put_floats(&set, "v", 1, (const int[]){1}, (const float[]){1});
    assert_false(vocab_agrees(&set, "f", "v", "target", vocab, &error));
    safetensors_put_bytes(&set, "w", 10, "<pad>\0<sta"); /* no NUL at its end */
    assert_false(vocab_agrees(&set, "f", "w", "target", vocab, &error));
    assert_non_null(strstr(error.text, "number 1 is \"<sta\" there and \"<start>\" here"));
    safetensors_put_bytes(&set, "n", 0, "");
    assert_false(vocab_agrees(&set, "f", "n", "target", vocab, &error));
    assert_non_null(strstr(error.text, "0 entries there"));
    vocab_free(vocab);
    safetensors_free(&set);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_first_difference_is_named),
        cmocka_unit_test(test_none_or_damaged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
