#include "data/story.h"

/* One string in two files, so that each can be read in one go. */
const char *story_text(void) {
    return
#include "data/story_1.h"
#include "data/story_2.h"
        ;
}
