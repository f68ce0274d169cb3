/* .ci/setup on machines that we make up: a folder of false programs is all of its PATH. The false
 * cc knows the headers whose name lies in FOLDER/have, the false apt-get puts things there. */
#include "assert_close.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/shell.h"

static char folder[512];
static char output[8192];

static const char cc[] =
    "for file in \"$@\"; do case $file in *.c) break ;; esac; done\n"
    "grep -q png.h \"$file\" && { [ -e \"$ROOT/have/libpng-dev\" ] || exit 1; }\n"
    "grep -q cmocka.h \"$file\" && { [ -e \"$ROOT/have/libcmocka-dev\" ] || exit 1; }\n"
    "exit 0\n";

static const char apt_get[] =
    "echo \"$*\" >>\"$ROOT/apt.log\"\n"
    "if [ -e \"$ROOT/offline\" ]; then echo 'E: no network'; exit 100; fi\n"
    "[ \"$1\" = install ] || exit 0\n"
    "for name in \"$@\"; do case $name in\n"
    "lib*) : >\"$ROOT/have/$name\" ;;\n"
    "gnuplot-nox) cp \"$ROOT/bin/id\" \"$ROOT/bin/gnuplot\" ;;\n"
    "pkg-config | clang | clang-format | cppcheck | chromium) cp \"$ROOT/bin/id\" "
    "\"$ROOT/bin/$name\" ;;\n"
    "esac; done\n";

