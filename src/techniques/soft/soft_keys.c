/* soft_keys: reading the keys of a soft object from geometry.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "soft/soft_keys_private.h"

#include "geometry/triangulate.h"
#include "soft/key_attributes.h"
#include "soft/line_convolution.h"

/* The attributes of one geometry; those of primitives may be NULL. */
typedef struct {
  KeyAttributes points;
  const float *force, *color; /* of primitives */
  const int32_t *group;
  uint8_t color_size;
} SoftSource;

static SoftSource
soft_source_new (const KgGeometry *geometry)
{
  SoftSource source = { .points = key_attributes_find (geometry),
                        .force = kg_geometry_get_float (geometry, KG_PRIMITIVES, "force", 1),
                        .group = kg_geometry_get_int (geometry, KG_PRIMITIVES, "group", 1) };

  source.color = key_attributes_find_color (geometry, KG_PRIMITIVES, &source.color_size);
  return source;
}

static bool
soft_keys_find_group (SoftKeys *keys, int32_t id, guint *index, GError **error)
{
  for (*index = 0; *index < keys->n_groups; (*index)++)
    if (g_array_index (keys->group_ids, int32_t, *index) == id)
      return true;
  if (keys->n_groups == SOFT_MAX_GROUPS) {
    kg_set_error (error, KG_ERROR_LIMIT, "the keys are in more than %d groups: use fewer", SOFT_MAX_GROUPS);
    return false;
  }
  g_array_append_val (keys->group_ids, id);
  keys->n_groups++;
  return true;
}

/* Bodies that are asked for have another influence for each force; too weak ones keep that of force 1. */
static double
soft_keys_get_influence (const SoftKeys *keys, double force)
{
  const double body = density_get_body (&keys->options.density, fabs (force));

  return 1 / (body > 0 ? body : MAX (density_get_body (&keys->options.density, 1), 1e-3));
}

static double
soft_keys_get_growth (const SoftKeys *keys, const KeyAttributes *a, size_t point)
{
  return a->kind != NULL && a->kind[point] == SOFT_KEY_PLANE ? 1 : 1 + keys->options.grow;
}

/* Half the extent of the influence along the axes of the key. */
static KgVector
soft_keys_get_axes (const SoftKeys *keys, const KeyAttributes *a, size_t point, double force)
{
  const double sized = a->sized != NULL && a->sized[point] != 0 ? (double) a->sized[point] : force;
  bool influence;
  const KgVector half = key_attributes_get_half_extent (a, point, &influence);

  return kg_vector_scale (half, soft_keys_get_growth (keys, a, point) *
                                    (influence ? 1 : soft_keys_get_influence (keys, sized)));
}

/* K, whose columns are the axes. */
static void
soft_keys_get_frame (const SoftKeys *keys, const KeyAttributes *a, size_t point, double force, double k[3][3])
{
  const KgVector axes = soft_keys_get_axes (keys, a, point, force);
  const KgRotation turn = key_attributes_get_orient (a, point);

  if (key_attributes_has_frame (a, point)) {
    const double scale = soft_keys_get_growth (keys, a, point) *
                         (key_attributes_has_body_frame (a, point)
                              ? soft_keys_get_influence (keys, key_attributes_get_sized (a, point))
                              : 1);

    for (int i = 0; i < 9; i++)
      k[i % 3][i / 3] = scale * (double) a->frame[9 * point + (size_t) i];
    return;
  }
  for (size_t c = 0; c < 3; c++) {
    KgVector unit = { 0, 0, 0 }, column;

    *kg_vector_component (&unit, c) = kg_vector_get (axes, c);
    column = kg_rotation_apply (turn, unit);
    for (size_t r = 0; r < 3; r++)
      k[r][c] = kg_vector_get (column, r);
  }
}

/* False where it has no inverse. */
static bool
invert (double m[3][3], double out[3][3])
{
  KgTransform t = kg_transform_identity (), inverse;

  for (int r = 0; r < 3; r++)
    memcpy (t.m[r], m[r], sizeof m[r]);
  if (!kg_transform_invert (t, &inverse))
    return false;
  for (int r = 0; r < 3; r++)
    memcpy (out[r], inverse.m[r], sizeof out[r]);
  return true;
}

