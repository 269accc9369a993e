/* spring_tear: faces that split where they tear, and the geometry of what is left.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "sim/spring_body.h"
#include "geometry/primitive_attributes.h"
#include "kg-floats.h"
#include "sim/spring_net_private.h"
#include "value/disjoint_sets.h"

#include <stdlib.h>
#include <string.h>

#define WORDS 16

/* A primitive whose vertices may change, and which one of the old ones it comes from. */
typedef struct {
  uint32_t from;
  uint32_t first, n; /* of its vertices */
} Part;

/* Replaces the primitives of a geometry by parts of them; opened: closed lines that are now open. */
static void
replace_primitives (KgGeometry *geometry, const GArray *parts, const uint32_t *vertices)
{
  g_autoptr (KgGeometry) before = kg_geometry_ref (geometry);
  g_autofree uint32_t *sources = g_new (uint32_t, parts->len);

  kg_geometry_make_writable (&before);
  kg_geometry_clear_primitives (geometry);
  for (guint i = 0; i < parts->len; i++) {
    const Part *part = &g_array_index (parts, Part, i);
    KgPrimitive primitive;

    kg_geometry_get_primitive (before, part->from, &primitive);
    sources[i] = part->from;
    if (part->n != primitive.n_vertices) {
      primitive.closed = false;
      primitive.n_knots = 0;
      primitive.knots = primitive.weights = NULL;
      if (primitive.kind == KG_SPLINE)
        primitive = (KgPrimitive){ .kind = KG_POLYLINE };
    }
    primitive.n_vertices = part->n;
    primitive.vertices = vertices + part->first;
    kg_geometry_add_primitive (geometry, &primitive);
  }
  primitive_attributes_copy (geometry, before, sources, parts->len, NULL, NULL);
}

/* Splitting. */

typedef struct {
  KgGeometry *body;
  GArray *points, *springs, *hinges; /* SpringPoint, Spring, SpringHinge */
  GArray *parts;                     /* Part, one for each primitive */
  uint32_t *vertices;
  uint8_t *touched; /* points around a split of this time */
  GPtrArray *faces; /* of each point, GArray of uint32_t */
  /* Springs and hinges at each point as the round begins: what a split changes belongs to points that are not split again. */
  size_t *spring_start, *hinge_start;
  uint32_t *spring_at, *hinge_at;
} Tearing;

/* A hinge that a split has ended. */
#define GONE UINT32_MAX

static bool
contains (const Tearing *t, uint32_t face, uint32_t point)
{
  const Part *part = &g_array_index (t->parts, Part, face);

  for (uint32_t k = 0; k < part->n; k++)
    if (t->vertices[part->first + k] == point)
      return true;
  return false;
}

static KgVector
get_center (const Tearing *t, uint32_t face, double *area)
{
  const Part *part = &g_array_index (t->parts, Part, face);
  const uint32_t *v = t->vertices + part->first;
  const KgVector first = g_array_index (t->points, SpringPoint, v[0]).x;
  KgVector sum = kg_vector (0, 0, 0), across = kg_vector (0, 0, 0);

  for (uint32_t k = 0; k < part->n; k++) {
    const KgVector x = g_array_index (t->points, SpringPoint, v[k]).x;

    sum = kg_vector_add_scaled (sum, 1.0 / part->n, x);
    if (k > 1)
      across = kg_vector_add (
          across, kg_vector_cross (kg_vector_subtract (g_array_index (t->points, SpringPoint, v[k - 1]).x, first),
                                   kg_vector_subtract (x, first)));
  }
  *area = kg_vector_length (across);
  return sum;
}

/* How many of the faces around a point, on one side of the split, have the other point. */
static guint
count_sharing (const Tearing *t, const GArray *faces, const uint8_t *sides, uint8_t side, uint32_t other)
{
  guint count = 0;

  for (guint i = 0; i < faces->len; i++)
    if (sides[i] == side && contains (t, g_array_index (faces, uint32_t, i), other))
      count++;
  return count;
}

