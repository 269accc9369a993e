/* import-mesh: meshes through Assimp.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-geometry.h"
#include "kg-import-server.h"
#include "kg-mesh-space.h"

#include <assimp/cfileio.h>
#include <assimp/cimport.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Files.  Assimp opens none by itself: it asks for those that it wants. */

/* More attempts to read beyond the end than a correct reader makes.  Some of Assimp's readers never check for it. */
#define MAX_ATTEMPTS 10000

typedef struct {
  KgImportServer *server;
  GError *refusal; /* (nullable) of the first file that was not permitted */
} Files;

typedef struct {
  struct aiFile interface; /* first: Assimp gives it back */
  Files *files;
  FILE *stream;
  guint attempts;
} File;

static size_t
read_bytes (struct aiFile *interface, char *bytes, size_t size, size_t n)
{
  File *file = (File *) interface;
  const size_t got = fread (bytes, size, n, file->stream);

  file->attempts = got > 0 || size == 0 || n == 0 ? 0 : file->attempts + 1;
  if (file->attempts > MAX_ATTEMPTS) {
    const char *path = kg_import_get_path (file->files->server);

    kg_import_abort (file->files->server,
                     kg_error_new (KG_ERROR_INVALID_FILE,
                                   "%s ends too early: it is damaged; write it again with the program that made it",
                                   path));
  }
  return got;
}

static size_t
write_bytes (struct aiFile *interface, const char *bytes, size_t size, size_t n)
{
  (void) interface;
  (void) bytes;
  (void) size;
  (void) n;
  return 0;
}

static size_t
tell (struct aiFile *interface)
{
  return (size_t) ftello (((File *) interface)->stream);
}

static size_t
get_size (struct aiFile *interface)
{
  struct stat info;

  return fstat (fileno (((File *) interface)->stream), &info) == 0 ? (size_t) info.st_size : 0;
}

static aiReturn
seek (struct aiFile *interface, size_t offset, enum aiOrigin origin)
{
  const int from = origin == aiOrigin_SET ? SEEK_SET : origin == aiOrigin_CUR ? SEEK_CUR : SEEK_END;

  return fseeko (((File *) interface)->stream, (off_t) offset, from) == 0 ? aiReturn_SUCCESS : aiReturn_FAILURE;
}

static void
flush (struct aiFile *interface)
{
  (void) interface;
}

/* Assimp handles missing files: materials often are. */
static struct aiFile *
open_file (struct aiFileIO *io, const char *path, const char *mode)
{
  Files *files = (Files *) (gpointer) io->UserData;
  g_autoptr (GError) error = NULL;
  FILE *stream;
  File *file;
  int fd;

  if (strchr (mode, 'r') == NULL)
    return NULL;
  fd = kg_import_open (files->server, path, &error);
  if (fd < 0) {
    if (files->refusal == NULL && !g_error_matches (error, KG_ERROR, KG_ERROR_UNKNOWN_NAME))
      files->refusal = g_steal_pointer (&error);
    return NULL;
  }
  stream = fdopen (fd, "rb");
  if (stream == NULL) {
    close (fd);
    return NULL;
  }
  file = g_new0 (File, 1);
  file->interface = (struct aiFile){ .ReadProc = read_bytes,
                                     .WriteProc = write_bytes,
                                     .TellProc = tell,
                                     .FileSizeProc = get_size,
                                     .SeekProc = seek,
                                     .FlushProc = flush };
  file->files = files;
  file->stream = stream;
  return &file->interface;
}

static void
close_file (struct aiFileIO *io, struct aiFile *interface)
{
  File *file = (File *) interface;

  (void) io;
  fclose (file->stream);
  g_free (file);
}

/* From Assimp's scene to a geometry. */

static void
copy_vectors (float *to, const struct aiVector3D *from, size_t n, guint size)
{
  for (size_t i = 0; i < n; i++) {
    to[size * i] = from[i].x;
    to[size * i + 1] = from[i].y;
    if (size == 3)
      to[size * i + 2] = from[i].z;
  }
}

/* Once for each mesh, however many nodes place it. */
static void
reverse_faces (const struct aiScene *scene)
{
  for (unsigned i = 0; i < scene->mNumMeshes; i++)
    for (unsigned k = 0; k < scene->mMeshes[i]->mNumFaces; k++) {
      const struct aiFace *face = &scene->mMeshes[i]->mFaces[k];

      for (unsigned a = 1, b = face->mNumIndices; a + 1 < b; a++) {
        const unsigned corner = face->mIndices[a];

        face->mIndices[a] = face->mIndices[--b];
        face->mIndices[b] = corner;
      }
    }
}

static bool
is_valid (const struct aiFace *face, const struct aiMesh *mesh)
{
  bool valid = face->mNumIndices >= 2;

  for (unsigned k = 0; valid && k < face->mNumIndices; k++)
    valid = face->mIndices[k] < mesh->mNumVertices;
  return valid;
}

