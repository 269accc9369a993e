/* kg-value: the tagged value; one table row for each heavy kind.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-geometry-private.h"
#include "kg-value.h"

/* What the value code needs to know of a heavy kind.  Functions take plain pointers so that one table serves. */
typedef struct {
  void *(*ref) (const void *);
  void (*unref) (void *);
  bool (*equal) (const void *, const void *);
  KgHash (*get_fingerprint) (const void *);
  void (*set_fingerprint) (void *, KgHash);                    /* NULL: that of the contents, which is cheap */
  bool (*check_finite) (const void *, GError **);              /* NULL: finite by construction */
  void (*each_buffer) (const void *, KgBufferVisit, gpointer); /* NULL: no shared buffers */
  size_t (*get_bytes) (const void *);
} HeavyKind;

#define KG_HEAVY(lower, Type)                                                                                          \
  static void *lower##_ref (const void *p)                                                                             \
  {                                                                                                                    \
    return kg_##lower##_ref ((const Type *) p);                                                                        \
  }                                                                                                                    \
  static void lower##_unref (void *p)                                                                                  \
  {                                                                                                                    \
    kg_##lower##_unref ((Type *) p);                                                                                   \
  }                                                                                                                    \
  static bool lower##_equal (const void *a, const void *b)                                                             \
  {                                                                                                                    \
    return kg_##lower##_equal ((const Type *) a, (const Type *) b);                                                    \
  }                                                                                                                    \
  static KgHash lower##_get_fingerprint (const void *p)                                                                \
  {                                                                                                                    \
    return kg_##lower##_get_fingerprint ((const Type *) p);                                                            \
  }

#define KG_HEAVY_PUBLISHED(lower, Type)                                                                                \
  static void lower##_set_fingerprint (void *p, KgHash h)                                                              \
  {                                                                                                                    \
    kg_##lower##_set_fingerprint ((Type *) p, h);                                                                      \
  }

#define KG_HEAVY_CHECKED(lower, Type)                                                                                  \
  static bool lower##_check_finite (const void *p, GError **error)                                                     \
  {                                                                                                                    \
    return kg_##lower##_check_finite ((const Type *) p, error);                                                        \
  }

#define KG_HEAVY_BUFFERS(lower, Type)                                                                                  \
  static void lower##_each_buffer (const void *p, KgBufferVisit visit, gpointer data)                                  \
  {                                                                                                                    \
    kg_##lower##_each_buffer ((const Type *) p, visit, data);                                                          \
  }

#define KG_HEAVY_BYTES(lower, Type)                                                                                    \
  static size_t lower##_get_bytes (const void *p)                                                                      \
  {                                                                                                                    \
    return kg_##lower##_get_bytes ((const Type *) p);                                                                  \
  }

KG_HEAVY (motion, KgMotion)
KG_HEAVY_PUBLISHED (motion, KgMotion)
KG_HEAVY_BYTES (motion, KgMotion)
KG_HEAVY (geometry, KgGeometry)
KG_HEAVY_PUBLISHED (geometry, KgGeometry)
KG_HEAVY_CHECKED (geometry, KgGeometry)
KG_HEAVY_BUFFERS (geometry, KgGeometry)
KG_HEAVY (skeleton, KgSkeleton)
KG_HEAVY_PUBLISHED (skeleton, KgSkeleton)
KG_HEAVY_CHECKED (skeleton, KgSkeleton)
KG_HEAVY_BYTES (skeleton, KgSkeleton)
KG_HEAVY (field, KgField)
KG_HEAVY_PUBLISHED (field, KgField)
KG_HEAVY (image, KgImage)
KG_HEAVY_PUBLISHED (image, KgImage)
KG_HEAVY_CHECKED (image, KgImage)
KG_HEAVY_BUFFERS (image, KgImage)
KG_HEAVY (scene, KgScene)
KG_HEAVY_PUBLISHED (scene, KgScene)
KG_HEAVY_CHECKED (scene, KgScene)
KG_HEAVY_BUFFERS (scene, KgScene)
KG_HEAVY (table, KgTable)
KG_HEAVY_CHECKED (table, KgTable)
KG_HEAVY_BUFFERS (table, KgTable)
KG_HEAVY (sound, KgSound)
KG_HEAVY_PUBLISHED (sound, KgSound)
KG_HEAVY_CHECKED (sound, KgSound)
KG_HEAVY_BUFFERS (sound, KgSound)

