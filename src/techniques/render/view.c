/* view: what a camera sees of space.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "render/view.h"

#include "kg-floats.h"
#include "geometry/vectors.h"

static KgTransform
make_eye (KgVector u, KgVector v, KgVector w, KgVector eye)
{
  return (KgTransform){ { { u.x, u.y, u.z, -kg_vector_dot (u, eye) },
                          { v.x, v.y, v.z, -kg_vector_dot (v, eye) },
                          { w.x, w.y, w.z, -kg_vector_dot (w, eye) },
                          { 0, 0, 0, 1 } } };
}

bool
view_init (View *view, const KgCamera *camera, double aspect, GError **error)
{
  const KgVector zero = { 0, 0, 0 };
  const KgVector u = kg_vector_normalize_or (kg_transform_get_column (&camera->transform, 0), zero);
  const KgVector v = kg_vector_normalize_or (kg_transform_get_column (&camera->transform, 1), zero);
  const KgVector w =
      kg_vector_scale (kg_vector_normalize_or (kg_transform_get_column (&camera->transform, 2), zero), -1);
  const double half = camera->orthographic ? 0.5 * camera->height : tan (0.5 * camera->fov);

  if (!(camera->near_plane > 0) || !(camera->far_plane > camera->near_plane)) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "near is %g m and far is %g m: both must be above 0, and far beyond near", camera->near_plane,
                  camera->far_plane);
    return false;
  }
  if (!(half > 0) || !(half < 1e9) || !(aspect > 0) || !isfinite (aspect)) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "the camera sees nothing: its angle, its height and the size of the image must be above 0");
    return false;
  }
  *view = (View){ make_eye (u, v, w, kg_transform_get_place (&camera->transform)),
                  camera->orthographic,
                  -aspect * half,
                  aspect * half,
                  -half,
                  half,
                  camera->near_plane,
                  camera->far_plane };
  return true;
}

bool
view_face (View *view, const KgCamera *camera, KgVector normal, GError **error)
{
  const KgVector d = kg_vector_scale (
      kg_vector_normalize_or (kg_transform_get_column (&camera->transform, 2), kg_vector (0, 0, 1)), -1);
  const KgVector up = kg_transform_get_column (&camera->transform, 1);
  KgVector u, v;
  double depth;

  if (!vectors_normalize (normal, &normal) || !(kg_vector_dot (normal, d) > 1e-9)) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "the image plane is seen from behind or edge on: let its normal point away from the camera");
    return false;
  }
  /* The horizon of the image stays that of the camera. */
  u = kg_vector_normalize_or (kg_vector_cross (normal, up), kg_transform_get_column (&camera->transform, 0));
  v = kg_vector_cross (u, normal);
  depth = kg_vector_dot (normal, d);
  view->to_eye = make_eye (u, v, normal, kg_transform_get_place (&camera->transform));
  if (!view->parallel) {
    const double x = kg_vector_dot (u, d) / depth, y = kg_vector_dot (v, d) / depth;

    view->left += x;
    view->right += x;
    view->bottom += y;
    view->top += y;
  }
  return true;
}

void
view_shift (View *view, double x, double y)
{
  const double dx = 0.5 * x * (view->right - view->left), dy = 0.5 * y * (view->top - view->bottom);

  view->left += dx;
  view->right += dx;
  view->bottom += dy;
  view->top += dy;
}

void
view_take_tile (View *view, guint column, guint row, guint columns, guint rows)
{
  const double left = view->left, right = view->right, bottom = view->bottom, top = view->top;

  view->left = kg_lerp (left, right, column / (double) columns);
  view->right = kg_lerp (left, right, (column + 1) / (double) columns);
  view->top = kg_lerp (top, bottom, row / (double) rows);
  view->bottom = kg_lerp (top, bottom, (row + 1) / (double) rows);
}

KgTransform
view_get_projection (const View *view)
{
  const double w = view->right - view->left, h = view->top - view->bottom;
  const double x = -(view->right + view->left) / w, y = -(view->top + view->bottom) / h;
  const double n = view->near_plane, f = view->far_plane;

  if (view->parallel)
    return (
        KgTransform){ { { 2 / w, 0, 0, x }, { 0, 2 / h, 0, y }, { 0, 0, 1 / (f - n), -n / (f - n) }, { 0, 0, 0, 1 } } };
  return (KgTransform){
    { { 2 / w, 0, x, 0 }, { 0, 2 / h, y, 0 }, { 0, 0, f / (f - n), -n * f / (f - n) }, { 0, 0, 1, 0 } }
  };
}