/* The extent of K times a unit ball of the n-norm along one axis: the dual norm of a row. */
static double
get_extent (const double row[3], double power)
{
  double sum = 0, largest = 0;

  for (int c = 0; c < 3; c++)
    largest = MAX (largest, fabs (row[c]));
  if (power <= 1 || largest == 0)
    return largest;
  for (int c = 0; c < 3; c++)
    sum += pow (fabs (row[c]) / largest, power / (power - 1));
  return largest * pow (sum, (power - 1) / power);
}

static void
soft_keys_record (SoftKeys *keys, const double *numbers, guint n)
{
  g_array_append_vals (keys->record, numbers, n);
}

static void
soft_keys_grow (SoftKey *key, KgVector p, double radius)
{
  for (size_t c = 0; c < 3; c++) {
    *kg_vector_component (&key->low, c) = MIN (kg_vector_get (key->low, c), kg_vector_get (p, c) - radius);
    *kg_vector_component (&key->high, c) = MAX (kg_vector_get (key->high, c), kg_vector_get (p, c) + radius);
  }
}

/* A key without any extent yet. */
static SoftKey
soft_keys_begin (SoftKeys *keys, SoftKind kind)
{
  return (SoftKey){ .kind = kind,
                    .source = keys->n_sources++,
                    .force = 1,
                    .power = 2,
                    .color = { 1, 1, 1 },
                    .low = { INFINITY, INFINITY, INFINITY },
                    .high = { -INFINITY, -INFINITY, -INFINITY },
                    .first = keys->nodes->len };
}

static void
set_color (SoftKey *key, const float *color)
{
  for (int c = 0; c < 3; c++)
    key->color[c] = (double) color[c];
}

static void
soft_keys_end (SoftKeys *keys, SoftKey *key)
{
  const double numbers[] = { (double) key->kind, key->group,    key->force, key->color[0],
                             key->color[1],      key->color[2], key->n };
  const guint number = keys->keys->len + 1;

  for (size_t c = 0; c < 3; c++) {
    *kg_vector_component (&keys->low, c) = MIN (kg_vector_get (keys->low, c), kg_vector_get (key->low, c));
    *kg_vector_component (&keys->high, c) = MAX (kg_vector_get (keys->high, c), kg_vector_get (key->high, c));
  }
  soft_keys_record (keys, numbers, G_N_ELEMENTS (numbers));
  for (guint i = key->first; i < key->first + key->n; i++) {
    soft_keys_record (keys, &g_array_index (keys->nodes, KgVector, i).x, 3);
    soft_keys_record (keys, &g_array_index (keys->radii, double, i), 1);
  }
  if (key->kind != SOFT_PLANE && key->force > 0 && !(density_get_body (&keys->options.density, key->force) > 0))
    g_array_append_val (keys->weak, number);
  g_array_append_val (keys->keys, *key);
}

static bool
soft_keys_add_ellipsoid (SoftKeys *keys, const KeyAttributes *a, size_t point, GError **error)
{
  const double reach = density_get_reach (&keys->options.density);
  const bool plane = a->kind != NULL && a->kind[point] == SOFT_KEY_PLANE;
  SoftKey key = soft_keys_begin (keys, plane ? SOFT_PLANE : SOFT_ELLIPSOID);
  double k[3][3], largest = 0, power;

  if (!soft_keys_find_group (keys, key_attributes_get_group (a, point), &key.group, error))
    return false;
  key.center = key_attributes_get_place (a, point);
  key.force = key_attributes_get_force (a, point);
  if (a->color != NULL)
    set_color (&key, a->color + point * a->color_size);
  power = key_attributes_get_power (a, point);
  key.power = kg_clamp (power, SOFT_LEAST_POWER, SOFT_MOST_POWER);
  soft_keys_get_frame (keys, a, point, key.force, k);
  for (int r = 0; r < 3; r++)
    for (int c = 0; c < 3; c++)
      largest = MAX (largest, fabs (k[r][c]));
  /* Without any extent it is a key that has faded away. */
  if (largest == 0)
    return true;
  keys->n_limited += key.power != power;
  if (!invert (k, key.inverse)) {
    keys->n_skipped++;
    return true;
  }
  for (size_t r = 0; r < 3 && !plane; r++) {
    const double extent = reach * get_extent (k[r], key.power);

    *kg_vector_component (&key.low, r) = kg_vector_get (key.center, r) - extent;
    *kg_vector_component (&key.high, r) = kg_vector_get (key.center, r) + extent;
  }
  soft_keys_record (keys, &key.center.x, 3);
  soft_keys_record (keys, &key.inverse[0][0], 9);
  soft_keys_record (keys, &key.power, 1);
  soft_keys_end (keys, &key);
  if (plane) {
    SoftKey *last = &g_array_index (keys->keys, SoftKey, keys->keys->len - 1);

    /* It reaches everywhere, but shows only where others are. */
    last->low = kg_vector (-INFINITY, -INFINITY, -INFINITY);
    last->high = kg_vector (INFINITY, INFINITY, INFINITY);
  }
  return true;
}

