/* `class` as a teacher meets it: on a terminal, with lessons that end well, badly or not at all. */
#include "support/tty.h"

#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/lesson_run.h"
#include "show/progress.h"
#include "support/screen.h"

static char program[PATH_MAX], real_lesson[PATH_MAX];

static const char menu[] = "-- what next? -- ";

/* A lesson that says what it was asked to do, and then behaves as the file `behave` says. */
static const char lesson_text[] =
    "#!/bin/sh\n"
    "me=${0##*/}\n"
    "case \" $* \" in\n"
    "*' --list '*) printf '%s\\n' \"${me%%_*}.1  First things\" \"${me%%_*}.2  Second things\" \\\n"
    "    '--break upside_down  the picture is upside down' '--break no_mask  padding counts'\n"
    "    exit;;\n"
    "*' --help '*) printf '%s\\n' \"Lesson ${me%%_*}: The tale of $me\" 'Why?' \\\n"
    "    'It takes about 7 s.'; exit;;\n"
    "*' --notes '*) echo \"notes of $me <$*>\"; exit;;\n"
    "esac\n"
    "echo \"$me runs <$*>\"\n"
    "case $(cat behave 2>/dev/null) in\n"
    "red) exit 1;;\n"
    "refuse) exit 2;;\n"
    "crash) ulimit -c 0; kill -SEGV $$;;\n"
    "raw) stty raw -echo; kill -KILL $$;;\n"
    "wait) trap 'exit 130' INT; echo waiting; while :; do sleep .05; done;;\n"
    "slow) echo waiting; sleep 1;;\n"
    "ask) read answer; echo \"it was told <$answer>\";;\n"
    "record) mkdir -p plots/$me; printf '%s\\t%s\\n' seconds 31.25 quick no only - stopped_by - "
    "\\\n"
    "    claims_hold 14 claims_fail 0 claims_not_made 3 >plots/$me/run.tsv;;\n"
    "one) mkdir -p plots/$me; printf '%s\\t%s\\n' seconds .5 claims_hold 1 claims_fail 1 \\\n"
    "    >plots/$me/run.tsv;;\n"
    "esac\n";

typedef struct Room {
    char folder[LESSON_PATH];
    Tty tty;
} Room;

static void file_put(const Room *room, const char *name, const char *text) {
    char path[2 * LESSON_PATH];
    snprintf(path, sizeof path, "%s/%s", room->folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(path, 0755), 0);
}

static void behave(const Room *room, const char *how) {
    file_put(room, "behave", how);
}

/* A folder with two lessons and a class that waits for its first answer. */
static void room_open(Room *room, const char *const *environment) {
    const char *words[] = {program, "./01_one", "./02_two", "--", "--seed", "3", NULL};
    folder_new(room->folder);
    file_put(room, "01_one", lesson_text);
    file_put(room, "02_two", lesson_text);
    behave(room, "well");
    room->tty = tty_start(words, (TtySetting){24, 80, room->folder, environment});
    tty_expect(&room->tty, menu);
}

/* q, which must end it well. */
static void room_close(Room *room) {
    tty_type(&room->tty, "q\n");
    assert_int_equal(tty_end(&room->tty), 0);
    tty_free(&room->tty);
    folder_remove(room->folder);
}

/* Types an answer; this must come, and then the menu again. */
static void answer(Room *room, const char *typed, const char *says) {
    tty_type(&room->tty, typed);
    tty_expect(&room->tty, says);
    tty_expect(&room->tty, menu);
}

static void test_one_lesson_after_the_other(void **state) {
    (void)state;
    Room room = {.folder = ""};
    room_open(&room, NULL);
    assert_non_null(strstr(room.tty.text, "Next is lesson 01 (about 7 s): The tale of 01_one\r\n"));
    assert_null(strstr(room.tty.text, "break something")); /* in what? */
    answer(&room, "\n", "01_one runs <--step --seed 3>");
    answer(&room, "n\n", "02_two runs <--step --seed 3>");
    answer(&room, "\n", "That was the last lesson.");
    answer(&room, "A\n", "02_two runs <--step --seed 3>");
    answer(&room, "1\n", "01_one runs <");
    answer(&room, "again\n", "01_one runs <");
    answer(&room, "t\n", "notes of 02_two <--notes>");
    answer(&room, "7\n", "There is no lesson \"7\".");
    answer(&room, "hm\n", "\"hm\" is not among the choices.");
    room_close(&room);
}

