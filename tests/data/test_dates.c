#include "assert_close.h"

#include <stdlib.h>
#include <time.h>

#include "data/dates.h"

static void assert_source(int year, int month, int day, int format, const char *expected) {
    Date date = date_write(date_number(year, month, day), format);
    assert_string_equal(date.source, expected);
}

static void test_ten_formats(void **state) {
    (void)state;
    const char *const expected[DATE_FORMATS] = {
        "Saturday, 5 March 1988",
        "3/5/88",
        "5 MAR 1988",
        "5-Mar-88",
        "Sat, Mar 5 1988",
        "March 5, 1988",
        "5th of March 1988",
        "Sat 05.03.1988",
        "1988/03/05",
        "the 5th day of 03/1988",
    };
    for (int format = 0; format < DATE_FORMATS; format++) {
        Date date = date_write(date_number(1988, 3, 5), format);
        assert_string_equal(date.source, expected[format]);
        assert_string_equal(date.target, "1988-03-05");
        assert_int_equal(date.format, format);
    }
    expect_check_message("format 10", date_write(0, DATE_FORMATS));
}

static void test_two_digit_years(void **state) {
    (void)state;
    assert_source(2005, 12, 31, 1, "12/31/05");
    assert_source(2000, 2, 29, 3, "29-Feb-00");
    assert_source(2029, 1, 1, 1, "1/1/29");
    assert_source(1930, 1, 1, 1, "1/1/30");
}

static void test_ordinals(void **state) {
    (void)state;
    assert_source(1999, 5, 1, 6, "1st of May 1999");
    assert_source(1999, 5, 2, 6, "2nd of May 1999");
    assert_source(1999, 5, 3, 6, "3rd of May 1999");
    assert_source(1999, 5, 11, 6, "11th of May 1999");
    assert_source(1999, 5, 12, 6, "12th of May 1999");
    assert_source(1999, 5, 13, 6, "13th of May 1999");
    assert_source(1999, 5, 21, 6, "21st of May 1999");
    assert_source(1999, 5, 22, 6, "22nd of May 1999");
    assert_source(1999, 5, 31, 9, "the 31st day of 05/1999");
}

/* Against the calendar of the C library, all hundred years. */
static void test_calendar_and_weekdays(void **state) {
    (void)state;
    for (int number = 0; number < DATE_DAYS; number++) {
        int year, month, day;
        date_of_number(number, &year, &month, &day);
        assert_int_equal(date_number(year, month, day), number);
        struct tm tm = {.tm_year = 1930 - 1900, .tm_mday = 1 + number, .tm_hour = 12};
        time_t seconds = timegm(&tm);
        assert_non_null(gmtime_r(&seconds, &tm));
        assert_int_equal(tm.tm_year + 1900, year);
        assert_int_equal(tm.tm_mon + 1, month);
        assert_int_equal(tm.tm_mday, day);
        assert_int_equal((tm.tm_wday + 6) % 7, date_weekday(number));
    }
    assert_source(2024, 2, 29, 0, "Thursday, 29 February 2024");
    assert_source(1969, 7, 20, 0, "Sunday, 20 July 1969");
    expect_check_message("2023-2-29", date_number(2023, 2, 29));
    expect_check_message("1929-12-31", date_number(1929, 12, 31));
    expect_check_message("day 36525", date_write(DATE_DAYS, 0));
}

static int compare_sources(const void *a, const void *b) {
    return strcmp(((const Date *)a)->source, ((const Date *)b)->source);
}

/* What makes the task one with a right answer: no text stands for two days. */
static void test_no_text_means_two_days(void **state) {
    (void)state;
    size_t count = (size_t)DATE_DAYS * DATE_FORMATS;
    Date *date = malloc(count * sizeof *date);
    assert_non_null(date);
    for (size_t i = 0; i < count; i++) {
        date[i] = date_write((int)(i / DATE_FORMATS), (int)(i % DATE_FORMATS));
    }
    qsort(date, count, sizeof *date, compare_sources);
    for (size_t i = 1; i < count; i++) {
        assert_true(compare_sources(&date[i - 1], &date[i]) != 0);
    }
    free(date);
}

/* The number a field of the source holds; a month may be spelt. */
static int field_number(const char *source, Span span) {
    static const char *const months[] = {"jan", "feb", "mar", "apr", "may", "jun",
                                         "jul", "aug", "sep", "oct", "nov", "dec"};
    char field[16];
    int size = span.end - span.begin;
    assert_true(size > 0 && size < 16);
    memcpy(field, source + span.begin, (size_t)size);
    field[size] = '\0';
    for (int month = 1; month <= 12; month++) {
        bool same = size >= 3;
        for (int i = 0; i < 3 && same; i++) {
            same = (field[i] | 32) == months[month - 1][i];
        }
        if (same) {
            return month;
        }
    }
    return atoi(field);
}