KgTransform
view_get_viewport (double width, double height, double x, double y)
{
  return (KgTransform){ { { 0.5 * width, 0, 0, 0.5 * width + x },
                          { 0, -0.5 * height, 0, 0.5 * height + y },
                          { 0, 0, 1, 0 },
                          { 0, 0, 0, 1 } } };
}

static double
get_fourth (const KgTransform *m, KgVector p)
{
  return m->m[3][0] * p.x + m->m[3][1] * p.y + m->m[3][2] * p.z + m->m[3][3];
}

bool
view_divide (const KgTransform *m, KgVector p, KgVector *out)
{
  const double w = get_fourth (m, p);

  *out = kg_vector (0, 0, 0);
  if (!(w > 1e-12))
    return false;
  *out = kg_vector_scale (kg_transform_point (*m, p), 1 / w);
  return true;
}

bool
view_contains (KgVector image)
{
  const double edge = 1 + 1e-12;

  return fabs (image.x) <= edge && fabs (image.y) <= edge && image.z >= -1e-12 && image.z <= edge;
}

/* From the eye to the world: the axes are unit and perpendicular. */
static KgVector
leave_eye (const View *view, KgVector direction)
{
  const KgTransform *e = &view->to_eye;

  return kg_vector (e->m[0][0] * direction.x + e->m[1][0] * direction.y + e->m[2][0] * direction.z,
                    e->m[0][1] * direction.x + e->m[1][1] * direction.y + e->m[2][1] * direction.z,
                    e->m[0][2] * direction.x + e->m[1][2] * direction.y + e->m[2][2] * direction.z);
}

static KgVector
get_eye (const View *view)
{
  const KgTransform *e = &view->to_eye;

  return leave_eye (view, kg_vector_scale (kg_transform_get_place (e), -1));
}

void
view_get_ray (const View *view, double x, double y, KgVector *origin, KgVector *direction)
{
  const double px = 0.5 * (view->left + view->right + x * (view->right - view->left));
  const double py = 0.5 * (view->bottom + view->top + y * (view->top - view->bottom));

  *origin = get_eye (view);
  if (view->parallel) {
    *origin = kg_vector_add (*origin, leave_eye (view, kg_vector (px, py, view->near_plane)));
    *direction = leave_eye (view, kg_vector (0, 0, 1));
    return;
  }
  *direction = leave_eye (view, kg_vector_normalize_or (kg_vector (px, py, 1), kg_vector (0, 0, 1)));
}

void
view_get_corners (const View *view, KgVector corners[8])
{
  for (int i = 0; i < 8; i++) {
    const double x = (i & 1) != 0 ? view->right : view->left, y = (i & 2) != 0 ? view->top : view->bottom;
    const double z = (i & 4) != 0 ? view->far_plane : view->near_plane, size = view->parallel ? 1 : z;

    corners[i] = kg_vector_add (get_eye (view), leave_eye (view, kg_vector (x * size, y * size, z)));
  }
}

double
view_get_volume (const View *view)
{
  const double area = fabs ((view->right - view->left) * (view->top - view->bottom));
  const double n = view->near_plane, f = view->far_plane;

  return view->parallel ? area * (f - n) : area * (f * f * f - n * n * n) / 3;
}

/* Clipping.  A point is its four numbers before the division; new points lie on a line between two others, which may be
 * new themselves. */
typedef struct {
  double x[4];
} Homogeneous;

typedef struct {
  uint32_t a, b;
  float t;
} Between;

enum { N_PLANES = 6 };

typedef struct {
  GArray *points;                 /* Homogeneous, of all points, then of new ones */
  GArray *between;                /* Between, of the new ones */
  GHashTable *crossing[N_PLANES]; /* edge → number of its new point + 1, so that neighbours share it */
  GArray *one, *two;              /* uint32_t: a polygon before and after a cut */
} Clip;

/* Not negative on the visible side: w - x, w + x, w - y, w + y, z, w - z. */
static double
get_side (const Homogeneous *p, int plane)
{
  switch (plane) {
  case 0:
    return p->x[3] - p->x[0];
  case 1:
    return p->x[3] + p->x[0];
  case 2:
    return p->x[3] - p->x[1];
  case 3:
    return p->x[3] + p->x[1];
  case 4:
    return p->x[2];
  case 5:
  default:
    return p->x[3] - p->x[2];
  }
}

