/* kg-state-file: the state of a simulation in a file.
 *
 * Magic, version and a number that shows the order of its bytes; the key; how many values there are, and each of them;
 * at the end a sum of everything before it.  Numbers are as the machine has them: the files are a cache and go nowhere
 * else.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-state-file.h"

#include "kg-regular-file.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n-lib.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAGIC "KGSTATE"
#define VERSION 3
/* Bytes of a primitive besides its vertices and knots. */
#define N_INFO 9
#define BYTE_ORDER_MARK UINT32_C (0x01020304)
/* The block of the check sum, which depends on its size. */
#define BLOCK ((size_t) 1 << 16)
/* More values than any node has. */
#define MAX_VALUES 10000

typedef struct {
  char magic[8];
  uint32_t version, order;
  KgHash key;
} Header;

/* Kinds that are their bytes. */
static size_t
get_plain_size (KgKind kind)
{
  const KgValue *value = NULL;

  switch (kind) {
  case KG_NUMBER:
    return sizeof value->number;
  case KG_INTEGER:
    return sizeof value->integer;
  case KG_VECTOR:
    return sizeof value->vector;
  case KG_COLOR:
    return sizeof value->color;
  case KG_ROTATION:
    return sizeof value->rotation;
  default:
    return 0;
  }
}

/* An array of texts without elements cannot be created. */
static bool
can_hold_geometry (const KgGeometry *geometry)
{
  for (guint d = 0; d < KG_N_DOMAINS; d++)
    for (guint i = 0; i < kg_geometry_get_n_attributes (geometry, d); i++) {
      KgAttribute attribute;

      kg_geometry_get_attribute (geometry, d, i, &attribute);
      if (attribute.scalar == KG_STRING && (attribute.count == 0 || attribute.size != 1))
        return false;
    }
  return true;
}

bool
kg_state_file_can_hold (const KgResult *state)
{
  for (guint i = 0; i < state->n; i++) {
    const KgValue *value = &state->values[i];

    if (state->present[i] && get_plain_size (value->kind) == 0 &&
        !(value->kind == KG_GEOMETRY && can_hold_geometry (value->geometry)))
      return false;
  }
  return state->error == NULL && state->n <= MAX_VALUES;
}

/* Writing. */

typedef struct {
  FILE *file;
  uint8_t *block;
  size_t used;
  KgHash sum;
  bool good;
} Writer;

static void
flush (Writer *writer)
{
  if (writer->used == 0)
    return;
  writer->sum = kg_hash_bytes (writer->sum, writer->block, writer->used);
  writer->good = writer->good && fwrite (writer->block, 1, writer->used, writer->file) == writer->used;
  writer->used = 0;
}

static void
put (Writer *writer, const void *data, size_t bytes)
{
  const uint8_t *from = data;

  while (bytes > 0 && writer->good) {
    const size_t n = MIN (bytes, BLOCK - writer->used);

    memcpy (writer->block + writer->used, from, n);
    writer->used += n;
    from += n;
    bytes -= n;
    if (writer->used == BLOCK)
      flush (writer);
  }
}

static void
put_uint (Writer *writer, uint64_t number)
{
  put (writer, &number, sizeof number);
}

/* length + 1 and the bytes; 0 for none. */
static void
put_text (Writer *writer, const char *text)
{
  put_uint (writer, text != NULL ? strlen (text) + 1 : 0);
  if (text != NULL)
    put (writer, text, strlen (text));
}

static void
put_attributes (Writer *writer, const KgGeometry *geometry, KgDomain domain)
{
  const guint n = kg_geometry_get_n_attributes (geometry, domain);

  put_uint (writer, n);
  for (guint i = 0; i < n; i++) {
    KgAttribute attribute;

    kg_geometry_get_attribute (geometry, domain, i, &attribute);
    put_text (writer, attribute.name);
    put_uint (writer, attribute.scalar);
    put_uint (writer, attribute.size);
    if (attribute.scalar != KG_STRING)
      put (writer, attribute.data, attribute.count * attribute.size * 4);
    for (size_t k = 0; attribute.scalar == KG_STRING && k < attribute.count; k++)
      put_text (writer, ((char *const *) attribute.data)[k]);
  }
}

