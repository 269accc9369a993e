/* tests/nodes/preset-store: presets as files: what is written where, what is refused and what is said, and conditions.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-condition.h"
#include "kg-preset-store.h"
#include "kineograph.h"

#include <glib/gstdio.h>
#include <sys/stat.h>
#include <unistd.h>

static KgTypes *base;
static char *home;

static const char one[] =
    "{ \"kineograph_preset\": 1, \"id\": \"test/one\", \"version\": 3, \"title\": \"One\", \"thumbnail\": \"seen.png\","
    "  \"renamed\": { \"a\": \"b\" }, \"interface\": { \"outputs\": { \"y\": { \"from\": \"n.output\" } } },"
    "  \"graph\": { \"nodes\": { \"n\": { \"type\": \"value/number\", \"inputs\": { \"value\": 7 } } } } }";
static const char two[] = "{ \"kineograph_preset\": 1, \"id\": \"test/two\", \"graph\": { \"nodes\": { \"i\": {"
                          " \"type\": \"test/one\", \"version\": 3 } } } }";

static void
write_file (const char *path, const char *text)
{
  g_autofree char *folder = g_path_get_dirname (path);

  g_assert_cmpint (g_mkdir_with_parents (folder, 0777), ==, 0);
  g_assert_true (g_file_set_contents (path, text, -1, NULL));
}

static char *
at (const char *name)
{
  return g_build_filename (home, name, NULL);
}

static KgTypes *
load (const char *built_in)
{
  g_autoptr (GPtrArray) problems = kg_problems_new ();
  g_auto (GStrv) folders = kg_preset_dup_folders (NULL, built_in);

  return kg_types_load_presets (base, (const char *const *) folders, problems);
}

static const KgPreset *
find (KgTypes *types, const char *id)
{
  const KgNodeType *type = kg_types_find (types, id);

  return kg_type_get_preset (type);
}

static void
empty (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL) {
    g_autofree char *path = g_build_filename (folder, name, NULL);

    if (g_file_test (path, G_FILE_TEST_IS_DIR) && !g_file_test (path, G_FILE_TEST_IS_SYMLINK))
      empty (path);
    g_remove (path);
  }
}

/* What comes with the program is not written to: copies and versions of it are the user's, with their images. */
static void
test_built_in (void)
{
  g_autofree char *built_in = at ("built-in"), *file = at ("built-in/one.preset.json"),
                  *picture = at ("built-in/seen.png");
  g_autofree char *user = kg_preset_dup_user_folder (), *version = NULL, *copy = NULL, *copied_picture = NULL;
  g_autoptr (KgTypes) types = NULL, again = NULL;
  g_autoptr (GError) error = NULL;
  const KgPreset *preset;

  write_file (file, one);
  write_file (picture, "picture");
  types = load (built_in);
  preset = find (types, "test/one");
  g_assert_false (kg_preset_delete (preset, types, &error));
  g_assert_nonnull (strstr (error->message, "comes with the program"));
  g_clear_error (&error);
  g_assert_true (g_file_test (file, G_FILE_TEST_EXISTS));
  version = kg_preset_store_version (preset, one, types, &error);
  g_assert_no_error (error);
  g_assert_true (g_str_has_prefix (version, user));
  copied_picture = g_build_filename (user, "one.png", NULL);
  g_assert_true (g_file_test (copied_picture, G_FILE_TEST_EXISTS));
  copy = kg_preset_duplicate (preset, types, &error);
  g_assert_no_error (error);
  again = load (built_in);
  g_assert_cmpstr (kg_preset_get_path (find (again, "test/one")), ==, version);
  g_assert_cmpuint (kg_preset_get_version (find (again, "test/one_copy")), ==, 1);
  g_assert_null (kg_preset_get_renamed (find (again, "test/one_copy"), "a"));
  /* The user's is deleted, with its picture, and that of the program is there again. */
  g_assert_true (kg_preset_delete (find (again, "test/one"), again, &error));
  g_assert_no_error (error);
  g_assert_false (g_file_test (copied_picture, G_FILE_TEST_EXISTS));
  kg_types_unref (again);
  again = load (built_in);
  g_assert_cmpstr (kg_preset_get_path (find (again, "test/one")), ==, file);
  empty (home);
}