/* Which side the face with these three points is on; 2: none of these faces has them. */
static int
find_side (const Tearing *t, const GArray *faces, const uint8_t *sides, uint32_t a, uint32_t b, uint32_t c)
{
  for (guint i = 0; i < faces->len; i++) {
    const uint32_t face = g_array_index (faces, uint32_t, i);

    if (contains (t, face, a) && contains (t, face, b) && contains (t, face, c))
      return sides[i];
  }
  return 2;
}

static void
split_springs (Tearing *t, uint32_t v, uint32_t fresh, const GArray *faces, const uint8_t *sides, KgVector direction)
{
  for (size_t at = t->spring_start[v]; at < t->spring_start[v + 1]; at++) {
    Spring *s = &g_array_index (t->springs, Spring, t->spring_at[at]);
    const uint32_t other = s->a == v ? s->b : s->a;
    guint near, far;

    if (s->torn || (s->a != v && s->b != v))
      continue;
    near = count_sharing (t, faces, sides, 0, other);
    far = count_sharing (t, faces, sides, 1, other);
    if (near == 0 && far == 0)
      far = kg_vector_dot (kg_vector_subtract (g_array_index (t->points, SpringPoint, other).x,
                                               g_array_index (t->points, SpringPoint, v).x),
                           direction) > 0;
    if (near > 0 && far > 0) {
      Spring half;

      s->share *= 0.5;
      s->damping *= 0.5;
      s->branch *= 0.5;
      half = *s;
      *(half.a == v ? &half.a : &half.b) = fresh;
      g_array_append_val (t->springs, half);
    } else if (far > 0) {
      *(s->a == v ? &s->a : &s->b) = fresh;
    }
  }
}

static void
split_hinges (Tearing *t, uint32_t v, uint32_t fresh, const GArray *faces, const uint8_t *sides)
{
  for (size_t at = t->hinge_start[v]; at < t->hinge_start[v + 1]; at++) {
    SpringHinge *h = &g_array_index (t->hinges, SpringHinge, t->hinge_at[at]);
    const bool outer = h->points[0] == v || h->points[1] == v, axis = h->points[2] == v || h->points[3] == v;

    /* Tetrahedra stay with the point that they have; a corner of a line ends. */
    if (h->points[0] == GONE || h->volume > 0)
      continue;
    if (h->points[2] == h->points[3]) {
      h->points[0] = GONE;
      continue;
    }
    if (outer) {
      const int k = h->points[0] == v ? 0 : 1;

      if (find_side (t, faces, sides, v, h->points[2], h->points[3]) == 1)
        h->points[k] = fresh;
    } else if (axis) {
      const int first = find_side (t, faces, sides, h->points[0], h->points[2], h->points[3]);
      const int second = find_side (t, faces, sides, h->points[1], h->points[2], h->points[3]);

      if (first != second)
        h->points[0] = GONE;
      else if (first == 1)
        h->points[h->points[2] == v ? 2 : 3] = fresh;
    }
  }
}

/* The attributes of a doubled point. */
static void
copy_point (KgGeometry *body, size_t from, size_t to)
{
  for (guint i = 0; i < kg_geometry_get_n_attributes (body, KG_POINTS); i++) {
    KgAttribute attribute;
    char *data;

    kg_geometry_get_attribute (body, KG_POINTS, i, &attribute);
    if (attribute.scalar == KG_STRING) {
      kg_geometry_set_text (body, KG_POINTS, attribute.name, to,
                            kg_geometry_get_text (body, KG_POINTS, attribute.name, from));
      continue;
    }
    data = attribute.scalar == KG_FLOAT32
               ? (char *) kg_geometry_edit_float (body, KG_POINTS, attribute.name, attribute.size)
               : (char *) kg_geometry_edit_int (body, KG_POINTS, attribute.name, attribute.size);
    memcpy (data + 4 * to * attribute.size, data + 4 * from * attribute.size, 4 * (size_t) attribute.size);
  }
}

