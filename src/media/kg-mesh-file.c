/* kg-mesh-file: meshes through Assimp.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-mesh-file.h"

#include "kg-mesh-space.h"
#include "kg-output-file.h"
#include "kg-regular-file.h"

#include <assimp/cexport.h>
#include <assimp/cfileio.h>
#include <assimp/cimport.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <string.h>

static const struct {
  const char *suffix, *format;
} writers[] = { { ".obj", "objnomtl" }, { ".ply", "ply" }, { ".gltf", "gltf2" }, { ".glb", "glb2" } };

static const char *
find_writer (const char *path)
{
  g_autofree char *lower = g_ascii_strdown (path, -1);

  for (guint i = 0; i < G_N_ELEMENTS (writers); i++)
    if (g_str_has_suffix (lower, writers[i].suffix))
      return writers[i].format;
  return NULL;
}

bool
kg_mesh_path_is_writable (const char *path)
{
  return find_writer (path) != NULL;
}

bool
kg_mesh_path_is_readable (const char *path)
{
  const char *dot = strrchr (path, '.');

  return dot != NULL && strchr (dot, '/') == NULL && aiIsExtensionSupported (dot) == AI_TRUE;
}

/* Reading. */

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

static void
add_faces (KgGeometry *geometry, const struct aiMesh *mesh)
{
  for (unsigned i = 0; i < mesh->mNumFaces; i++) {
    const struct aiFace *face = &mesh->mFaces[i];
    const KgPrimitive primitive = { .kind = face->mNumIndices > 2 ? KG_POLYGON : KG_POLYLINE,
                                    .n_vertices = face->mNumIndices,
                                    .vertices = face->mIndices };
    bool valid = face->mNumIndices >= 2;

    for (unsigned k = 0; valid && k < face->mNumIndices; k++)
      valid = face->mIndices[k] < mesh->mNumVertices;
    if (valid)
      kg_geometry_add_primitive (geometry, &primitive);
  }
}