/* Faces in a row with as many corners as each other are added in one go: mostly, all have three. */
static void
add_faces (KgGeometry *geometry, const struct aiMesh *mesh)
{
  g_autoptr (GArray) corners = g_array_new (FALSE, FALSE, sizeof (uint32_t));
  unsigned size = 0;

  for (unsigned i = 0; i <= mesh->mNumFaces; i++) {
    const struct aiFace *face = i < mesh->mNumFaces ? &mesh->mFaces[i] : NULL;

    if (face != NULL && !is_valid (face, mesh))
      continue;
    if (corners->len > 0 && (face == NULL || face->mNumIndices != size)) {
      kg_geometry_add_primitives (geometry, size > 2 ? KG_POLYGON : KG_POLYLINE, false, corners->len / size, size,
                                  (const uint32_t *) (gpointer) corners->data);
      g_array_set_size (corners, 0);
    }
    if (face != NULL) {
      size = face->mNumIndices;
      g_array_append_vals (corners, face->mIndices, size);
    }
  }
}

static bool
add_mesh (KgGeometry *all, const struct aiMesh *mesh, const KgTransform *place, int32_t number, GError **error)
{
  g_autoptr (KgGeometry) one = kg_geometry_new ();
  g_autoptr (GError) cause = NULL;
  int32_t *object;

  if (!kg_geometry_set_n_points (one, mesh->mNumVertices, error))
    return false;
  copy_vectors (kg_geometry_edit_positions (one), mesh->mVertices, mesh->mNumVertices, 3);
  if (mesh->mNormals != NULL)
    copy_vectors (kg_geometry_edit_float (one, KG_POINTS, "N", 3), mesh->mNormals, mesh->mNumVertices, 3);
  if (mesh->mTextureCoords[0] != NULL)
    copy_vectors (kg_geometry_edit_float (one, KG_POINTS, "uv", 2), mesh->mTextureCoords[0], mesh->mNumVertices, 2);
  if (mesh->mColors[0] != NULL)
    memcpy (kg_geometry_edit_float (one, KG_POINTS, "Cd", 4), mesh->mColors[0],
            mesh->mNumVertices * 4 * sizeof (float));
  add_faces (one, mesh);
  object = kg_geometry_edit_int (one, KG_PRIMITIVES, "object", 1);
  for (size_t i = 0; i < kg_geometry_get_n_primitives (one); i++)
    object[i] = number;
  kg_geometry_transform (one, place);
  /* Finite numbers in a place that is too large are not finite either. */
  if (kg_geometry_check_finite (one, &cause))
    return kg_geometry_append (all, one, error);
  kg_set_error (error, KG_ERROR_INVALID_VALUE, "%s; write the file again with the program that made it",
                cause->message);
  return false;
}

typedef struct {
  const struct aiNode *node;
  KgTransform transform;
} Placed;

/* Nodes nest as deep as a file likes: an explicit stack.  place: of the root. */
static bool
add_nodes (KgGeometry *all, const struct aiScene *scene, KgTransform place, GError **error)
{
  g_autoptr (GArray) stack = g_array_new (FALSE, FALSE, sizeof (Placed));
  const Placed root = { scene->mRootNode, place };
  int32_t number = 0;

  g_array_append_val (stack, root);
  while (stack->len > 0) {
    const Placed at = g_array_index (stack, Placed, stack->len - 1);

    g_array_set_size (stack, stack->len - 1);
    for (unsigned i = 0; i < at.node->mNumMeshes; i++)
      if (!add_mesh (all, scene->mMeshes[at.node->mMeshes[i]], &at.transform, number++, error))
        return false;
    for (unsigned i = at.node->mNumChildren; i > 0; i--) {
      const struct aiNode *child = at.node->mChildren[i - 1];
      const Placed next = { child,
                            kg_transform_multiply (at.transform, kg_mesh_read_matrix (&child->mTransformation)) };

      g_array_append_val (stack, next);
    }
  }
  return true;
}

/* (nullable) */
static const struct aiScene *
import_scene (Files *files, bool join)
{
  struct aiPropertyStore *properties = aiCreatePropertyStore ();
  struct aiFileIO io = { .OpenProc = open_file, .CloseProc = close_file, .UserData = (char *) (gpointer) files };
  const struct aiScene *scene;

  /* Later versions of Assimp would turn what is in FBX files upright too, so that it were turned twice. */
  aiSetImportPropertyInteger (properties, "AI_CONFIG_IMPORT_FBX_IGNORE_UP_DIRECTION", 1);
  scene = aiImportFileExWithProperties (kg_import_get_path (files->server), join ? aiProcess_JoinIdenticalVertices : 0,
                                        &io, properties);
  aiReleasePropertyStore (properties);
  return scene;
}