/* Splits the faces around v by the plane through it across the way to other.  False where all are on one side. */
static bool
split_point (Tearing *t, uint32_t v, uint32_t other)
{
  const KgVector direction =
      kg_vector_subtract (g_array_index (t->points, SpringPoint, other).x, g_array_index (t->points, SpringPoint, v).x);
  GArray *faces = (GArray *) g_ptr_array_index (t->faces, v), *moved;
  g_autofree uint8_t *sides = g_new0 (uint8_t, MAX (faces->len, 1));
  const uint32_t fresh = t->points->len;
  double areas[2] = { 0, 0 };
  guint counts[2] = { 0, 0 };
  SpringPoint point;

  for (guint i = 0; i < faces->len; i++) {
    double area;
    const KgVector center = get_center (t, g_array_index (faces, uint32_t, i), &area);

    sides[i] = kg_vector_dot (kg_vector_subtract (center, g_array_index (t->points, SpringPoint, v).x), direction) > 0;
    areas[sides[i]] += area;
    counts[sides[i]]++;
  }
  if (counts[0] == 0 || counts[1] == 0 || !(areas[0] > 0) || !(areas[1] > 0))
    return false;
  split_springs (t, v, fresh, faces, sides, direction);
  split_hinges (t, v, fresh, faces, sides);
  point = g_array_index (t->points, SpringPoint, v);
  point.mass *= areas[1] / (areas[0] + areas[1]);
  g_array_index (t->points, SpringPoint, v).mass -= point.mass;
  g_array_append_val (t->points, point);
  moved = g_array_new (FALSE, FALSE, sizeof (uint32_t));
  g_ptr_array_add (t->faces, moved);
  for (guint i = faces->len; i-- > 0;) {
    const uint32_t face = g_array_index (faces, uint32_t, i);
    const Part *part = &g_array_index (t->parts, Part, face);

    for (uint32_t k = 0; k < part->n; k++) {
      uint32_t *corner = &t->vertices[part->first + k];

      t->touched[*corner] = 1;
      if (sides[i] == 1 && *corner == v)
        *corner = fresh;
    }
    if (sides[i] == 1) {
      g_array_prepend_val (moved, face);
      g_array_remove_index (faces, i);
    }
  }
  return true;
}

typedef struct {
  double strain;
  uint32_t spring;
} Torn;

static int
compare_torn (const void *a, const void *b)
{
  const Torn *p = (const Torn *) a, *q = (const Torn *) b;

  return p->strain > q->strain ? -1 : p->strain < q->strain ? 1 : p->spring < q->spring ? -1 : p->spring > q->spring;
}

static GArray *
find_torn (const Tearing *t, double tear, double *tension)
{
  GArray *torn = g_array_new (FALSE, FALSE, sizeof (Torn));

  for (guint i = 0; i < t->springs->len; i++) {
    const Spring *s = &g_array_index (t->springs, Spring, i);
    const double strain = kg_vector_distance (g_array_index (t->points, SpringPoint, s->a).x,
                                              g_array_index (t->points, SpringPoint, s->b).x) /
                              s->rest -
                          1 - s->plastic;
    const Torn found = { strain, i };

    if (s->torn)
      continue;
    tension[s->a] += s->share * s->rest * fabs (strain);
    tension[s->b] += s->share * s->rest * fabs (strain);
    if (s->kind == SPRING_EDGE && strain > tear)
      g_array_append_val (torn, found);
  }
  if (torn->len > 0)
    qsort (torn->data, torn->len, sizeof (Torn), compare_torn);
  return torn;
}

/* Lists of the elements at each point: start has one more than points. */
static uint32_t *
list_elements (const GArray *elements, guint n_ends, size_t n_points, size_t *start)
{
  uint32_t *at = g_new (uint32_t, MAX ((size_t) n_ends * elements->len, 1));
  g_autofree size_t *next = NULL;

  for (guint i = 0; i < elements->len; i++)
    for (guint k = 0; k < n_ends; k++)
      start[((const uint32_t *) (const void *) (elements->data + 64 * (size_t) i))[k]]++;
  for (size_t i = 0, sum = 0; i <= n_points; i++) {
    const size_t count = start[i];

    start[i] = sum;
    sum += count;
  }
  next = g_memdup2 (start, (n_points + 1) * sizeof *start);
  for (guint i = 0; i < elements->len; i++)
    for (guint k = 0; k < n_ends; k++)
      at[next[((const uint32_t *) (const void *) (elements->data + 64 * (size_t) i))[k]]++] = i;
  return at;
}

