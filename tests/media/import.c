/* media/import: files that hang, crash or deceive the libraries that read them cost an error, and so does a reader that has
 * been taken over by its file.
 *
 * Started with a socket of a reader, this program is such a reader itself: what the file says is how it lies.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-image-file.h"
#include "kg-import-confine.h"
#include "kg-import.h"
#include "kg-mesh-file.h"
#include "kg-movie-reader.h"
#include "kineograph.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <math.h>
#include <stdlib.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Sanitizers reserve more memory than any limit permits, and report a request that is too large themselves. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define LIMITED false
#else
#define LIMITED true
#endif

/* Readers that lie. */

/* seals: whether the memory may still change. */
static void
lie (const KgImportReply *reply, size_t length, const void *bytes, size_t n, bool seals)
{
  struct iovec part = { .iov_base = (void *) (size_t) reply, .iov_len = length };
  union {
    struct cmsghdr header;
    char bytes[CMSG_SPACE (sizeof (int))];
  } control = { .bytes = { 0 } };
  struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };
  const int fd = memfd_create ("lie", MFD_ALLOW_SEALING);

  if (bytes != NULL) {
    g_assert_cmpint (write (fd, bytes, n), ==, n);
    if (seals)
      fcntl (fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_WRITE);
    message.msg_control = &control;
    message.msg_controllen = sizeof control;
    control.header =
        (struct cmsghdr){ .cmsg_len = CMSG_LEN (sizeof fd), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS };
    memcpy (CMSG_DATA (&control.header), &fd, sizeof fd);
  }
  sendmsg (KG_IMPORT_SOCKET, &message, MSG_NOSIGNAL);
}

/* One triangle. */
typedef struct {
  float positions[9];
  uint32_t sizes[1], vertices[3];
} Triangle;

static void
lie_about_mesh (const char *how)
{
  Triangle t = { .positions = { 0, 0, 0, 1, 0, 0, 0, 1, 0 }, .sizes = { 3 }, .vertices = { 0, 1, 2 } };
  KgImportReply reply = { .mesh = { .n_points = 3,
                                    .n_primitives = 1,
                                    .n_vertices = 3,
                                    .n_attributes = 1,
                                    .attributes = { { "P", KG_POINTS, KG_FLOAT32, 3 } } } };
  size_t length = sizeof reply, n = sizeof t;
  const void *bytes = &t;
  bool seals = true;

  if (g_str_equal (how, "short"))
    length = 100;
  else if (g_str_equal (how, "unterminated"))
    memset (reply.text, 'x', sizeof reply.text);
  else if (g_str_equal (how, "kind"))
    reply.kind = 77;
  else if (g_str_equal (how, "no memory"))
    bytes = NULL;
  else if (g_str_equal (how, "unsealed"))
    seals = false;
  else if (g_str_equal (how, "less memory"))
    n -= 4;
  else if (g_str_equal (how, "points"))
    reply.mesh.n_points = (uint64_t) 1 << 62;
  else if (g_str_equal (how, "vertices"))
    reply.mesh.n_vertices = UINT64_MAX;
  else if (g_str_equal (how, "primitives"))
    reply.mesh.n_primitives = UINT64_MAX / 4;
  else if (g_str_equal (how, "attributes"))
    reply.mesh.n_attributes = 4000000000u;
  else if (g_str_equal (how, "name"))
    memset (reply.mesh.attributes[0].name, 'x', sizeof reply.mesh.attributes[0].name);
  else if (g_str_equal (how, "positions as integers"))
    reply.mesh.attributes[0].scalar = KG_INT32;
  else if (g_str_equal (how, "size of P"))
    reply.mesh.attributes[0].size = 255;
  else if (g_str_equal (how, "domain"))
    reply.mesh.attributes[0].domain = 200;
  else if (g_str_equal (how, "no places")) {
    /* A thousand million points for 20 bytes. */
    reply.mesh = (KgImportMesh){ .n_points = (uint64_t) 1 << 30,
                                 .n_primitives = 1,
                                 .n_vertices = 3,
                                 .n_attributes = 1,
                                 .attributes = { { "object", KG_PRIMITIVES, KG_INT32, 1 } } };
    bytes = &t.positions[8];
    n = 5 * sizeof (uint32_t);
  } else if (g_str_equal (how, "index"))
    t.vertices[2] = 3;
  else if (g_str_equal (how, "one corner"))
    t.sizes[0] = 1;
  else if (g_str_equal (how, "many corners"))
    t.sizes[0] = 0x7fffffff;
  else if (g_str_equal (how, "not a number"))
    t.positions[4] = NAN;
  lie (&reply, length, bytes, n, seals);
}