/* (transfer full) (nullable) */
static KgGeometry *
convert_scene (KgImportServer *server, const struct aiScene *scene, KgMeshSpace space, GError **error)
{
  const char *path = kg_import_get_path (server);
  g_autoptr (GPtrArray) warnings = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (KgGeometry) geometry = kg_geometry_new ();
  bool reverses;
  const KgTransform place = kg_mesh_place_root (scene, path, space, &reverses, warnings);

  for (guint i = 0; i < warnings->len; i++)
    kg_import_warn (server, (const char *) warnings->pdata[i]);
  if (reverses)
    reverse_faces (scene);
  if (!add_nodes (geometry, scene, place, error)) {
    g_prefix_error (error, "%s: ", path);
    return NULL;
  }
  /* Assimp leaves out a mesh with wrong indices, and of a file cut short what is missing. */
  if (kg_geometry_get_n_points (geometry) == 0) {
    kg_set_error (error, KG_ERROR_INVALID_FILE,
                  "%s has no readable mesh, or is damaged: write it again with the program that made it", path);
    return NULL;
  }
  return g_steal_pointer (&geometry);
}

/* (transfer full) (nullable) */
static KgGeometry *
load (KgImportServer *server, const KgImportRequest *request, GError **error)
{
  Files files = { .server = server };
  KgGeometry *geometry = NULL;
  const struct aiScene *scene;

  if (request->operation != KG_IMPORT_READ || request->space >= KG_N_MESH_SPACES) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "the request is not for a mesh");
    return NULL;
  }
  scene = import_scene (&files, request->join);
  if (files.refusal != NULL)
    g_propagate_error (error, files.refusal);
  else if (scene == NULL && strstr (aiGetErrorString (), "bad_alloc") != NULL)
    kg_set_error (
        error, KG_ERROR_LIMIT,
        "%s needs more memory than a mesh of its size may take: it is damaged; write it again with the program "
        "that made it",
        kg_import_get_path (server));
  else if (scene == NULL || scene->mRootNode == NULL)
    kg_set_error (error, KG_ERROR_INVALID_FILE, "%s is not a readable mesh: %s", kg_import_get_path (server),
                  aiGetErrorString ());
  else
    geometry = convert_scene (server, scene, (KgMeshSpace) request->space, error);
  /* The program ends with its only answer, which frees the scene faster than Assimp does. */
  return geometry;
}

/* Into the memory of the result. */

static uint64_t
describe (const KgGeometry *geometry, KgImportMesh *mesh)
{
  uint64_t bytes = 0;

  mesh->n_points = kg_geometry_get_n_points (geometry);
  mesh->n_primitives = kg_geometry_get_n_primitives (geometry);
  mesh->n_vertices = kg_geometry_get_n_vertices (geometry);
  for (guint domain = 0; domain < KG_N_DOMAINS; domain++)
    for (guint i = 0; i < kg_geometry_get_n_attributes (geometry, (KgDomain) domain); i++) {
      KgImportAttribute *to = &mesh->attributes[mesh->n_attributes++];
      KgAttribute attribute;

      kg_geometry_get_attribute (geometry, (KgDomain) domain, i, &attribute);
      g_strlcpy (to->name, attribute.name, sizeof to->name);
      to->domain = domain;
      to->scalar = attribute.scalar;
      to->size = attribute.size;
      bytes += 4 * (uint64_t) attribute.count * attribute.size;
    }
  return bytes + 4 * (mesh->n_primitives + mesh->n_vertices);
}

static uint32_t *
write_attributes (const KgGeometry *geometry, uint32_t *to)
{
  for (guint domain = 0; domain < KG_N_DOMAINS; domain++)
    for (guint i = 0; i < kg_geometry_get_n_attributes (geometry, (KgDomain) domain); i++) {
      KgAttribute attribute;
      size_t n;

      kg_geometry_get_attribute (geometry, (KgDomain) domain, i, &attribute);
      n = attribute.count * attribute.size;
      if (n > 0)
        memcpy (to, attribute.data, 4 * n);
      to += n;
    }
  return to;
}

static void
write_primitives (const KgGeometry *geometry, uint32_t *sizes)
{
  const size_t n = kg_geometry_get_n_primitives (geometry);
  uint32_t *vertices = sizes + n;

  for (size_t i = 0; i < n; i++) {
    KgPrimitive primitive;

    kg_geometry_get_primitive (geometry, i, &primitive);
    sizes[i] = primitive.n_vertices | (primitive.kind == KG_POLYLINE ? KG_IMPORT_POLYLINE : 0);
    memcpy (vertices, primitive.vertices, 4 * (size_t) primitive.n_vertices);
    vertices += primitive.n_vertices;
  }
}

static bool
answer (KgImportServer *server, const KgImportRequest *request, KgImportReply *reply, GError **error)
{
  g_autoptr (KgGeometry) geometry = load (server, request, error);
  uint32_t *memory;

  if (geometry == NULL)
    return false;
  memory = (uint32_t *) kg_import_take_memory (server, describe (geometry, &reply->mesh), error);
  if (memory == NULL)
    return false;
  write_primitives (geometry, write_attributes (geometry, memory));
  return true;
}

int
main (int argc, char **argv)
{
  static const KgImportReader reader = { .memory = (uint64_t) 2 << 30, .answer = answer };

  return kg_import_serve (argc, argv, &reader);
}