static bool
add_mesh (KgGeometry *all, const struct aiMesh *mesh, const KgTransform *place, int32_t number, GError **error)
{
  g_autoptr (KgGeometry) one = kg_geometry_new ();
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
  return kg_geometry_check_finite (one, error) && kg_geometry_append (all, one, error);
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
import_scene (const char *path, bool join)
{
  struct aiPropertyStore *properties = aiCreatePropertyStore ();
  const struct aiScene *scene;

  /* Later versions of Assimp would turn what is in FBX files upright too, so that it were turned twice. */
  aiSetImportPropertyInteger (properties, "AI_CONFIG_IMPORT_FBX_IGNORE_UP_DIRECTION", 1);
  scene = aiImportFileExWithProperties (path, join ? aiProcess_JoinIdenticalVertices : 0, NULL, properties);
  aiReleasePropertyStore (properties);
  return scene;
}

KgGeometry *
kg_mesh_load (const char *path, KgMeshSpace space, bool join, GPtrArray *warnings, GError **error)
{
  g_autoptr (KgGeometry) geometry = NULL;
  const struct aiScene *scene;
  KgTransform place;
  bool reverses, good;

  if (!kg_regular_file_check (path, "a mesh", error))
    return NULL;
  scene = import_scene (path, join);
  if (scene == NULL || scene->mRootNode == NULL) {
    kg_set_error (error, KG_ERROR_INVALID_FILE, "%s is not a readable mesh: %s", path, aiGetErrorString ());
    if (scene != NULL)
      aiReleaseImport (scene);
    return NULL;
  }
  geometry = kg_geometry_new ();
  place = kg_mesh_place_root (scene, path, space, &reverses, warnings);
  if (reverses)
    reverse_faces (scene);
  good = add_nodes (geometry, scene, place, error);
  aiReleaseImport (scene);
  if (!good) {
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

/* Writing.  Assimp frees nothing that we made: the scene is built of our own memory. */

static struct aiVector3D *
make_vectors (const float *from, size_t n, guint size)
{
  struct aiVector3D *to;

  if (from == NULL)
    return NULL;
  to = g_new0 (struct aiVector3D, MAX (n, 1));
  for (size_t i = 0; i < n; i++) {
    to[i].x = from[size * i];
    to[i].y = from[size * i + 1];
    to[i].z = size == 3 ? from[size * i + 2] : 0;
  }
  return to;
}

static struct aiColor4D *
make_colors (const KgGeometry *geometry)
{
  const size_t n = kg_geometry_get_n_points (geometry);
  const float *rgba = kg_geometry_get_float (geometry, KG_POINTS, "Cd", 4);
  const float *rgb = kg_geometry_get_float (geometry, KG_POINTS, "Cd", 3);
  struct aiColor4D *colors;

  if (rgba == NULL && rgb == NULL)
    return NULL;
  colors = g_new0 (struct aiColor4D, MAX (n, 1));
  for (size_t i = 0; i < n; i++) {
    const float *c = rgba != NULL ? rgba + 4 * i : rgb + 3 * i;

    colors[i] = (struct aiColor4D){ c[0], c[1], c[2], rgba != NULL ? c[3] : 1 };
  }
  return colors;
}

/* Faces of polygons; where there are none, each point is a face of its own. */
static void
make_faces (const KgGeometry *geometry, struct aiMesh *mesh)
{
  const size_t n = kg_geometry_get_n_primitives (geometry), points = kg_geometry_get_n_points (geometry);

  mesh->mFaces = g_new0 (struct aiFace, MAX (MAX (n, points), 1));
  for (size_t i = 0; i < n; i++) {
    struct aiFace *face = &mesh->mFaces[mesh->mNumFaces];
    KgPrimitive primitive;

    kg_geometry_get_primitive (geometry, i, &primitive);
    if (primitive.kind != KG_POLYGON || primitive.n_vertices < 3)
      continue;
    face->mNumIndices = primitive.n_vertices;
    face->mIndices = (unsigned *) g_memdup2 (primitive.vertices, primitive.n_vertices * sizeof (unsigned));
    mesh->mPrimitiveTypes |= primitive.n_vertices > 3 ? aiPrimitiveType_POLYGON : aiPrimitiveType_TRIANGLE;
    mesh->mNumFaces++;
  }
  for (size_t i = 0; mesh->mPrimitiveTypes == 0 && i < points; i++) {
    struct aiFace *face = &mesh->mFaces[mesh->mNumFaces++];
    const unsigned index = (unsigned) i;

    face->mNumIndices = 1;
    face->mIndices = (unsigned *) g_memdup2 (&index, sizeof index);
  }
  if (mesh->mPrimitiveTypes == 0)
    mesh->mPrimitiveTypes = aiPrimitiveType_POINT;
}

/* Assimp tells of no failure to write: it writes into memory, under the names that the files will have because they
 * name each other (.gltf its .bin), and the files are written here. */
typedef struct {
  struct aiFile interface; /* first: Assimp gives it back */
  char *name, *bytes;
  size_t length, allocated, at;
} MemoryFile;

static void
free_memory_file (gpointer data)
{
  MemoryFile *file = (MemoryFile *) data;

  g_free (file->name);
  g_free (file->bytes);
  g_free (file);
}

static size_t
read_memory (struct aiFile *interface, char *bytes, size_t size, size_t n)
{
  (void) interface;
  (void) bytes;
  (void) size;
  (void) n;
  return 0;
}

static size_t
write_memory (struct aiFile *interface, const char *bytes, size_t size, size_t n)
{
  MemoryFile *file = (MemoryFile *) interface;
  const size_t end = file->at + size * n;

  if (end > file->allocated) {
    file->allocated = MAX (end, 2 * file->allocated);
    file->bytes = (char *) g_realloc (file->bytes, file->allocated);
  }
  if (file->at > file->length)
    memset (file->bytes + file->length, 0, file->at - file->length);
  if (end > file->at)
    memcpy (file->bytes + file->at, bytes, end - file->at);
  file->at = end;
  file->length = MAX (file->length, end);
  return n;
}

static size_t
tell_memory (struct aiFile *interface)
{
  return ((MemoryFile *) interface)->at;
}

static size_t
get_memory_size (struct aiFile *interface)
{
  return ((MemoryFile *) interface)->length;
}

static aiReturn
seek_memory (struct aiFile *interface, size_t offset, enum aiOrigin origin)
{
  MemoryFile *file = (MemoryFile *) interface;
  const size_t from = origin == aiOrigin_SET ? 0 : origin == aiOrigin_CUR ? file->at : file->length;

  file->at = from + offset;
  return aiReturn_SUCCESS;
}

static void
flush_memory (struct aiFile *interface)
{
  (void) interface;
}

/* Nothing is read while a scene is written: there are no files but those that are made. */
static struct aiFile *
open_memory (struct aiFileIO *io, const char *name, const char *mode)
{
  GPtrArray *files = (GPtrArray *) (gpointer) io->UserData;
  MemoryFile *file;

  if (strchr (mode, 'w') == NULL)
    return NULL;
  file = g_new0 (MemoryFile, 1);
  file->interface = (struct aiFile){ .ReadProc = read_memory,
                                     .WriteProc = write_memory,
                                     .TellProc = tell_memory,
                                     .FileSizeProc = get_memory_size,
                                     .SeekProc = seek_memory,
                                     .FlushProc = flush_memory };
  file->name = g_strdup (name);
  g_ptr_array_add (files, file);
  return &file->interface;
}

/* The file stays in the list. */
static void
close_memory (struct aiFileIO *io, struct aiFile *file)
{
  (void) io;
  (void) file;
}

/* The first file is that of path.  All are on the disk before one takes the place of an older one; the first is the
 * last to do so, as it names the others. */
static bool
write_files (const GPtrArray *files, GError **error)
{
  g_autoptr (GPtrArray) outputs = g_ptr_array_new_with_free_func ((GDestroyNotify) kg_output_file_free);
  bool good = true;

  for (guint i = 0; good && i < files->len; i++) {
    const MemoryFile *file = (const MemoryFile *) files->pdata[i];
    KgOutputFile *output = kg_output_file_open (file->name, error);

    if (output != NULL)
      g_ptr_array_add (outputs, output);
    good = output != NULL && kg_output_file_write (output, file->bytes, file->length, error) &&
           kg_output_file_flush (output, error);
    if (!good)
      kg_prefix_error (error, "%s cannot be written: ", file->name);
  }
  for (guint i = files->len; good && i > 0; i--) {
    good = kg_output_file_complete ((KgOutputFile *) outputs->pdata[i - 1], error);
    if (!good)
      kg_prefix_error (error, "%s cannot be written: ", ((const MemoryFile *) files->pdata[i - 1])->name);
  }
  return good;
}

static bool
export_scene (const struct aiScene *scene, const char *path, const char *format, GError **error)
{
  g_autoptr (GPtrArray) files = g_ptr_array_new_with_free_func (free_memory_file);
  struct aiFileIO io = { .OpenProc = open_memory, .CloseProc = close_memory, .UserData = (char *) (gpointer) files };
  const bool triangles = g_str_has_prefix (format, "gl");

  if (aiExportSceneEx (scene, format, path, &io, triangles ? aiProcess_Triangulate : 0) == aiReturn_SUCCESS &&
      files->len > 0)
    return write_files (files, error);
  kg_set_error (error, KG_ERROR_IO, "%s cannot be written: Assimp cannot write this geometry in the format %s", path,
                format);
  return false;
}

bool
kg_mesh_save (const KgGeometry *geometry, const char *path, GError **error)
{
  const char *format = find_writer (path);
  struct aiMesh mesh = { 0 }, *meshes[] = { &mesh };
  struct aiMaterial material = { 0 }, *materials[] = { &material };
  unsigned first = 0;
  struct aiNode root = { .mNumMeshes = 1, .mMeshes = &first };
  struct aiMetadata metadata = { 0 };
  struct aiScene scene = { .mRootNode = &root,
                           .mNumMeshes = 1,
                           .mMeshes = meshes,
                           .mNumMaterials = 1,
                           .mMaterials = materials,
                           .mMetaData = &metadata };
  const size_t n = kg_geometry_get_n_points (geometry);
  bool good;

  if (format == NULL) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "%s: meshes are written as .obj, .ply, .gltf or .glb", path);
    return false;
  }
  if (n == 0) {
    kg_set_error (error, KG_ERROR_DEGENERATE, "%s is not written: the geometry has no points", path);
    return false;
  }
  root.mTransformation = (struct aiMatrix4x4){ 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1 };
  mesh.mNumVertices = (unsigned) n;
  mesh.mVertices = make_vectors (kg_geometry_get_positions (geometry), n, 3);
  mesh.mNormals = make_vectors (kg_geometry_get_float (geometry, KG_POINTS, "N", 3), n, 3);
  mesh.mTextureCoords[0] = make_vectors (kg_geometry_get_float (geometry, KG_POINTS, "uv", 2), n, 2);
  mesh.mNumUVComponents[0] = 2;
  mesh.mColors[0] = make_colors (geometry);
  make_faces (geometry, &mesh);
  good = export_scene (&scene, path, format, error);
  for (unsigned i = 0; i < mesh.mNumFaces; i++)
    g_free (mesh.mFaces[i].mIndices);
  g_free (mesh.mFaces);
  g_free (mesh.mVertices);
  g_free (mesh.mNormals);
  g_free (mesh.mTextureCoords[0]);
  g_free (mesh.mColors[0]);
  return good;
}