static void
put_geometry (Writer *writer, const KgGeometry *geometry)
{
  const size_t n = kg_geometry_get_n_primitives (geometry);
  const KgHash fingerprint = kg_geometry_get_fingerprint (geometry);

  put (writer, &fingerprint, sizeof fingerprint);
  put_uint (writer, kg_geometry_get_n_points (geometry));
  put_uint (writer, n);
  for (size_t i = 0; i < n; i++) {
    KgPrimitive primitive;

    kg_geometry_get_primitive (geometry, i, &primitive);
    put (writer,
         (const uint8_t[]){ (uint8_t) primitive.kind, primitive.closed, (uint8_t) primitive.basis, primitive.order,
                            (uint8_t) primitive.rule.end, (uint8_t) primitive.rule.spacing, primitive.rule.bisector,
                            primitive.rule.relative_lengths, primitive.weights != NULL },
         N_INFO);
    put_uint (writer, primitive.n_vertices);
    put_uint (writer, primitive.n_knots);
    put (writer, primitive.vertices, primitive.n_vertices * sizeof *primitive.vertices);
    put (writer, primitive.knots, primitive.n_knots * sizeof *primitive.knots);
    if (primitive.weights != NULL)
      put (writer, primitive.weights, primitive.n_vertices * sizeof *primitive.weights);
  }
  for (guint d = 0; d < KG_N_DOMAINS; d++)
    put_attributes (writer, geometry, d);
}

static void
put_state (Writer *writer, const KgResult *state, KgHash key)
{
  const Header header = { MAGIC, VERSION, BYTE_ORDER_MARK, key };
  KgHash sum;

  put (writer, &header, sizeof header);
  put_uint (writer, state->n);
  for (guint i = 0; i < state->n; i++) {
    const KgValue *value = &state->values[i];

    put_uint (writer, state->present[i] ? (uint64_t) value->kind + 1 : 0);
    if (state->present[i] && value->kind == KG_GEOMETRY)
      put_geometry (writer, value->geometry);
    else if (state->present[i])
      put (writer, &value->number, get_plain_size (value->kind));
  }
  flush (writer);
  sum = writer->sum;
  put (writer, &sum, sizeof sum);
  flush (writer);
}

bool
kg_state_file_save (const KgResult *state, KgHash key, const char *path, guint64 limit, GError **error)
{
  g_autofree char *temporary = g_strdup_printf ("%s.XXXXXX", path);
  g_autofree uint8_t *block = g_malloc (BLOCK);
  Writer writer = { .block = block, .sum = kg_hash_begin (KG_HASH_STATE_SUM, 0), .good = true };
  const int fd = g_mkstemp_full (temporary, O_WRONLY | O_CLOEXEC, 0600);
  bool small;

  writer.file = fd >= 0 ? fdopen (fd, "wb") : NULL;
  if (writer.file == NULL) {
    kg_set_error (error, KG_ERROR_IO, "%s cannot be written: %s", path, g_strerror (errno));
    if (fd >= 0) {
      close (fd);
      g_unlink (temporary);
    }
    return false;
  }
  errno = 0;
  put_state (&writer, state, key);
  small = ftello (writer.file) <= (off_t) MIN (limit, (guint64) G_MAXINT64);
  if (fclose (writer.file) == 0 && writer.good && small && g_rename (temporary, path) == 0)
    return true;
  if (writer.good && !small)
    kg_set_error (error, KG_ERROR_LIMIT, "%s is not written: it is larger than the limit for all states together",
                  path);
  else
    kg_set_error (error, KG_ERROR_IO, "%s cannot be written: %s", path, g_strerror (errno));
  g_unlink (temporary);
  return false;
}

/* Reading. */

typedef struct {
  FILE *file;
  uint64_t left; /* bytes before the sum */
} Reader;

static bool
get (Reader *reader, void *data, size_t bytes)
{
  if (bytes > reader->left || fread (data, 1, bytes, reader->file) != bytes)
    return false;
  reader->left -= bytes;
  return true;
}