static double
soft_keys_add_node (SoftKeys *keys, const KeyAttributes *a, SoftKey *key, uint32_t point)
{
  const KgVector p = key_attributes_get_place (a, point);
  const double radius = fabs (soft_keys_get_axes (keys, a, point, key->force).x);

  g_array_append_val (keys->nodes, p);
  g_array_append_val (keys->radii, radius);
  soft_keys_grow (key, p, density_get_reach (&keys->options.density) * radius);
  key->n++;
  return radius;
}

/* A flat polygon in triangles: seen along the axis that its normal is closest to. */
static void
soft_keys_add_faces (SoftKeys *keys, const KeyAttributes *a, const KgPrimitive *polygon, SoftKey *key)
{
  g_autoptr (GArray) triangles = g_array_new (false, false, sizeof (uint32_t));
  g_autofree double *flat = g_new (double, 2 * (size_t) polygon->n_vertices);
  KgVector normal = { 0, 0, 0 };
  size_t drop = 0;

  for (uint32_t i = 0; i < polygon->n_vertices; i++)
    normal = kg_vector_add (
        normal, kg_vector_cross (key_attributes_get_place (a, polygon->vertices[i]),
                                 key_attributes_get_place (a, polygon->vertices[(i + 1) % polygon->n_vertices])));
  for (size_t c = 1; c < 3; c++)
    if (fabs (kg_vector_get (normal, c)) > fabs (kg_vector_get (normal, drop)))
      drop = c;
  for (uint32_t i = 0; i < polygon->n_vertices; i++) {
    const KgVector p = key_attributes_get_place (a, polygon->vertices[i]);

    flat[2 * i] = kg_vector_get (p, (drop + 1) % 3);
    flat[2 * i + 1] = kg_vector_get (p, (drop + 2) % 3);
  }
  triangulate (flat, &polygon->n_vertices, 1, triangles);
  for (guint i = 0; i < triangles->len; i++)
    soft_keys_add_node (keys, a, key, polygon->vertices[g_array_index (triangles, uint32_t, i)]);
}

/* Turns the radii of a chain into weights of one kernel, with which a long line has the body of each radius. */
static void
soft_keys_convolve (SoftKeys *keys, SoftKey *key)
{
  const double sigma = keys->options.sharpness, level = keys->options.density.level;
  /* A level of 1 or more is out of reach of a force of 1: the radius is then half of the influence. */
  const double body = density_get_body (&keys->options.density, 1), ratio = body > 0 ? MIN (body, 0.99) : 0.5;
  double *radii = &g_array_index (keys->radii, double, key->first);

  for (guint i = 0; i < key->n; i++)
    key->reach = MAX (key->reach, radii[i]);
  if (!(key->reach > 0))
    return;
  for (guint i = 0; i < key->n; i++) {
    radii[i] = level / line_convolution_get_endless (sigma, ratio * radii[i] / key->reach);
    soft_keys_grow (key, g_array_index (keys->nodes, KgVector, key->first + i), key->reach);
  }
}

static bool
soft_keys_has_length (const SoftKeys *keys, const SoftKey *key)
{
  for (guint i = key->first; i + 1 < key->first + key->n; i++)
    if (kg_vector_distance (g_array_index (keys->nodes, KgVector, i), g_array_index (keys->nodes, KgVector, i + 1)) > 0)
      return true;
  return false;
}