static void
tearing_init (Tearing *t, SpringBodyState *state, size_t max_points)
{
  const size_t n_primitives = kg_geometry_get_n_primitives (state->body);
  const size_t n_points = kg_geometry_get_n_points (state->body);
  uint32_t first = 0;

  t->body = state->body;
  t->points = g_array_new (FALSE, FALSE, sizeof (SpringPoint));
  t->springs = g_array_new (FALSE, FALSE, sizeof (Spring));
  t->hinges = g_array_new (FALSE, FALSE, sizeof (SpringHinge));
  g_array_append_vals (t->points, kg_geometry_get_int (state->body, KG_POINTS, "motion", WORDS), (guint) n_points);
  g_array_append_vals (t->springs, kg_geometry_get_int (state->springs, KG_POINTS, "spring", WORDS),
                       (guint) kg_geometry_get_n_points (state->springs));
  if (kg_geometry_get_n_points (state->hinges) > 0)
    g_array_append_vals (t->hinges, kg_geometry_get_int (state->hinges, KG_POINTS, "hinge", WORDS),
                         (guint) kg_geometry_get_n_points (state->hinges));
  t->spring_start = g_new0 (size_t, n_points + 1);
  t->hinge_start = g_new0 (size_t, n_points + 1);
  t->spring_at = list_elements (t->springs, 2, n_points, t->spring_start);
  t->hinge_at = list_elements (t->hinges, 4, n_points, t->hinge_start);
  t->parts = g_array_new (FALSE, FALSE, sizeof (Part));
  t->vertices = g_new (uint32_t, MAX (kg_geometry_get_n_vertices (state->body), 1));
  t->touched = g_new0 (uint8_t, MAX (max_points, 1));
  t->faces = g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref);
  for (size_t i = 0; i < n_points; i++)
    g_ptr_array_add (t->faces, g_array_new (FALSE, FALSE, sizeof (uint32_t)));
  for (uint32_t i = 0; i < n_primitives; i++) {
    KgPrimitive primitive;
    Part part;

    kg_geometry_get_primitive (state->body, i, &primitive);
    part = (Part){ i, first, primitive.n_vertices };
    memcpy (t->vertices + first, primitive.vertices, primitive.n_vertices * sizeof *t->vertices);
    first += primitive.n_vertices;
    g_array_append_val (t->parts, part);
    for (uint32_t k = 0; primitive.kind == KG_POLYGON && k < primitive.n_vertices; k++)
      g_array_append_val ((GArray *) g_ptr_array_index (t->faces, primitive.vertices[k]), i);
  }
}

static void
tearing_clear (Tearing *t)
{
  g_array_unref (t->points);
  g_array_unref (t->springs);
  g_array_unref (t->hinges);
  g_array_unref (t->parts);
  g_ptr_array_unref (t->faces);
  g_free (t->vertices);
  g_free (t->touched);
  g_free (t->spring_start);
  g_free (t->hinge_start);
  g_free (t->spring_at);
  g_free (t->hinge_at);
}