static void test_one_step_again_leaves_the_whole_run_alone(void **state) {
    (void)state;
    Room room = {.folder = ""};
    room_open(&room, NULL);
    answer(&room, "\n", "01_one has ended.");
    tty_type(&room.tty, "s\n");
    tty_expect(&room.tty, "01.2  Second things");
    tty_expect(&room.tty, "none of them -- ");
    answer(&room, "01.2\n", "<--step --out plots/again/01_01.2 --only 01.2 --seed 3>");
    tty_type(&room.tty, "s\n");
    tty_expect(&room.tty, "none of them -- ");
    answer(&room, "3\n", "\"3\" is not among them.");
    room_close(&room);
}

static void test_something_is_broken_quick_or_in_full(void **state) {
    (void)state;
    Room room = {.folder = ""};
    room_open(&room, NULL);
    answer(&room, "\n", "01_one has ended.");
    behave(&room, "red");
    tty_type(&room.tty, "b\n");
    tty_expect(&room.tty, "1  upside_down  the picture is upside down");
    tty_expect(&room.tty, "-- 1 to 2, Enter: none of them -- ");
    tty_type(&room.tty, "2\n");
    tty_expect(&room.tty, "f: in full (about 7 s) -- ");
    answer(&room, "\n", "<--step --out plots/broken/01_no_mask --break no_mask --quick --seed 3>");
    assert_non_null(strstr(room.tty.text, "(no_mask), has ended with red claims"));
    tty_type(&room.tty, "b\n");
    tty_expect(&room.tty, "none of them -- ");
    tty_type(&room.tty, "upside_down\n");
    tty_expect(&room.tty, "-- ");
    answer(&room, "f\n", "--break upside_down --seed 3>");
    tty_type(&room.tty, "b\n");
    tty_expect(&room.tty, "none of them -- ");
    tty_type(&room.tty, "\n");
    tty_expect(&room.tty, menu);
    room_close(&room);
}

static void test_lessons_that_fail_say_so_and_come_back(void **state) {
    (void)state;
    Room room = {.folder = ""};
    room_open(&room, NULL);
    behave(&room, "red");
    answer(&room, "1\n", "01_one has failed: a claim does not hold (exit status 1).");
    behave(&room, "refuse");
    answer(&room, "1\n", "wrong use or input");
    behave(&room, "crash");
    answer(&room, "1\n", "01_one crashed: Segmentation fault.");
    unlink(strcat(strcpy((char[2 *LESSON_PATH]){0}, room.folder), "/02_two"));
    answer(&room, "2\n", "02_two could not be started: No such file or directory.");
    room_close(&room);
}

/* The lesson ends, the class does not; neither does it at its own question. */
static void test_ctrl_c(void **state) {
    (void)state;
    Room room = {.folder = ""};
    room_open(&room, NULL);
    behave(&room, "wait");
    for (int i = 0; i < 2; i++) { /* the second one is a first one again */
        tty_type(&room.tty, "1\n");
        tty_expect(&room.tty, "waiting");
        answer(&room, "\003", "01_one was ended by Ctrl-C.");
        usleep(400000);
    }
    answer(&room, "\003", "(q ends the class)");
    room_close(&room);
}

