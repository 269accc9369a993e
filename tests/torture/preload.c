/* tests/torture/preload: loaded into a program before all others, with LD_PRELOAD: says where it begins, and refuses it memory.
 *
 *   KG_FAIL_MEMORY=N[+]    the N-th allocation returns NULL, with "+" all that follow it, too; 0 only counts
 *   KG_FAIL_SIZE=BYTES     only those of at least this size are counted
 *   KG_FAIL_REPORT=FILE    gets the number of allocations counted
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "marker.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* What malloc and its sisters are underneath, in glibc. */
void *__libc_malloc (size_t bytes);
void *__libc_calloc (size_t n, size_t bytes);
void *__libc_realloc (void *block, size_t bytes);
void *__libc_memalign (size_t alignment, size_t bytes);
void __libc_free (void *block);

static struct {
  long number;
  size_t size;
  bool on, counting;
  const char *report;
  atomic_long counted;
} plan;

__attribute__ ((constructor)) static void
begin (void)
{
  const char *number = getenv ("KG_FAIL_MEMORY"), *size = getenv ("KG_FAIL_SIZE");

  prctl (KG_MARKER, 0, 0, 0, 0);
  if (number == NULL)
    return;
  plan.report = getenv ("KG_FAIL_REPORT");
  plan.number = atol (number);
  plan.on = strchr (number, '+') != NULL;
  plan.size = size != NULL ? (size_t) atoll (size) : 0;
  plan.counting = true;
}

__attribute__ ((destructor)) static void
end (void)
{
  char text[32];
  int fd;

  if (plan.report == NULL)
    return;
  plan.counting = false;
  fd = open (plan.report, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0)
    return;
  (void) !write (fd, text, (size_t) snprintf (text, sizeof text, "%ld\n", atomic_load (&plan.counted)));
  close (fd);
}

static bool
refuse (size_t bytes)
{
  long number;

  if (!plan.counting || bytes < plan.size)
    return false;
  number = atomic_fetch_add (&plan.counted, 1) + 1;
  if (plan.number == 0 || !(number == plan.number || (plan.on && number > plan.number)))
    return false;
  errno = ENOMEM;
  return true;
}

/* Whoever cannot bear to be refused a larger block tries first whether there is one (kg-memory.c): what was taken and
 * given back at once is there. */
static _Thread_local struct {
  void *block;
  size_t bytes, there;
} tried;

void *
malloc (size_t bytes)
{
  void *block = refuse (bytes) ? NULL : __libc_malloc (bytes);

  tried.block = block;
  tried.bytes = bytes;
  tried.there = 0;
  return block;
}

void
free (void *block)
{
  if (block != NULL && block == tried.block)
    tried.there = tried.bytes;
  tried.block = NULL;
  __libc_free (block);
}

void *
calloc (size_t n, size_t bytes)
{
  size_t all;

  return __builtin_mul_overflow (n, bytes, &all) || refuse (all) ? NULL : __libc_calloc (n, bytes);
}

void *
realloc (void *block, size_t bytes)
{
  const bool there = bytes <= tried.there;

  tried.there = 0;
  return bytes > 0 && !there && refuse (bytes) ? NULL : __libc_realloc (block, bytes);
}

void *
aligned_alloc (size_t alignment, size_t bytes)
{
  return refuse (bytes) ? NULL : __libc_memalign (alignment, bytes);
}

int
posix_memalign (void **block, size_t alignment, size_t bytes)
{
  void *made = refuse (bytes) ? NULL : __libc_memalign (alignment, bytes);

  if (made == NULL)
    return ENOMEM;
  *block = made;
  return 0;
}

/* The kernel's memory for the largest blocks; files are mapped as ever. */
void *
mmap (void *address, size_t bytes, int protection, int flags, int fd, off_t offset)
{
  if ((flags & MAP_ANONYMOUS) != 0 && refuse (bytes))
    return MAP_FAILED;
  return (void *) syscall (SYS_mmap, address, bytes, protection, flags, fd, offset);
}