static void test_fields_are_where_they_say(void **state) {
    (void)state;
    for (int number = 0; number < DATE_DAYS; number += 13) {
        int year, month, day;
        date_of_number(number, &year, &month, &day);
        for (int format = 0; format < DATE_FORMATS; format++) {
            Date date = date_write(number, format);
            int written = field_number(date.source, date.year);
            assert_int_equal(written, date.year.end - date.year.begin == 2 ? year % 100 : year);
            assert_int_equal(field_number(date.source, date.month), month);
            assert_int_equal(field_number(date.source, date.day), day);
            assert_int_equal(field_number(date.target, DATE_TARGET_YEAR), year);
            assert_int_equal(field_number(date.target, DATE_TARGET_MONTH), month);
            assert_int_equal(field_number(date.target, DATE_TARGET_DAY), day);
        }
    }
}

static void test_held_out_days_are_one_in_ten(void **state) {
    (void)state;
    int held_out = 0;
    for (int number = 0; number < DATE_DAYS; number++) {
        held_out += date_is_held_out(number);
    }
    assert_true(held_out > DATE_DAYS * 9 / 100 && held_out < DATE_DAYS * 11 / 100);
}

static void test_training_and_held_out_share_no_day(void **state) {
    (void)state;
    Rng rng = rng_seeded(1, 2);
    int formats[DATE_FORMATS] = {0};
    for (int i = 0; i < 5000; i++) {
        Date train = date_sample(&rng, false);
        Date test = date_sample(&rng, true);
        assert_false(date_is_held_out(train.number));
        assert_true(date_is_held_out(test.number));
        formats[train.format]++;
    }
    for (int format = 0; format < DATE_FORMATS; format++) {
        assert_true(formats[format] > 400 && formats[format] < 600);
    }
}

static void test_corpus(void **state) {
    (void)state;
    Rng first = rng_seeded(5, 0);
    Rng second = rng_seeded(5, 0);
    Date dates[200];
    Corpus *corpus = dates_corpus(200, true, &first, dates);
    Corpus *again = dates_corpus(200, true, &second, NULL);
    Vocab *source_vocab = dates_source_vocab();
    Vocab *target_vocab = dates_target_vocab();
    assert_int_equal(target_vocab->size, VOCAB_SPECIALS + 11);
    assert_int_equal(corpus->count, 200);
    for (int i = 0; i < 200; i++) {
        Ids source = corpus_source(corpus, i);
        Ids target = corpus_target(corpus, i);
        char *source_text = vocab_decode(source_vocab, source.id, source.length);
        char *target_text = vocab_decode(target_vocab, target.id, target.length);
        assert_string_equal(source_text, dates[i].source);
        assert_string_equal(target_text, dates[i].target);
        assert_true(ids_equal(source, corpus_source(again, i)));
        free(source_text);
        free(target_text);
    }
    corpus_free(corpus);
    corpus_free(again);
    vocab_free(source_vocab);
    vocab_free(target_vocab);
}

static void test_vocabulary_knows_every_character(void **state) {
    (void)state;
    Vocab *vocab = dates_source_vocab();
    int ids[DATE_SOURCE_LIMIT];
    for (int number = 0; number < DATE_DAYS; number += 7) {
        for (int format = 0; format < DATE_FORMATS; format++) {
            Date date = date_write(number + format % 5, format);
            int length = vocab_encode(vocab, date.source, ids, DATE_SOURCE_LIMIT);
            assert_int_equal(length, (int)strlen(date.source));
            assert_close(vocab_unk_rate(ids, length), 0, 0, 0);
        }
    }
    vocab_free(vocab);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ten_formats),
        cmocka_unit_test(test_two_digit_years),
        cmocka_unit_test(test_ordinals),
        cmocka_unit_test(test_calendar_and_weekdays),
        cmocka_unit_test(test_no_text_means_two_days),
        cmocka_unit_test(test_fields_are_where_they_say),
        cmocka_unit_test(test_held_out_days_are_one_in_ten),
        cmocka_unit_test(test_training_and_held_out_share_no_day),
        cmocka_unit_test(test_corpus),
        cmocka_unit_test(test_vocabulary_knows_every_character),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
