/* tests/torture/inject: runs a program and lets the kernel refuse it one system call.
 *
 *   inject REPORT CLASS NUMBER ERROR[+] COMMAND [ARGUMENT...]
 *
 * The NUMBER-th call of a class (read, write, sync, rename, close, open, create) fails with this error, and with "+" all
 * that follow it too; number 0 only counts.  The class "unnamed" refuses every file without a name (O_TMPFILE), as some
 * file systems do.  A filter of the kernel (seccomp) hands the calls to this program, so that those which libraries and
 * child processes make are counted as well.  Counting begins when the preloaded library (preload.c) says so, after
 * the libraries of the program are loaded.
 *
 * REPORT gets one line: calls counted, descriptor of the refused call (-1: none was refused), and how the program ended (its
 * status, or minus the number of the signal).  Status 77: the system does not permit this.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "marker.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST_CALLS 8
#define UNNAMED (O_TMPFILE & ~O_DIRECTORY)
#define CANNOT 77
/* Milliseconds that processes which the program started have after it. */
#define REST 5000

typedef struct {
  const char *name;
  int calls[MOST_CALLS]; /* ends with -1 */
  unsigned flags;        /* of openat: one of them must be set */
  unsigned without;      /* and none of these */
} Class;

static const Class classes[] = {
  { "read", { SYS_read, SYS_pread64, SYS_readv, SYS_preadv, -1 }, 0, 0 },
  { "write", { SYS_write, SYS_pwrite64, SYS_writev, SYS_pwritev, -1 }, 0, 0 },
  { "sync", { SYS_fsync, SYS_fdatasync, SYS_msync, -1 }, 0, 0 },
  { "rename",
    { SYS_renameat, SYS_renameat2, SYS_linkat,
#ifdef SYS_rename
      SYS_rename,
#endif
      -1 },
    0,
    0 },
  { "close", { SYS_close, -1 }, 0, 0 },
  { "open", { SYS_openat, -1 }, 0, O_CREAT | UNNAMED },
  { "create", { SYS_openat, -1 }, O_CREAT | UNNAMED, 0 },
  { "unnamed", { SYS_openat, -1 }, UNNAMED, 0 },
};

static const struct {
  const char *name;
  int number;
} errors[] = {
  { "EIO", EIO }, { "ENOSPC", ENOSPC }, { "EMFILE", EMFILE }, { "EACCES", EACCES }, { "EOPNOTSUPP", EOPNOTSUPP }
};

static const Class *
find_class (const char *name)
{
  for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
    if (strcmp (classes[i].name, name) == 0)
      return &classes[i];
  return NULL;
}

static int
find_error (const char *name)
{
  const size_t n = strcspn (name, "+");

  for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
    if (strlen (errors[i].name) == n && strncmp (errors[i].name, name, n) == 0)
      return errors[i].number;
  return 0;
}

static void
add (struct sock_filter *code, unsigned *n, struct sock_filter instruction)
{
  code[(*n)++] = instruction;
}

#define LOAD(field)                                                                                                    \
  ((struct sock_filter) BPF_STMT (BPF_LD | BPF_W | BPF_ABS, (unsigned) offsetof (struct seccomp_data, field)))
#define RETURN(value) ((struct sock_filter) BPF_STMT (BPF_RET | BPF_K, value))
#define JUMP(test, k, yes, no) ((struct sock_filter) BPF_JUMP (BPF_JMP | test | BPF_K, k, yes, no))