/* A number from 0 to max. */
static bool
get_uint (Reader *reader, uint64_t max, uint64_t *number)
{
  return get (reader, number, sizeof *number) && *number <= max;
}

/* A count of items of at least this many bytes: no more than the file can hold. */
static bool
get_count (Reader *reader, size_t bytes, uint64_t *number)
{
  return get_uint (reader, MIN (reader->left / MAX (bytes, 1), KG_GEOMETRY_MAX_POINTS), number);
}

/* (transfer full) *text may be NULL. */
static bool
get_text (Reader *reader, char **text)
{
  uint64_t length;

  *text = NULL;
  if (!get_uint (reader, reader->left, &length))
    return false;
  if (length == 0)
    return true;
  *text = g_malloc0 (length);
  return get (reader, *text, length - 1) && g_utf8_validate (*text, (gssize) length - 1, NULL);
}

static bool
get_texts (Reader *reader, KgGeometry *geometry, KgDomain domain, const char *name, size_t n)
{
  for (size_t i = 0; i < n; i++) {
    g_autofree char *text = NULL;

    if (!get_text (reader, &text))
      return false;
    kg_geometry_set_text (geometry, domain, name, i, text);
  }
  return n > 0;
}

static bool
get_attributes (Reader *reader, KgGeometry *geometry, KgDomain domain)
{
  const size_t n = domain == KG_POINTS       ? kg_geometry_get_n_points (geometry)
                   : domain == KG_PRIMITIVES ? kg_geometry_get_n_primitives (geometry)
                                             : 1;
  uint64_t n_attributes;

  if (!get_count (reader, 24, &n_attributes))
    return false;
  for (uint64_t i = 0; i < n_attributes; i++) {
    g_autofree char *name = NULL;
    uint64_t scalar, size;
    void *data;

    if (!get_text (reader, &name) || name == NULL || !get_uint (reader, KG_STRING, &scalar) ||
        !get_uint (reader, 16, &size) || size == 0)
      return false;
    if (scalar == KG_STRING) {
      if (!get_texts (reader, geometry, domain, name, n))
        return false;
      continue;
    }
    /* Before memory is allocated for more than the file can hold. */
    if (n > reader->left / (4 * size) ||
        (g_str_equal (name, "P") && domain == KG_POINTS && (scalar != KG_FLOAT32 || size != 3)))
      return false;
    data = scalar == KG_FLOAT32 ? (void *) kg_geometry_edit_float (geometry, domain, name, (uint8_t) size)
                                : (void *) kg_geometry_edit_int (geometry, domain, name, (uint8_t) size);
    if (!get (reader, data, n * size * 4))
      return false;
  }
  return true;
}

static bool
get_primitive (Reader *reader, KgGeometry *geometry)
{
  const size_t n_points = kg_geometry_get_n_points (geometry);
  g_autofree uint32_t *vertices = NULL;
  g_autofree double *knots = NULL, *weights = NULL;
  uint64_t n_vertices, n_knots, n_weights;
  KgPrimitive primitive = { 0 };
  uint8_t info[N_INFO];

  if (!get (reader, info, N_INFO) || info[0] > KG_SPLINE || info[1] > 1 || info[2] >= KG_N_BASES ||
      info[4] >= KG_N_ENDS || info[5] >= KG_N_SPACINGS || info[6] > 1 || info[7] > 1 || info[8] > 1 ||
      !get_count (reader, 4, &n_vertices) || !get_count (reader, 8, &n_knots))
    return false;
  n_weights = info[8] ? n_vertices : 0;
  if ((info[8] && n_weights == 0) || 4 * n_vertices + 8 * (n_knots + n_weights) > reader->left)
    return false;
  vertices = g_new (uint32_t, MAX (n_vertices, 1));
  knots = g_new (double, MAX (n_knots, 1));
  weights = g_new (double, MAX (n_weights, 1));
  if (!get (reader, vertices, 4 * n_vertices) || !get (reader, knots, 8 * n_knots) ||
      !get (reader, weights, 8 * n_weights))
    return false;
  for (uint64_t i = 0; i < n_vertices; i++)
    if (vertices[i] >= n_points)
      return false;
  primitive.kind = (KgPrimitiveKind) info[0];
  primitive.closed = info[1];
  primitive.basis = (KgBasis) info[2];
  primitive.order = info[3];
  primitive.n_vertices = (uint32_t) n_vertices;
  primitive.vertices = vertices;
  primitive.n_knots = (uint32_t) n_knots;
  primitive.knots = n_knots > 0 ? knots : NULL;
  primitive.weights = info[8] ? weights : NULL;
  primitive.rule = (KgSplineRule){ (KgSplineEnd) info[4], (KgSplineSpacing) info[5], info[6], info[7] };
  kg_geometry_add_primitive (geometry, &primitive);
  return true;
}

