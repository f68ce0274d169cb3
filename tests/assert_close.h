/* What every test needs beyond cmocka: numbers that agree, and messages of check_fail().
 *
 * cmocka's own assert_float_equal lets NaN and infinity pass in some versions, so these look at
 * isfinite() first. a and b agree when |a - b| <= atol + rtol |b|, b being the expected one. */
#ifndef TESTS_ASSERT_CLOSE_H
#define TESTS_ASSERT_CLOSE_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "core/check.h"

/* The predicate behind the assertions: false for anything that is infinite or not a number. */
static inline bool is_close(double actual, double expected, double atol, double rtol) {
    return isfinite(actual) && isfinite(expected) &&
           fabs(actual - expected) <= atol + rtol * fabs(expected);
}

static inline void assert_close_at(double actual, double expected, double atol, double rtol,
                                   const char *text, const char *file, int line) {
    if (!is_close(actual, expected, atol, rtol)) {
        print_error("%s is %.9g, expected %.9g (difference %.3g, allowed %.3g)\n", text, actual,
                    expected, fabs(actual - expected), atol + rtol * fabs(expected));
        _fail(file, line);
    }
}

static inline void assert_all_close_at(const float *actual, const float *expected, size_t n,
                                       double atol, double rtol, const char *text, const char *file,
                                       int line) {
    size_t wrong = 0, first = 0;
    for (size_t i = n; i-- > 0;) {
        if (!is_close(actual[i], expected[i], atol, rtol)) {
            wrong++;
            first = i;
        }
    }
    if (wrong > 0) {
        print_error("%s: %zu of %zu values differ, the first is [%zu]: %.9g, expected %.9g "
                    "(allowed %.3g)\n",
                    text, wrong, n, first, (double)actual[first], (double)expected[first],
                    atol + rtol * fabs((double)expected[first]));
        _fail(file, line);
    }
}

/* assert_close(actual, expected, atol, rtol): two numbers. */
#define assert_close(actual, expected, atol, rtol)                                                 \
    assert_close_at((actual), (expected), (atol), (rtol), #actual, __FILE__, __LINE__)

/* assert_all_close(actual, expected, n, atol, rtol): two float arrays of n elements. */
#define assert_all_close(actual, expected, n, atol, rtol)                                          \
    assert_all_close_at((actual), (expected), (n), (atol), (rtol), #actual, __FILE__, __LINE__)

/* --- Messages of check_fail() --- */

typedef struct CheckCapture {
    jmp_buf jump;
    CheckHandler previous;
    bool caught;
    char message[1024];
} CheckCapture;

static CheckCapture check_capture;

static inline void check_capture_message(const char *message) {
    check_capture.caught = true;
    snprintf(check_capture.message, sizeof check_capture.message, "%s", message);
    longjmp(check_capture.jump, 1);
}

static inline void check_capture_begin(void) {
    check_capture.caught = false;
    check_capture.message[0] = '\0';
    check_capture.previous = check_handler_set(check_capture_message);
}

static inline void check_capture_end(const char *text, const char *code, const char *file,
                                     int line) {
    check_handler_set(check_capture.previous);
    if (!check_capture.caught) {
        print_error("%s went through; expected to stop with \"%s\"\n", code, text);
        _fail(file, line);
    }
    if (strstr(check_capture.message, text) == NULL) {
        print_error("%s stopped with \"%s\", which does not say \"%s\"\n", code,
                    check_capture.message, text);
        _fail(file, line);
    }
}

/* expect_check_message("64 != 128", matmul(tape, x, w)): the statement must stop in check_fail()
 * with a message that contains the text. Nothing the statement changed is looked at afterwards,
 * so what gcc says about variables around a setjmp does not apply. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wclobbered"
#endif
#define expect_check_message(text, ...)                                                            \
    do {                                                                                           \
        check_capture_begin();                                                                     \
        if (setjmp(check_capture.jump) == 0) {                                                     \
            __VA_ARGS__;                                                                           \
        }                                                                                          \
        check_capture_end((text), #__VA_ARGS__, __FILE__, __LINE__);                               \
    } while (0)

#endif