static void file_put(const char *name, const char *text) {
    char path[2048];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void program_put(const char *name, const char *body) {
    char path[1024], text[2048];
    snprintf(path, sizeof path, "bin/%s", name);
    snprintf(text, sizeof text, "#!/bin/sh\n%s", body);
    file_put(path, text);
    snprintf(path, sizeof path, "%s/bin/%s", folder, name);
    assert_int_equal(chmod(path, 0755), 0);
}

static int shell(const char *command) {
    int status = system(command);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* A machine with a compiler and nothing else that matters; `uid` 0 is root. */
static int machine_make(void **state) {
    (void)state;
    const char *parent = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%.300s/attend-setup-XXXXXX", parent ? parent : "/tmp");
    if (mkdtemp(folder) == NULL) {
        return -1;
    }
    char command[2048];
    snprintf(command, sizeof command,
             "mkdir '%s/bin' '%s/have' && for tool in sh mktemp rm env head grep cp; do "
             "ln -s \"$(command -v $tool)\" '%s/bin/'$tool || exit 1; done",
             folder, folder, folder);
    if (shell(command) != 0) {
        return -1;
    }
    program_put("cc", cc);
    program_put("id", "echo 1000\n");
    return 0;
}

static int machine_remove(void **state) {
    (void)state;
    char command[1024];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return shell(command);
}

/* Runs the set-up there, keeps what it prints in `output`, gives its exit status. */
static int setup(const char *mode) {
    char command[2048];
    snprintf(command, sizeof command,
             "env -i ROOT='%s' PATH='%s/bin' TMPDIR='%s' /bin/sh .ci/setup %s", folder, folder,
             folder, mode);
    return shell_run(command, output, sizeof output);
}

static void assert_says(const char *text) {
    if (strstr(output, text) == NULL) {
        fail_msg("the set-up does not say \"%s\" but:\n%s", text, output);
    }
}

static void assert_line_for(const char *manager, const char *mode, const char *line) {
    program_put(manager, "exit 1\n");
    assert_int_equal(setup(mode), 1);
    assert_says(line);
}

static void test_without_rights_the_line_for_apt_is_printed(void **state) {
    (void)state;
    assert_line_for("apt-get", "run",
                    "sudo apt-get update && sudo apt-get install -y libpng-dev pkg-config "
                    "gnuplot-nox\n");
    assert_line_for("apt-get", "check", " libpng-dev libcmocka-dev pkg-config gnuplot-nox\n");
    assert_line_for("apt-get", "dev", " libcmocka-dev clang clang-format cppcheck pkg-config ");
}

static void test_without_rights_the_line_for_dnf_is_printed(void **state) {
    (void)state;
    assert_line_for("dnf", "check",
                    "sudo dnf install -y libpng-devel libcmocka-devel pkgconf-pkg-config "
                    "gnuplot\n");
    assert_line_for("dnf", "dev", " clang clang-tools-extra cppcheck ");
}

static void test_without_rights_the_line_for_pacman_is_printed(void **state) {
    (void)state;
    assert_line_for("pacman", "dev",
                    "sudo pacman -S --needed libpng cmocka clang cppcheck pkgconf gnuplot\n");
}

static void test_without_rights_the_line_for_brew_is_printed(void **state) {
    (void)state;
    assert_line_for("brew", "check", "brew install libpng cmocka pkg-config gnuplot\n");
}

static void test_without_any_manager_the_things_are_named(void **state) {
    (void)state;
    assert_int_equal(setup("check"), 1);
    assert_says("libpng cmocka pkg-config gnuplot");
}

static void test_root_installs_and_the_second_run_is_silent(void **state) {
    (void)state;
    program_put("id", "echo 0\n");
    program_put("apt-get", apt_get);
    assert_int_equal(setup("check"), 0);
    assert_says("Installing with apt-get: libpng-dev libcmocka-dev\n");
    assert_says("Installing with apt-get: pkg-config gnuplot-nox\n");
    program_put("apt-get", "echo called; exit 1\n");
    assert_int_equal(setup("check"), 0);
    assert_string_equal(output, "");
    assert_int_equal(setup("run"), 0);
    assert_string_equal(output, "");
}

static void test_sudo_without_password_installs(void **state) {
    (void)state;
    program_put("sudo", "[ \"$1\" = -n ] || exit 1\nshift\n[ \"$1\" = true ] || exec \"$@\"\n");
    program_put("apt-get", apt_get);
    assert_int_equal(setup("run"), 0);
    assert_says("Installing with apt-get: libpng-dev\n");
    assert_int_equal(setup("run"), 0);
    assert_string_equal(output, "");
}

static void test_sudo_with_password_is_not_asked(void **state) {
    (void)state;
    program_put("sudo", "[ \"$1\" = -n ] && exit 1\necho 'password:'; exit 1\n");
    program_put("apt-get", apt_get);
    assert_int_equal(setup("run"), 1);
    assert_says("sudo apt-get install -y libpng-dev");
    assert_null(strstr(output, "password:"));
}

static void test_lessons_need_no_cmocka(void **state) {
    (void)state;
    file_put("have/libpng-dev", "");
    program_put("pkg-config", "exit 1\n");
    program_put("gnuplot", "exit 0\n");
    assert_int_equal(setup("run"), 0);
    assert_string_equal(output, "");
    assert_int_equal(setup("check"), 1);
    assert_says("cmocka");
}

static void test_without_gnuplot_the_lessons_go_on_with_one_line(void **state) {
    (void)state;
    file_put("have/libpng-dev", "");
    program_put("apt-get", "exit 1\n");
    assert_int_equal(setup("run"), 0);
    assert_says("Without gnuplot");
    assert_ptr_equal(strchr(output, '\n'), output + strlen(output) - 1);
}

static void test_without_pkg_config_libpng_is_found_all_the_same(void **state) {
    (void)state;
    file_put("have/libpng-dev", "");
    program_put("gnuplot", "exit 0\n");
    assert_int_equal(setup("run"), 0);
    assert_string_equal(output, "");
}

static void test_an_install_that_fails_says_why_and_what_to_type(void **state) {
    (void)state;
    program_put("id", "echo 0\n");
    program_put("apt-get", apt_get);
    file_put("offline", "");
    assert_int_equal(setup("run"), 1);
    assert_says("apt-get could not: E: no network");
    assert_says("apt-get install -y libpng-dev");
    file_put("have/libpng-dev", "");
    assert_int_equal(setup("run"), 0);
    assert_says("Without gnuplot");
}

static void test_a_machine_without_compiler_gets_one(void **state) {
    (void)state;
    program_put("cc", "exit 1\n");
    assert_line_for("apt-get", "run", "install -y gcc libc6-dev libpng-dev");
}

static void test_a_browser_is_asked_for_alone(void **state) {
    (void)state;
    assert_line_for("apt-get", "browser",
                    "sudo apt-get update && sudo apt-get install -y chromium\n");
    program_put("id", "echo 0\n");
    program_put("apt-get", apt_get);
    assert_int_equal(setup("browser"), 0);
    assert_says("Installing with apt-get: chromium\n");
    assert_int_equal(setup("browser"), 0);
    assert_string_equal(output, "");
    assert_int_equal(setup("check"), 0); /* and what it does not ask for is still missing */
    assert_says("libcmocka-dev");
}

static void test_an_unknown_mode_is_wrong_use(void **state) {
    (void)state;
    assert_int_equal(setup("everything"), 2);
    assert_says("usage: sh .ci/setup run|check|dev|browser");
}

int main(void) {
    const struct CMUnitTest tests[] = {
#define MACHINE_TEST(test) cmocka_unit_test_setup_teardown(test, machine_make, machine_remove)
        MACHINE_TEST(test_without_rights_the_line_for_apt_is_printed),
        MACHINE_TEST(test_without_rights_the_line_for_dnf_is_printed),
        MACHINE_TEST(test_without_rights_the_line_for_pacman_is_printed),
        MACHINE_TEST(test_without_rights_the_line_for_brew_is_printed),
        MACHINE_TEST(test_without_any_manager_the_things_are_named),
        MACHINE_TEST(test_root_installs_and_the_second_run_is_silent),
        MACHINE_TEST(test_sudo_without_password_installs),
        MACHINE_TEST(test_sudo_with_password_is_not_asked),
        MACHINE_TEST(test_lessons_need_no_cmocka),
        MACHINE_TEST(test_without_gnuplot_the_lessons_go_on_with_one_line),
        MACHINE_TEST(test_without_pkg_config_libpng_is_found_all_the_same),
        MACHINE_TEST(test_an_install_that_fails_says_why_and_what_to_type),
        MACHINE_TEST(test_a_machine_without_compiler_gets_one),
        MACHINE_TEST(test_a_browser_is_asked_for_alone),
        MACHINE_TEST(test_an_unknown_mode_is_wrong_use),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