static const HeavyKind heavy_kinds[KG_N_KINDS] = {
  [KG_MOTION] = { motion_ref, motion_unref, motion_equal, motion_get_fingerprint, motion_set_fingerprint, NULL, NULL,
                  motion_get_bytes },
  [KG_GEOMETRY] = { geometry_ref, geometry_unref, geometry_equal, geometry_get_fingerprint, geometry_set_fingerprint,
                    geometry_check_finite, geometry_each_buffer, NULL },
  [KG_SKELETON] = { skeleton_ref, skeleton_unref, skeleton_equal, skeleton_get_fingerprint, skeleton_set_fingerprint,
                    skeleton_check_finite, NULL, skeleton_get_bytes },
  [KG_FIELD] = { field_ref, field_unref, field_equal, field_get_fingerprint, field_set_fingerprint, NULL, NULL, NULL },
  [KG_IMAGE] = { image_ref, image_unref, image_equal, image_get_fingerprint, image_set_fingerprint, image_check_finite,
                 image_each_buffer, NULL },
  [KG_SCENE] = { scene_ref, scene_unref, scene_equal, scene_get_fingerprint, scene_set_fingerprint, scene_check_finite,
                 scene_each_buffer, NULL },
  [KG_TABLE] = { table_ref, table_unref, table_equal, table_get_fingerprint, NULL, table_check_finite,
                 table_each_buffer, NULL },
  [KG_SOUND] = { sound_ref, sound_unref, sound_equal, sound_get_fingerprint, sound_set_fingerprint, sound_check_finite,
                 sound_each_buffer, NULL },
};

static const char *const kind_names[KG_N_KINDS] = {
  [KG_NUMBER] = "number",       [KG_INTEGER] = "integer", [KG_BOOLEAN] = "boolean",   [KG_TEXT] = "text",
  [KG_CHOICE] = "choice",       [KG_VECTOR] = "vector",   [KG_COLOR] = "color",       [KG_ROTATION] = "rotation",
  [KG_TRANSFORM] = "transform", [KG_MOTION] = "motion",   [KG_GEOMETRY] = "geometry", [KG_SKELETON] = "skeleton",
  [KG_FIELD] = "field",         [KG_IMAGE] = "image",     [KG_SCENE] = "scene",       [KG_TABLE] = "table",
  [KG_SOUND] = "sound",         [KG_ANY] = "any",         [KG_LIST] = "list",
};

const char *
kg_kind_get_name (KgKind kind)
{
  return kind < KG_N_KINDS ? kind_names[kind] : "invalid";
}

const char *
kg_kind_get_phrase (KgKind kind)
{
  static const char *const phrases[KG_N_KINDS] = {
    [KG_NUMBER] = N_ ("a number"), [KG_INTEGER] = N_ ("an integer"),  [KG_BOOLEAN] = N_ ("a boolean"),
    [KG_TEXT] = N_ ("text"),       [KG_CHOICE] = N_ ("a choice"),     [KG_VECTOR] = N_ ("a vector"),
    [KG_COLOR] = N_ ("a colour"),  [KG_ROTATION] = N_ ("a rotation"), [KG_TRANSFORM] = N_ ("a transform"),
    [KG_MOTION] = N_ ("a motion"), [KG_GEOMETRY] = N_ ("a geometry"), [KG_SKELETON] = N_ ("a skeleton"),
    [KG_FIELD] = N_ ("a field"),   [KG_IMAGE] = N_ ("an image"),      [KG_SCENE] = N_ ("a scene"),
    [KG_TABLE] = N_ ("a table"),   [KG_SOUND] = N_ ("a sound"),       [KG_ANY] = N_ ("a value of any kind"),
    [KG_LIST] = N_ ("a list"),
  };

  return kg_translate (kind < KG_N_KINDS ? phrases[kind] : N_ ("an invalid value"));
}

