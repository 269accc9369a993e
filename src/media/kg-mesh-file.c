/* kg-mesh-file: meshes in, by a reader of its own, and out through Assimp.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-mesh-file.h"

#include "kg-import.h"
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

/* The attributes that a reader may send: everything else is nonsense. */
static const struct {
  const char *name;
  KgDomain domain;
  KgScalar scalar;
  uint8_t size;
} attributes[] = {
  { "P", KG_POINTS, KG_FLOAT32, 3 },  { "N", KG_POINTS, KG_FLOAT32, 3 },        { "uv", KG_POINTS, KG_FLOAT32, 2 },
  { "Cd", KG_POINTS, KG_FLOAT32, 4 }, { "object", KG_PRIMITIVES, KG_INT32, 1 },
};

/* -1: none */
static int
find_attribute (const KgImportAttribute *sent)
{
  for (guint i = 0; i < G_N_ELEMENTS (attributes); i++)
    if (strncmp (sent->name, attributes[i].name, sizeof sent->name) == 0 && sent->domain == attributes[i].domain &&
        sent->scalar == attributes[i].scalar && sent->size == attributes[i].size)
      return (int) i;
  return -1;
}

static size_t
count_elements (const KgImportMesh *mesh, KgDomain domain)
{
  return domain == KG_POINTS ? mesh->n_points : mesh->n_primitives;
}

/* The memory is as long as all that is said to be in it. */
static bool
check_layout (const KgImportMesh *mesh, size_t length)
{
  uint64_t bytes;

  if (mesh->n_points > KG_GEOMETRY_MAX_POINTS || mesh->n_primitives > KG_GEOMETRY_MAX_POINTS ||
      mesh->n_vertices > KG_GEOMETRY_MAX_POINTS || mesh->n_attributes > G_N_ELEMENTS (attributes))
    return false;
  bytes = 4 * (mesh->n_primitives + mesh->n_vertices);
  for (uint32_t i = 0; i < mesh->n_attributes; i++) {
    const int known = find_attribute (&mesh->attributes[i]);

    if (known < 0)
      return false;
    bytes += 4 * (uint64_t) count_elements (mesh, attributes[known].domain) * attributes[known].size;
  }
  return bytes == length;
}

/* They fit to their vertices, and these to the points. */
static bool
check_primitives (const KgImportMesh *mesh, const uint32_t *sizes)
{
  const uint32_t *vertices = sizes + mesh->n_primitives;
  uint64_t n = 0;

  for (uint64_t i = 0; i < mesh->n_primitives; i++) {
    const uint32_t size = sizes[i] & ~KG_IMPORT_POLYLINE;

    if (size < (sizes[i] & KG_IMPORT_POLYLINE ? 2 : 3))
      return false;
    n += size;
  }
  for (uint64_t i = 0; i < mesh->n_vertices; i++)
    if (vertices[i] >= mesh->n_points)
      return false;
  return n == mesh->n_vertices;
}

/* Those of one kind and size in one go. */
static void
add_primitives (KgGeometry *geometry, const KgImportMesh *mesh, const uint32_t *sizes)
{
  const uint32_t *vertices = sizes + mesh->n_primitives;
  uint64_t first = 0;

  while (first < mesh->n_primitives) {
    const uint32_t size = sizes[first] & ~KG_IMPORT_POLYLINE;
    uint64_t end = first + 1;

    while (end < mesh->n_primitives && sizes[end] == sizes[first])
      end++;
    kg_geometry_add_primitives (geometry, sizes[first] & KG_IMPORT_POLYLINE ? KG_POLYLINE : KG_POLYGON, false,
                                end - first, size, vertices);
    vertices += (end - first) * size;
    first = end;
  }
}

static KgGeometry *
take_geometry (const char *path, const KgImportMesh *mesh, GBytes *memory, GError **error)
{
  g_autoptr (KgGeometry) geometry = kg_geometry_new ();
  size_t length = 0;
  const uint32_t *from = memory != NULL ? (const uint32_t *) g_bytes_get_data (memory, &length) : NULL;
  const uint32_t *sizes;

  if (from == NULL || !check_layout (mesh, length)) {
    kg_import_refuse (path, error);
    return NULL;
  }
  sizes = from + length / 4 - mesh->n_vertices - mesh->n_primitives;
  if (!check_primitives (mesh, sizes)) {
    kg_import_refuse (path, error);
    return NULL;
  }
  if (!kg_geometry_set_n_points (geometry, mesh->n_points, error))
    return NULL;
  add_primitives (geometry, mesh, sizes);
  for (uint32_t i = 0; i < mesh->n_attributes; i++) {
    const int k = find_attribute (&mesh->attributes[i]);
    const size_t n = count_elements (mesh, attributes[k].domain) * attributes[k].size;
    void *to =
        attributes[k].scalar == KG_INT32
            ? (void *) kg_geometry_edit_int (geometry, attributes[k].domain, attributes[k].name, attributes[k].size)
            : (void *) kg_geometry_edit_float (geometry, attributes[k].domain, attributes[k].name, attributes[k].size);

    if (n > 0)
      memcpy (to, from, 4 * n);
    from += n;
  }
  if (kg_geometry_check_finite (geometry, error))
    return g_steal_pointer (&geometry);
  g_prefix_error (error, "%s: ", path);
  return NULL;
}

KgGeometry *
kg_mesh_load (const char *path, KgMeshSpace space, bool join, const char *const *folders,
              const KgProgressMonitor *monitor, GPtrArray *warnings, GError **error)
{
  const KgImportRequest request = { .operation = KG_IMPORT_READ, .space = space, .join = join };
  g_autoptr (KgImport) import = NULL;
  g_autoptr (GBytes) memory = NULL;
  KgImportReply reply;

  if (!kg_regular_file_check (path, "a mesh", error))
    return NULL;
  import = kg_import_new ("mesh", path, folders, error);
  if (import == NULL || !kg_import_ask (import, &request, monitor, warnings, &reply, &memory, error))
    return NULL;
  return take_geometry (path, &reply.mesh, memory, error);
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