/* Writes back points, springs and faces. */
static void
tearing_store (const Tearing *t, SpringBodyState *state)
{
  const size_t before = kg_geometry_get_n_points (state->body);
  guint count = 0;

  for (guint i = 0; i < t->hinges->len; i++)
    if (g_array_index (t->hinges, SpringHinge, i).points[0] != GONE)
      g_array_index (t->hinges, SpringHinge, count++) = g_array_index (t->hinges, SpringHinge, i);
  g_array_set_size (t->hinges, count);

  kg_geometry_make_writable (&state->body);
  kg_geometry_make_writable (&state->springs);
  kg_geometry_make_writable (&state->hinges);
  if (!kg_geometry_set_n_points (state->body, t->points->len, NULL) ||
      !kg_geometry_set_n_points (state->springs, t->springs->len, NULL) ||
      !kg_geometry_set_n_points (state->hinges, t->hinges->len, NULL))
    return;
  /* A point may have been doubled from one that was itself doubled in this round: in order, its data are there. */
  for (size_t i = before; i < t->points->len; i++)
    copy_point (state->body, (size_t) g_array_index (t->points, SpringPoint, i).origin, i);
  memcpy (kg_geometry_edit_int (state->body, KG_POINTS, "motion", WORDS), t->points->data,
          64 * (size_t) t->points->len);
  memcpy (kg_geometry_edit_int (state->springs, KG_POINTS, "spring", WORDS), t->springs->data,
          64 * (size_t) t->springs->len);
  if (t->hinges->len > 0)
    memcpy (kg_geometry_edit_int (state->hinges, KG_POINTS, "hinge", WORDS), t->hinges->data,
            64 * (size_t) t->hinges->len);
  replace_primitives (state->body, t->parts, t->vertices);
}

size_t
spring_body_split (SpringBodyState *state, double tear, size_t max_points, size_t *refused)
{
  const size_t n_points = kg_geometry_get_n_points (state->body);
  g_autofree double *tension = g_new0 (double, MAX (n_points, 1));
  g_autoptr (GArray) torn = NULL;
  size_t count = 0;
  Tearing t;

  *refused = 0;
  tearing_init (&t, state, MAX (max_points, n_points) + 1);
  torn = find_torn (&t, tear, tension);
  for (guint i = 0; i < torn->len; i++) {
    const Spring *s = &g_array_index (t.springs, Spring, g_array_index (torn, Torn, i).spring);
    /* Copies: the array grows. */
    const uint32_t a = s->a, b = s->b;

    if (a >= n_points || b >= n_points || t.touched[a] || t.touched[b])
      continue;
    if (t.points->len >= max_points) {
      ++*refused;
      continue;
    }
    if (tension[b] > tension[a] ? split_point (&t, b, a) || split_point (&t, a, b)
                                : split_point (&t, a, b) || split_point (&t, b, a))
      count++;
  }
  if (count > 0)
    tearing_store (&t, state);
  tearing_clear (&t);
  return count;
}

/* What is left. */

static guint
hash_pair (gconstpointer key)
{
  const uint32_t *pair = (const uint32_t *) key;

  return pair[0] * 2654435761u ^ pair[1] * 40503u;
}

static gboolean
equal_pairs (gconstpointer a, gconstpointer b)
{
  return memcmp (a, b, 2 * sizeof (uint32_t)) == 0;
}

static bool
is_torn (GHashTable *torn, uint32_t a, uint32_t b)
{
  const uint32_t pair[2] = { MIN (a, b), MAX (a, b) };

  return g_hash_table_contains (torn, pair);
}

static void
cut_primitives (KgGeometry *geometry, GHashTable *torn)
{
  g_autoptr (GArray) parts = g_array_new (FALSE, FALSE, sizeof (Part));
  g_autofree uint32_t *vertices = g_new (uint32_t, 2 * kg_geometry_get_n_vertices (geometry) + 2);
  uint32_t used = 0;

  for (uint32_t i = 0; i < kg_geometry_get_n_primitives (geometry); i++) {
    KgPrimitive primitive;
    Part part = { i, used, 0 };
    guint cuts = 0;
    uint32_t n;

    kg_geometry_get_primitive (geometry, i, &primitive);
    n = primitive.n_vertices;
    for (uint32_t k = 0; k < n; k++)
      cuts += is_torn (torn, primitive.vertices[k], primitive.vertices[(k + 1) % n]);
    if (cuts > 0 && primitive.kind == KG_POLYGON)
      continue;
    if (cuts == 0) {
      memcpy (vertices + used, primitive.vertices, n * sizeof *vertices);
      part.n = n;
      used += n;
      g_array_append_val (parts, part);
      continue;
    }
    for (uint32_t k = 0; k < n + (primitive.closed ? 1 : 0); k++) {
      vertices[used++] = primitive.vertices[k % n];
      part.n++;
      if (k + 1 == n + (primitive.closed ? 1 : 0) ||
          is_torn (torn, primitive.vertices[k % n], primitive.vertices[(k + 1) % n])) {
        if (part.n > 1)
          g_array_append_val (parts, part);
        part = (Part){ i, used, 0 };
      }
    }
  }
  replace_primitives (geometry, parts, vertices);
}