/* What starts the class, such as make, would stop at Ctrl-C: it does not hear of it. */
static void test_ctrl_c_is_not_heard_by_what_started_the_class(void **state) {
    (void)state;
    Room room = {.folder = ""};
    char line[2 * PATH_MAX];
    folder_new(room.folder);
    file_put(&room, "01_one", lesson_text);
    behave(&room, "wait");
    snprintf(line, sizeof line,
             "trap 'echo it was hit' INT; '%s' ./01_one; echo \"status $?\"; read x; echo \"<$x>\"",
             program);
    const char *words[] = {"/bin/sh", "-c", line, NULL};
    room.tty = tty_start(words, (TtySetting){24, 80, room.folder, NULL});
    tty_expect(&room.tty, menu);
    tty_type(&room.tty, "\n");
    tty_expect(&room.tty, "waiting");
    answer(&room, "\003", "01_one was ended by Ctrl-C.");
    tty_type(&room.tty, "q\n");
    tty_expect(&room.tty, "status 0");
    tty_type(&room.tty, "still here\n"); /* the terminal is its own again */
    tty_expect(&room.tty, "<still here>");
    assert_int_equal(tty_end(&room.tty), 0);
    assert_null(strstr(room.tty.text, "it was hit"));
    tty_free(&room.tty);
    folder_remove(room.folder);
}

static void test_the_terminal_is_put_right_after_a_killed_lesson(void **state) {
    (void)state;
    Room room = {.folder = ""};
    room_open(&room, NULL);
    behave(&room, "raw");
    answer(&room, "\n", "01_one crashed: Killed.");
    assert_true(tty_is_cooked(&room.tty));
    room_close(&room);
}

/* Enter, pressed once too often while a lesson still works, does not start the next. */
static void test_what_was_typed_ahead_is_forgotten(void **state) {
    (void)state;
    Room room = {.folder = ""};
    room_open(&room, NULL);
    behave(&room, "slow");
    tty_type(&room.tty, "\n");
    tty_expect(&room.tty, "waiting");
    tty_type(&room.tty, "n\nn\n");
    tty_expect(&room.tty, menu);
    tty_type(&room.tty, "hm\n");
    tty_expect(&room.tty, "is not among the choices");
    assert_null(strstr(room.tty.text, "02_two runs"));
    tty_expect(&room.tty, menu);
    room_close(&room);
}

static void test_end_of_input_ends_the_class(void **state) {
    (void)state;
    Room room = {.folder = ""};
    room_open(&room, NULL);
    tty_type(&room.tty, "\004");
    assert_int_equal(tty_end(&room.tty), 0);
    tty_free(&room.tty);
    folder_remove(room.folder);
}

/* Whoever ends the class ends the lesson that runs in it. */
static void test_sigterm_ends_lesson_and_class(void **state) {
    (void)state;
    Room room = {.folder = ""};
    room_open(&room, NULL);
    behave(&room, "wait");
    tty_type(&room.tty, "1\n");
    tty_expect(&room.tty, "waiting");
    assert_int_equal(kill(room.tty.pid, SIGTERM), 0);
    tty_expect(&room.tty, "01_one was ended: Terminated.");
    assert_int_equal(tty_end(&room.tty), 128 + SIGTERM);
    tty_free(&room.tty);
    folder_remove(room.folder);
}

static void test_the_time_of_the_last_run(void **state) {
    (void)state;
    Room room = {.folder = ""};
    room_open(&room, NULL);
    behave(&room, "record");
    answer(&room, "1\n", "01_one has ended. 14 claims hold, 3 not made; it took 31.2 s.");
    tty_type(&room.tty, "l\n");
    tty_expect(&room.tty, "01  one      The tale of 01_one  31.2 s last time");
    tty_expect(&room.tty, "The tale of 02_two  about 7 s");
    tty_expect(&room.tty, "none -- ");
    answer(&room, "02\n", "02_two runs");
    room_close(&room);
}

static void test_one_claim_holds_and_one_fails(void **state) {
    (void)state;
    Room room = {.folder = ""};
    room_open(&room, NULL);
    behave(&room, "one");
    answer(&room, "1\n", "01_one has ended. 1 claim holds, 1 fails; it took 0.5 s.");
    room_close(&room);
}

static void test_no_color(void **state) {
    (void)state;
    const char *const without[] = {"NO_COLOR=1", NULL};
    for (int plain = 0; plain < 2; plain++) {
        Room room = {.folder = ""};
        room_open(&room, plain ? without : NULL);
        behave(&room, "red");
        answer(&room, "1\n", "a claim does not hold");
        assert_true((strchr(room.tty.text, '\033') == NULL) == (plain == 1));
        room_close(&room);
    }
}

