/* The checker checked: operations whose backward pass is wrong on purpose must be found out. */
#include "support/gradient_check.h"

/* y = a^2 b, and what its backward function does with the right gradients. */
typedef struct Wrong {
    float sign_a, factor_b;
    bool overwrite, swap_when_constant;
} Wrong;

static void square_times_backward(const TapeNode *node) {
    const Wrong *wrong = node->saved;
    Tensor *a = node->in[0], *b = node->in[1];
    for (size_t i = 0; i < tensor_size(a); i++) {
        float dy = node->out->grad[i];
        float da = wrong->sign_a * 2.0f * dy * a->data[i] * b->data[i];
        float db = wrong->factor_b * dy * a->data[i] * a->data[i];
        if (a->grad != NULL) {
            a->grad[i] = (wrong->overwrite ? 0.0f : a->grad[i]) + da;
        }
        if (b->grad != NULL) {
            b->grad[i] += wrong->swap_when_constant && a->grad == NULL ? da : db;
        }
    }
}

static Tensor *square_times(Tape *tape, Tensor *const *in, const void *context) {
    Tensor *y = tape_output(tape, "square_times", in, 2, in[0]->ndim, in[0]->dim);
    for (size_t i = 0; i < tensor_size(y); i++) {
        y->data[i] = in[0]->data[i] * in[0]->data[i] * in[1]->data[i];
    }
    tape_record(tape, "square_times", square_times_backward, y, in, 2, (void *)context);
    return y;
}

static GradientReport report_of(Wrong wrong, int rows, int cols) {
    const GradientInput inputs[] = {INPUT("a", rows, cols), INPUT("b", rows, cols)};
    return gradient_report(square_times, &wrong, inputs, 2, 1);
}

static void test_right_gradients_pass(void **state) {
    (void)state;
    assert_string_equal(report_of((Wrong){1, 1, false, false}, 1, 1).text, "");
    assert_string_equal(report_of((Wrong){1, 1, false, false}, 7, 5).text, "");
    assert_string_equal(report_of((Wrong){1, 1, false, false}, 31, 17).text, "");
}

static void assert_found(GradientReport report, const char *text) {
    if (strstr(report.text, text) == NULL) {
        fail_msg("the report \"%s\" does not say \"%s\"", report.text, text);
    }
}

static void test_a_wrong_sign_is_found(void **state) {
    (void)state;
    assert_found(report_of((Wrong){-1, 1, false, false}, 3, 2), "gradient of a [0], seed 1");
}

static void test_a_wrong_factor_is_found(void **state) {
    (void)state;
    assert_found(report_of((Wrong){1, 1.01f, false, false}, 3, 2), "gradient of b");
}

static void test_overwriting_instead_of_adding_is_found(void **state) {
    (void)state;
    assert_found(report_of((Wrong){1, 1, true, false}, 3, 2), "gradient of a [0]");
}

static void test_what_a_constant_changes_is_found(void **state) {
    (void)state;
    assert_found(report_of((Wrong){1, 1, false, true}, 3, 2), "gradient of b [0], seed 1");
    assert_found(report_of((Wrong){1, 1, false, true}, 3, 2), "when a is a constant");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_right_gradients_pass),
        cmocka_unit_test(test_a_wrong_sign_is_found),
        cmocka_unit_test(test_a_wrong_factor_is_found),
        cmocka_unit_test(test_overwriting_instead_of_adding_is_found),
        cmocka_unit_test(test_what_a_constant_changes_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