static void
assert_content (const char *path, const char *text)
{
  g_autofree char *content = NULL;

  g_assert_true (g_file_get_contents (path, &content, NULL, NULL));
  g_assert_cmpstr (content, ==, text);
}

/* Another preset has the file's name already, or something that is none. */
static void
test_names (void)
{
  static const char *const others[] = {
    "{ \"kineograph_preset\": 1, \"id\": \"other/one\", \"graph\": { \"nodes\": {} } }", "{ \"broken\": "
  };
  g_autofree char *user = kg_preset_dup_user_folder (), *taken = g_build_filename (user, "one.preset.json", NULL);

  for (guint i = 0; i < G_N_ELEMENTS (others); i++) {
    g_autoptr (GError) error = NULL;
    g_autofree char *path = NULL;

    write_file (taken, others[i]);
    path = kg_preset_store (one, user, NULL, &error);
    g_assert_no_error (error);
    g_assert_true (g_str_has_suffix (path, "/test_one.preset.json"));
    assert_content (taken, others[i]);
    empty (home);
  }
}

/* A file that has the id but cannot be used may be someone's work: it is not replaced. */
static void
test_broken (void)
{
  static const char broken[] = "{ \"kineograph_preset\": 1, \"id\": \"test/one\", \"graph\": { \"nodes\": 3 } }";
  g_autofree char *user = kg_preset_dup_user_folder (), *file = g_build_filename (user, "one.preset.json", NULL);
  g_autofree char *built_in = at ("built-in"), *original = at ("built-in/one.preset.json"), *path = NULL;
  g_autoptr (KgTypes) types = NULL, again = NULL;
  g_autoptr (GError) error = NULL;

  write_file (original, one);
  types = load (built_in);
  write_file (file, broken);
  g_assert_null (kg_preset_store (one, user, NULL, &error));
  g_assert_nonnull (strstr (error->message, file));
  g_clear_error (&error);
  g_assert_null (kg_preset_store_version (find (types, "test/one"), one, types, &error));
  g_assert_nonnull (strstr (error->message, file));
  g_assert_nonnull (strstr (error->message, "repair it"));
  g_clear_error (&error);
  assert_content (file, broken);
  /* Nor one that is not older, which came there meanwhile. */
  write_file (file, one);
  g_assert_null (kg_preset_store_version (find (types, "test/one"), one, types, &error));
  g_assert_nonnull (strstr (error->message, "version 3"));
  g_clear_error (&error);
  assert_content (file, one);
  /* A copy finds an id that no file has. */
  write_file (file, "{ \"id\": \"test/one_copy\" }");
  path = kg_preset_duplicate (find (types, "test/one"), types, &error);
  g_assert_no_error (error);
  again = load (built_in);
  g_assert_nonnull (find (again, "test/one_copy2"));
  empty (home);
}

