/* kg-state-folder: states of simulations in a folder, the oldest first out.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-state-folder.h"

#include "kg-state-file.h"

#include <errno.h>
#include <glib/gi18n-lib.h>
#include <glib/gstdio.h>
#include <unistd.h>

#define SUFFIX ".kgstate"
#define DIGITS 32
/* A partial file older than this was left behind, in seconds. */
#define LEFT_BEHIND 3600

/* A file that is there. */
typedef struct {
  KgHash key;
  guint64 bytes;
  gint64 written; /* nanoseconds; only while the folder is opened */
  GList link;     /* in by_age; data is the stored one */
} Stored;

struct _KgStateFolder {
  char *path;
  KgCacheOwner owner;
  guint64 budget;
  KgCacheWarning warning;
  gpointer data;
  GMutex lock;
  /* Under the lock. */
  GHashTable *stored; /* KgHash inside Stored -> Stored (owned) */
  GQueue by_age;      /* oldest first */
  guint64 bytes;
  bool broken; /* it cannot be written to: said once */
};

static char *
make_path (const KgStateFolder *folder, KgHash key)
{
  return g_strdup_printf ("%s/%016" G_GINT64_MODIFIER "x%016" G_GINT64_MODIFIER "x" SUFFIX, folder->path, key.a, key.b);
}

/* partial: it is being written. */
static bool
parse_name (const char *name, KgHash *key, bool *partial)
{
  char part[DIGITS / 2 + 1] = "";

  if (strspn (name, "0123456789abcdef") != DIGITS || !g_str_has_prefix (name + DIGITS, SUFFIX))
    return false;
  memcpy (part, name, DIGITS / 2);
  key->a = g_ascii_strtoull (part, NULL, 16);
  memcpy (part, name + DIGITS / 2, DIGITS / 2);
  key->b = g_ascii_strtoull (part, NULL, 16);
  *partial = name[DIGITS + strlen (SUFFIX)] == '.';
  return *partial || name[DIGITS + strlen (SUFFIX)] == '\0';
}

static void
report (const KgStateFolder *folder, const char *message)
{
  if (folder->warning != NULL)
    folder->warning (message, folder->data);
}

/* With the lock held. */
static void
forget (KgStateFolder *folder, Stored *stored)
{
  folder->bytes -= stored->bytes;
  g_queue_unlink (&folder->by_age, &stored->link);
  g_hash_table_remove (folder->stored, &stored->key);
}

static void
remember (KgStateFolder *folder, KgHash key, guint64 bytes, gint64 written)
{
  Stored *stored = (Stored *) g_hash_table_lookup (folder->stored, &key);

  if (stored != NULL)
    forget (folder, stored);
  stored = g_new0 (Stored, 1);
  *stored = (Stored){ .key = key, .bytes = bytes, .written = written };
  stored->link.data = stored;
  folder->bytes += bytes;
  g_queue_push_tail_link (&folder->by_age, &stored->link);
  g_hash_table_insert (folder->stored, &stored->key, stored);
}

static void
make_room (KgStateFolder *folder)
{
  while (folder->bytes > folder->budget && folder->by_age.head != NULL) {
    Stored *oldest = (Stored *) folder->by_age.head->data;
    g_autofree char *path = make_path (folder, oldest->key);

    g_unlink (path);
    forget (folder, oldest);
  }
}

static int
compare_age (gconstpointer a, gconstpointer b, gpointer data)
{
  const Stored *x = a, *y = b;

  (void) data;
  return (x->written > y->written) - (x->written < y->written);
}

static void
scan_folder (KgStateFolder *folder, GDir *dir)
{
  const gint64 now = g_get_real_time () / G_USEC_PER_SEC;
  const char *name;

  while ((name = g_dir_read_name (dir)) != NULL) {
    g_autofree char *path = g_build_filename (folder->path, name, NULL);
    GStatBuf info;
    KgHash key;
    bool partial;

    if (!parse_name (name, &key, &partial) || g_lstat (path, &info) != 0 || !S_ISREG (info.st_mode))
      continue;
    if (!partial)
      remember (folder, key, (guint64) info.st_size,
                (gint64) info.st_mtim.tv_sec * G_GINT64_CONSTANT (1000000000) + info.st_mtim.tv_nsec);
    else if (info.st_mtim.tv_sec < now - LEFT_BEHIND)
      g_unlink (path);
  }
  g_queue_sort (&folder->by_age, compare_age, NULL);
}

