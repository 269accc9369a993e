/* kg-recovery: see the header.
 *
 * <id>.info is locked and therefore never replaced: it is small, is written over in place, and is not needed to get
 * the work back.  <id>.json is only ever replaced as a whole.  The information is there, and locked, before the copy
 * is: no other program can see a copy without an owner.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-recovery.h"

#include "config.h"
#include "kg-regular-file.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEFAULT_INTERVAL 20.0 /* seconds */
#define GROUP "recovery"
#define COPY_SUFFIX ".json"
#define INFO_SUFFIX ".info"
/* The copy that a recovered document came from. */
#define ORIGIN "kg-recovery-origin"

enum { FAILED, RECOVERED, N_SIGNALS };

static guint signals[N_SIGNALS];

struct _KgRecovery {
  GObject parent_instance;
  KgDocument *document;
  char *copy, *info; /* (nullable) paths, from the first copy on */
  int lock;          /* the open info; -1 */
  double interval;
  guint timer;
  guint64 serial; /* of the document in the copy */
  bool has_copy, has_failed;
};

G_DEFINE_FINAL_TYPE (KgRecovery, kg_recovery, G_TYPE_OBJECT)

/* Files. */

static char *
get_folder (void)
{
  return g_build_filename (g_get_user_state_dir (), "kineograph", "recovery", NULL);
}

/* (transfer full) The path of the other file of a pair. */
static char *
swap_suffix (const char *path, const char *suffix)
{
  const char *dot = strrchr (path, '.');

  return g_strdup_printf ("%.*s%s", (int) (dot - path), path, suffix);
}

/* File systems without locks. */
static bool
lock_is_unsupported (int code)
{
  return code == ENOLCK || code == EOPNOTSUPP || code == ENOSYS || code == EINVAL;
}

static bool
process_has_ended (const char *info)
{
  g_autoptr (GKeyFile) file = g_key_file_new ();
  int pid;

  if (!g_key_file_load_from_file (file, info, G_KEY_FILE_NONE, NULL))
    return true;
  pid = g_key_file_get_integer (file, GROUP, "pid", NULL);
  return pid <= 0 || (kill (pid, 0) != 0 && errno == ESRCH);
}

/* False when the file was removed, and perhaps made again, between opening and locking it. */
static bool
is_still (int fd, const char *path)
{
  struct stat opened, there;

  return fstat (fd, &opened) == 0 && g_stat (path, &there) == 0 && opened.st_ino == there.st_ino &&
         opened.st_dev == there.st_dev;
}

/* operation: LOCK_EX to own the copy, LOCK_SH to see whether anybody does.  The descriptor that holds the lock, or -1;
 * errno is then 0 if another program has it. */
