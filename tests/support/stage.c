#include "support/stage.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

enum { MAX_ARGUMENTS = 16 };

/* Sends stdout to nowhere and returns where it went before. */
static int hush(void) {
    fflush(stdout);
    int before = dup(STDOUT_FILENO), nowhere = open("/dev/null", O_WRONLY);
    assert_true(before >= 0 && nowhere >= 0);
    dup2(nowhere, STDOUT_FILENO);
    close(nowhere);
    return before;
}

static void speak_again(int before) {
    fflush(stdout);
    dup2(before, STDOUT_FILENO);
    close(before);
}

Stage stage_play(void (*play)(Run *run, void *context), void *context, const char *flags) {
    Stage stage = {.own_folder = true, .out = calloc(1, 1), .err = calloc(1, 1)};
    folder_new(stage.folder);
    snprintf(stage.files, sizeof stage.files, "%s/files", stage.folder);
    snprintf(stage.command, sizeof stage.command, "stage %s", flags);
    char text[LESSON_PATH], *argv[MAX_ARGUMENTS + 6] = {"stage", "--out", stage.files};
    int argc = 3;
    snprintf(text, sizeof text, "%s", flags);
    char *rest = NULL;
    for (char *word = strtok_r(text, " ", &rest); word != NULL && argc < MAX_ARGUMENTS;
         word = strtok_r(NULL, " ", &rest)) {
        argv[argc++] = word;
    }
    const Step step = {"9.1", "A step", play, NULL};
    const Lesson lesson = {.number = "09",
                           .name = "stage",
                           .title = "A stage",
                           .question = "Does it work?",
                           .duration = "no time",
                           .steps = &step,
                           .step_count = 1,
                           .context = context};
    int before = hush();
    stage.status = walkthrough_run(&lesson, argc, argv);
    speak_again(before);
    return stage;
}