static void
lie_about_image (const char *how)
{
  const uint8_t pixel[20] = { 0 };
  KgImportReply reply = { .image = { .width = 1, .height = 1, .aspect = 1, .layout = KG_IMPORT_RGBA8 } };
  float nan[4] = { NAN, 0, 0, 1 };
  const void *bytes = pixel;
  size_t n = 4;

  if (g_str_equal (how, "layout"))
    reply.image.layout = 99;
  else if (g_str_equal (how, "width"))
    reply.image.width = -1;
  else if (g_str_equal (how, "large"))
    reply.image.width = reply.image.height = (int64_t) 1 << 40;
  else if (g_str_equal (how, "aspect"))
    reply.image.aspect = NAN;
  else if (g_str_equal (how, "more memory"))
    n = 5;
  else if (g_str_equal (how, "not a number")) {
    reply.image.layout = KG_IMPORT_FLOAT;
    bytes = nan;
    n = sizeof nan;
  }
  lie (&reply, sizeof reply, bytes, n, true);
}

static void
lie_about_movie (const char *how)
{
  KgImportReply reply = { .movie = { .n_frames = 3, .rate = 24, .bytes = 1000 } };

  if (g_str_equal (how, "frames"))
    reply.movie.n_frames = -5;
  else if (g_str_equal (how, "rate"))
    reply.movie.rate = NAN;
  else if (g_str_equal (how, "bytes"))
    reply.movie.bytes = UINT64_MAX;
  lie (&reply, sizeof reply, NULL, 0, true);
}

static int
be_a_reader (const char *program, const char *path)
{
  g_autofree char *how = NULL;
  KgImportRequest request;

  if (!g_file_get_contents (path, &how, NULL, NULL))
    return EXIT_FAILURE;
  /* As a terminal that is closed sends it, before the reader could say that it does not want to hear of it. */
  if (g_str_equal (how, "signals")) {
    raise (SIGHUP);
    raise (SIGTERM);
    raise (SIGINT);
  }
  while (recv (KG_IMPORT_SOCKET, &request, sizeof request, 0) == (ssize_t) sizeof request) {
    if (g_str_equal (how, "crash"))
      abort ();
    else if (g_str_equal (how, "end"))
      return EXIT_SUCCESS;
    else if (g_str_equal (how, "close")) {
      close (KG_IMPORT_SOCKET);
      pause ();
    } else if (g_str_equal (how, "wait"))
      pause ();
    else if (g_str_has_suffix (program, "mesh"))
      lie_about_mesh (how);
    else if (g_str_has_suffix (program, "image"))
      lie_about_image (how);
    else
      lie_about_movie (how);
  }
  return EXIT_SUCCESS;
}

/* The tests. */

typedef struct {
  char *folder;
} Fixture;

static void
set_up (Fixture *f, gconstpointer data)
{
  (void) data;
  f->folder = g_dir_make_tmp ("kineographXXXXXX", NULL);
}

static void
clear_folder (const char *folder)
{
  GDir *dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while ((name = g_dir_read_name (dir)) != NULL) {
    g_autofree char *path = g_build_filename (folder, name, NULL);

    if (g_file_test (path, G_FILE_TEST_IS_DIR) && !g_file_test (path, G_FILE_TEST_IS_SYMLINK))
      clear_folder (path);
    else
      g_unlink (path);
  }
  g_dir_close (dir);
  g_rmdir (folder);
}

static void
tear_down (Fixture *f, gconstpointer data)
{
  (void) data;
  /* Every reader has ended and was waited for. */
  g_assert_cmpint (waitpid (-1, NULL, WNOHANG), ==, -1);
  g_assert_cmpint (errno, ==, ECHILD);
  clear_folder (f->folder);
  g_free (f->folder);
}