/* An image that does not belong to the preset is neither replaced nor deleted. */
static void
test_pictures (void)
{
  g_autofree char *folder = at ("library"), *file = at ("library/one.preset.json"), *seen = at ("library/seen.png");
  g_autofree char *target = at ("sent/x.preset.json"), *mine = at ("sent/x.png"), *beside = at ("sent/x_2.png");
  g_autofree char *other = at ("library/other.preset.json"), *third = at ("sent/x_3.png");
  g_autoptr (GPtrArray) problems = kg_problems_new ();
  g_autoptr (KgTypes) types = NULL;
  g_autoptr (KgPreset) sent = NULL;
  g_autoptr (GError) error = NULL;
  const KgPreset *preset;

  write_file (file, one);
  write_file (seen, "picture");
  write_file (other, "{ \"id\": \"test/other\", \"thumbnail\": \"seen.png\" }");
  write_file (mine, "a painting");
  types = load (folder);
  preset = find (types, "test/one");
  /* Twice: the second time it replaces what it wrote the first time. */
  for (guint i = 0; i < 2; i++) {
    g_clear_pointer (&sent, kg_preset_unref);
    g_assert_true (kg_preset_export (preset, target, &error));
    g_assert_no_error (error);
    assert_content (mine, "a painting");
    assert_content (beside, "picture");
    sent = kg_preset_load (types, target, problems);
    g_assert_cmpstr (kg_preset_get_text (sent, "thumbnail"), ==, "x_2.png");
  }
  g_assert_false (g_file_test (third, G_FILE_TEST_EXISTS));
  g_setenv ("KINEOGRAPH_PRESET_PATH", folder, TRUE);
  kg_types_unref (types);
  types = load (NULL);
  g_assert_true (kg_preset_delete (find (types, "test/one"), types, &error));
  g_assert_no_error (error);
  g_assert_false (g_file_test (file, G_FILE_TEST_EXISTS));
  assert_content (seen, "picture"); /* that of the other too */
  g_setenv ("KINEOGRAPH_PRESET_PATH", "", TRUE);
  empty (home);
}

/* Only regular files are read, up to the limit; the rest is listed. */
static void
test_no_files (void)
{
  g_autofree char *folder = at ("built-in"), *good = at ("built-in/one.preset.json");
  g_autofree char *pipe = at ("built-in/pipe.preset.json"), *inner = at ("built-in/folder.preset.json");
  g_autofree char *device = at ("built-in/zero.preset.json"), *huge = at ("built-in/huge.preset.json");
  const char *const paths[] = { inner, huge, pipe, device };
  static const char *const said[] = { "is a folder", "is longer than", "is a pipe", "is a pipe, a socket or a device" };
  g_autoptr (GPtrArray) problems = kg_problems_new ();
  const char *const folders[] = { folder, NULL };
  g_autoptr (KgTypes) types = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *stored = NULL;

  write_file (good, one);
  write_file (huge, "{}");
  g_assert_cmpint (truncate (huge, ((off_t) 256 << 20) + 1), ==, 0);
  g_assert_cmpint (mkfifo (pipe, 0666), ==, 0);
  g_assert_cmpint (mkdir (inner, 0777), ==, 0);
  g_assert_cmpint (symlink ("/dev/zero", device), ==, 0);
  types = kg_types_load_presets (base, folders, problems);
  g_assert_nonnull (find (types, "test/one"));
  g_assert_cmpuint (problems->len, ==, G_N_ELEMENTS (paths));
  for (guint i = 0; i < G_N_ELEMENTS (paths); i++) {
    const KgProblem *problem = (const KgProblem *) g_ptr_array_index (problems, i);

    g_assert_true (g_str_has_prefix (problem->message, paths[i]));
    g_assert_nonnull (strstr (problem->message, said[i]));
    g_assert_null (kg_preset_import (types, paths[i], NULL, &error));
    g_assert_nonnull (strstr (error->message, said[i]));
    g_clear_error (&error);
  }
  /* Looking for the files that have an id neither. */
  stored = kg_preset_store (two, folder, NULL, &error);
  g_assert_no_error (error);
  empty (home);
}

/* A file in the place of the library: no user can write there. */
static void
test_read_only (void)
{
  g_autofree char *user = kg_preset_dup_user_folder (), *path = NULL, *sent = at ("sent.preset.json");
  g_autoptr (GError) error = NULL;

  write_file (user, "no folder");
  path = kg_preset_store (one, user, NULL, &error);
  g_assert_null (path);
  g_assert_nonnull (strstr (error->message, user));
  g_assert_nonnull (strstr (error->message, "KINEOGRAPH_PRESET_PATH"));
  g_clear_error (&error);
  write_file (sent, one);
  g_assert_null (kg_preset_import (base, sent, NULL, &error));
  g_assert_nonnull (strstr (error->message, user));
  empty (home);
}