/* Line by line, all of it text; the lessons read from the same input. */
static void test_without_a_terminal(void **state) {
    (void)state;
    Room room = {.folder = ""};
    char command[2 * PATH_MAX];
    static char said[1 << 14];
    folder_new(room.folder);
    file_put(&room, "01_one", lesson_text);
    file_put(&room, "02_two", lesson_text);
    behave(&room, "ask");
    snprintf(command, sizeof command,
             "cd '%s' && printf 'next\\nred herring\\nb\\n1\\n\\nfish\\n' | '%s' ./01_one ./02_two "
             "-- --quick 2>&1",
             room.folder, program);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    said[fread(said, 1, sizeof said - 1, pipe)] = '\0';
    int status = pclose(pipe);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    static const char *const parts[] = {
        "-- what next? -- \n(next)\n\n01_one runs <--step --quick>\nit was told <red herring>\n",
        "-- what next? -- \n(b)\n",
        "none of them -- \n(1)\n\n01_one runs <--step --out plots/broken/01_upside_down ",
        "--break upside_down --quick>\nit was told <>\n", "\"fish\" is not among the choices.\n"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (!strstr(said, parts[i])) {
            fail_msg("\"%s\" is missing in:\n%s", parts[i], said);
        }
    }
    assert_true(screen_is_ascii(said));
    folder_remove(room.folder);
}

static void test_wrong_use(void **state) {
    (void)state;
    const char *words[] = {program, "--", "--quick", NULL};
    Tty tty = tty_start(words, (TtySetting){24, 80, NULL, NULL});
    assert_int_equal(tty_end(&tty), 2);
    assert_non_null(strstr(tty.text, "usage: class PROGRAM"));
    tty_free(&tty);
}

/* A lesson of the course, with all its pauses. While the teacher talks, its clock stands still. */
static void test_a_real_lesson(void **state) {
    (void)state;
    Room room = {.folder = ""};
    const char *words[] = {program, real_lesson, "--", "--quick", "--no-plots", NULL};
    folder_new(room.folder);
    room.tty = tty_start(words, (TtySetting){24, 80, room.folder, NULL});
    tty_expect(&room.tty, "01_rnn");
    tty_expect(&room.tty, menu);
    double began = progress_clock();
    tty_type(&room.tty, "\n");
    int pauses = 0;
    while (tty_hint(&room.tty) && strstr(room.tty.text, "01_rnn has ended") == NULL) {
        pauses++;
        usleep(200000);
        tty_type(&room.tty, "\n");
    }
    assert_in_range(pauses, 5, 40);
    const char *took = strstr(room.tty.text, "01_rnn has ended. ");
    assert_non_null(took);
    took = strstr(took, "it took ");
    assert_non_null(took);
    assert_true(atof(took + strlen("it took ")) < progress_clock() - began - 0.2 * pauses + 0.1);
    room_close(&room);
}

int main(void) {
    if (realpath(BUILD_FOLDER "/plots/class", program) == NULL ||
        realpath(BUILD_FOLDER "/lessons/01_rnn", real_lesson) == NULL) {
        fprintf(stderr, "class or 01_rnn is not built\n");
        return 1;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_lesson_after_the_other),
        cmocka_unit_test(test_one_step_again_leaves_the_whole_run_alone),
        cmocka_unit_test(test_something_is_broken_quick_or_in_full),
        cmocka_unit_test(test_lessons_that_fail_say_so_and_come_back),
        cmocka_unit_test(test_ctrl_c),
        cmocka_unit_test(test_ctrl_c_is_not_heard_by_what_started_the_class),
        cmocka_unit_test(test_the_terminal_is_put_right_after_a_killed_lesson),
        cmocka_unit_test(test_what_was_typed_ahead_is_forgotten),
        cmocka_unit_test(test_end_of_input_ends_the_class),
        cmocka_unit_test(test_sigterm_ends_lesson_and_class),
        cmocka_unit_test(test_the_time_of_the_last_run),
        cmocka_unit_test(test_one_claim_holds_and_one_fails),
        cmocka_unit_test(test_no_color),
        cmocka_unit_test(test_without_a_terminal),
        cmocka_unit_test(test_wrong_use),
        cmocka_unit_test(test_a_real_lesson),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
