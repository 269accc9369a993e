/* gate: an evaluation that does not come back, for test_stuck.py: loaded before all others (LD_PRELOAD), it takes the place of
 * cbrt, which expressions know.  Of 12345 there is no root while the file $KG_TEST_GATE is there; $KG_TEST_GATE.reached
 * shows that an evaluation waits for it.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

double cbrt (double x);

static void
wait_at_gate (const char *gate)
{
  char reached[4096];

  snprintf (reached, sizeof reached, "%s.reached", gate);
  close (open (reached, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
  while (access (gate, F_OK) == 0)
    usleep (20000);
}

double
cbrt (double x)
{
  double (*real) (double);

  *(void **) &real = dlsym (RTLD_NEXT, "cbrt");
  if (x == 12345 && getenv ("KG_TEST_GATE") != NULL)
    wait_at_gate (getenv ("KG_TEST_GATE"));
  return real (x);
}