/* (transfer full) A copy of a hostile file in a folder of its own. */
static char *
copy_hostile (Fixture *f, const char *name)
{
  g_autofree char *from = g_build_filename (g_getenv ("KG_TEST_DATA"), "hostile", name, NULL), *bytes = NULL;
  char *to = g_build_filename (f->folder, name, NULL);
  g_autoptr (GError) error = NULL;
  gsize n;

  g_file_get_contents (from, &bytes, &n, &error);
  g_assert_no_error (error);
  g_file_set_contents (to, bytes, (gssize) n, &error);
  g_assert_no_error (error);
  return to;
}

static void
make_pipe (Fixture *f, const char *name)
{
  g_autofree char *path = g_build_filename (f->folder, name, NULL);

  g_assert_cmpint (mkfifo (path, 0600), ==, 0);
}

static KgGeometry *
load_mesh (const char *path, const char *const *folders, GError **error)
{
  return kg_mesh_load (path, KG_MESH_SPACE_FILE, false, folders, NULL, NULL, error);
}

/* The error names the file and what it refers to. */
static void
check_refused (const char *path, const char *const *folders, const char *word)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (KgGeometry) geometry = load_mesh (path, folders, &error);

  g_assert_null (geometry);
  g_assert_true (error != NULL && error->domain == KG_ERROR);
  g_assert_nonnull (strstr (error->message, path));
  g_assert_nonnull (strstr (error->message, word));
}

/* Assimp looks for the end of these headers for ever. */
static void
test_headers_without_end (Fixture *f, gconstpointer data)
{
  g_autofree char *a = copy_hostile (f, "header-ends.ply"), *b = copy_hostile (f, "no-end-of-header.ply");

  (void) data;
  check_refused (a, NULL, "ends too early");
  check_refused (b, NULL, "ends too early");
}

/* Every way to cut an ordinary file short. */
static void
test_cut_short (Fixture *f, gconstpointer data)
{
  static const char text[] =
      "ply\nformat ascii 1.0\ncomment made by hand\nelement vertex 3\nproperty float x\n"
      "property float y\nproperty float z\nelement face 1\nproperty list uchar int vertex_indices\n"
      "end_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";
  g_autofree char *path = g_build_filename (f->folder, "cut.ply", NULL);

  (void) data;
  for (gssize n = 0; n < (gssize) sizeof text; n += 5) {
    g_autoptr (GError) error = NULL;
    g_autoptr (KgGeometry) geometry = NULL;

    g_file_set_contents (path, text, n, NULL);
    geometry = load_mesh (path, NULL, &error);
    g_assert_true ((geometry == NULL) == (error != NULL));
    g_assert_true (geometry == NULL || kg_geometry_get_n_points (geometry) <= 3);
  }
}

/* A pipe that a file names would be waited for. */
static void
test_pipes (Fixture *f, gconstpointer data)
{
  static const char *const movies[] = { "playlist.m3u8", "list.mp4" };
  g_autofree char *materials = copy_hostile (f, "materials.obj"), *buffer = copy_hostile (f, "buffer.gltf");

  (void) data;
  make_pipe (f, "sfifo.mtl");
  make_pipe (f, "sfifo");
  make_pipe (f, "sfifo.ts");
  check_refused (materials, NULL, "sfifo.mtl");
  check_refused (buffer, NULL, "sfifo");
  for (guint i = 0; i < G_N_ELEMENTS (movies); i++) {
    g_autofree char *path = copy_hostile (f, movies[i]);
    g_autoptr (GError) error = NULL;

    g_assert_null (kg_movie_reader_new (path, NULL, NULL, &error));
    g_assert_true (error != NULL && error->domain == KG_ERROR);
    g_assert_nonnull (strstr (error->message, path));
  }
}

/* Materials that are not there do not matter. */
static void
test_missing_materials (Fixture *f, gconstpointer data)
{
  g_autofree char *path = copy_hostile (f, "materials.obj");
  g_autoptr (GError) error = NULL;
  g_autoptr (KgGeometry) geometry = load_mesh (path, NULL, &error);

  (void) data;
  g_assert_no_error (error);
  g_assert_cmpuint (kg_geometry_get_n_points (geometry), ==, 3);
}

