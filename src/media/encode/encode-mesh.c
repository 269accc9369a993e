/* encode-mesh: meshes through Assimp.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-encode.h"

#include <assimp/cexport.h>
#include <assimp/cfileio.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <string.h>

_Static_assert(sizeof (struct aiVector3D) == 3 * sizeof (float), "Assimp was built with doubles");
_Static_assert(sizeof (struct aiColor4D) == 4 * sizeof (float), "Assimp was built with doubles");

/* Assimp tells of no failure to write: it writes into memory, under the names that the files will have because they
 * name each other (.gltf its .bin). */
typedef struct {
  struct aiFile interface; /* first: Assimp gives it back */
  KgMeshPart *part;
  size_t allocated, at;
  bool *memory;
} File;

typedef struct {
  GPtrArray *parts; /* KgMeshPart */
  GPtrArray *files; /* File */
  bool *memory;
} Files;

static void
free_part (gpointer data)
{
  KgMeshPart *part = (KgMeshPart *) data;

  g_free (part->name);
  g_free (part->bytes);
  g_free (part);
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
  File *file = (File *) interface;
  KgMeshPart *part = file->part;
  const size_t end = file->at + size * n;

  if (end > file->allocated) {
    const size_t wanted = MAX (end, 2 * file->allocated);
    char *larger = (char *) g_try_realloc (part->bytes, wanted);

    if (larger == NULL) {
      *file->memory = true;
      return 0;
    }
    part->bytes = larger;
    file->allocated = wanted;
  }
  if (file->at > part->length)
    memset (part->bytes + part->length, 0, file->at - part->length);
  if (end > file->at)
    memcpy (part->bytes + file->at, bytes, end - file->at);
  file->at = end;
  part->length = MAX (part->length, end);
  return n;
}

static size_t
tell_memory (struct aiFile *interface)
{
  return ((File *) interface)->at;
}

static size_t
get_memory_size (struct aiFile *interface)
{
  return ((File *) interface)->part->length;
}

static aiReturn
seek_memory (struct aiFile *interface, size_t offset, enum aiOrigin origin)
{
  File *file = (File *) interface;
  const size_t from = origin == aiOrigin_SET ? 0 : origin == aiOrigin_CUR ? file->at : file->part->length;

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
  Files *files = (Files *) (gpointer) io->UserData;
  File *file;

  if (strchr (mode, 'w') == NULL)
    return NULL;
  file = g_new0 (File, 1);
  file->interface = (struct aiFile){ .ReadProc = read_memory,
                                     .WriteProc = write_memory,
                                     .TellProc = tell_memory,
                                     .FileSizeProc = get_memory_size,
                                     .SeekProc = seek_memory,
                                     .FlushProc = flush_memory };
  file->memory = files->memory;
  file->part = g_new0 (KgMeshPart, 1);
  file->part->name = g_strdup (name);
  g_ptr_array_add (files->parts, file->part);
  g_ptr_array_add (files->files, file);
  return &file->interface;
}

/* The file stays in the list. */
static void
close_memory (struct aiFileIO *io, struct aiFile *file)
{
  (void) io;
  (void) file;
}

/* Assimp changes and frees nothing that we made: the scene is built of the caller's memory. */
static GPtrArray *
encode (const KgMeshScene *from, const char *path, const char *format, bool triangles, bool *memory)
{
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
  g_autoptr (GPtrArray) parts = g_ptr_array_new_with_free_func (free_part);
  g_autoptr (GPtrArray) opened = g_ptr_array_new_with_free_func (g_free);
  Files files = { parts, opened, memory };
  struct aiFileIO io = { .OpenProc = open_memory, .CloseProc = close_memory, .UserData = (char *) (gpointer) &files };
  g_autofree struct aiFace *faces = g_try_new0 (struct aiFace, MAX (from->n_faces, 1));

  *memory = faces == NULL;
  if (faces == NULL)
    return NULL;
  root.mTransformation = (struct aiMatrix4x4){ 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1 };
  mesh.mNumVertices = (unsigned) from->n_points;
  mesh.mVertices = (struct aiVector3D *) (size_t) from->positions;
  mesh.mNormals = (struct aiVector3D *) (size_t) from->normals;
  mesh.mTextureCoords[0] = (struct aiVector3D *) (size_t) from->uv;
  mesh.mNumUVComponents[0] = 2;
  mesh.mColors[0] = (struct aiColor4D *) (size_t) from->colors;
  mesh.mFaces = faces;
  mesh.mNumFaces = (unsigned) from->n_faces;
  for (size_t i = 0; i < from->n_faces; i++) {
    faces[i] = (struct aiFace){ from->sizes[i], (unsigned *) (size_t) from->faces[i] };
    mesh.mPrimitiveTypes |= from->sizes[i] > 3    ? aiPrimitiveType_POLYGON
                            : from->sizes[i] == 3 ? aiPrimitiveType_TRIANGLE
                                                  : aiPrimitiveType_POINT;
  }
  if (aiExportSceneEx (&scene, format, path, &io, triangles ? aiProcess_Triangulate : 0) != aiReturn_SUCCESS ||
      parts->len == 0 || *memory)
    return NULL;
  return g_steal_pointer (&parts);
}

extern const KgMeshModule kg_encode_mesh;
__attribute__ ((visibility ("default"))) const KgMeshModule kg_encode_mesh = { encode };
