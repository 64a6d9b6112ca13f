/*
 * Temporary files that a killed process left behind (output_file.h): who works on one holds a lock on it, so
 * that others can tell which are nobody's.
 */
#ifndef CLI_LEFT_OVER_H
#define CLI_LEFT_OVER_H

/* Of the file that was just made. A file system without locks is no reason to fail. */
void left_over_hold(int file);

/* Removes the .zwang-XXXXXX of this user beside `path` that nobody holds and that were not touched for a
 * minute. What cannot be looked at stays. */
void left_over_remove(const char *path);

#endif
