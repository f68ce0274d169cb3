#include "assert_close.h"

#include <stdlib.h>

#include "data/text.h"
#include "support/scratch.h"

static void assert_tokens(const char *text, const char *expected) {
    char *tokens = text_tokenise(text);
    assert_string_equal(tokens, expected);
    char *again = text_tokenise(tokens);
    assert_string_equal(again, expected); /* cutting what is cut changes nothing */
    free(tokens);
    free(again);
}

static void test_words_and_punctuation(void **state) {
    (void)state;
    assert_tokens("Go.", "go .");
    assert_tokens("  Yes,  I   know!  ", "yes , i know !");
    assert_tokens("What?!", "what ? !");
    assert_tokens("Wait... what--now", "wait ... what -- now");
    assert_tokens("(\"Hi\")", "( \" hi \" )");
    assert_tokens("", "");
    assert_tokens(" \t\r\n ", "");
    assert_tokens("a_b", "a _ b");
}

static void test_numbers_and_hyphens_stay_whole(void **state) {
    (void)state;
    assert_tokens("3.5 and 10,000 at 5:30.", "3.5 and 10,000 at 5:30 .");
    assert_tokens("vingt-deux, est-ce", "vingt-deux , est-ce");
    assert_tokens("a - b -c d-", "a - b - c d -");
    assert_tokens("a.b", "a . b");
}

static void test_capitals_with_accents(void **state) {
    (void)state;
    assert_tokens("L'École À ÇA ÊTRE Œuvre SŒUR ÿ Ÿ", "l' école à ça être œuvre sœur ÿ ÿ");
}

static void test_french_elisions(void **state) {
    (void)state;
    assert_tokens("L'homme n'aime pas qu'il chante.", "l' homme n' aime pas qu' il chante .");
    assert_tokens("J'ai mangé aujourd'hui", "j' ai mangé aujourd'hui");
    assert_tokens("C'est d'accord, s'il t'aime", "c' est d' accord , s' il t' aime");
    assert_tokens("jusqu'à lorsqu'on", "jusqu' à lorsqu' on");
    assert_tokens("qu'est-ce que c'est qu'un m'as-tu-vu ?",
                  "qu' est-ce que c' est qu' un m' as-tu-vu ?");
    assert_tokens("presqu'île", "presqu'île");
}

static void test_english_endings(void **state) {
    (void)state;
    assert_tokens("It's Tom's; I'm sure we'll, you've, they're, he'd",
                  "it 's tom 's ; i 'm sure we 'll , you 've , they 're , he 'd");
    assert_tokens("Don't, can't!", "do n't , ca n't !");
    assert_tokens("Five o'clock rock'n'roll", "five o'clock rock'n'roll");
    assert_tokens("the dogs' house", "the dogs ' house");
    assert_tokens("'hello' he said", "' hello ' he said");
}

static void test_typographic_marks(void **state) {
    (void)state;
    assert_tokens("l’homme", "l' homme");
    assert_tokens("I‘m", "i 'm");
    assert_tokens("“Oui…”", "\" oui ... \"");
    assert_tokens("« Oui »", "« oui »");
    assert_tokens("vingt\xE2\x80\x91"
                  "deux",
                  "vingt-deux"); /* U+2011, no-break hyphen */
}

static void test_special_spaces(void **state) {
    (void)state;
    assert_tokens("Va\xC2\xA0!", "va !");     /* U+00A0 no-break */
    assert_tokens("Va\xE2\x80\xAF!", "va !"); /* U+202F narrow no-break */
    assert_tokens("a\xE3\x80\x80"
                  "b\xE2\x80\x89"
                  "c\xC2\x85"
                  "d",
                  "a b c d");
    assert_tokens("zero\xE2\x80\x8Bwidth so\xC2\xAD"
                  "ft",
                  "zerowidth soft");
    assert_tokens("\xEF\xBB\xBFGo", "go");
    assert_tokens("a\x01"
                  "b",
                  "a b");
}