/* What a file names is below its folder, or below one that is permitted; a symbolic link is where it leads to. */
static void
test_outside (Fixture *f, gconstpointer data)
{
  g_autofree char *own = g_build_filename (f->folder, "own", NULL), *bin = g_build_filename (f->folder, "a.bin", NULL);
  g_autofree char *link = g_build_filename (own, "link.bin", NULL), *text = NULL;
  const char *const permitted[] = { f->folder, NULL }, *const uris[] = { "../a.bin", "link.bin" };
  g_autofree char *path = copy_hostile (f, "buffer.gltf"), *inside = g_build_filename (own, "inside.gltf", NULL);
  const float positions[9] = { 0, 0, 0, 1, 0, 0, 0, 1, 0 };

  (void) data;
  g_mkdir (own, 0700);
  g_file_set_contents (bin, (const char *) positions, sizeof positions, NULL);
  g_assert_cmpint (symlink ("../a.bin", link), ==, 0);
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  for (guint i = 0; i < G_N_ELEMENTS (uris); i++) {
    g_autoptr (GString) other = g_string_new (text);
    g_autoptr (GError) error = NULL;
    g_autoptr (KgGeometry) geometry = NULL;

    g_string_replace (other, "sfifo", uris[i], 0);
    g_file_set_contents (inside, other->str, -1, NULL);
    check_refused (inside, NULL, "a.bin");
    geometry = load_mesh (inside, permitted, &error);
    g_assert_no_error (error);
    g_assert_cmpuint (kg_geometry_get_n_points (geometry), ==, 3);
  }
}

/* Points were read from it, wherever the file was. */
static void
test_passwords (Fixture *f, gconstpointer data)
{
  g_autofree char *path = copy_hostile (f, "passwd.gltf"), *text = NULL;
  g_autoptr (GString) other = NULL;

  (void) data;
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  other = g_string_new (text);
  g_string_replace (other, "../../../etc", "../../../../../../../../../../../../etc", 0);
  g_file_set_contents (path, other->str, -1, NULL);
  check_refused (path, NULL, "passwd");
}

/* Memory is not taken for what cannot be in the file. */
static void
test_huge_headers (Fixture *f, gconstpointer data)
{
  static const guint8 huge[] = { 0x89, 'P',  'N',  'G',  13,   10, 26, 10,   0,    0,   0,   13,   'I',  'H', 'D',
                                 'R',  0,    0,    0x3e, 0x80, 0,  0,  0x3e, 0x80, 8,   6,   0,    0,    0,   0x41,
                                 0x7e, 0xdf, 0xde, 0,    0,    0,  4,  'I',  'D',  'A', 'T', 0x78, 0x9c, 0,   0 };
  g_autofree char *exr = copy_hostile (f, "huge-header.exr"), *png = g_build_filename (f->folder, "huge.png", NULL);
  const char *const paths[] = { exr, png };

  (void) data;
  g_file_set_contents (png, (const char *) huge, sizeof huge, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (paths); i++) {
    g_autoptr (GError) error = NULL;

    g_assert_null (kg_image_load (paths[i], NULL, &error));
    g_assert_error (error, KG_ERROR, KG_ERROR_INVALID_FILE);
    g_assert_nonnull (strstr (error->message, paths[i]));
    g_assert_nonnull (strstr (error->message, "cannot be in a file of"));
  }
}

/* Nor for two thousand million points in a line of text. */
static void
test_memory (Fixture *f, gconstpointer data)
{
  static const char text[] = "ply\nformat ascii 1.0\nelement vertex 2000000000\nproperty float x\nproperty float y\n"
                             "property float z\nend_header\n1 2 3\n";
  g_autofree char *path = g_build_filename (f->folder, "many.ply", NULL);

  (void) data;
  g_file_set_contents (path, text, -1, NULL);
  check_refused (path, NULL, LIMITED ? "more memory" : path);
}

