/* kg-import-confine: drops rights that a program will not need.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <stdbool.h>

/* From now on this thread and those that it starts can no longer open files to write, create, change, remove or run files, make
 * connections of TCP, or send signals to other programs.  Open files, sockets and anonymous memory stay as they are.  For
 * good.  How much of this the kernel enforces depends on its version (Linux 5.13, 6.2, 6.7, 6.12); false when it is nothing. */
bool kg_import_confine (void);