static int
take_lock (const char *info, int operation)
{
  for (guint try = 0; try < 10; try++) {
    const int fd = g_open (info, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    int code;

    if (fd < 0)
      return -1;
    if (flock (fd, operation | LOCK_NB) == 0) {
      if (is_still (fd, info))
        return fd;
      close (fd);
      continue;
    }
    code = errno;
    if (lock_is_unsupported (code) && process_has_ended (info))
      return fd;
    close (fd);
    errno = code == EWOULDBLOCK || lock_is_unsupported (code) ? 0 : code;
    return -1;
  }
  errno = EAGAIN;
  return -1;
}

static bool
fail (const char *path, int code, GError **error)
{
  g_autofree char *name = g_filename_display_name (path);

  kg_set_error (error, KG_ERROR_IO, "%s cannot be written: %s", name, g_strerror (code));
  return false;
}

/* Gives the document files of its own, or the ones it was recovered from. */
static bool
open_files (KgRecovery *self, GError **error)
{
  const char *origin = g_object_get_data (G_OBJECT (self->document), ORIGIN);
  g_autofree char *folder = get_folder (), *id = NULL;

  if (self->lock >= 0)
    return true;
  g_clear_pointer (&self->copy, g_free);
  g_clear_pointer (&self->info, g_free);
  if (origin != NULL) {
    self->copy = g_strdup (origin);
    self->info = swap_suffix (origin, INFO_SUFFIX);
    g_object_set_data (G_OBJECT (self->document), ORIGIN, NULL);
    self->lock = take_lock (self->info, LOCK_EX);
    if (self->lock >= 0)
      return true;
    g_clear_pointer (&self->copy, g_free);
    g_clear_pointer (&self->info, g_free);
  }
  if (g_mkdir_with_parents (folder, 0700) != 0)
    return fail (folder, errno, error);
  id = g_uuid_string_random ();
  self->copy = g_strconcat (folder, "/", id, COPY_SUFFIX, NULL);
  self->info = g_strconcat (folder, "/", id, INFO_SUFFIX, NULL);
  self->lock = take_lock (self->info, LOCK_EX);
  return self->lock >= 0 || fail (self->info, errno, error);
}

/* The copy first: what remains of an interrupted removal is an info without a copy, which is nothing. */
static void
close_files (KgRecovery *self, bool remove)
{
  if (self->lock < 0)
    return;
  if (remove) {
    g_unlink (self->copy);
    g_unlink (self->info);
  }
  close (self->lock);
  self->lock = -1;
}

static void
set_text (GKeyFile *file, const char *key, const char *text)
{
  /* Names of files need not be UTF-8, key files must be. */
  g_autofree char *escaped = text != NULL ? g_uri_escape_string (text, "/ ", TRUE) : NULL;

  if (escaped != NULL)
    g_key_file_set_string (file, GROUP, key, escaped);
}

static char *
get_text (GKeyFile *file, const char *key)
{
  g_autofree char *escaped = g_key_file_get_string (file, GROUP, key, NULL);

  return escaped != NULL ? g_uri_unescape_string (escaped, NULL) : NULL;
}

static bool
write_info (KgRecovery *self, GError **error)
{
  g_autoptr (GKeyFile) file = g_key_file_new ();
  const char *path = kg_document_get_path (self->document);
  g_autofree char *full = path != NULL ? g_canonicalize_filename (path, NULL) : NULL;
  g_autofree char *title = kg_document_dup_name (self->document), *text = NULL;
  gsize length;

  set_text (file, "path", full);
  set_text (file, "folder", kg_graph_get_folder (kg_document_get_graph (self->document)));
  set_text (file, "title", title);
  g_key_file_set_int64 (file, GROUP, "time", g_get_real_time () / G_USEC_PER_SEC);
  g_key_file_set_integer (file, GROUP, "pid", (int) getpid ());
  text = g_key_file_to_data (file, &length, NULL);
  if (pwrite (self->lock, text, length, 0) != (gssize) length || ftruncate (self->lock, (off_t) length) != 0)
    return fail (self->info, errno, error);
  return true;
}

/* Saving. */

bool
kg_recovery_save_now (KgRecovery *self, GError **error)
{
  const guint64 serial = kg_document_get_serial (self->document);
  g_autoptr (GError) problem = NULL;
  g_autofree char *text = NULL;

  if (!kg_document_is_modified (self->document) || (self->has_copy && serial == self->serial))
    return true;
  if (!open_files (self, error) || !write_info (self, error))
    return false;
  text = kg_graph_to_text (kg_document_get_graph (self->document));
  if (!g_file_set_contents_full (self->copy, text, -1, G_FILE_SET_CONTENTS_CONSISTENT, 0600, &problem)) {
    g_set_error_literal (error, KG_ERROR, KG_ERROR_IO, problem->message);
    return false;
  }
  self->serial = serial;
  self->has_copy = true;
  return true;
}

static gboolean
on_timer (gpointer data)
{
  KgRecovery *self = KG_RECOVERY (data);
  g_autoptr (GError) error = NULL;

  if (!kg_recovery_save_now (self, &error)) {
    self->has_failed = true;
    g_signal_emit (self, signals[FAILED], 0, error->message);
    return G_SOURCE_CONTINUE;
  }
  if (self->has_failed) {
    self->has_failed = false;
    g_signal_emit (self, signals[RECOVERED], 0);
  }
  self->timer = 0;
  return G_SOURCE_REMOVE;
}

static void
start_timer (KgRecovery *self)
{
  if (self->timer == 0 && kg_document_is_modified (self->document))
    self->timer = g_timeout_add ((guint) (self->interval * 1000), on_timer, self);
}

static void
on_state_changed (KgRecovery *self)
{
  if (!kg_document_is_modified (self->document))
    kg_recovery_clear (self);
  else
    start_timer (self);
}

void
kg_recovery_clear (KgRecovery *self)
{
  /* A document that was recovered and is saved or discarded at once has not yet taken its copy. */
  if (g_object_get_data (G_OBJECT (self->document), ORIGIN) != NULL)
    open_files (self, NULL);
  close_files (self, true);
  g_clear_handle_id (&self->timer, g_source_remove);
  self->has_copy = false;
  self->has_failed = false;
}

void
kg_recovery_set_interval (KgRecovery *self, double seconds)
{
  self->interval = MAX (seconds, 0.001);
  g_clear_handle_id (&self->timer, g_source_remove);
  if (!self->has_copy || self->serial != kg_document_get_serial (self->document))
    start_timer (self);
}

/* The object. */

static void
kg_recovery_finalize (GObject *object)
{
  KgRecovery *self = KG_RECOVERY (object);

  g_clear_handle_id (&self->timer, g_source_remove);
  close_files (self, false);
  g_object_unref (self->document);
  g_free (self->copy);
  g_free (self->info);
  G_OBJECT_CLASS (kg_recovery_parent_class)->finalize (object);
}

static void
kg_recovery_class_init (KgRecoveryClass *class)
{
  G_OBJECT_CLASS (class)->finalize = kg_recovery_finalize;
  signals[FAILED] =
      g_signal_new ("failed", KG_TYPE_RECOVERY, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
  signals[RECOVERED] =
      g_signal_new ("recovered", KG_TYPE_RECOVERY, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
kg_recovery_init (KgRecovery *self)
{
  self->lock = -1;
  self->interval = DEFAULT_INTERVAL;
}

KgRecovery *
kg_recovery_new (KgDocument *document)
{
  KgRecovery *self = KG_RECOVERY (g_object_new (KG_TYPE_RECOVERY, NULL));

  self->document = g_object_ref (document);
  g_signal_connect_object (document, "changed", G_CALLBACK (start_timer), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (document, "state-changed", G_CALLBACK (on_state_changed), self, G_CONNECT_SWAPPED);
  /* What was recovered is in the copy already: only the lock is taken, so that no other program recovers it. */
  if (g_object_get_data (G_OBJECT (document), ORIGIN) != NULL && open_files (self, NULL) && write_info (self, NULL) &&
      g_file_test (self->copy, G_FILE_TEST_EXISTS)) {
    self->serial = kg_document_get_serial (document);
    self->has_copy = true;
  } else {
    start_timer (self);
  }
  return self;
}

/* Finding. */

static void
entry_free (gpointer data)
{
  KgRecoveryEntry *entry = (KgRecoveryEntry *) data;

  g_free (entry->file);
  g_free (entry->path);
  g_free (entry->folder);
  g_free (entry->title);
  g_free (entry);
}

/* (nullable) NULL when it belongs to a program that runs. */
static KgRecoveryEntry *
read_entry (const char *copy)
{
  g_autofree char *info = swap_suffix (copy, INFO_SUFFIX);
  g_autoptr (GKeyFile) file = g_key_file_new ();
  const int lock = take_lock (info, LOCK_SH);
  g_autofree char *title = NULL;
  KgRecoveryEntry *entry;
  struct stat status;

  if (lock < 0 && errno == 0)
    return NULL;
  if (lock >= 0)
    close (lock);
  if (g_stat (copy, &status) != 0 || !S_ISREG (status.st_mode))
    return NULL;
  entry = g_new0 (KgRecoveryEntry, 1);
  entry->file = g_strdup (copy);
  entry->time = status.st_mtime;
  if (g_key_file_load_from_file (file, info, G_KEY_FILE_NONE, NULL)) {
    entry->path = get_text (file, "path");
    entry->folder = get_text (file, "folder");
    title = get_text (file, "title");
  }
  /* What is damaged need not be UTF-8, what is shown must be. */
  entry->title = title != NULL ? g_utf8_make_valid (title, -1) : g_strdup (_ ("Untitled"));
  entry->file_is_newer = entry->path != NULL && g_stat (entry->path, &status) == 0 && status.st_mtime > entry->time;
  return entry;
}

/* What is left of a removal that was interrupted. */
static void
remove_lone_info (const char *info)
{
  g_autofree char *copy = swap_suffix (info, COPY_SUFFIX);
  int lock;

  if (g_file_test (copy, G_FILE_TEST_EXISTS))
    return;
  lock = take_lock (info, LOCK_EX);
  if (lock < 0)
    return;
  if (!g_file_test (copy, G_FILE_TEST_EXISTS))
    g_unlink (info);
  close (lock);
}

static int
compare_entries (gconstpointer a, gconstpointer b)
{
  const KgRecoveryEntry *const *x = a, *const *y = b;

  return (*x)->time != (*y)->time ? ((*x)->time < (*y)->time ? 1 : -1) : g_strcmp0 ((*x)->file, (*y)->file);
}

GPtrArray *
kg_recovery_find (void)
{
  GPtrArray *entries = g_ptr_array_new_with_free_func (entry_free);
  g_autofree char *folder = get_folder ();
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL) {
    g_autofree char *path = g_build_filename (folder, name, NULL);

    if (g_str_has_suffix (name, COPY_SUFFIX)) {
      KgRecoveryEntry *entry = read_entry (path);

      if (entry != NULL)
        g_ptr_array_add (entries, entry);
    } else if (g_str_has_suffix (name, INFO_SUFFIX)) {
      remove_lone_info (path);
    }
  }
  g_ptr_array_sort (entries, compare_entries);
  return entries;
}

KgDocument *
kg_recovery_open (KgTypes *types, const KgRecoveryEntry *entry, GPtrArray *problems)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *text = kg_regular_file_read (entry->file, "a graph", NULL, &error);
  KgDocument *document;

  if (text == NULL) {
    kg_problems_add (problems, NULL, "", "%s", error->message);
    return NULL;
  }
  document = kg_document_parse (types, text, entry->folder, problems);
  if (document == NULL)
    return NULL;
  if (entry->path != NULL) {
    kg_document_set_path (document, entry->path);
    kg_document_set_file_differs (document, entry->file_is_newer);
  }
  kg_document_set_modified (document);
  g_object_set_data_full (G_OBJECT (document), ORIGIN, g_strdup (entry->file), g_free);
  return document;
}

void
kg_recovery_discard (const KgRecoveryEntry *entry)
{
  g_autofree char *info = swap_suffix (entry->file, INFO_SUFFIX);
  const int lock = take_lock (info, LOCK_EX);

  if (lock < 0)
    return;
  g_unlink (entry->file);
  g_unlink (info);
  close (lock);
}
