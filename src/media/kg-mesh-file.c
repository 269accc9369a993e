/* kg-mesh-file: meshes in, by a reader of its own, and out through Assimp.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-mesh-file.h"

#include "kg-import.h"
#include "kg-module.h"
#include "kg-output-file.h"
#include "kg-regular-file.h"

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
  static const char *const suffixes[] = { ".3ds", ".3mf", ".ac",  ".amf", ".ase",  ".b3d", ".blend", ".bvh",  ".cob",
                                          ".dae", ".dxf", ".fbx", ".glb", ".gltf", ".iqm", ".lwo",   ".ms3d", ".obj",
                                          ".off", ".ply", ".smd", ".stl", ".wrl",  ".x",   ".x3d",   NULL };
  g_autofree char *lower = g_ascii_strdown (path, -1);
  const char *dot = strrchr (lower, '.');

  return dot != NULL && g_strv_contains (suffixes, dot);
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

/* Without places, nothing that was sent would bound the number of points. */
static bool
has_places (const KgImportMesh *mesh)
{
  for (uint32_t i = 0; i < mesh->n_attributes; i++)
    if (find_attribute (&mesh->attributes[i]) == 0)
      return true;
  return false;
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
  return bytes == length && has_places (mesh);
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

/* Runs of one kind and size are added at once. */
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
  g_autoptr (GError) cause = NULL;
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
  if (kg_geometry_check_finite (geometry, &cause))
    return g_steal_pointer (&geometry);
  kg_set_error (error, KG_ERROR_INVALID_VALUE, "%s: %s; write the file again with the program that made it", path,
                cause->message);
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
  if (import == NULL || !kg_import_request (import, &request, monitor, warnings, &reply, &memory, error))
    return NULL;
  return take_geometry (path, &reply.mesh, memory, error);
}

/* Writing. */

/* (transfer full) (nullable) size numbers of each of n, filled up with zeros, or with one where there is a fourth. */
static float *
widen (const float *from, size_t n, guint size, guint wide)
{
  float *to;

  if (from == NULL)
    return NULL;
  to = g_new (float, MAX (n, 1) * wide);
  for (size_t i = 0; i < n; i++)
    for (guint c = 0; c < wide; c++)
      to[wide * i + c] = c < size ? from[size * i + c] : c == 3;
  return to;
}

/* Faces of polygons; where there are none, each point is a face of its own. */
typedef struct {
  uint32_t *sizes, *points; /* points: only where each is a face */
  const uint32_t **corners;
  size_t n;
} Faces;

static void
faces_clear (Faces *faces)
{
  g_free (faces->sizes);
  g_free (faces->points);
  g_free (faces->corners);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Faces, faces_clear)

static void
find_faces (const KgGeometry *geometry, Faces *faces)
{
  const size_t n = kg_geometry_get_n_primitives (geometry), n_points = kg_geometry_get_n_points (geometry);

  faces->sizes = g_new (uint32_t, MAX (MAX (n, n_points), 1));
  faces->corners = g_new (const uint32_t *, MAX (MAX (n, n_points), 1));
  for (size_t i = 0; i < n; i++) {
    KgPrimitive primitive;

    kg_geometry_get_primitive (geometry, i, &primitive);
    if (primitive.kind != KG_POLYGON || primitive.n_vertices < 3)
      continue;
    faces->sizes[faces->n] = primitive.n_vertices;
    faces->corners[faces->n++] = primitive.vertices;
  }
  if (faces->n > 0)
    return;
  faces->points = g_new (uint32_t, MAX (n_points, 1));
  for (size_t i = 0; i < n_points; i++) {
    faces->points[i] = (uint32_t) i;
    faces->sizes[i] = 1;
    faces->corners[i] = &faces->points[i];
  }
  faces->n = n_points;
}

/* The first file is that of path.  All are on the disk before one takes the place of an older one; the first is the
 * last to do so, as it names the others. */
static bool
write_files (const GPtrArray *files, GError **error)
{
  g_autoptr (GPtrArray) outputs = g_ptr_array_new_with_free_func ((GDestroyNotify) kg_output_file_free);
  bool good = true;

  for (guint i = 0; good && i < files->len; i++) {
    const KgMeshPart *file = (const KgMeshPart *) files->pdata[i];
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
      kg_prefix_error (error, "%s cannot be written: ", ((const KgMeshPart *) files->pdata[i - 1])->name);
  }
  return good;
}

bool
kg_mesh_save (const KgGeometry *geometry, const char *path, GError **error)
{
  const char *format = find_writer (path);
  const size_t n = kg_geometry_get_n_points (geometry);
  const float *rgba = kg_geometry_get_float (geometry, KG_POINTS, "Cd", 4);
  const float *rgb = kg_geometry_get_float (geometry, KG_POINTS, "Cd", 3);
  g_auto (Faces) faces = { .n = 0 };
  g_autofree float *uv = NULL, *colors = NULL;
  g_autoptr (GPtrArray) files = NULL;
  const KgMeshModule *module;
  KgMeshScene scene = { .n_points = n };
  bool memory = false;

  if (format == NULL) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "%s: meshes are written as .obj, .ply, .gltf or .glb", path);
    return false;
  }
  if (n == 0) {
    kg_set_error (error, KG_ERROR_DEGENERATE, "%s is not written: the geometry has no points", path);
    return false;
  }
  module = kg_module_get_mesh (error);
  if (module == NULL) {
    kg_prefix_error (error, "%s cannot be written: ", path);
    return false;
  }
  find_faces (geometry, &faces);
  uv = widen (kg_geometry_get_float (geometry, KG_POINTS, "uv", 2), n, 2, 3);
  colors = rgba == NULL ? widen (rgb, n, 3, 4) : NULL;
  scene.positions = kg_geometry_get_positions (geometry);
  scene.normals = kg_geometry_get_float (geometry, KG_POINTS, "N", 3);
  scene.uv = uv;
  scene.colors = rgba != NULL ? rgba : colors;
  scene.n_faces = faces.n;
  scene.sizes = faces.sizes;
  scene.faces = faces.corners;
  files = module->encode (&scene, path, format, g_str_has_prefix (format, "gl"), &memory);
  if (files != NULL)
    return write_files (files, error);
  if (memory)
    kg_set_error (error, KG_ERROR_LIMIT, "%s cannot be written: not enough memory for its content", path);
  else
    kg_set_error (error, KG_ERROR_IO, "%s cannot be written: Assimp cannot write this geometry in the format %s", path,
                  format);
  return false;
}
