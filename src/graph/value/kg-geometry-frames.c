/* kg-geometry-frames: what turns and stretches with points: their orientation, and the extent of the keys of soft objects.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-geometry-private.h"
#include "kg-floats.h"

/* Sweeps of the rotations that make columns perpendicular; three by three matrices need four or five. */
#define MAX_SWEEPS 30

typedef struct {
  double column[3][3]; /* three columns */
} Frame;

static KgRotation
read_orient (const float *q)
{
  return kg_rotation_normalize (kg_floats_get_rotation (q, 0));
}

static double
dot (const double a[3], const double b[3])
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Rotates pairs of columns among themselves until all are perpendicular: K becomes U Σ of its singular values (Hestenes
 * 1958).  Columns that are perpendicular already stay as they are. */
static bool
make_perpendicular (Frame *f)
{
  bool turned = false, changed = true;

  for (int sweep = 0; sweep < MAX_SWEEPS && changed; sweep++) {
    changed = false;
    for (int pair = 0; pair < 3; pair++) {
      double *a = f->column[pair == 2 ? 1 : 0], *b = f->column[pair == 0 ? 1 : 2];
      const double aa = dot (a, a), bb = dot (b, b), ab = dot (a, b), t0 = (bb - aa) / (2 * ab);
      const double t = copysign (1, t0) / (fabs (t0) + sqrt (1 + t0 * t0)), c = 1 / sqrt (1 + t * t), s = c * t;

      /* Stored as floats: closer than these is perpendicular. */
      if (!(fabs (ab) > 1e-7 * sqrt (aa * bb)))
        continue;
      for (int k = 0; k < 3; k++) {
        const double x = a[k], y = b[k];

        a[k] = c * x - s * y;
        b[k] = s * x + c * y;
      }
      changed = turned = true;
    }
  }
  return turned;
}

/* The rotation whose columns are those of the frame, made right-handed. */
static KgRotation
get_orientation (const Frame *f)
{
  KgTransform t = kg_transform_identity ();
  KgVector x, y, z;

  x = kg_vector_normalize_or (kg_vector (f->column[0][0], f->column[0][1], f->column[0][2]), kg_vector (0, 0, 0));
  y = kg_vector_normalize_or (kg_vector (f->column[1][0], f->column[1][1], f->column[1][2]), kg_vector (0, 0, 0));
  if (kg_vector_dot (x, x) == 0 || kg_vector_dot (y, y) == 0)
    return kg_rotation_identity ();
  z = kg_vector_cross (x, y);
  for (size_t r = 0; r < 3; r++) {
    t.m[r][0] = kg_vector_get (x, r);
    t.m[r][1] = kg_vector_get (y, r);
    t.m[r][2] = kg_vector_get (z, r);
  }
  return kg_rotation_from_transform (t);
}

static Frame
multiply (const KgTransform *transform, const Frame *f)
{
  Frame out;

  for (int c = 0; c < 3; c++)
    for (int r = 0; r < 3; r++)
      out.column[c][r] = transform->m[r][0] * f->column[c][0] + transform->m[r][1] * f->column[c][1] +
                         transform->m[r][2] * f->column[c][2];
  return out;
}

/* The axes of a key as columns. */
static Frame
get_frame (const float *axes, const float *orient, size_t i)
{
  const KgRotation turn = orient != NULL ? read_orient (orient + 4 * i) : kg_rotation_identity ();
  Frame f;

  for (size_t c = 0; c < 3; c++) {
    KgVector axis = { 0, 0, 0 };

    *kg_vector_component (&axis, c) = (double) axes[3 * i + c];
    axis = kg_rotation_apply (turn, axis);
    for (size_t r = 0; r < 3; r++)
      f.column[c][r] = kg_vector_get (axis, r);
  }
  return f;
}

static bool
is_zero (const float *numbers, size_t n)
{
  for (size_t i = 0; i < n; i++)
    if (numbers[i] != 0)
      return false;
  return true;
}

/* What tells the extent of keys; each may be NULL.  Merged geometries have zeros where one of them lacked an attribute: of each
 * point the first one counts that is not 0. */
typedef struct {
  const float *frame, *axes, *size;
} Extents;

static Extents
find_extents (const KgGeometry *geometry)
{
  return (Extents){ .frame = kg_geometry_get_float (geometry, KG_POINTS, "frame", 9),
                    .axes = kg_geometry_get_float (geometry, KG_POINTS, "axes", 3),
                    .size = kg_geometry_get_float (geometry, KG_POINTS, "size", 3) };
}

static bool
has_frame (const Extents *e, size_t i)
{
  return e->frame != NULL && !is_zero (e->frame + 9 * i, 9);
}

static bool
has_key_without_frame (const Extents *e, size_t n)
{
  for (size_t i = 0; i < n; i++)
    if (!has_frame (e, i))
      return true;
  return e->frame == NULL;
}

static bool
uses_size (const Extents *e, size_t i)
{
  return e->axes == NULL || (e->size != NULL && is_zero (e->axes + 3 * i, 3) && !is_zero (e->size + 3 * i, 3));
}

