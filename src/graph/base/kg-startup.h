/* kg-startup: what the programs ask of the C library and of OpenMP before anything else.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* For programs that compute for long; the first thing in main.  libgomp lets idle threads spin for some milliseconds, which
 * takes the processor away from other jobs, evaluations and programs: one busy processor triples the time of a kernel.  And
 * results of small nodes are new memory, of which the first touch of each small page costs the kernel about as much as a node takes:
 * with huge pages for the heap an edit of a hundred nodes takes a quarter less.  Both are read before main, so the program begins
 * once more with OMP_WAIT_POLICY=passive and, unless the user has set GLIBC_TUNABLES, with glibc's tunable for such pages;
 * not if the user has chosen how threads wait (OMP_WAIT_POLICY, GOMP_SPINCOUNT).  Where that is not possible it goes on as it
 * is. */
void kg_startup_begin_again (char **argv);

/* Lets glibc join small blocks as they are released.  It would rather wait, and then look at all of them whenever a large
 * block has come about: tens of thousands of times while a tree of JSON or of nodes is released.  The heap grows by megabytes
 * at a time, for nearly all results of small nodes are new memory, and keeps what large blocks leave, as it would do by itself
 * after the first of them. */
void kg_startup_join_blocks (void);

G_END_DECLS
