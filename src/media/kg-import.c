/* kg-import: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-import.h"

#include "kg-data.h"
#include "kg-math.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n-lib.h>
#include <glib/gstdio.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Between two questions whether the result is still wanted. */
#define POLL_MILLISECONDS 20
/* The reader limits its own processor time.  This limit ends one that waits for something else. */
#define SECONDS 180
#define BYTES_PER_SECOND 50000

/* More than the largest image has. */
#define MAX_BYTES ((uint64_t) 6 << 30)

/* A reader that had so much and then stopped most likely requested more than it may have. */
#define MUCH_MEMORY ((uint64_t) 1 << 30)

/* What the libraries print is no message of ours; what a sanitizer prints is. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define IS_PRINTED true
#else
#define IS_PRINTED false
#endif

struct _KgImport {
  char *path;
  GPid process; /* 0: it has ended */
  int socket;
  bool usable; /* it has answered everything */
};

/* Starting and ending. */

static bool
start (KgImport *import, const char *program, const char *const *folders, GError **error)
{
  g_autoptr (GPtrArray) arguments = g_ptr_array_new ();
  const int to = KG_IMPORT_SOCKET;
  /* Its work has one thread, as others would only wait, and it loads no modules that are meant for this program. */
  g_auto (GStrv) environment =
      g_environ_unsetenv (g_environ_setenv (g_get_environ (), "OMP_NUM_THREADS", "1", TRUE), "GIO_EXTRA_MODULES");
  g_autoptr (GError) reason = NULL;
  sigset_t ours, before;
  int ends[2], nowhere;
  bool good;

  if (socketpair (AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
    kg_set_error (error, KG_ERROR_IO, "%s cannot be read: %s", import->path, g_strerror (errno));
    return false;
  }
  /* GLib ends the program when it cannot open it itself. */
  nowhere = open ("/dev/null", O_RDWR | O_CLOEXEC);
  if (nowhere < 0) {
    kg_set_error (error, KG_ERROR_IO, "%s cannot be read: /dev/null: %s", import->path, g_strerror (errno));
    close (ends[0]);
    close (ends[1]);
    return false;
  }
  g_ptr_array_add (arguments, (gpointer) (size_t) program);
  g_ptr_array_add (arguments, import->path);
  for (guint i = 0; folders != NULL && folders[i] != NULL; i++)
    g_ptr_array_add (arguments, (gpointer) (size_t) folders[i]);
  g_ptr_array_add (arguments, NULL);
  /* A terminal that is closed or interrupts its programs must not end the reader of one that goes on (nohup), and GLib gives it
   * the usual handlers back: it inherits that they are blocked. */
  sigemptyset (&ours);
  sigaddset (&ours, SIGINT);
  sigaddset (&ours, SIGTERM);
  sigaddset (&ours, SIGHUP);
  pthread_sigmask (SIG_BLOCK, &ours, &before);
  /* The reader itself closes what it inherits: so it is started without a copy of all our memory. */
  good = g_spawn_async_with_pipes_and_fds (
      NULL, (const char *const *) arguments->pdata, (const char *const *) environment,
      G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_LEAVE_DESCRIPTORS_OPEN, NULL, NULL, nowhere, nowhere,
      IS_PRINTED ? STDERR_FILENO : nowhere, &ends[1], &to, 1, &import->process, NULL, NULL, NULL, &reason);
  pthread_sigmask (SIG_SETMASK, &before, NULL);
  close (ends[1]);
  close (nowhere);
  import->socket = ends[0];
  if (!good)
    kg_set_error (error, KG_ERROR_IO, "%s cannot be read: %s", import->path, reason->message);
  return good;
}

KgImport *
kg_import_new (const char *reader, const char *path, const char *const *folders, GError **error)
{
  g_autofree char *name = g_strconcat ("kineograph-import-", reader, NULL), *program = kg_data_find_program (name);
  KgImport *import;

  if (program == NULL) {
    kg_set_error (error, KG_ERROR_IO, "%s cannot be read: the program %s is missing; install Kineograph again", path,
                  name);
    return NULL;
  }
  import = g_new0 (KgImport, 1);
  import->path = g_strdup (path);
  import->socket = -1;
  import->usable = true;
  if (start (import, program, folders, error))
    return import;
  kg_import_free (import);
  return NULL;
}

/* Its status, as of waitpid.  patience: milliseconds that it is given to end by itself.  memory: (out) (optional) the most
 * bytes that it had. */
static int
end (KgImport *import, int patience, uint64_t *memory)
{
  struct rusage usage = { 0 };
  pid_t ended = 0;
  int status = 0;

  if (import->process == 0)
    return 0;
  while (patience-- > 0 && (ended = wait4 (import->process, &status, WNOHANG, &usage)) == 0)
    g_usleep (1000);
  if (ended == 0)
    kill (import->process, SIGKILL);
  while (ended == 0 || (ended < 0 && errno == EINTR))
    ended = wait4 (import->process, &status, 0, &usage);
  if (memory != NULL)
    *memory = (uint64_t) usage.ru_maxrss << 10;
  g_spawn_close_pid (import->process);
  import->process = 0;
  return status;
}

void
kg_import_free (KgImport *import)
{
  if (import == NULL)
    return;
  end (import, 0, NULL);
  if (import->socket >= 0)
    close (import->socket);
  g_free (import->path);
  g_free (import);
}

bool
kg_import_is_usable (const KgImport *import)
{
  return import->usable;
}

/* Asking. */

static bool
fail_late (const KgImport *import, GError **error)
{
  kg_set_error (error, KG_ERROR_LIMIT,
                "%s takes too long to read: it is damaged, or too large; write it again with the program that made it, "
                "or divide it",
                import->path);
  return false;
}

/* The reader has closed its end of the socket: it ran out of time, was killed, or crashed, for which too little memory is one
 * of the reasons. */
static bool
fail_ended (KgImport *import, GError **error)
{
  uint64_t memory = 0;
  const int status = end (import, 500, &memory), number = WIFSIGNALED (status) ? WTERMSIG (status) : 0;
  g_autofree char *reason =
      number != 0 ? g_strdup (g_strsignal (number))
                  : g_strdup_printf (_ ("it ended with the exit status %d and without a result"), WEXITSTATUS (status));

  if (number == SIGXCPU)
    return fail_late (import, error);
  if (number == SIGKILL)
    kg_set_error (
        error, KG_ERROR_LIMIT,
        "%s cannot be read: its reader was killed while it used %.0f MB of memory, as the system does when memory "
        "runs out: close other programs, or use a smaller file",
        import->path, (double) memory / (1 << 20));
  else if (memory >= MUCH_MEMORY)
    kg_set_error (
        error, KG_ERROR_LIMIT,
        "%s cannot be read: its reader stopped (%s) while it used %.0f MB of memory: the file is damaged, or too "
        "large; write it again with the program that made it, or divide it",
        import->path, reason, (double) memory / (1 << 20));
  else
    kg_set_error (error, KG_ERROR_INVALID_FILE,
                  "%s cannot be read: its reader crashed (%s); the file is damaged: write it again with the program "
                  "that made it",
                  import->path, reason);
  return false;
}

bool
kg_import_refuse (const char *path, GError **error)
{
  kg_set_error (error, KG_ERROR_INVALID_FILE,
                "%s cannot be read: its reader sent an invalid reply; the file is damaged, or made to do harm", path);
  return false;
}

/* One message.  fd: (out) -1 for none. */
static bool
receive (KgImport *import, KgImportReply *reply, int *fd, GError **error)
{
  int flags = 0;
  ssize_t n;

  do
    n = kg_import_receive (import->socket, reply, sizeof *reply, fd, &flags);
  while (n < 0 && errno == EINTR);
  if (n <= 0)
    return fail_ended (import, error);
  if (n != (ssize_t) sizeof *reply || (flags & (MSG_TRUNC | MSG_CTRUNC)) ||
      memchr (reply->text, 0, sizeof reply->text) == NULL)
    return kg_import_refuse (import->path, error);
  return true;
}

/* Waits until there is something to read. */
static bool
wait_for (const KgImport *import, int fd, gint64 deadline, const KgProgressMonitor *monitor, GError **error)
{
  struct pollfd waited = { .fd = fd, .events = POLLIN };

  for (;;) {
    const int n = poll (&waited, 1, POLL_MILLISECONDS);

    if (n > 0)
      return true;
    if (kg_progress_is_cancelled (monitor))
      return false;
    if (g_get_monotonic_time () > deadline)
      return fail_late (import, error);
  }
}

/* (transfer full) (nullable) Exactly so many bytes. */
static GBytes *
drain (const KgImport *import, int fd, uint64_t bytes, gint64 deadline, const KgProgressMonitor *monitor,
       GError **error)
{
  g_autofree char *memory = bytes > 0 && bytes <= MAX_BYTES ? (char *) g_try_malloc (bytes) : NULL;
  uint64_t done = 0;

  if (memory == NULL) {
    kg_set_error (error, KG_ERROR_LIMIT, "%s cannot be read: not enough memory for its content", import->path);
    return NULL;
  }
  while (done < bytes) {
    ssize_t n;

    if (!wait_for (import, fd, deadline, monitor, error))
      return NULL;
    n = read (fd, memory + done, bytes - done);
    if (n == 0 || (n < 0 && errno != EINTR)) {
      kg_import_refuse (import->path, error);
      return NULL;
    }
    done += n > 0 ? (uint64_t) n : 0;
  }
  return g_bytes_new_take (g_steal_pointer (&memory), bytes);
}

/* (transfer full) (nullable) Memory that can no longer change; NULL if it still can. */
static GBytes *
map (const KgImport *import, int fd, GError **error)
{
  const int wanted = F_SEAL_SHRINK | F_SEAL_WRITE, seals = fcntl (fd, F_GET_SEALS);
  g_autoptr (GMappedFile) file = NULL;

  if (seals < 0 || (seals & wanted) != wanted) {
    kg_import_refuse (import->path, error);
    return NULL;
  }
  file = g_mapped_file_new_from_fd (fd, FALSE, NULL);
  if (file != NULL)
    return g_mapped_file_get_bytes (file);
  kg_set_error (error, KG_ERROR_LIMIT, "%s cannot be read: not enough memory for its content", import->path);
  return NULL;
}

static bool
take (KgImport *import, const KgImportReply *reply, int fd, gint64 deadline, const KgProgressMonitor *monitor,
      GBytes **memory, GError **error)
{
  struct stat info;

  import->usable = fd < 0;
  if (reply->kind == KG_IMPORT_FAILURE) {
    g_autofree char *text = g_utf8_make_valid (reply->text, -1);

    g_set_error_literal (error, KG_ERROR, reply->code < KG_ERROR_CANCELLED ? (int) reply->code : KG_ERROR_INVALID_FILE,
                         text);
    return false;
  }
  if (reply->kind != KG_IMPORT_RESULT)
    return kg_import_refuse (import->path, error);
  if (fd < 0)
    return true;
  if (fstat (fd, &info) == 0 && S_ISFIFO (info.st_mode))
    *memory = drain (import, fd, reply->bytes, deadline, monitor, error);
  else
    *memory = map (import, fd, error);
  import->usable = *memory != NULL;
  return *memory != NULL;
}

static gint64
find_deadline (const KgImport *import)
{
  GStatBuf info;
  const gint64 bytes = g_stat (import->path, &info) == 0 ? (gint64) info.st_size : 0;

  return g_get_monotonic_time () + (SECONDS + bytes / BYTES_PER_SECOND) * G_USEC_PER_SEC;
}

bool
kg_import_request_with (KgImport *import, const KgImportRequest *request, int with, const KgProgressMonitor *monitor,
                        GPtrArray *warnings, KgImportReply *reply, GBytes **memory, GError **error)
{
  const gint64 deadline = find_deadline (import);
  bool good, waits = true;

  *memory = NULL;
  import->usable = false;
  good = kg_import_send (import->socket, request, sizeof *request, with) || fail_ended (import, error);
  while (good && waits) {
    int fd = -1;

    good = wait_for (import, import->socket, deadline, monitor, error) && receive (import, reply, &fd, error);
    waits = good && (reply->kind == KG_IMPORT_WARNING || reply->kind == KG_IMPORT_PROGRESS);
    if (waits && reply->kind == KG_IMPORT_PROGRESS)
      kg_progress_report (monitor, kg_clamp (reply->done, 0, 1));
    else if (waits && warnings != NULL)
      g_ptr_array_add (warnings, g_utf8_make_valid (reply->text, -1));
    else if (good && !waits)
      good = take (import, reply, fd, deadline, monitor, memory, error);
    if (fd >= 0)
      close (fd);
  }
  return good;
}

bool
kg_import_request (KgImport *import, const KgImportRequest *request, const KgProgressMonitor *monitor,
                   GPtrArray *warnings, KgImportReply *reply, GBytes **memory, GError **error)
{
  return kg_import_request_with (import, request, -1, monitor, warnings, reply, memory, error);
}