static double
get_point_side (const Clip *clip, uint32_t point, int plane)
{
  return get_side (&g_array_index (clip->points, Homogeneous, point), plane);
}

/* The point where an edge crosses a plane, the same from both sides. */
static uint32_t
add_crossing (Clip *clip, uint32_t from, uint32_t to, int plane)
{
  const uint32_t a = MIN (from, to), b = MAX (from, to);
  const gint64 id = (gint64) ((uint64_t) a << 32 | b);
  const gpointer known = g_hash_table_lookup (clip->crossing[plane], &id);
  const double s = get_point_side (clip, a, plane), e = get_point_side (clip, b, plane), t = s / (s - e);
  Homogeneous p;
  Between between = { a, b, (float) t };
  uint32_t index = clip->points->len;

  if (known != NULL)
    return GPOINTER_TO_UINT (known) - 1;
  for (int c = 0; c < 4; c++)
    p.x[c] = kg_lerp (g_array_index (clip->points, Homogeneous, a).x[c],
                      g_array_index (clip->points, Homogeneous, b).x[c], t);
  g_array_append_val (clip->points, p);
  g_array_append_val (clip->between, between);
  g_hash_table_insert (clip->crossing[plane], g_memdup2 (&id, sizeof id), GUINT_TO_POINTER (index + 1));
  return index;
}

/* Sutherland and Hodgman: one plane after the other; the polygon is in one. */
static void
cut_polygon (Clip *clip)
{
  for (int plane = 0; plane < N_PLANES && clip->one->len > 0; plane++) {
    GArray *swap = clip->one;

    g_array_set_size (clip->two, 0);
    for (guint i = 0; i < clip->one->len; i++) {
      const uint32_t a = g_array_index (clip->one, uint32_t, i);
      const uint32_t b = g_array_index (clip->one, uint32_t, (i + 1) % clip->one->len);
      const double s = get_point_side (clip, a, plane), e = get_point_side (clip, b, plane);

      if (s >= 0)
        g_array_append_val (clip->two, a);
      if ((s > 0 && e < 0) || (s < 0 && e > 0)) {
        const uint32_t c = add_crossing (clip, a, b, plane);

        g_array_append_val (clip->two, c);
      }
    }
    clip->one = clip->two;
    clip->two = swap;
  }
}

/* A segment: false where nothing is left of it. */
static bool
cut_segment (Clip *clip, uint32_t *a, uint32_t *b)
{
  for (int plane = 0; plane < N_PLANES; plane++) {
    const double s = get_point_side (clip, *a, plane), e = get_point_side (clip, *b, plane);

    if (s < 0 && e < 0)
      return false;
    if (s < 0 || e < 0) {
      const uint32_t c = add_crossing (clip, *a, *b, plane);

      *(s < 0 ? a : b) = c;
    }
  }
  return true;
}

static bool
is_inside (const Clip *clip, uint32_t point)
{
  for (int plane = 0; plane < N_PLANES; plane++)
    if (get_point_side (clip, point, plane) < 0)
      return false;
  return true;
}

/* What is being made: primitives with the number of the one each comes from. */
typedef struct {
  GArray *primitives; /* Piece */
  GArray *vertices;   /* uint32_t */
} Pieces;

typedef struct {
  size_t source, first;
  uint32_t n;
  bool whole; /* as it was */
} Piece;

static void
end_piece (Pieces *pieces, size_t source, size_t first, bool whole)
{
  const Piece piece = { source, first, (uint32_t) (pieces->vertices->len - first), whole };

  if (piece.n > 1 || whole)
    g_array_append_val (pieces->primitives, piece);
  else
    g_array_set_size (pieces->vertices, (guint) first);
}

static void
cut_polyline (Clip *clip, const KgPrimitive *primitive, size_t source, Pieces *pieces)
{
  const uint32_t n = primitive->n_vertices, n_segments = primitive->closed ? n : n - 1;
  size_t first = pieces->vertices->len;
  uint32_t last = G_MAXUINT32;

  for (uint32_t i = 0; n > 1 && i < n_segments; i++) {
    uint32_t a = primitive->vertices[i], b = primitive->vertices[(i + 1) % n];

    if (!cut_segment (clip, &a, &b))
      continue;
    if (a != last) {
      end_piece (pieces, source, first, false);
      first = pieces->vertices->len;
      g_array_append_val (pieces->vertices, a);
    }
    g_array_append_val (pieces->vertices, b);
    last = b;
  }
  end_piece (pieces, source, first, false);
}