bool
kg_kind_from_name (const char *name, KgKind *kind)
{
  for (guint i = 0; i < KG_N_KINDS; i++)
    if (g_str_equal (name, kind_names[i])) {
      *kind = (KgKind) i;
      return true;
    }
  return false;
}

KgValue
kg_value_number (double number)
{
  return (KgValue){ .kind = KG_NUMBER, .number = number };
}

KgValue
kg_value_integer (int64_t integer)
{
  return (KgValue){ .kind = KG_INTEGER, .integer = integer };
}

KgValue
kg_value_boolean (bool boolean)
{
  return (KgValue){ .kind = KG_BOOLEAN, .boolean = boolean };
}

KgValue
kg_value_text (const char *text)
{
  return (KgValue){ .kind = KG_TEXT, .text = g_ref_string_new (text != NULL ? text : "") };
}

KgValue
kg_value_vector (KgVector vector)
{
  return (KgValue){ .kind = KG_VECTOR, .vector = vector };
}

KgValue
kg_value_color (KgColor color)
{
  return (KgValue){ .kind = KG_COLOR, .color = color };
}

KgValue
kg_value_rotation (KgRotation rotation)
{
  return (KgValue){ .kind = KG_ROTATION, .rotation = rotation };
}

KgValue
kg_value_transform (const KgTransform *transform)
{
  KgTransform *copy = g_atomic_rc_box_new (KgTransform);

  *copy = *transform;
  return (KgValue){ .kind = KG_TRANSFORM, .transform = copy };
}

KgValue
kg_value_take (KgKind kind, void *pointer)
{
  g_assert (kind < KG_N_KINDS && heavy_kinds[kind].ref != NULL && pointer != NULL);
  return (KgValue){ .kind = kind, .pointer = pointer };
}

KgValue
kg_value_copy (const KgValue *value)
{
  KgValue copy = *value;

  if (value->kind == KG_TEXT)
    copy.text = g_ref_string_acquire (value->text);
  else if (value->kind == KG_TRANSFORM)
    copy.transform = (KgTransform *) g_atomic_rc_box_acquire (value->transform);
  else if (heavy_kinds[value->kind].ref != NULL)
    copy.pointer = heavy_kinds[value->kind].ref (value->pointer);
  return copy;
}

void
kg_value_clear (KgValue *value)
{
  if (value->kind == KG_TEXT)
    g_ref_string_release (value->text);
  else if (value->kind == KG_TRANSFORM)
    g_atomic_rc_box_release (value->transform);
  else if (heavy_kinds[value->kind].unref != NULL)
    heavy_kinds[value->kind].unref (value->pointer);
  *value = (KgValue) KG_VALUE_INIT;
}

/* The doubles of a small value, if it is made of doubles; 0 otherwise. */
static guint
get_doubles (const KgValue *value, const double **doubles)
{
  switch (value->kind) {
  case KG_NUMBER:
    *doubles = &value->number;
    return 1;
  case KG_VECTOR:
    *doubles = &value->vector.x;
    return 3;
  case KG_COLOR:
    *doubles = &value->color.r;
    return 4;
  case KG_ROTATION:
    *doubles = &value->rotation.w;
    return 4;
  case KG_TRANSFORM:
    *doubles = &value->transform->m[0][0];
    return 16;
  default:
    *doubles = NULL;
    return 0;
  }
}

bool
kg_value_equal (const KgValue *a, const KgValue *b)
{
  const double *x, *y;
  guint n;

  if (a->kind != b->kind)
    return false;
  if (a->kind == KG_INTEGER)
    return a->integer == b->integer;
  if (a->kind == KG_BOOLEAN)
    return a->boolean == b->boolean;
  if (a->kind == KG_TEXT)
    return g_str_equal (a->text, b->text);
  if (heavy_kinds[a->kind].equal != NULL)
    return a->pointer == b->pointer || heavy_kinds[a->kind].equal (a->pointer, b->pointer);
  n = get_doubles (a, &x);
  get_doubles (b, &y);
  for (guint i = 0; i < n; i++)
    if (!(x[i] == y[i]))
      return false;
  return true;
}

