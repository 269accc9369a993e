/* quaternion_path: smooth curves through, or guided by, a series of orientations.
 * Source: Shoemake 1985, Animating Rotation with Quaternion Curves (automatic control points, spherical de Casteljau).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "rotation/quaternion_path.h"

#include <string.h>

/* Samples between two checks for cancelling. */
#define SAMPLE_BLOCK ((gsize) 256)

/* Angles on the sphere: from key to handle to handle to key, or the first from key to key. */
typedef struct {
  double arc[3];
} SpanAngles;

struct _QuaternionPath {
  QuaternionPathKind kind;
  gsize n;
  KgRotation *keys;
  double *times;
  KgRotation *before, *after; /* handles */
  SpanAngles *angles;
  gsize n_stops, first_stop;
};

/* Values. */

KgRotation
quaternion_casteljau (const KgRotation *controls, gsize n, double u)
{
  KgRotation p[QUATERNION_PATH_MAX_CONTROLS];

  memcpy (p, controls, n * sizeof *p);
  for (gsize left = n - 1; left > 0; left--)
    for (gsize i = 0; i < left; i++)
      p[i] = quaternion_slerp (p[i], p[i + 1], u);
  return p[0];
}

/* De Casteljau at u = numerator / 2^depth by bisections. */
static KgRotation
casteljau_dyadic (const KgRotation *controls, gsize n, guint numerator, guint depth)
{
  KgRotation p[QUATERNION_PATH_MAX_CONTROLS];

  memcpy (p, controls, n * sizeof *p);
  for (gsize left = n - 1; left > 0; left--)
    for (gsize i = 0; i < left; i++)
      p[i] = quaternion_slerp_dyadic (p[i], p[i + 1], numerator, depth);
  return p[0];
}

static KgRotation
evaluate_controls (const KgRotation *controls, gsize n, double u, guint depth)
{
  if (depth == 0)
    return quaternion_casteljau (controls, n, u);
  return casteljau_dyadic (controls, n, (guint) lround (u * (double) (1u << depth)), depth);
}

/* Slerp by a known angle.  Small and near-opposite angles take the careful way. */
static KgRotation
evaluate_arc (KgRotation a, KgRotation b, double angle, double u)
{
  const double s = sin (angle);
  double p, q;

  if (!(s > 1e-5))
    return quaternion_slerp (a, b, u);
  p = sin ((1 - u) * angle) / s;
  q = sin (u * angle) / s;
  return kg_rotation_normalize (
      (KgRotation){ p * a.w + q * b.w, p * a.x + q * b.x, p * a.y + q * b.y, p * a.z + q * b.z });
}

static gsize
find_span (const QuaternionPath *path, double time)
{
  gsize low = 0, high = path->n - 1;

  while (high - low > 1) {
    const gsize middle = (low + high) / 2;

    if (path->times[middle] <= time)
      low = middle;
    else
      high = middle;
  }
  return low;
}

static KgRotation
evaluate_span (const QuaternionPath *path, gsize i, double u, guint depth)
{
  const KgRotation controls[] = { path->keys[i], path->after[i], path->before[i + 1], path->keys[i + 1] };
  KgRotation p[3];

  if (u <= 0 || u >= 1)
    return controls[u <= 0 ? 0 : 3];
  if (path->kind == QUATERNION_PATH_SLERP)
    return depth == 0 ? evaluate_arc (controls[0], controls[3], path->angles[i].arc[0], u)
                      : evaluate_controls (path->keys + i, 2, u, depth);
  if (depth > 0)
    return evaluate_controls (controls, 4, u, depth);
  for (int k = 0; k < 3; k++)
    p[k] = evaluate_arc (controls[k], controls[k + 1], path->angles[i].arc[k], u);
  return quaternion_casteljau (p, 3, u);
}

KgRotation
quaternion_path_evaluate (const QuaternionPath *path, double time, guint depth)
{
  const double first = path->times[0], last = path->times[path->n - 1];
  gsize i;

  if (path->n == 1)
    return path->keys[0];
  time = kg_clamp (time, first, last);
  if (path->kind == QUATERNION_PATH_CASTELJAU)
    return evaluate_controls (path->keys, path->n, (time - first) / (last - first), depth);
  i = find_span (path, time);
  return evaluate_span (path, i, (time - path->times[i]) / (path->times[i + 1] - path->times[i]), depth);
}

