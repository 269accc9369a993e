/* kg-import-confine: see the header.  Source: landlock(7), of Linux 6.12.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-import-confine.h"

#include <glib.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* From here on as in linux/landlock.h, of which older systems have only a part. */
#define CREATE_RULESET_VERSION 1u
#define READ_FILE ((uint64_t) 1 << 2)
#define READ_DIR ((uint64_t) 1 << 3)
#define ALL_OF_FILES_1 (((uint64_t) 1 << 13) - 1)
#define REFER ((uint64_t) 1 << 13)
#define TRUNCATE ((uint64_t) 1 << 14)
#define BIND_AND_CONNECT_TCP ((uint64_t) 3)
#define ABSTRACT_SOCKETS_AND_SIGNALS ((uint64_t) 3)

typedef struct {
  uint64_t files, net, scoped;
} Ruleset;

bool
kg_import_confine (void)
{
  const long version = syscall (SYS_landlock_create_ruleset, NULL, 0, CREATE_RULESET_VERSION);
  Ruleset rules = { .files = ALL_OF_FILES_1 & ~(READ_FILE | READ_DIR) };
  size_t size = sizeof rules.files;
  bool done;
  int fd;

  if (version < 1)
    return false;
  if (version >= 2)
    rules.files |= REFER;
  if (version >= 3)
    rules.files |= TRUNCATE;
  if (version >= 4) {
    rules.net = BIND_AND_CONNECT_TCP;
    size = G_STRUCT_OFFSET (Ruleset, scoped);
  }
  if (version >= 6) {
    rules.scoped = ABSTRACT_SOCKETS_AND_SIGNALS;
    size = sizeof rules;
  }
  fd = (int) syscall (SYS_landlock_create_ruleset, &rules, size, 0);
  if (fd < 0)
    return false;
  done = prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && syscall (SYS_landlock_restrict_self, fd, 0) == 0;
  close (fd);
  return done;
}
