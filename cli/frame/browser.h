/*
 * Opening a file in the user's browser.
 */
#ifndef CLI_BROWSER_H
#define CLI_BROWSER_H

#include <stdbool.h>

/* By $BROWSER, else by xdg-open. False: neither could be started, or it failed at once. */
bool browser_open(const char *file);

#endif