bool
quaternion_path_sample (const QuaternionPath *path, guint depth, gsize n, KgRotation *samples,
                        const KgProgressMonitor *monitor)
{
  const double first = path->times[0], last = path->times[path->n - 1];

#pragma omp parallel for schedule(dynamic) if (n > 2000)
  for (gsize block = 0; block < n; block += SAMPLE_BLOCK) {
    const gsize end = kg_progress_is_cancelled (monitor) ? block : MIN (block + SAMPLE_BLOCK, n);

    for (gsize k = block; k < end; k++)
      samples[k] = quaternion_path_evaluate (
          path, n > 1 ? first + (last - first) * ((double) k / (double) (n - 1)) : first, depth);
  }
  return !kg_progress_is_cancelled (monitor);
}

/* Making. */

/* Half way between the mirror image of the last key in this one and the next key; and its own mirror image.  At the ends
 * the mirror image of the second neighbour takes its place. */
static void
find_handles (QuaternionPath *path, double reach)
{
  for (gsize i = 0; i < path->n; i++) {
    const KgRotation q = path->keys[i];
    KgRotation before = q, after = q;

    if (i == 0)
      after = quaternion_double (path->keys[2], path->keys[1]);
    else if (i + 1 == path->n)
      before = quaternion_double (path->keys[i - 2], path->keys[i - 1]);
    else {
      const KgRotation beyond = quaternion_double (path->keys[i - 1], q);

      if (quaternion_dot (beyond, path->keys[i + 1]) < -1 + 1e-12) {
        if (path->n_stops++ == 0)
          path->first_stop = i;
      } else {
        after = quaternion_bisect (beyond, path->keys[i + 1]);
        before = quaternion_double (after, q);
      }
    }
    path->before[i] = quaternion_slerp (q, before, reach);
    path->after[i] = quaternion_slerp (q, after, reach);
  }
}

QuaternionPath *
quaternion_path_new (const KgRotation *keys, const double *times, gsize n, QuaternionPathKind kind, bool shortest,
                     double reach, GError **error)
{
  QuaternionPath *path;

  if (kind == QUATERNION_PATH_CASTELJAU && n > QUATERNION_PATH_MAX_CONTROLS) {
    kg_set_error (error, KG_ERROR_LIMIT,
                  "%zu control points are too many for one curve: use at most %d, or a curve through keys", n,
                  QUATERNION_PATH_MAX_CONTROLS);
    return NULL;
  }
  for (gsize i = 1; times != NULL && i < n; i++)
    if (!(times[i] > times[i - 1])) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE,
                    "time %zu is %g, after %g: give every key a later time than the previous one", i + 1, times[i],
                    times[i - 1]);
      return NULL;
    }
  path = g_new0 (QuaternionPath, 1);
  /* Two keys have no corner to round. */
  path->kind = kind == QUATERNION_PATH_BEZIER && n < 3 ? QUATERNION_PATH_SLERP : kind;
  path->n = n;
  path->keys = g_new (KgRotation, n);
  path->times = g_new (double, n);
  path->angles = g_new0 (SpanAngles, n);
  path->before = g_new (KgRotation, n);
  path->after = g_new (KgRotation, n);
  for (gsize i = 0; i < n; i++) {
    path->keys[i] = i > 0 && shortest ? quaternion_align (path->keys[i - 1], keys[i]) : keys[i];
    path->times[i] = times != NULL ? times[i] : n > 1 ? (double) i / (double) (n - 1) : 0;
    path->before[i] = path->after[i] = path->keys[i];
  }
  if (path->kind == QUATERNION_PATH_BEZIER)
    find_handles (path, reach);
  for (gsize i = 0; i + 1 < n; i++) {
    const bool curved = path->kind == QUATERNION_PATH_BEZIER;

    path->angles[i].arc[0] = quaternion_angle (path->keys[i], curved ? path->after[i] : path->keys[i + 1]);
    path->angles[i].arc[1] = quaternion_angle (path->after[i], path->before[i + 1]);
    path->angles[i].arc[2] = quaternion_angle (path->before[i + 1], path->keys[i + 1]);
  }
  return path;
}

void
quaternion_path_free (QuaternionPath *path)
{
  g_free (path->keys);
  g_free (path->times);
  g_free (path->angles);
  g_free (path->before);
  g_free (path->after);
  g_free (path);
}

gsize
quaternion_path_get_n_keys (const QuaternionPath *path)
{
  return path->n;
}

KgRotation
quaternion_path_get_key (const QuaternionPath *path, gsize key, double *time)
{
  *time = path->times[key];
  return path->keys[key];
}

void
quaternion_path_get_handles (const QuaternionPath *path, gsize key, KgRotation *before, KgRotation *after)
{
  *before = path->before[key];
  *after = path->after[key];
}

gsize
quaternion_path_get_n_stops (const QuaternionPath *path, gsize *first)
{
  *first = path->first_stop;
  return path->n_stops;
}
