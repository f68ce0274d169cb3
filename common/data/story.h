/* A story, written for these lessons: what a character model reads when no other text is given. */
#ifndef DATA_STORY_H
#define DATA_STORY_H

/* The whole text, about 26 KB: plain ASCII, lines of at most 80 characters, an empty line between
 * two paragraphs. It holds dialogue, names that come back and turns of phrase, and no paragraph
 * twice: a model that does well on its end has learnt how such text is spelt, and has not
 * remembered a passage. Always the same string; nobody frees it. */
const char *story_text(void);

#endif
