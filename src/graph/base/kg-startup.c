/* kg-startup: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-startup.h"

#include <malloc.h>
#include <unistd.h>

/* Set while the program begins for the second time. */
#define AGAIN "KINEOGRAPH_BEGINS_AGAIN"

/* Bytes by which the heap grows at least, and from which on a block is a mapping of its own. */
#define HEAP_STEP (2 << 20)
#define LARGEST_IN_HEAP (32 << 20)

void
kg_startup_wait_passively (char **argv)
{
  /* By its own name, which is what lists of processes show. */
  g_autofree char *program = g_file_read_link ("/proc/self/exe", NULL);

  if (g_getenv (AGAIN) == NULL) {
    if (program == NULL || g_getenv ("OMP_WAIT_POLICY") != NULL || g_getenv ("GOMP_SPINCOUNT") != NULL)
      return;
    if (g_setenv ("OMP_WAIT_POLICY", "passive", TRUE) && g_setenv (AGAIN, "1", TRUE))
      execv (program, argv);
  }
  /* libgomp has read it; programs that this one starts decide for themselves. */
  g_unsetenv ("OMP_WAIT_POLICY");
  g_unsetenv (AGAIN);
}

void
kg_startup_join_blocks (void)
{
#ifdef M_MXFAST
  mallopt (M_MXFAST, 0);
#endif
#ifdef M_TOP_PAD
  /* A value for one of these ends glibc's own adjustment of the others, which would come to these two in the end. */
  mallopt (M_TOP_PAD, HEAP_STEP);
  mallopt (M_MMAP_THRESHOLD, LARGEST_IN_HEAP);
  mallopt (M_TRIM_THRESHOLD, 2 * LARGEST_IN_HEAP);
#endif
}