/* Whether some key that is no ellipsoid is sheared: then only its whole frame describes it. */
static bool
has_sheared (const KgGeometry *geometry, const KgTransform *transform, const Extents *extents, const float *orient)
{
  const float *power = kg_geometry_get_float (geometry, KG_POINTS, "power", 1);

  for (size_t i = 0; power != NULL && i < geometry->n_points; i++) {
    Frame f;

    if (power[i] == 2 || has_frame (extents, i))
      continue;
    f = get_frame (uses_size (extents, i) ? extents->size : extents->axes, orient, i);
    f = multiply (transform, &f);
    if (make_perpendicular (&f))
      return true;
  }
  return false;
}

/* Those that have no frame. */
static void
transform_keys (KgGeometry *geometry, const KgTransform *transform)
{
  const Extents before = find_extents (geometry);
  const bool sheared =
      has_sheared (geometry, transform, &before, kg_geometry_get_float (geometry, KG_POINTS, "orient", 4));
  const bool turned = kg_geometry_get_float (geometry, KG_POINTS, "orient", 4) != NULL;
  float *axes = before.axes != NULL ? kg_geometry_edit_float (geometry, KG_POINTS, "axes", 3) : NULL;
  float *size = before.size != NULL ? kg_geometry_edit_float (geometry, KG_POINTS, "size", 3) : NULL;
  float *orient = kg_geometry_edit_float (geometry, KG_POINTS, "orient", 4);
  float *frame = sheared ? kg_geometry_edit_float (geometry, KG_POINTS, "frame", 9) : NULL;
  const Extents now = { .frame = frame != NULL ? frame : before.frame, .axes = axes, .size = size };

  for (size_t i = 0; i < geometry->n_points; i++) {
    float *extent;
    Frame f;

    if (has_frame (&now, i)) {
      if (!turned)
        kg_floats_set_rotation (orient, i, kg_rotation_identity ());
      continue;
    }
    extent = uses_size (&now, i) ? size : axes;
    f = get_frame (extent, turned ? orient : NULL, i);
    f = multiply (transform, &f);
    for (int k = 0; frame != NULL && k < 9; k++)
      frame[9 * i + (size_t) k] = (float) f.column[k / 3][k % 3];
    make_perpendicular (&f);
    for (int c = 0; c < 3; c++)
      extent[3 * i + (size_t) c] = (float) sqrt (dot (f.column[c], f.column[c]));
    kg_floats_set_rotation (orient, i, get_orientation (&f));
  }
}

static void
transform_whole_frames (KgGeometry *geometry, const KgTransform *transform)
{
  float *frame = kg_geometry_edit_float (geometry, KG_POINTS, "frame", 9);

  for (size_t i = 0; i < geometry->n_points; i++) {
    const bool nothing = is_zero (frame + 9 * i, 9);
    Frame f;

    for (int k = 0; k < 9; k++)
      f.column[k / 3][k % 3] = (double) frame[9 * i + (size_t) k];
    f = multiply (transform, &f);
    for (int k = 0; k < 9; k++)
      frame[9 * i + (size_t) k] = (float) f.column[k / 3][k % 3];
    /* Its axes or size would count in its place. */
    if (!nothing && is_zero (frame + 9 * i, 9))
      for (int name = 0; name < 2; name++)
        if (kg_geometry_get_float (geometry, KG_POINTS, name == 0 ? "axes" : "size", 3) != NULL)
          memset (kg_geometry_edit_float (geometry, KG_POINTS, name == 0 ? "axes" : "size", 3) + 3 * i, 0,
                  3 * sizeof (float));
  }
}

/* All, or of keys those that have a frame. */
static void
turn_points (KgGeometry *geometry, const KgTransform *transform)
{
  const Extents extents = find_extents (geometry);
  const bool keyed = extents.axes != NULL || extents.size != NULL;
  const KgRotation turn = kg_rotation_from_transform (*transform);
  float *orient = kg_geometry_edit_float (geometry, KG_POINTS, "orient", 4);

  for (size_t i = 0; i < geometry->n_points; i++)
    if (!keyed || has_frame (&extents, i))
      kg_floats_set_rotation (orient, i, kg_rotation_multiply (turn, read_orient (orient + 4 * i)));
}

/* Whether points have attributes that may be frames, judged by the first letters of their names. */
static bool
has_any (const KgGeometry *geometry)
{
  for (guint i = 0; i < kg_geometry_n_columns (geometry, KG_POINTS); i++)
    if (strchr ("faso", geometry->columns[KG_POINTS]->items[i].name[0]) != NULL)
      return true;
  return false;
}

void
kg_geometry_transform_frames (KgGeometry *geometry, const KgTransform *transform)
{
  Extents extents;
  bool keyed;

  /* Most have positions and normals alone. */
  if (!has_any (geometry))
    return;
  extents = find_extents (geometry);
  keyed = extents.axes != NULL || extents.size != NULL;
  if ((extents.frame != NULL || !keyed) && kg_geometry_get_float (geometry, KG_POINTS, "orient", 4) != NULL)
    turn_points (geometry, transform);
  if (extents.frame != NULL)
    transform_whole_frames (geometry, transform);
  if (keyed && has_key_without_frame (&extents, geometry->n_points))
    transform_keys (geometry, transform);
}