/* The owner of a folder can replace all files in it. */
static bool
check_owner (const char *path, GError **error)
{
  GStatBuf info;

  if (g_stat (path, &info) != 0)
    kg_set_error (error, KG_ERROR_IO, "%s: %s", path, g_strerror (errno));
  else if (info.st_uid != geteuid ())
    kg_set_error (
        error, KG_ERROR_IO,
        "the folder %s belongs to another user, who could have put anything into it: use a folder of your own, or kineo --cache-of-others if you trust them",
        path);
  else
    return true;
  return false;
}

KgStateFolder *
kg_state_folder_open (const char *path, KgCacheOwner owner, guint64 budget, KgCacheWarning warning, gpointer data,
                      GError **error)
{
  KgStateFolder *folder;
  GDir *dir;

  if (g_mkdir_with_parents (path, 0700) != 0) {
    kg_set_error (error, KG_ERROR_IO, "the folder %s cannot be created: %s", path, g_strerror (errno));
    return NULL;
  }
  if (owner == KG_CACHE_OWN && !check_owner (path, error))
    return NULL;
  dir = g_dir_open (path, 0, error);
  if (dir == NULL)
    return NULL;
  folder = g_new0 (KgStateFolder, 1);
  folder->path = g_strdup (path);
  folder->owner = owner;
  folder->budget = budget;
  folder->warning = warning;
  folder->data = data;
  folder->stored = g_hash_table_new_full (kg_hash_table_hash, kg_hash_table_equal, NULL, g_free);
  g_queue_init (&folder->by_age);
  g_mutex_init (&folder->lock);
  scan_folder (folder, dir);
  make_room (folder);
  g_dir_close (dir);
  return folder;
}

void
kg_state_folder_free (KgStateFolder *folder)
{
  if (folder == NULL)
    return;
  g_hash_table_unref (folder->stored);
  g_mutex_clear (&folder->lock);
  g_free (folder->path);
  g_free (folder);
}

/* Whether writing it is worthwhile. */
static bool
wants (KgStateFolder *folder, KgHash key)
{
  bool wanted;

  g_mutex_lock (&folder->lock);
  wanted = !folder->broken && !g_hash_table_contains (folder->stored, &key);
  g_mutex_unlock (&folder->lock);
  return wanted;
}

void
kg_state_folder_store (KgStateFolder *folder, KgHash key, const KgResult *state)
{
  g_autofree char *path = make_path (folder, key);
  g_autoptr (GError) error = NULL;
  GStatBuf info = { 0 };
  bool reported = true;

  if (!kg_state_file_can_hold (state) || !wants (folder, key))
    return;
  if (kg_state_file_save (state, key, path, folder->budget, &error) && g_stat (path, &info) == 0) {
    g_mutex_lock (&folder->lock);
    remember (folder, key, (guint64) info.st_size, 0);
    make_room (folder);
    g_mutex_unlock (&folder->lock);
  } else if (error != NULL && !g_error_matches (error, KG_ERROR, KG_ERROR_LIMIT)) {
    /* A full disk stays full for a while: every checkpoint would report it again. */
    g_mutex_lock (&folder->lock);
    reported = folder->broken;
    folder->broken = true;
    g_mutex_unlock (&folder->lock);
  }
  if (!reported)
    report (folder, error->message);
}

KgResult *
kg_state_folder_load (KgStateFolder *folder, KgHash key, const KgNodeType *type)
{
  g_autofree char *path = NULL;
  g_autoptr (GError) error = NULL;
  Stored *stored;
  KgResult *state;
  bool there;

  g_mutex_lock (&folder->lock);
  there = g_hash_table_contains (folder->stored, &key);
  g_mutex_unlock (&folder->lock);
  if (!there)
    return NULL;
  path = make_path (folder, key);
  state = kg_state_file_load (path, key, type, folder->owner, &error);
  if (state != NULL)
    return state;
  g_mutex_lock (&folder->lock);
  stored = (Stored *) g_hash_table_lookup (folder->stored, &key);
  if (stored != NULL)
    forget (folder, stored);
  g_mutex_unlock (&folder->lock);
  /* Another program that shares the folder may have made room. */
  if (!g_error_matches (error, KG_ERROR, KG_ERROR_IO) || g_file_test (path, G_FILE_TEST_EXISTS))
    report (folder, error->message);
  return NULL;
}