static void
cut_primitive (Clip *clip, const KgPrimitive *primitive, size_t source, Pieces *pieces, guint *n_curves)
{
  bool whole = true;

  for (uint32_t i = 0; i < primitive->n_vertices; i++)
    whole = whole && is_inside (clip, primitive->vertices[i]);
  if (whole || primitive->kind == KG_SPLINE) {
    const size_t first = pieces->vertices->len;

    *n_curves += !whole;
    if (!whole)
      return;
    g_array_append_vals (pieces->vertices, primitive->vertices, primitive->n_vertices);
    end_piece (pieces, source, first, true);
  } else if (primitive->kind == KG_POLYGON) {
    const size_t first = pieces->vertices->len;

    g_array_set_size (clip->one, 0);
    g_array_append_vals (clip->one, primitive->vertices, primitive->n_vertices);
    cut_polygon (clip);
    if (clip->one->len < 3)
      return;
    g_array_append_vals (pieces->vertices, clip->one->data, clip->one->len);
    end_piece (pieces, source, first, false);
  } else
    cut_polyline (clip, primitive, source, pieces);
}

/* New points in the order they were made: those they lie between are there already. */
static void
fill_points (KgGeometry *out, const Clip *clip, size_t n_old)
{
  for (guint k = 0; k < kg_geometry_get_n_attributes (out, KG_POINTS); k++) {
    KgAttribute attribute;
    float *data;

    kg_geometry_get_attribute (out, KG_POINTS, k, &attribute);
    if (attribute.scalar == KG_INT32) {
      int32_t *numbers = kg_geometry_edit_int (out, KG_POINTS, attribute.name, attribute.size);

      for (guint i = 0; i < clip->between->len; i++) {
        const Between *b = &g_array_index (clip->between, Between, i);
        const size_t from = b->t < 0.5f ? b->a : b->b;

        memcpy (numbers + (n_old + i) * attribute.size, numbers + from * attribute.size,
                attribute.size * sizeof *numbers);
      }
      continue;
    }
    if (attribute.scalar != KG_FLOAT32) {
      for (guint i = 0; i < clip->between->len; i++) {
        const Between *b = &g_array_index (clip->between, Between, i);

        kg_geometry_set_text (out, KG_POINTS, attribute.name, n_old + i,
                              kg_geometry_get_text (out, KG_POINTS, attribute.name, b->t < 0.5f ? b->a : b->b));
      }
      continue;
    }
    data = kg_geometry_edit_float (out, KG_POINTS, attribute.name, attribute.size);
    for (guint i = 0; i < clip->between->len; i++) {
      const Between *b = &g_array_index (clip->between, Between, i);

      for (size_t c = 0; c < attribute.size; c++)
        data[(n_old + i) * attribute.size + c] = (1 - b->t) * data[(size_t) b->a * attribute.size + c] +
                                                 b->t * data[(size_t) b->b * attribute.size + c];
    }
  }
}

static void
fill_primitives (KgGeometry *out, const KgGeometry *geometry, const Pieces *pieces)
{
  for (guint k = 0; k < kg_geometry_get_n_attributes (geometry, KG_PRIMITIVES); k++) {
    KgAttribute attribute;
    size_t bytes;
    char *to;

    kg_geometry_get_attribute (geometry, KG_PRIMITIVES, k, &attribute);
    if (attribute.scalar != KG_FLOAT32 && attribute.scalar != KG_INT32) {
      for (guint i = 0; i < pieces->primitives->len; i++)
        kg_geometry_set_text (out, KG_PRIMITIVES, attribute.name, i,
                              kg_geometry_get_text (geometry, KG_PRIMITIVES, attribute.name,
                                                    g_array_index (pieces->primitives, Piece, i).source));
      continue;
    }
    bytes = attribute.size * sizeof (float);
    to = attribute.scalar == KG_FLOAT32
             ? (char *) kg_geometry_edit_float (out, KG_PRIMITIVES, attribute.name, attribute.size)
             : (char *) kg_geometry_edit_int (out, KG_PRIMITIVES, attribute.name, attribute.size);
    for (guint i = 0; i < pieces->primitives->len; i++)
      memcpy (to + i * bytes,
              (const char *) attribute.data + g_array_index (pieces->primitives, Piece, i).source * bytes, bytes);
  }
}