/* (transfer full) A file that the readers of this program lie about. */
static char *
write_lie (Fixture *f, const char *how)
{
  static const char *const names[] = { "kineograph-import-mesh", "kineograph-import-image", "kineograph-import-movie" };
  g_autofree char *self = g_file_read_link ("/proc/self/exe", NULL);
  char *path = g_build_filename (f->folder, "lie", NULL);

  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    g_autofree char *program = g_build_filename (f->folder, names[i], NULL);

    g_assert_true (symlink (self, program) == 0 || errno == EEXIST);
  }
  g_setenv ("KINEOGRAPH_PROGRAMS", f->folder, TRUE);
  g_file_set_contents (path, how, -1, NULL);
  return path;
}

static void
check_disbelieved (const char *path, const char *how, const GError *error)
{
  g_test_message ("%s: %s", how, error != NULL ? error->message : "no error");
  g_assert_true (error != NULL && error->domain == KG_ERROR);
  g_assert_nonnull (strstr (error->message, path));
}

static void
test_lies (Fixture *f, gconstpointer data)
{
  static const char *const meshes[] = {
    "crash",        "end",        "close",      "short",       "unterminated",
    "kind",         "no memory",  "unsealed",   "less memory", "points",
    "vertices",     "primitives", "attributes", "name",        "positions as integers",
    "size of P",    "domain",     "index",      "one corner",  "many corners",
    "not a number", "no places",
  };
  static const char *const images[] = { "crash", "layout", "width", "aspect", "more memory", "not a number" };
  static const char *const movies[] = { "crash", "frames", "rate" };

  (void) data;
  for (guint i = 0; i < G_N_ELEMENTS (meshes); i++) {
    g_autofree char *path = write_lie (f, meshes[i]);
    g_autoptr (GError) error = NULL;

    g_assert_null (load_mesh (path, NULL, &error));
    check_disbelieved (path, meshes[i], error);
  }
  for (guint i = 0; i < G_N_ELEMENTS (images); i++) {
    g_autofree char *path = write_lie (f, images[i]);
    g_autoptr (GError) error = NULL;

    g_assert_null (kg_image_load (path, NULL, &error));
    g_assert_true (error != NULL);
  }
  for (guint i = 0; i < G_N_ELEMENTS (movies); i++) {
    g_autofree char *path = write_lie (f, movies[i]);
    g_autoptr (GError) error = NULL;

    g_assert_null (kg_movie_reader_new (path, NULL, NULL, &error));
    check_disbelieved (path, movies[i], error);
  }
  g_unsetenv ("KINEOGRAPH_PROGRAMS");
}

/* The honest reader; the others differ from it in what they change. */
static void
test_truth (Fixture *f, gconstpointer data)
{
  g_autofree char *path = write_lie (f, "the truth");
  g_autoptr (GError) error = NULL;
  g_autoptr (KgGeometry) geometry = load_mesh (path, NULL, &error);
  g_autoptr (KgImage) image = NULL;
  g_autoptr (KgMovieReader) reader = NULL;

  (void) data;
  g_assert_no_error (error);
  g_assert_cmpuint (kg_geometry_get_n_primitives (geometry), ==, 1);
  image = kg_image_load (path, NULL, &error);
  g_assert_no_error (error);
  reader = kg_movie_reader_new (path, NULL, NULL, &error);
  g_assert_no_error (error);
  g_unsetenv ("KINEOGRAPH_PROGRAMS");
}

/* What ends the programs of a terminal is for those that it knows: one that goes on (nohup) needs its readers. */
static void
test_signals (Fixture *f, gconstpointer data)
{
  g_autofree char *path = write_lie (f, "signals");
  g_autoptr (GError) error = NULL;
  g_autoptr (KgGeometry) geometry = load_mesh (path, NULL, &error);
  sigset_t mask;

  (void) data;
  g_assert_no_error (error);
  g_assert_nonnull (geometry);
  g_assert_cmpint (pthread_sigmask (SIG_SETMASK, NULL, &mask), ==, 0);
  g_assert_cmpint (sigismember (&mask, SIGHUP), ==, 0);
  g_unsetenv ("KINEOGRAPH_PROGRAMS");
}

static bool
is_cancelled (gpointer data)
{
  return --*(int *) data < 0;
}

