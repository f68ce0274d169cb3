#include "support/shell.h"

#include <stdlib.h>
#include <sys/wait.h>

int shell_run(const char *line, char *output, size_t size) {
    static const char form[] = "{ %s\n} 2>&1 </dev/null";
    size_t room = strlen(line) + sizeof form;
    char *command = malloc(room), rest[4096];
    assert_non_null(command);
    snprintf(command, room, form, line);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    output[fread(output, 1, size - 1, pipe)] = '\0';
    while (fread(rest, 1, sizeof rest, pipe) > 0) {
        /* else the program would meet a closed pipe */
    }
    int status = pclose(pipe);
    free(command);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}