/* The descriptor by which the supervisor answers; -1 when the system has none. */
static int
install_filter (const Class *class)
{
  struct sock_filter code[8 * MOST_CALLS];
  unsigned n = 0;

  add (code, &n, LOAD (nr));
  /* The marker. */
  add (code, &n, JUMP (BPF_JEQ, SYS_prctl, 0, 4));
  add (code, &n, LOAD (args[0]));
  add (code, &n, JUMP (BPF_JEQ, KG_MARKER, 0, 1));
  add (code, &n, RETURN (SECCOMP_RET_USER_NOTIF));
  add (code, &n, RETURN (SECCOMP_RET_ALLOW));
  for (int i = 0; class->calls[i] >= 0; i++) {
    const bool flags = class->flags != 0 || class->without != 0;

    add (code, &n, JUMP (BPF_JEQ, (unsigned) class->calls[i], 0, flags ? 4 : 1));
    if (flags) {
      add (code, &n, LOAD (args[2]));
      if (class->flags != 0)
        add (code, &n, JUMP (BPF_JSET, class->flags, 0, 1));
      else
        add (code, &n, JUMP (BPF_JSET, class->without, 1, 0));
    }
    add (code, &n, RETURN (SECCOMP_RET_USER_NOTIF));
    if (flags)
      add (code, &n, RETURN (SECCOMP_RET_ALLOW));
  }
  add (code, &n, RETURN (SECCOMP_RET_ALLOW));
  if (prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
    return -1;
  return (int) syscall (SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER,
                        &(struct sock_fprog){ (unsigned short) n, code });
}

static void
send_descriptor (int socket, int fd)
{
  char control[CMSG_SPACE (sizeof fd)] = { 0 }, byte = 0;
  struct iovec data = { &byte, 1 };
  struct msghdr message = {
    .msg_iov = &data, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control
  };
  struct cmsghdr *head = CMSG_FIRSTHDR (&message);

  head->cmsg_level = SOL_SOCKET;
  head->cmsg_type = SCM_RIGHTS;
  head->cmsg_len = CMSG_LEN (sizeof fd);
  memcpy (CMSG_DATA (head), &fd, sizeof fd);
  sendmsg (socket, &message, 0);
}

static int
receive_descriptor (int socket)
{
  char control[CMSG_SPACE (sizeof (int))] = { 0 }, byte;
  struct iovec data = { &byte, 1 };
  struct msghdr message = {
    .msg_iov = &data, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control
  };
  int fd = -1;

  if (recvmsg (socket, &message, MSG_CMSG_CLOEXEC) == 1 && CMSG_FIRSTHDR (&message) != NULL)
    memcpy (&fd, CMSG_DATA (CMSG_FIRSTHDR (&message)), sizeof fd);
  return fd;
}

typedef struct {
  long number;
  int error;
  bool on, always, started;
  long counted;
  int refused; /* descriptor of the call */
} Plan;

static void
answer (int listener, Plan *plan)
{
  struct seccomp_notif call = { 0 };
  struct seccomp_notif_resp reply = { 0 };

  if (ioctl (listener, SECCOMP_IOCTL_NOTIF_RECV, &call) != 0)
    return;
  reply.id = call.id;
  if (call.data.nr == SYS_prctl) {
    plan->started = true;
  } else {
    plan->counted += plan->started;
    if (plan->started && plan->number > 0 &&
        (plan->counted == plan->number || (plan->on && plan->counted > plan->number))) {
      reply.error = -plan->error;
      if (plan->refused < 0)
        plan->refused = call.data.nr == SYS_openat ? 0x10000 : (int) call.data.args[0];
    } else if (plan->always) {
      reply.error = -plan->error;
    } else {
      reply.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
    }
  }
  ioctl (listener, SECCOMP_IOCTL_NOTIF_SEND, &reply);
}

/* Answers until all processes that could ask have ended. */
static int
supervise (int listener, pid_t child, Plan *plan)
{
  int status = 0;
  bool ended = false;

  for (;;) {
    struct pollfd wait = { .fd = listener, .events = POLLIN };
    const int ready = poll (&wait, 1, ended ? REST : 20);

    if (ready > 0 && (wait.revents & POLLIN))
      answer (listener, plan);
    else if (ready > 0 && (wait.revents & (POLLHUP | POLLERR)))
      break;
    else if (ready == 0 && ended)
      break;
    if (!ended && waitpid (child, &status, WNOHANG) == child)
      ended = true;
  }
  if (!ended)
    waitpid (child, &status, 0);
  return WIFSIGNALED (status) ? -WTERMSIG (status) : WEXITSTATUS (status);
}

static _Noreturn void
run (int socket, const Class *class, char **command)
{
  const int listener = install_filter (class);

  if (listener < 0)
    _exit (CANNOT);
  send_descriptor (socket, listener);
  fcntl (listener, F_SETFD, FD_CLOEXEC);
  fcntl (socket, F_SETFD, FD_CLOEXEC);
  execvp (command[0], command);
  perror (command[0]);
  _exit (CANNOT);
}

int
main (int argc, char **argv)
{
  const Class *class = argc > 5 ? find_class (argv[2]) : NULL;
  Plan plan = { .refused = -1 };
  int sockets[2], listener, status;
  FILE *report;
  pid_t child;

  if (class == NULL || (plan.error = find_error (argv[4])) == 0) {
    fprintf (stderr, "usage: inject REPORT CLASS NUMBER ERROR[+] COMMAND [ARGUMENT...]\n");
    return 2;
  }
  plan.number = atol (argv[3]);
  plan.on = strchr (argv[4], '+') != NULL;
  plan.always = strcmp (class->name, "unnamed") == 0;
  if (socketpair (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0 || (child = fork ()) < 0)
    return CANNOT;
  if (child == 0)
    run (sockets[1], class, argv + 5);
  close (sockets[1]);
  listener = receive_descriptor (sockets[0]);
  if (listener < 0) {
    waitpid (child, NULL, 0);
    return CANNOT;
  }
  status = supervise (listener, child, &plan);
  report = fopen (argv[1], "w");
  if (report == NULL)
    return CANNOT;
  fprintf (report, "%ld %d %d\n", plan.counted, plan.refused, status);
  return fclose (report) == 0 ? 0 : CANNOT;
}