/* (transfer full) (nullable) */
static KgGeometry *
get_geometry (Reader *reader)
{
  g_autoptr (KgGeometry) geometry = kg_geometry_new ();
  uint64_t n_points, n_primitives;
  KgHash fingerprint;

  /* Every point has at least its place. */
  if (!get (reader, &fingerprint, sizeof fingerprint) || !get_count (reader, 12, &n_points) ||
      !get_count (reader, N_INFO + 16, &n_primitives) || !kg_geometry_set_n_points (geometry, n_points, NULL))
    return NULL;
  for (uint64_t i = 0; i < n_primitives; i++)
    if (!get_primitive (reader, geometry))
      return NULL;
  for (guint d = 0; d < KG_N_DOMAINS; d++)
    if (!get_attributes (reader, geometry, d))
      return NULL;
  if (!kg_geometry_check_finite (geometry, NULL))
    return NULL;
  kg_geometry_set_fingerprint (geometry, fingerprint);
  return g_steal_pointer (&geometry);
}

static bool
has_attribute (const KgGeometry *geometry, const char *text)
{
  static const char *const domains[] = { [KG_POINTS] = "points", [KG_PRIMITIVES] = "primitives", [KG_WHOLE] = "whole" };
  static const char *const scalars[] = { [KG_FLOAT32] = "float", [KG_INT32] = "int" };
  g_auto (GStrv) words = g_strsplit (text, " ", 4);
  KgAttribute attribute;

  g_return_val_if_fail (g_strv_length (words) == 4, false);
  for (guint d = 0; d < KG_N_DOMAINS; d++)
    if (g_str_equal (words[0], domains[d]) && kg_geometry_find_attribute (geometry, d, words[1], &attribute))
      return attribute.scalar != KG_STRING && g_str_equal (words[2], scalars[attribute.scalar]) &&
             (g_str_equal (words[3], "*") || attribute.size == g_ascii_strtoull (words[3], NULL, 10));
  return false;
}

/* Whether a state is what its slot declares. */
static bool
matches_declaration (const KgSlot *slot, const KgValue *value)
{
  const double number = slot->kind == KG_INTEGER ? (double) value->integer : value->number;
  g_auto (GStrv) attributes = NULL;

  if ((slot->kind == KG_INTEGER || slot->kind == KG_NUMBER) && kg_slot_has_range (slot))
    return slot->min <= number && number <= slot->max;
  if (slot->kind != KG_GEOMETRY || slot->keeps == NULL || *slot->keeps == '\0')
    return true;
  attributes = g_strsplit (slot->keeps, "; ", -1);
  for (guint i = 0; attributes[i] != NULL; i++)
    if (!has_attribute (value->geometry, attributes[i]))
      return false;
  return true;
}

/* The value of a slot: none, or for a state one of its kind. */
static bool
get_value (Reader *reader, const KgSlot *slot, KgResult *state, guint index)
{
  KgValue *value = &state->values[index];
  uint64_t kind;
  KgGeometry *geometry;

  if (!get_uint (reader, KG_N_KINDS, &kind) || kind != (slot->role == KG_SLOT_STATE ? (uint64_t) slot->kind + 1 : 0))
    return false;
  if (kind == 0)
    return true;
  kind--;
  if (kind == KG_GEOMETRY) {
    geometry = get_geometry (reader);
    if (geometry == NULL)
      return false;
    *value = kg_value_take (KG_GEOMETRY, geometry);
  } else {
    if (get_plain_size ((KgKind) kind) == 0 || !get (reader, &value->number, get_plain_size ((KgKind) kind)))
      return false;
    value->kind = (KgKind) kind;
    if (!kg_value_check_finite (value, NULL))
      return false;
  }
  state->present[index] = true;
  return matches_declaration (slot, value);
}

