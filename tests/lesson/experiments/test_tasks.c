#include "assert_close.h"

#include "lesson/experiments/tasks.h"

#include <stdlib.h>

static void test_reversal(void **state) {
    (void)state;
    const int lengths[] = {2, 9};
    Task task = task_reversal(200, 5, 3, 6, 4, lengths, 2, rng_seeded(1, 1));
    assert_int_equal(task.train->count, 200);
    assert_int_equal(task.held_out->count, 8);
    assert_int_equal(task.source->size, VOCAB_SPECIALS + 5);
    assert_int_equal(task.target->size, VOCAB_SPECIALS + 5);
    assert_null(task.phrases);
    assert_null(task.dates);
    for (int i = 0; i < 200; i++) {
        Ids source = corpus_source(task.train, i), target = corpus_target(task.train, i);
        assert_in_range(source.length, 3, 6);
        for (int t = 0; t < source.length; t++) {
            assert_int_equal(source.id[t], target.id[source.length - 1 - t]);
        }
    }
    for (int i = 0; i < 8; i++) {
        assert_int_equal(corpus_source(task.held_out, i).length, lengths[i % 2]);
    }
    task_free(&task);
    assert_null(task.train);
}

static void test_phrases(void **state) {
    (void)state;
    Task task = task_phrases(300, 20, 7);
    assert_int_equal(task.train->count, 300);
    assert_int_equal(task.held_out->count, 20);
    assert_null(task.dates);
    for (int i = 0; i < 20; i++) { /* the gold alignments are those of the held-out pairs */
        Ids target = corpus_target(task.held_out, i);
        assert_int_equal(target.length, task.phrases[i].T);
        for (int t = 0; t < target.length; t++) {
            if (target.id[t] != VOCAB_UNK) {
                assert_string_equal(vocab_token(task.target, target.id[t]),
                                    task.phrases[i].target[t]);
            }
        }
    }
    task_free(&task);
}

static void test_dates(void **state) {
    (void)state;
    Task task = task_dates(100, 40, rng_seeded(2, 2));
    assert_int_equal(task.train->count, 100);
    assert_int_equal(task.held_out->count, 40);
    assert_null(task.phrases);
    for (int i = 0; i < 40; i++) {
        assert_true(date_is_held_out(task.dates[i].number));
        char *text = vocab_decode(task.source, corpus_source(task.held_out, i).id,
                                  corpus_source(task.held_out, i).length);
        assert_string_equal(text, task.dates[i].source);
        free(text);
    }
    for (int format = 0; format < DATE_FORMATS; format++) {
        int found = task_find_date(&task, format);
        for (int i = 0; i < found; i++) {
            assert_int_not_equal(task.dates[i].format, format);
        }
        assert_true(found == 0 || task.dates[found].format == format);
    }
    assert_int_equal(task_find_date(&task, DATE_FORMATS), 0);
    task_free(&task);
}

/* The same Rng or seed gives the same pairs; another one others. */
static void test_fixed_by_the_seed(void **state) {
    (void)state;
    Task a = task_dates(30, 5, rng_seeded(3, 1)), b = task_dates(30, 5, rng_seeded(3, 1)),
         c = task_dates(30, 5, rng_seeded(4, 1));
    int different = 0;
    for (int i = 0; i < 30; i++) {
        assert_true(ids_equal(corpus_source(a.train, i), corpus_source(b.train, i)));
        different += !ids_equal(corpus_source(a.train, i), corpus_source(c.train, i));
    }
    assert_true(different > 20);
    task_free(&a);
    task_free(&b);
    task_free(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reversal),
        cmocka_unit_test(test_phrases),
        cmocka_unit_test(test_dates),
        cmocka_unit_test(test_fixed_by_the_seed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