/* The user's folder first, then the others that are looked at before it, each once, if they can be written or made. */
static void
test_writable_folders (void)
{
  g_autofree char *graph = at ("graph"), *beside = at ("graph/presets"), *studio = at ("studio"), *file = at ("file");
  g_autofree char *within = at ("file/within"), *built_in = at ("built-in"), *user = kg_preset_dup_user_folder ();
  g_autofree char *twice = g_strconcat (studio, "/../studio", NULL), *closed = at ("closed");
  const char *const all[] = { beside, within, studio, twice, closed, user, built_in, NULL };
  g_autoptr (GPtrArray) problems = kg_problems_new ();
  g_autoptr (KgTypes) types = NULL;
  g_auto (GStrv) folders = NULL;

  g_assert_cmpint (g_mkdir_with_parents (graph, 0777), ==, 0);
  g_assert_cmpint (g_mkdir_with_parents (studio, 0777), ==, 0);
  g_assert_cmpint (g_mkdir_with_parents (built_in, 0777), ==, 0);
  g_assert_cmpint (g_mkdir_with_parents (closed, 0555), ==, 0);
  write_file (file, "no folder");
  types = kg_types_load_presets (base, all, problems);
  folders = kg_preset_dup_writable_folders (types);
  g_assert_cmpstr (folders[0], ==, user);
  g_assert_cmpstr (folders[1], ==, beside);
  g_assert_cmpstr (folders[2], ==, studio);
  /* Whoever may do everything may write there too. */
  g_assert_cmpuint (g_strv_length (folders), ==, access (closed, W_OK) == 0 ? 4 : 3);
  empty (home);
}

