/* kg-import-server: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-import-server.h"

#include "config.h"
#include "kg-import-confine.h"

#include <inttypes.h>
#include <errno.h>
#include <fcntl.h>
#include <libintl.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

/* Seconds of the processor for each request, and the bytes of a file for which one more is given. */
#define SECONDS 30
#define BYTES_PER_SECOND 200000
/* The same for what comes with a request. */
#define INPUT_BYTES_PER_SECOND 1000000
/* Memory that a file may take for each of its bytes, besides what a small one may. */
#define MEMORY_PER_BYTE 64
/* The largest result: an image of the largest size with depth. */
#define MAX_RESULT ((rlim_t) 6 << 30)
#define MAX_FILES 256

struct _KgImportServer {
  const KgImportReader *reader;
  const char *path;
  GPtrArray *folders; /* char *: real paths */
  uint64_t size, opened;
  void *memory; /* (nullable) of the result */
  uint64_t memory_bytes;
  int memory_fd; /* -1: the memory cannot be shared */
  int input_fd;  /* -1: nothing came with the request */
  void *input;   /* (nullable) */
  uint64_t input_bytes;
  double reported;
};

/* Limits. */

static void
set_limit (int which, rlim_t limit)
{
  struct rlimit now;

  if (getrlimit (which, &now) == 0) {
    now.rlim_cur = MIN (limit, now.rlim_max);
    setrlimit (which, &now);
  }
}

static void
limit_seconds (const KgImportServer *server)
{
  struct rusage usage;

  getrusage (RUSAGE_SELF, &usage);
  set_limit (RLIMIT_CPU, (rlim_t) (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) + SECONDS +
                             server->opened / BYTES_PER_SECOND + server->input_bytes / INPUT_BYTES_PER_SECOND);
}

/* The memory of the machine is the most, so that it does not begin to swap.  Sanitizers reserve more than any limit. */
static void
limit_memory (const KgImportServer *server)
{
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  const uint64_t machine = (uint64_t) sysconf (_SC_PHYS_PAGES) * (uint64_t) sysconf (_SC_PAGESIZE);

  set_limit (RLIMIT_DATA, MIN (machine, server->reader->memory + MEMORY_PER_BYTE * server->opened));
#else
  (void) server;
#endif
}

static void
limit (const KgImportServer *server)
{
  set_limit (RLIMIT_CORE, 0);
  set_limit (RLIMIT_FSIZE, MAX_RESULT);
  set_limit (RLIMIT_NOFILE, MAX_FILES);
  limit_seconds (server);
  limit_memory (server);
  signal (SIGXFSZ, SIG_IGN);
  signal (SIGPIPE, SIG_IGN);
  /* The terminal interrupts all programs in it: what becomes of this one is the decision of the one that started it. */
  signal (SIGINT, SIG_IGN);
  signal (SIGHUP, SIG_IGN);
}

/* Files. */

static bool
is_below (const char *path, const char *folder)
{
  const size_t n = strlen (folder);

  return strncmp (path, folder, n) == 0 && (path[n] == '/' || path[n] == '\0' || g_str_equal (folder, "/"));
}

static bool
is_permitted (const KgImportServer *server, const char *path, const char *real)
{
  if (g_str_equal (path, server->path))
    return true;
  for (guint i = 0; i < server->folders->len; i++)
    if (is_below (real, (const char *) server->folders->pdata[i]))
      return true;
  return false;
}

/* Looks at what is at the path without opening it for reading, which may wait and have effects: then the same, and nothing
 * that took its place, is opened. */
static int
open_known (KgImportServer *server, const char *path, int known, GError **error)
{
  g_autofree char *link = g_strdup_printf ("/proc/self/fd/%d", known);
  g_autofree char *real = g_file_read_link (link, NULL);
  struct stat info;
  int fd;

  if (real == NULL || fstat (known, &info) != 0)
    kg_set_error (error, KG_ERROR_IO, "%s: %s", path, g_strerror (errno));
  else if (!is_permitted (server, path, real)) {
    /* What leads to a folder is not made good by permission to read around it. */
    g_autofree char *folder = S_ISDIR (info.st_mode) ? g_strdup (real) : g_path_get_dirname (real);

    kg_set_error (error, KG_ERROR_REFUSED,
                  "%s refers to %s, which is outside its folder: move it there, or permit reading its folder "
                  "(kineo: --allow-path %s)",
                  server->path, real, folder);
  } else if (S_ISDIR (info.st_mode))
    kg_set_error (error, KG_ERROR_REFUSED, "%s refers to %s, which is a folder: name a file in it", server->path, real);
  else if (!S_ISREG (info.st_mode))
    kg_set_error (error, KG_ERROR_REFUSED,
                  "%s refers to %s, which is not a regular file: replace it with one, or remove it", server->path,
                  real);
  else {
    fd = open (link, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
      server->opened += (uint64_t) info.st_size;
      if (g_str_equal (path, server->path))
        server->size = (uint64_t) info.st_size;
      limit_seconds (server);
      limit_memory (server);
      return fd;
    }
    kg_set_error (error, KG_ERROR_IO, "%s: %s", path, g_strerror (errno));
  }
  return -1;
}

