/* kg-data: where the files are that come with the program: examples, thumbnails, presets.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <glib.h>

/* (transfer full) (nullable) A file or folder among the data of the program, as in "graphs" or "presets": in
 * $KINEOGRAPH_DATA, in the source tree that the program was built in, or where it is installed. */
char *kg_data_find (const char *name);
/* (transfer full) (nullable) A program that belongs to this one, and is started by it: in $KINEOGRAPH_PROGRAMS if that is
 * set, in the folder that it was built in, or where it is installed. */
char *kg_data_find_program (const char *name);
/* (transfer full) (nullable) The same for what it loads (src/media/encode). */
char *kg_data_find_module (const char *name);
