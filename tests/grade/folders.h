/* Folders: walking through them, making and removing them. Links are never followed. */
#ifndef GRADE_FOLDERS_H
#define GRADE_FOLDERS_H

#include "io/file.h"

/* Is called for each regular file with its path below `root`; false ends the walk. */
typedef bool (*FolderVisit)(void *context, const char *path);

/* Visits the regular files of root/folder, in the order of their names, and, if `deep`, of the
 * folders in it (hidden ones are left out). Links, pipes and devices are left out. Errors: the
 * folder cannot be read, is nested deeper than 8 or holds more than 5000 files; or what the visitor
 * says. */
bool folder_walk(const char *root, const char *folder, bool deep, FolderVisit visit, void *context,
                 Error *error);

/* Makes the folder, if need be, and says so if there is something in it. */
bool folder_empty_or_new(const char *path, Error *error);

/* Makes the folders above a file. */
bool folder_of_file_make(const char *path, Error *error);

/* Gives `to` the permissions of `from`. */
bool mode_copy(const char *from, const char *to, Error *error);

/* Removes the folder and everything below it; links are removed, not followed. Best effort. */
void folders_remove(const char *path);

#endif