static bool
soft_keys_add_primitive (SoftKeys *keys, const SoftSource *source, size_t index, GError **error)
{
  const KeyAttributes *a = &source->points;
  SoftKey key = soft_keys_begin (keys, SOFT_CHAIN);
  KgPrimitive primitive;
  uint32_t point;
  bool extended = false;

  kg_geometry_get_primitive (a->geometry, index, &primitive);
  if (primitive.n_vertices == 0)
    return true;
  point = primitive.vertices[0];
  if (!soft_keys_find_group (keys, source->group != NULL ? source->group[index] : key_attributes_get_group (a, point),
                             &key.group, error))
    return false;
  key.force = source->force != NULL ? (double) source->force[index] : key_attributes_get_force (a, point);
  if (source->color != NULL)
    set_color (&key, source->color + index * source->color_size);
  else if (a->color != NULL)
    set_color (&key, a->color + point * a->color_size);
  if (primitive.kind == KG_POLYGON && primitive.n_vertices >= 3) {
    key.kind = SOFT_FACES;
    soft_keys_add_faces (keys, a, &primitive, &key);
  }
  /* What encloses no area counts as its outline. */
  if (key.n == 0) {
    const bool closed = primitive.kind == KG_POLYGON || primitive.closed;

    for (uint32_t i = 0; i < primitive.n_vertices + (closed ? 1 : 0); i++)
      soft_keys_add_node (keys, a, &key, primitive.vertices[i % primitive.n_vertices]);
  }
  for (guint i = key.first; i < key.first + key.n; i++)
    extended = extended || g_array_index (keys->radii, double, i) > 0;
  if (extended && key.kind == SOFT_CHAIN && keys->options.sharpness > 0 && soft_keys_has_length (keys, &key))
    soft_keys_convolve (keys, &key);
  soft_keys_record (keys, &key.reach, 1);
  if (extended)
    soft_keys_end (keys, &key);
  return true;
}

/* Asked once for so many keys. */
#define CANCEL_EVERY 4096

static bool
check_cancelled (const KgProgressMonitor *monitor, size_t i, GError **error)
{
  return i % CANCEL_EVERY == 0 && !kg_progress_check (monitor, error);
}

static bool
soft_keys_add (SoftKeys *keys, const KgGeometry *geometry, const KgProgressMonitor *monitor, GError **error)
{
  const SoftSource source = soft_source_new (geometry);
  const size_t n_points = kg_geometry_get_n_points (geometry), n_primitives = kg_geometry_get_n_primitives (geometry);
  g_autofree uint8_t *used = g_new0 (uint8_t, MAX (n_points, 1));

  if (!kg_geometry_check_finite (geometry, error))
    return false;
  for (size_t i = 0; i < n_primitives; i++) {
    KgPrimitive primitive;

    kg_geometry_get_primitive (geometry, i, &primitive);
    for (uint32_t v = 0; v < primitive.n_vertices; v++)
      used[primitive.vertices[v]] = 1;
  }
  for (size_t i = 0; i < n_points; i++)
    if (check_cancelled (monitor, i, error) || (!used[i] && !soft_keys_add_ellipsoid (keys, &source.points, i, error)))
      return false;
  for (size_t i = 0; i < n_primitives; i++)
    if (check_cancelled (monitor, i, error) || !soft_keys_add_primitive (keys, &source, i, error))
      return false;
  return true;
}

static KgVector
clamp_to_floats (KgVector v)
{
  const double most = 1e37;

  return kg_vector (kg_clamp (v.x, -most, most), kg_clamp (v.y, -most, most), kg_clamp (v.z, -most, most));
}

/* False: cancelled. */
static bool
soft_keys_make_tree (SoftKeys *keys, const KgProgressMonitor *monitor)
{
  const guint n = keys->keys->len;
  g_autofree BoundingBox *boxes = g_new (BoundingBox, MAX (n, 1));

  for (guint i = 0; i < n; i++) {
    const SoftKey *key = &g_array_index (keys->keys, SoftKey, i);

    boxes[i] = bounding_box_from_vectors (clamp_to_floats (key->low), clamp_to_floats (key->high));
  }
  keys->tree = box_tree_new (boxes, n, monitor);
  return keys->tree != NULL;
}

/* Each group counts in itself, and in those it is the partner of. */
static void
soft_keys_pair_groups (SoftKeys *keys, const KgTable *pairs)
{
  for (guint g = 0; g < keys->n_groups; g++)
    keys->partners[g] = (uint64_t) 1 << g;
  for (size_t row = 0; pairs != NULL && row < kg_table_get_n_rows (pairs); row++) {
    const double *ids = kg_table_get_row (pairs, row);
    uint64_t bits[2] = { 0, 0 };

    for (guint g = 0; g < keys->n_groups; g++)
      for (int side = 0; side < 2; side++)
        if ((double) g_array_index (keys->group_ids, int32_t, g) == ids[side])
          bits[side] |= (uint64_t) 1 << g;
    for (guint g = 0; g < keys->n_groups; g++)
      for (int side = 0; side < 2; side++)
        if ((bits[side] & (uint64_t) 1 << g) != 0)
          keys->partners[g] |= bits[1 - side];
  }
}