static void test_combining_accents_are_joined(void **state) {
    (void)state;
    assert_tokens("e\xCC\x81te\xCC\x81", "été"); /* U+0301 acute */
    assert_tokens("E\xCC\x80 c\xCC\xA7"
                  "a",
                  "è ça"); /* U+0300 grave, U+0327 cedilla */
    assert_tokens("nai\xCC\x88"
                  "f",
                  "naïf");
    assert_tokens("x\xCC\x81y", "x\xCC\x81y"); /* no such letter: left as it is */
}

static void assert_shown(const char *tokens, const char *expected) {
    char *text = text_detokenise(tokens);
    assert_string_equal(text, expected);
    free(text);
}

static void test_detokenise(void **state) {
    (void)state;
    assert_shown("l' homme n' aime pas , qu' il chante .", "l'homme n'aime pas, qu'il chante.");
    assert_shown("i do n't know tom 's dog !", "i don't know tom's dog!");
    assert_shown("he said : \" yes \" ( twice ) .", "he said: \"yes\" (twice).");
    assert_shown("  a   b ", "a b");
    assert_shown("", "");
    assert_shown("« oui »", "« oui »");
}

static void test_punctuation_is_recognised(void **state) {
    (void)state;
    assert_true(text_is_punctuation("...", 3));
    assert_true(text_is_punctuation("«", 2));
    assert_false(text_is_punctuation("l'", 2));
    assert_false(text_is_punctuation("5", 1));
    assert_false(text_is_punctuation("é", 2));
}

static void test_hash(void **state) {
    (void)state;
    assert_true(text_hash("ab", 2, 0) == text_hash("abc", 2, 0));
    assert_true(text_hash("ab", 2, 0) != text_hash("ba", 2, 0));
    assert_true(text_hash("ab", 2, 0) != text_hash("ab", 2, 1));
    assert_true(text_hash("", 0, 0) != text_hash("\0", 1, 0));
}

/* ---- files ---- */

/* Writes the bytes to a file and reads them as text. */
static bool load(const char *bytes, size_t size, char **text, Error *error) {
    char *path = path_join(scratch_folder(), "text.txt");
    assert_true(file_write(path, bytes, size, error));
    bool fine = text_load(path, text, error);
    if (!fine) {
        assert_non_null(strstr(error->text, "text.txt"));
        assert_null(*text);
    }
    free(path);
    return fine;
}

#define LOAD(bytes, text, error) load(bytes, sizeof(bytes) - 1, text, error)

static void test_load(void **state) {
    (void)state;
    Error error;
    char *text;
    assert_true(LOAD("\xEF\xBB\xBFUn\r\ndeux\rtrois\n", &text, &error));
    assert_string_equal(text, "Un\ndeux\ntrois\n");
    free(text);
    assert_true(LOAD("sans fin", &text, &error));
    assert_string_equal(text, "sans fin");
    free(text);
}

static void test_load_refuses(void **state) {
    (void)state;
    Error error;
    char *text;
    assert_false(LOAD("un\ndeux\nt\xE9l\n", &text, &error)); /* Latin-1 */
    assert_non_null(strstr(error.text, "line 3"));
    assert_non_null(strstr(error.text, "UTF-8"));
    assert_false(LOAD("un\nde\0ux\n", &text, &error));
    assert_non_null(strstr(error.text, "line 2"));
    assert_false(LOAD("", &text, &error));
    assert_false(LOAD("\xEF\xBB\xBF", &text, &error));
    assert_false(text_load(scratch_folder(), &text, &error));
    assert_non_null(strstr(error.text, scratch_folder()));
    assert_false(text_load("no/such/file", &text, &error));
    assert_non_null(strstr(error.text, "no/such/file"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words_and_punctuation),
        cmocka_unit_test(test_numbers_and_hyphens_stay_whole),
        cmocka_unit_test(test_capitals_with_accents),
        cmocka_unit_test(test_french_elisions),
        cmocka_unit_test(test_english_endings),
        cmocka_unit_test(test_typographic_marks),
        cmocka_unit_test(test_special_spaces),
        cmocka_unit_test(test_combining_accents_are_joined),
        cmocka_unit_test(test_detokenise),
        cmocka_unit_test(test_punctuation_is_recognised),
        cmocka_unit_test(test_hash),
        SCRATCH_TEST(test_load),
        SCRATCH_TEST(test_load_refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