static KgGeometry *
make_clipped (const KgGeometry *geometry, const Clip *clip, const Pieces *pieces, GError **error)
{
  const size_t n_old = kg_geometry_get_n_points (geometry), n = clip->points->len;
  g_autofree uint8_t *keep = g_new0 (uint8_t, MAX (n, 1)), *used = g_new0 (uint8_t, MAX (n, 1));
  g_autoptr (KgGeometry) out = kg_geometry_ref (geometry);

  kg_geometry_make_writable (&out);
  kg_geometry_clear_primitives (out);
  if (!kg_geometry_set_n_points (out, n, error))
    return NULL;
  fill_points (out, clip, n_old);
  for (size_t i = 0; i < kg_geometry_get_n_primitives (geometry); i++) {
    KgPrimitive primitive;

    kg_geometry_get_primitive (geometry, i, &primitive);
    for (uint32_t v = 0; v < primitive.n_vertices; v++)
      used[primitive.vertices[v]] = 1;
  }
  for (size_t i = 0; i < n_old; i++)
    keep[i] = used[i] == 0 && is_inside (clip, (uint32_t) i);
  for (guint i = 0; i < pieces->primitives->len; i++) {
    const Piece *piece = &g_array_index (pieces->primitives, Piece, i);
    const uint32_t *vertices = &g_array_index (pieces->vertices, uint32_t, piece->first);
    KgPrimitive primitive;

    kg_geometry_get_primitive (geometry, piece->source, &primitive);
    if (!piece->whole) {
      primitive.closed = primitive.kind == KG_POLYGON;
      primitive.n_vertices = piece->n;
      primitive.vertices = vertices;
    }
    kg_geometry_add_primitive (out, &primitive);
    for (uint32_t v = 0; v < piece->n; v++)
      keep[vertices[v]] = 1;
  }
  fill_primitives (out, geometry, pieces);
  kg_geometry_keep_points (out, keep);
  return g_steal_pointer (&out);
}

KgGeometry *
view_clip (const View *view, const KgGeometry *geometry, const KgProgressMonitor *monitor, guint *n_curves,
           GError **error)
{
  const KgTransform m = kg_transform_multiply (view_get_projection (view), view->to_eye);
  const size_t n = kg_geometry_get_n_points (geometry);
  const float *p = kg_geometry_get_positions (geometry);
  Clip clip = { .points = g_array_sized_new (FALSE, FALSE, sizeof (Homogeneous), (guint) n),
                .between = g_array_new (FALSE, FALSE, sizeof (Between)),
                .one = g_array_new (FALSE, FALSE, sizeof (uint32_t)),
                .two = g_array_new (FALSE, FALSE, sizeof (uint32_t)) };
  Pieces pieces = { g_array_new (FALSE, FALSE, sizeof (Piece)), g_array_new (FALSE, FALSE, sizeof (uint32_t)) };
  KgGeometry *out = NULL;
  bool cancelled = false;

  *n_curves = 0;
  for (int plane = 0; plane < N_PLANES; plane++)
    clip.crossing[plane] = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  for (size_t i = 0; i < n; i++) {
    const KgVector q = kg_floats_get_vector (p, i), xyz = kg_transform_point (m, q);
    const Homogeneous h = { { xyz.x, xyz.y, xyz.z, get_fourth (&m, q) } };

    g_array_append_val (clip.points, h);
  }
  for (size_t i = 0; i < kg_geometry_get_n_primitives (geometry) && !cancelled; i++) {
    KgPrimitive primitive;

    cancelled = i % 4096 == 0 && kg_progress_is_cancelled (monitor);
    kg_geometry_get_primitive (geometry, i, &primitive);
    cut_primitive (&clip, &primitive, i, &pieces, n_curves);
  }
  if (!cancelled)
    out = make_clipped (geometry, &clip, &pieces, error);
  for (int plane = 0; plane < N_PLANES; plane++)
    g_hash_table_unref (clip.crossing[plane]);
  g_array_unref (clip.points);
  g_array_unref (clip.between);
  g_array_unref (clip.one);
  g_array_unref (clip.two);
  g_array_unref (pieces.primitives);
  g_array_unref (pieces.vertices);
  return out;
}