KgHash
kg_value_get_fingerprint (const KgValue *value)
{
  KgHash hash = kg_hash_begin (KG_HASH_VALUE, value->kind);
  const double *doubles;
  guint n;

  if (heavy_kinds[value->kind].get_fingerprint != NULL)
    return heavy_kinds[value->kind].get_fingerprint (value->pointer);
  if (value->kind == KG_INTEGER)
    return kg_hash_uint (hash, (uint64_t) value->integer);
  if (value->kind == KG_BOOLEAN)
    return kg_hash_uint (hash, value->boolean);
  if (value->kind == KG_TEXT)
    return kg_hash_text (hash, value->text);
  n = get_doubles (value, &doubles);
  for (guint i = 0; i < n; i++)
    hash = kg_hash_double (hash, doubles[i]);
  return hash;
}

bool
kg_value_complete (const KgValue *value, const KgProgressMonitor *monitor)
{
  return value->kind != KG_IMAGE || value->image == NULL || kg_image_complete (value->image, monitor);
}

void
kg_value_publish (KgValue *value, KgHash fingerprint)
{
  const HeavyKind *heavy = &heavy_kinds[value->kind];

  if (heavy->set_fingerprint != NULL && kg_hash_is_zero (heavy->get_fingerprint (value->pointer)))
    heavy->set_fingerprint (value->pointer, fingerprint);
}

bool
kg_value_check_finite (const KgValue *value, GError **error)
{
  const double *doubles;
  const guint n = get_doubles (value, &doubles);

  for (guint i = 0; i < n; i++)
    if (!isfinite (doubles[i])) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE, "%s with the component %g: every number must be finite",
                    kg_kind_get_phrase (value->kind), doubles[i]);
      return false;
    }
  if (heavy_kinds[value->kind].check_finite != NULL)
    return heavy_kinds[value->kind].check_finite (value->pointer, error);
  return true;
}

static void
add_buffer_size (KgBuffer *buffer, gpointer data)
{
  *(size_t *) data += kg_buffer_get_size (buffer);
}

size_t
kg_value_get_bytes (const KgValue *value)
{
  size_t bytes = sizeof (KgValue);

  if (value->kind == KG_TEXT)
    bytes += g_ref_string_length (value->text);
  else if (value->kind == KG_TRANSFORM)
    bytes += sizeof (KgTransform);
  else if (heavy_kinds[value->kind].get_bytes != NULL)
    bytes += heavy_kinds[value->kind].get_bytes (value->pointer);
  else if (heavy_kinds[value->kind].ref != NULL)
    bytes += 256; /* the object itself; its buffers follow */
  if (value->kind == KG_GEOMETRY)
    return bytes + kg_geometry_get_buffer_bytes (value->geometry);
  kg_value_each_buffer (value, add_buffer_size, &bytes);
  return bytes;
}

void
kg_value_each_buffer (const KgValue *value, KgBufferVisit visit, gpointer data)
{
  if (heavy_kinds[value->kind].each_buffer != NULL)
    heavy_kinds[value->kind].each_buffer (value->pointer, visit, data);
}

bool
kg_value_get_component (const KgValue *value, const char *component, double *number)
{
  static const struct {
    KgKind kind;
    const char *names;
  } components[] = { { KG_VECTOR, "xyz" }, { KG_COLOR, "rgba" }, { KG_ROTATION, "wxyz" } };
  const double *doubles;
  const char *found;

  if (component == NULL) {
    g_auto (KgValue) converted = KG_VALUE_INIT;

    if (value->kind > KG_BOOLEAN || !kg_value_convert (value, KG_NUMBER, &converted, NULL))
      return false;
    *number = converted.number;
    return true;
  }
  if (component[0] == '\0' || component[1] != '\0')
    return false;
  for (guint i = 0; i < G_N_ELEMENTS (components); i++)
    if (components[i].kind == value->kind && (found = strchr (components[i].names, component[0])) != NULL) {
      get_doubles (value, &doubles);
      *number = doubles[found - components[i].names];
      return true;
    }
  /* The components of a transform are those of its translation. */
  if (value->kind == KG_TRANSFORM && component[0] >= 'x' && component[0] <= 'z') {
    *number = value->transform->m[component[0] - 'x'][3];
    return true;
  }
  return false;
}