static void
test_sent (void)
{
  g_autofree char *user = kg_preset_dup_user_folder (), *first = g_build_filename (user, "one.preset.json", NULL);
  g_autofree char *second = g_build_filename (user, "two.preset.json", NULL), *sent = at ("sent.preset.json");
  g_autofree char *bad = at ("bad.preset.json"), *path = NULL;
  g_autoptr (KgTypes) types = NULL, after = NULL;
  g_autoptr (GError) error = NULL;
  static const struct {
    const char *text, *said;
  } refused[] = { { "{", "bad.preset.json:1:" },
                  { "{ \"kineograph\": 1 }", "not a preset" },
                  { "{ \"kineograph_preset\": 1, \"id\": \"value/number\", \"graph\": { \"nodes\": {} } }",
                    "is a built-in node type" },
                  { one, "version 3" } };

  write_file (first, one);
  write_file (second, two);
  types = load (NULL);
  for (guint i = 0; i < G_N_ELEMENTS (refused); i++) {
    write_file (bad, refused[i].text);
    g_assert_null (kg_preset_import (types, bad, NULL, &error));
    if (strstr (error->message, refused[i].said) == NULL)
      g_error ("%u: %s", i, error->message);
    g_clear_error (&error);
  }
  g_assert_null (kg_preset_import (types, home, NULL, &error));
  g_assert_nonnull (error);
  g_clear_error (&error);
  /* What was exported opens where what it is made of is not known. */
  g_assert_true (kg_preset_export (find (types, "test/two"), sent, &error));
  g_assert_no_error (error);
  g_remove (first);
  g_remove (second);
  path = kg_preset_import (base, sent, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (path, ==, second);
  after = load (NULL);
  g_assert_nonnull (find (after, "test/two"));
  empty (home);
}

/* A copy is beside what it is of, and what is received goes to the library that is asked for, or to where an older version is. */
static void
test_libraries (void)
{
  g_autofree char *studio = at ("studio"), *file = at ("studio/one.preset.json"), *sent = at ("sent.preset.json");
  g_autofree char *copy = NULL, *received = NULL, *beside = NULL, *here = at ("here"),
                  *user = kg_preset_dup_user_folder ();
  g_autofree char *newer = NULL, *in_here = at ("here/one.preset.json"),
                  *two_path = g_build_filename (user, "two.preset.json", NULL);
  const char *const folders[] = { here, studio, user, NULL };
  g_autoptr (GPtrArray) problems = kg_problems_new ();
  g_autoptr (GString) text = g_string_new (one);
  g_autoptr (KgTypes) types = NULL;
  g_autoptr (GError) error = NULL;

  write_file (file, one);
  types = kg_types_load_presets (base, folders, problems);
  copy = kg_preset_duplicate (find (types, "test/one"), types, &error);
  g_assert_no_error (error);
  g_assert_true (g_str_has_prefix (copy, studio));
  g_string_replace (text, "\"version\": 3", "\"version\": 4", 1);
  write_file (sent, text->str);
  newer = kg_preset_import (types, sent, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (newer, ==, file);
  /* Behind that one it would be hidden. */
  g_assert_null (kg_preset_import (types, sent, user, &error));
  g_assert_error (error, KG_ERROR, KG_ERROR_DUPLICATE);
  g_assert_nonnull (strstr (error->message, studio));
  g_clear_error (&error);
  beside = kg_preset_import (types, sent, here, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (beside, ==, in_here);
  /* Once more it would replace what is as new. */
  g_assert_null (kg_preset_import (types, sent, here, &error));
  g_assert_nonnull (strstr (error->message, in_here));
  g_clear_error (&error);
  kg_types_unref (types);
  types = kg_types_load_presets (base, folders, problems);
  write_file (sent, two);
  received = kg_preset_import (types, sent, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (received, ==, two_path);
  empty (home);
}

static void
test_conditions (void)
{
  g_auto (KgValue) sine = kg_value_text ("sine"), cubic = kg_value_text ("cubic"), four = kg_value_number (4);
  g_auto (KgValue) yes = kg_value_boolean (true), no = kg_value_boolean (false);
  g_autoptr (KgCondition) condition = kg_condition_new ("shape = sine|cubic & count!=0|4 & on=true", NULL);
  static const char *const wrong[] = { "", "shape", "=sine", "shape=", "shape=sine|", "shape=sine&", "&", "!=x" };

  g_assert_cmpuint (kg_condition_get_n (condition), ==, 3);
  g_assert_cmpstr (kg_condition_get_input (condition, 0), ==, "shape");
  g_assert_cmpstr (kg_condition_get_input (condition, 1), ==, "count");
  g_assert_true (kg_condition_holds (condition, 0, &sine));
  g_assert_true (kg_condition_holds (condition, 0, &cubic));
  g_assert_false (kg_condition_holds (condition, 1, &four));
  g_assert_true (kg_condition_holds (condition, 2, &yes));
  g_assert_false (kg_condition_holds (condition, 2, &no));
  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++) {
    g_autoptr (GError) error = NULL;

    g_assert_null (kg_condition_new (wrong[i], &error));
    g_assert_nonnull (error);
  }
}

int
main (int argc, char **argv)
{
  g_autofree char *temporary = g_dir_make_tmp ("presets-XXXXXX", NULL);
  int result;

  home = temporary;
  g_setenv ("XDG_DATA_HOME", home, TRUE);
  g_setenv ("KINEOGRAPH_PRESET_PATH", "", TRUE);
  g_test_init (&argc, &argv, NULL);
  base = kg_types_new (kg_node_table);
  g_test_add_func ("/preset-store/built-in", test_built_in);
  g_test_add_func ("/preset-store/names", test_names);
  g_test_add_func ("/preset-store/broken", test_broken);
  g_test_add_func ("/preset-store/pictures", test_pictures);
  g_test_add_func ("/preset-store/no-files", test_no_files);
  g_test_add_func ("/preset-store/read-only", test_read_only);
  g_test_add_func ("/preset-store/writable-folders", test_writable_folders);
  g_test_add_func ("/preset-store/sent", test_sent);
  g_test_add_func ("/preset-store/libraries", test_libraries);
  g_test_add_func ("/preset-store/conditions", test_conditions);
  result = g_test_run ();
  g_rmdir (home);
  return result;
}