int
kg_import_open (KgImportServer *server, const char *path, GError **error)
{
  const int known = open (path, O_PATH | O_CLOEXEC);
  int fd;

  if (known < 0) {
    kg_set_error (error, errno == ENOENT || errno == ENOTDIR ? KG_ERROR_UNKNOWN_NAME : KG_ERROR_IO, "%s: %s", path,
                  g_strerror (errno));
    return -1;
  }
  fd = open_known (server, path, known, error);
  close (known);
  return fd;
}

const char *
kg_import_get_path (const KgImportServer *server)
{
  return server->path;
}

uint64_t
kg_import_get_size (const KgImportServer *server)
{
  return server->size;
}

/* A folder that is not there holds no files. */
static void
add_folder (KgImportServer *server, const char *folder)
{
  char *real = realpath (folder, NULL);

  if (real != NULL)
    g_ptr_array_add (server->folders, g_strdup (real));
  free (real);
}

/* The result. */

void *
kg_import_take_memory (KgImportServer *server, uint64_t bytes, GError **error)
{
  g_return_val_if_fail (server->memory == NULL, NULL);
  server->memory_bytes = MAX (bytes, 1);
  server->memory_fd = memfd_create ("kineograph-import", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (server->memory_fd >= 0 && ftruncate (server->memory_fd, (off_t) server->memory_bytes) == 0) {
    server->memory = mmap (NULL, server->memory_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, server->memory_fd, 0);
    if (server->memory != MAP_FAILED)
      return server->memory;
    server->memory = NULL;
  } else if (server->memory_fd >= 0 && errno == EFBIG) {
    close (server->memory_fd);
    server->memory_fd = -1;
    server->memory = g_try_malloc0 (server->memory_bytes);
    if (server->memory != NULL)
      return server->memory;
  }
  kg_set_error (error, KG_ERROR_LIMIT, "%s: no memory for %" PRIu64 " bytes: use a smaller file", server->path, bytes);
  return NULL;
}

void *
kg_import_get_input (KgImportServer *server, uint64_t bytes, GError **error)
{
  struct stat info;

  g_return_val_if_fail (server->input == NULL, NULL);
  if (server->input_fd >= 0 && bytes > 0 && fstat (server->input_fd, &info) == 0 && (uint64_t) info.st_size == bytes) {
    server->input = mmap (NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE, server->input_fd, 0);
    if (server->input == MAP_FAILED)
      server->input = NULL;
    server->input_bytes = bytes;
    limit_seconds (server);
  }
  if (server->input == NULL)
    kg_set_error (error, KG_ERROR_LIMIT, "%s: no memory for %" PRIu64 " bytes: use smaller images", server->path,
                  bytes);
  return server->input;
}

static void
drop_memory (KgImportServer *server)
{
  if (server->input != NULL)
    munmap (server->input, server->input_bytes);
  server->input = NULL;
  server->input_bytes = 0;
  if (server->input_fd >= 0)
    close (server->input_fd);
  server->input_fd = -1;
  server->reported = 0;
  if (server->memory_fd < 0)
    g_free (server->memory);
  else if (server->memory != NULL)
    munmap (server->memory, server->memory_bytes);
  server->memory = NULL;
  if (server->memory_fd >= 0)
    close (server->memory_fd);
  server->memory_fd = -1;
}

/* Messages. */

/* fd: -1 for none. */
static void
send_reply (const KgImportReply *reply, int fd)
{
  if (!kg_import_send (KG_IMPORT_SOCKET, reply, sizeof *reply, fd))
    _exit (EXIT_FAILURE);
}

/* All of the memory, as fast as it is read. */
static void
send_through_pipe (const KgImportServer *server, const KgImportReply *reply)
{
  uint64_t done = 0;
  int ends[2];

  if (pipe2 (ends, O_CLOEXEC) != 0)
    _exit (EXIT_FAILURE);
  send_reply (reply, ends[0]);
  close (ends[0]);
  while (done < server->memory_bytes) {
    const ssize_t n = write (ends[1], (const char *) server->memory + done, server->memory_bytes - done);

    if (n < 0 && errno != EINTR)
      _exit (EXIT_FAILURE);
    done += n > 0 ? (uint64_t) n : 0;
  }
  close (ends[1]);
}

static void
send_result (KgImportServer *server, KgImportReply *reply)
{
  reply->kind = KG_IMPORT_RESULT;
  if (server->memory == NULL) {
    send_reply (reply, -1);
    return;
  }
  reply->bytes = server->memory_bytes;
  if (server->memory_fd < 0) {
    send_through_pipe (server, reply);
    return;
  }
  /* From here on it cannot be changed. */
  munmap (server->memory, server->memory_bytes);
  server->memory = NULL;
  fcntl (server->memory_fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL);
  send_reply (reply, server->memory_fd);
}

static void
send_text (KgImportKind kind, uint32_t code, const char *text)
{
  g_autofree KgImportReply *reply = g_new0 (KgImportReply, 1);

  reply->kind = kind;
  reply->code = code;
  g_strlcpy (reply->text, text, sizeof reply->text);
  send_reply (reply, -1);
}

void
kg_import_warn (KgImportServer *server, const char *text)
{
  (void) server;
  send_text (KG_IMPORT_WARNING, 0, text);
}

void
kg_import_report (KgImportServer *server, double done)
{
  g_autofree KgImportReply *reply = NULL;

  /* Not more often than is seen. */
  if (!(done >= server->reported + 0.01 && done <= 1))
    return;
  server->reported = done;
  reply = g_new0 (KgImportReply, 1);
  reply->kind = KG_IMPORT_PROGRESS;
  reply->done = done;
  send_reply (reply, -1);
}

void
kg_import_abort (KgImportServer *server, const GError *error)
{
  (void) server;
  send_text (KG_IMPORT_FAILURE, (uint32_t) error->code, error->message);
  _exit (EXIT_SUCCESS);
}

static void
answer (KgImportServer *server, const KgImportRequest *request)
{
  g_autofree KgImportReply *reply = g_new0 (KgImportReply, 1);
  g_autoptr (GError) error = NULL;

  limit_seconds (server);
  if (server->reader->answer (server, request, reply, &error))
    send_result (server, reply);
  else
    send_text (KG_IMPORT_FAILURE, error != NULL ? (uint32_t) error->code : KG_ERROR_INVALID_FILE,
               error != NULL ? error->message : "");
  drop_memory (server);
}

/* A program that has lost the one it works for ends, also in the middle of a request. */
static gpointer
wait_for_end (gpointer data)
{
  struct pollfd socket = { .fd = KG_IMPORT_SOCKET };

  (void) data;
  while (poll (&socket, 1, -1) < 0 && errno == EINTR)
    continue;
  _exit (EXIT_SUCCESS);
}

int
kg_import_serve (int argc, char **argv, const KgImportReader *reader)
{
  KgImportServer server = { .reader = reader, .memory_fd = -1, .input_fd = -1 };
  KgImportRequest request;
  struct stat info;
  int flags;

  if (argc < 2 || fstat (KG_IMPORT_SOCKET, &info) != 0 || !S_ISSOCK (info.st_mode)) {
    g_printerr ("%s is started by kineo and kineograph to read foreign files\n", argv[0]);
    return EXIT_FAILURE;
  }
  /* What the program that started this one has open is none of its business. */
  close_range (KG_IMPORT_SOCKET + 1, ~0U, 0);
  setlocale (LC_CTYPE, "");
  setlocale (LC_MESSAGES, "");
  bindtextdomain (GETTEXT_PACKAGE, KG_LOCALE_DIR);
  bind_textdomain_codeset (GETTEXT_PACKAGE, "UTF-8");
  server.path = argv[1];
  server.folders = g_ptr_array_new_with_free_func (g_free);
  {
    g_autofree char *own = g_path_get_dirname (server.path);

    add_folder (&server, own);
  }
  for (int i = 2; i < argc; i++)
    add_folder (&server, argv[i]);
  limit (&server);
  /* Where the kernel cannot enforce this, the limits remain. */
  kg_import_confine ();
  g_thread_unref (g_thread_new ("end", wait_for_end, NULL));
  for (;;) {
    const ssize_t n = kg_import_receive (KG_IMPORT_SOCKET, &request, sizeof request, &server.input_fd, &flags);

    if (n == (ssize_t) sizeof request)
      answer (&server, &request);
    else if (n >= 0 || errno != EINTR)
      break;
  }
  g_ptr_array_unref (server.folders);
  return EXIT_SUCCESS;
}