/* A reader that never answers. */
static void
test_cancel (Fixture *f, gconstpointer data)
{
  g_autofree char *path = write_lie (f, "wait");
  int questions = 3;
  const KgProgressMonitor monitor = { .is_cancelled = is_cancelled, .data = &questions };
  g_autoptr (GError) error = NULL;

  (void) data;
  g_assert_null (kg_mesh_load (path, KG_MESH_SPACE_FILE, false, NULL, &monitor, NULL, &error));
  g_assert_no_error (error);
  g_assert_null (kg_image_load (path, &monitor, &error));
  g_assert_no_error (error);
  g_assert_null (kg_movie_reader_new (path, NULL, &monitor, &error));
  g_assert_no_error (error);
  g_unsetenv ("KINEOGRAPH_PROGRAMS");
}

/* Exit status of a process that has dropped its rights: which of them it still has. */
enum { HAS_NONE, HAS_NO_KERNEL_FOR_IT, WRITES, CREATES, REMOVES, RUNS, CANNOT_READ, HAS_NO_MEMORY };

static int
try_all (const char *path, const char *other)
{
  const int memory = kg_import_confine () ? memfd_create ("memory", MFD_ALLOW_SEALING) : -2;

  if (memory == -2)
    return HAS_NO_KERNEL_FOR_IT;
  if (open (path, O_WRONLY) >= 0)
    return WRITES;
  if (open (other, O_RDWR | O_CREAT, 0600) >= 0)
    return CREATES;
  if (unlink (path) == 0)
    return REMOVES;
  execl ("/bin/true", "true", NULL);
  if (errno != EACCES)
    return RUNS;
  if (open (path, O_RDONLY) < 0)
    return CANNOT_READ;
  return memory >= 0 && ftruncate (memory, 1000) == 0 && write (memory, "x", 1) == 1 ? HAS_NONE : HAS_NO_MEMORY;
}

/* What a file could do that has taken over its reader. */
static void
test_confined (Fixture *f, gconstpointer data)
{
  g_autofree char *path = g_build_filename (f->folder, "a", NULL), *other = g_build_filename (f->folder, "b", NULL);
  int status;
  pid_t child;

  (void) data;
  g_file_set_contents (path, "text", -1, NULL);
  child = fork ();
  if (child == 0)
    _exit (try_all (path, other));
  g_assert_cmpint (waitpid (child, &status, 0), ==, child);
  g_assert_true (WIFEXITED (status));
  if (WEXITSTATUS (status) == HAS_NO_KERNEL_FOR_IT)
    g_test_skip ("this kernel has no Landlock");
  else
    g_assert_cmpint (WEXITSTATUS (status), ==, HAS_NONE);
}

static void
test_missing_program (Fixture *f, gconstpointer data)
{
  g_autofree char *path = copy_hostile (f, "materials.obj");

  (void) data;
  g_setenv ("KINEOGRAPH_PROGRAMS", "/nowhere", TRUE);
  check_refused (path, NULL, "kineograph-import-mesh");
  g_unsetenv ("KINEOGRAPH_PROGRAMS");
}

#define ADD(name, function) g_test_add ("/media/import/" name, Fixture, NULL, set_up, function, tear_down)

int
main (int argc, char **argv)
{
  struct stat info;

  if (argc == 2 && fstat (KG_IMPORT_SOCKET, &info) == 0 && S_ISSOCK (info.st_mode))
    return be_a_reader (argv[0], argv[1]);
  g_test_init (&argc, &argv, NULL);
  ADD ("headers-without-end", test_headers_without_end);
  ADD ("cut-short", test_cut_short);
  ADD ("pipes", test_pipes);
  ADD ("missing-materials", test_missing_materials);
  ADD ("outside", test_outside);
  ADD ("passwords", test_passwords);
  ADD ("huge-headers", test_huge_headers);
  ADD ("memory", test_memory);
  ADD ("lies", test_lies);
  ADD ("signals", test_signals);
  ADD ("truth", test_truth);
  ADD ("cancel", test_cancel);
  ADD ("confined", test_confined);
  ADD ("missing-program", test_missing_program);
  return g_test_run ();
}