static void
write_pieces (KgGeometry *geometry, const Spring *springs, size_t n_springs)
{
  const size_t n = kg_geometry_get_n_points (geometry);
  g_autofree uint32_t *parent = g_new (uint32_t, MAX (n, 1)), *number = g_new (uint32_t, MAX (n, 1));
  int32_t *piece = kg_geometry_edit_int (geometry, KG_POINTS, "piece", 1);
  int32_t count = 0;

  for (uint32_t i = 0; i < n; i++)
    parent[i] = i;
  for (size_t i = 0; i < n_springs; i++) {
    const uint32_t a = disjoint_sets_find (parent, springs[i].a), b = disjoint_sets_find (parent, springs[i].b);

    if (!springs[i].torn)
      parent[MAX (a, b)] = MIN (a, b);
  }
  for (uint32_t i = 0; i < n; i++) {
    const uint32_t root = disjoint_sets_find (parent, i);

    if (root == i)
      number[i] = (uint32_t) count++;
    piece[i] = (int32_t) number[root];
  }
}

KgGeometry *
spring_body_get_geometry (const SpringBodyState *state, bool plastic, bool piece, size_t *n_torn, GError **error)
{
  const size_t n = kg_geometry_get_n_points (state->body), n_springs = kg_geometry_get_n_points (state->springs);
  const SpringPoint *points =
      (const SpringPoint *) (const void *) kg_geometry_get_int (state->body, KG_POINTS, "motion", WORDS);
  const Spring *springs =
      (const Spring *) (const void *) kg_geometry_get_int (state->springs, KG_POINTS, "spring", WORDS);
  g_autoptr (GHashTable) torn = g_hash_table_new (hash_pair, equal_pairs);
  g_autoptr (KgGeometry) geometry = kg_geometry_ref (state->body);
  float *p, *v;

  (void) error;
  *n_torn = 0;
  kg_geometry_make_writable (&geometry);
  p = kg_geometry_edit_positions (geometry);
  v = kg_geometry_edit_float (geometry, KG_POINTS, "v", 3);
  for (size_t i = 0; i < n; i++) {
    kg_floats_set_vector (p, i, points[i].x);
    kg_floats_set_vector (v, i, points[i].v);
  }
  for (size_t i = 0; i < n_springs; i++)
    if (springs[i].torn) {
      ++*n_torn;
      if (springs[i].kind == SPRING_EDGE)
        g_hash_table_add (torn, (gpointer) (uintptr_t) &springs[i].a);
    }
  if (plastic) {
    float *strain = kg_geometry_edit_float (geometry, KG_POINTS, "plastic", 1);

    for (size_t i = 0; i < n_springs; i++)
      for (int end = 0; end < 2; end++) {
        float *at = &strain[end == 0 ? springs[i].a : springs[i].b];

        if (fabs (springs[i].plastic) > (double) *at)
          *at = (float) fabs (springs[i].plastic);
      }
  }
  if (g_hash_table_size (torn) > 0)
    cut_primitives (geometry, torn);
  if (piece)
    write_pieces (geometry, springs, n_springs);
  /* These are the state's own. */
  if (kg_geometry_get_float (geometry, KG_POINTS, "N", 3) != NULL)
    kg_geometry_compute_normals (geometry);
  kg_geometry_remove_attribute (geometry, KG_POINTS, "motion");
  kg_geometry_remove_attribute (geometry, KG_POINTS, "goal_from");
  kg_geometry_remove_attribute (geometry, KG_WHOLE, "spectrum");
  return g_steal_pointer (&geometry);
}