/* Whether the check sum at the end is that of everything before it. */
static bool
check_sum (FILE *file, uint64_t bytes)
{
  g_autofree uint8_t *block = g_malloc (BLOCK);
  KgHash sum = kg_hash_begin (KG_HASH_STATE_SUM, 0), expected;

  for (size_t n; bytes > 0; bytes -= n) {
    n = (size_t) MIN (bytes, BLOCK);
    if (fread (block, 1, n, file) != n)
      return false;
    sum = kg_hash_bytes (sum, block, n);
  }
  return fread (&expected, 1, sizeof expected, file) == sizeof expected && kg_hash_equal (sum, expected);
}

/* (transfer full) (nullable) */
static KgResult *
get_state (Reader *reader, const KgNodeType *type)
{
  g_autoptr (KgResult) state = NULL;
  uint64_t n;

  if (!get_uint (reader, MAX_VALUES, &n) || n != type->n_slots)
    return NULL;
  state = kg_result_new (type->n_slots);
  for (guint i = 0; i < type->n_slots; i++)
    if (!get_value (reader, &type->slots[i], state, i))
      return NULL;
  if (reader->left > 0)
    return NULL;
  kg_result_measure (state);
  return g_steal_pointer (&state);
}

static KgResult *
load (FILE *file, KgHash key, const KgNodeType *type, const char **problem)
{
  Reader reader = { .file = file };
  KgResult *state;
  Header header;
  off_t end;

  *problem = _ ("it is damaged");
  if (fseeko (file, 0, SEEK_END) != 0 || (end = ftello (file)) < (off_t) (sizeof header + sizeof (KgHash)))
    return NULL;
  reader.left = (uint64_t) end - sizeof (KgHash);
  rewind (file);
  if (!get (&reader, &header, sizeof header))
    return NULL;
  if (memcmp (header.magic, MAGIC, sizeof header.magic) != 0) {
    *problem = _ ("it is not a simulation state");
    return NULL;
  }
  if (header.version != VERSION || header.order != BYTE_ORDER_MARK) {
    *problem = _ ("it was written by another version of the program, or on another kind of machine");
    return NULL;
  }
  if (!kg_hash_equal (header.key, key)) {
    *problem = _ ("it belongs to another simulation or frame");
    return NULL;
  }
  rewind (file);
  if (!check_sum (file, (uint64_t) end - sizeof (KgHash)))
    return NULL;
  fseeko (file, sizeof header, SEEK_SET);
  *problem = _ ("its contents are not those that the simulation keeps");
  state = get_state (&reader, type);
  return state;
}

KgResult *
kg_state_file_parse (const void *data, size_t length, KgHash key, const KgNodeType *type, const char **problem)
{
  FILE *file = length > 0 ? fmemopen ((void *) (size_t) data, length, "rb") : NULL;
  KgResult *state = NULL;

  *problem = _ ("it is damaged");
  if (file != NULL) {
    state = load (file, key, type, problem);
    fclose (file);
  }
  return state;
}

KgResult *
kg_state_file_load (const char *path, KgHash key, const KgNodeType *type, KgCacheOwner owner, GError **error)
{
  FILE *file = NULL;
  const char *problem;
  KgResult *state;
  struct stat info;

  if (!kg_regular_file_check (path, "a state", error))
    return NULL;
  file = g_fopen (path, "rb");
  if (file == NULL) {
    kg_set_error (error, KG_ERROR_IO, "%s: %s", path, g_strerror (errno));
    return NULL;
  }
  problem = _ ("it belongs to another user, who could have put anything into it");
  state = owner == KG_CACHE_OWN && (fstat (fileno (file), &info) != 0 || info.st_uid != geteuid ())
              ? NULL
              : load (file, key, type, &problem);
  fclose (file);
  if (state == NULL)
    kg_set_error (error, KG_ERROR_INVALID_FILE, "%s is not used: %s", path, problem);
  return state;
}