SoftKeys *
soft_keys_new (const KgGeometry *const *geometries, guint n, const SoftOptions *options,
               const KgProgressMonitor *monitor, GError **error)
{
  g_autoptr (SoftKeys) keys = g_new0 (SoftKeys, 1);
  const double numbers[] = { (double) options->density.kind,
                             options->density.level,
                             options->density.blobbiness,
                             options->density.cutoff,
                             (double) options->blend,
                             options->power,
                             options->soften,
                             options->grow,
                             options->sharpness };

  g_atomic_ref_count_init (&keys->refs);
  keys->options = *options;
  keys->options.partners = NULL;
  keys->level = options->density.level;
  keys->keys = g_array_new (false, false, sizeof (SoftKey));
  keys->nodes = g_array_new (false, false, sizeof (KgVector));
  keys->radii = g_array_new (false, false, sizeof (double));
  keys->weak = g_array_new (false, false, sizeof (guint));
  keys->record = g_array_new (false, false, sizeof (double));
  keys->group_ids = g_array_new (false, false, sizeof (int32_t));
  keys->low = kg_vector (INFINITY, INFINITY, INFINITY);
  keys->high = kg_vector (-INFINITY, -INFINITY, -INFINITY);
  soft_keys_record (keys, numbers, G_N_ELEMENTS (numbers));
  for (guint i = 0; i < n; i++)
    if (!soft_keys_add (keys, geometries[i], monitor, error))
      return NULL;
  soft_keys_pair_groups (keys, options->partners);
  for (guint g = 0; g < keys->n_groups; g++) {
    const double halves[] = { (double) (keys->partners[g] >> 32), (double) (keys->partners[g] & 0xffffffff) };

    soft_keys_record (keys, halves, 2);
  }
  if (!soft_keys_make_tree (keys, monitor)) {
    kg_set_error (error, KG_ERROR_CANCELLED, "cancelled");
    return NULL;
  }
  return g_steal_pointer (&keys);
}

SoftKeys *
soft_keys_ref (SoftKeys *keys)
{
  g_atomic_ref_count_inc (&keys->refs);
  return keys;
}

void
soft_keys_unref (SoftKeys *keys)
{
  if (!g_atomic_ref_count_dec (&keys->refs))
    return;
  g_array_unref (keys->keys);
  g_array_unref (keys->nodes);
  g_array_unref (keys->radii);
  g_array_unref (keys->weak);
  g_array_unref (keys->record);
  g_array_unref (keys->group_ids);
  g_clear_pointer (&keys->tree, box_tree_free);
  g_free (keys);
}

void
soft_keys_set_level (SoftKeys *keys, double level)
{
  keys->level = level;
  soft_keys_record (keys, &level, 1);
}

guint
soft_keys_get_n (const SoftKeys *keys)
{
  return keys->keys->len;
}

guint
soft_keys_get_n_skipped (const SoftKeys *keys)
{
  return keys->n_skipped;
}

guint
soft_keys_get_n_limited (const SoftKeys *keys)
{
  return keys->n_limited;
}

guint
soft_keys_get_n_weak (const SoftKeys *keys)
{
  return keys->weak->len;
}

guint
soft_keys_get_n_adding (const SoftKeys *keys)
{
  guint n = 0;

  for (guint k = 0; k < keys->keys->len; k++) {
    const SoftKey *key = &g_array_index (keys->keys, SoftKey, k);

    n += key->kind != SOFT_PLANE && key->force >= 0;
  }
  return n;
}

void
soft_keys_add_weak (const SoftKeys *keys, GString *list)
{
  for (guint i = 0; i < keys->weak->len; i++)
    g_string_append_printf (list, "%s%u", i > 0 ? ", " : "", g_array_index (keys->weak, guint, i));
}

bool
soft_keys_get_bounds (const SoftKeys *keys, KgVector *low, KgVector *high)
{
  *low = keys->low;
  *high = keys->high;
  return keys->low.x <= keys->high.x;
}
