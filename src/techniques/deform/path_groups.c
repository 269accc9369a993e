/* path_groups: points in groups that travel along a path, each group staying as it is.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "deform/path_groups.h"

/* Coordinates this close are of the same group, metres. */
#define SAME 1e-4
/* Samples of each segment to see whether the path turns back. */
#define SAMPLES 16

typedef struct {
  double key;   /* what distinguishes groups */
  double place; /* coordinate along the axis */
  uint32_t point;
} Member;

typedef struct {
  guint first, end; /* members */
  double place;
  double height; /* displacement */
} Group;

static int
compare_members (gconstpointer a, gconstpointer b)
{
  const Member *p = (const Member *) a, *q = (const Member *) b;

  return p->key != q->key ? (p->key > q->key) - (p->key < q->key) : (p->point > q->point) - (p->point < q->point);
}

static int
compare_groups (gconstpointer a, gconstpointer b)
{
  const Group *p = (const Group *) a, *q = (const Group *) b;

  return p->place != q->place ? (p->place > q->place) - (p->place < q->place)
                              : (p->first > q->first) - (p->first < q->first);
}

static double
get_coordinate (const Curve *path, size_t axis, double u)
{
  return kg_vector_get (curve_evaluate (path, u, 0), axis);
}

/* The height of a path where its coordinate along an axis has a value, for paths that run along it without turning back;
 * beyond the ends it goes on straight. */
static double
path_groups_get_height (const Curve *path, size_t axis, size_t up, double at)
{
  const double last = curve_get_n_segments (path), start = get_coordinate (path, axis, 0);
  const double end = get_coordinate (path, axis, last), sign = end >= start ? 1 : -1;
  double low = 0, high = last;

  if (sign * at <= sign * start || sign * at >= sign * end) {
    const double u = sign * at <= sign * start ? 0 : last;
    const KgVector p = curve_evaluate (path, u, 0), tangent = curve_get_tangent (path, u);
    const double along = kg_vector_get (tangent, axis);

    return kg_vector_get (p, up) +
           (along != 0 ? (at - kg_vector_get (p, axis)) * kg_vector_get (tangent, up) / along : 0);
  }
  for (int i = 0; i < 60; i++) {
    const double middle = 0.5 * (low + high);

    *(sign * get_coordinate (path, axis, middle) < sign * at ? &low : &high) = middle;
  }
  return kg_vector_get (curve_evaluate (path, 0.5 * (low + high), 0), up);
}

static bool
check_monotone (const Curve *path, size_t axis, GError **error)
{
  const guint n = SAMPLES * curve_get_n_segments (path);
  const double whole = get_coordinate (path, axis, curve_get_n_segments (path)) - get_coordinate (path, axis, 0);
  double before = get_coordinate (path, axis, 0);

  for (guint i = 1; i <= n; i++) {
    const double u = (double) i / SAMPLES, at = get_coordinate (path, axis, u);

    if (!((at - before) * whole > 0)) {
      kg_set_error (error, KG_ERROR_DEGENERATE,
                    "the path turns back along the axis at %g: travel along its length, or choose another axis", at);
      return false;
    }
    before = at;
  }
  return true;
}

/* The points by their groups.  (element-type Member) (transfer full) */
static GArray *
find_members (const KgGeometry *geometry, const PathGroupsOptions *options, GError **error)
{
  const size_t n = kg_geometry_get_n_points (geometry);
  const float *p = kg_geometry_get_positions (geometry);
  const int32_t *numbers = kg_geometry_get_int (geometry, KG_POINTS, options->attribute, 1);
  const float *values = kg_geometry_get_float (geometry, KG_POINTS, options->attribute, 1);
  GArray *members;

  if (options->rule == PATH_GROUPS_BY_ATTRIBUTE && numbers == NULL && values == NULL) {
    kg_set_error (error, KG_ERROR_UNKNOWN_NAME, "the points have no number “%s”: name an attribute that they have",
                  options->attribute);
    return NULL;
  }
  members = g_array_sized_new (false, false, sizeof (Member), (guint) n);
  for (size_t i = 0; i < n; i++) {
    Member m = { .place = (double) p[3 * i + options->axis], .point = (uint32_t) i };

    m.key = options->rule == PATH_GROUPS_BY_SLICE       ? floor (m.place / options->width)
            : options->rule == PATH_GROUPS_BY_ATTRIBUTE ? (numbers != NULL ? numbers[i] : (double) values[i])
                                                        : m.place;
    g_array_append_val (members, m);
  }
  g_array_sort (members, compare_members);
  return members;
}

/* (element-type Group) (transfer full) */
static GArray *
find_groups (const GArray *members, const PathGroupsOptions *options)
{
  const double same = options->rule == PATH_GROUPS_BY_COORDINATE ? SAME : 0;
  GArray *groups = g_array_new (false, false, sizeof (Group));

  for (guint i = 0; i < members->len;) {
    const double key = g_array_index (members, Member, i).key;
    Group group = { .first = i, .end = i };
    double sum = 0;

    for (; group.end < members->len && g_array_index (members, Member, group.end).key <= key + same; group.end++)
      sum += g_array_index (members, Member, group.end).place;
    group.place = options->rule == PATH_GROUPS_BY_SLICE ? (key + 0.5) * options->width : sum / (group.end - i);
    g_array_append_val (groups, group);
    i = group.end;
  }
  g_array_sort (groups, compare_groups);
  return groups;
}

/* Brings differences between neighbours below the limit: the mean of the least heights above and the greatest below that keep
 * it, each found by a pass forwards and one backwards. */
static void
limit_shear (GArray *groups, double limit)
{
  const guint n = groups->len;
  Group *g = (Group *) (void *) groups->data;
  g_autofree double *above = g_new (double, MAX (n, 1)), *below = g_new (double, MAX (n, 1));

  for (guint i = 0; i < n; i++)
    above[i] = below[i] = g[i].height;
  for (guint i = 1; i < n; i++) {
    const double most = limit * (g[i].place - g[i - 1].place);

    above[i] = MAX (above[i], above[i - 1] - most);
    below[i] = MIN (below[i], below[i - 1] + most);
  }
  for (guint i = n - 1; i > 0 && n > 0; i--) {
    const double most = limit * (g[i].place - g[i - 1].place);

    above[i - 1] = MAX (above[i - 1], above[i] - most);
    below[i - 1] = MIN (below[i - 1], below[i] + most);
  }
  for (guint i = 0; i < n; i++)
    g[i].height = 0.5 * (above[i] + below[i]);
}

static void
raise_group (const GArray *members, const Group *group, const PathGroupsOptions *options, float *p)
{
  for (guint i = group->first; i < group->end; i++) {
    float *x = p + 3 * (size_t) g_array_index (members, Member, i).point;

    x[options->axis] = (float) ((double) x[options->axis] + options->travel);
    x[options->up] = (float) ((double) x[options->up] + group->height);
  }
}

/* Where a length along the path is; straight on beyond the ends. */
static KgTransform
get_frame (const Curve *path, double length, KgVector up)
{
  const double whole = curve_get_length (path), on = kg_clamp (length, 0, whole);
  KgTransform frame = curve_get_frame (path, curve_get_parameter (path, on), up);

  for (int r = 0; r < 3; r++)
    frame.m[r][3] += (length - on) * frame.m[r][0];
  return frame;
}

/* Offsets from the group's place on the axis stay, or turn with the path. */
static void
carry_group (const GArray *members, const Group *group, const Curve *path, const PathGroupsOptions *options, float *p)
{
  const size_t side = 3 - options->axis - options->up;
  /* The binormal is the cross product of the axis and up. */
  const double sign = (options->axis + 1) % 3 == options->up ? 1 : -1;
  KgVector up = { 0, 0, 0 };
  KgTransform frame;

  *kg_vector_component (&up, options->up) = 1;
  frame = get_frame (path, group->place + options->travel, up);
  for (guint i = group->first; i < group->end; i++) {
    float *x = p + 3 * (size_t) g_array_index (members, Member, i).point;
    const double along = (double) x[options->axis] - group->place;
    const double raised = (double) x[options->up], across = sign * (double) x[side];
    const double offsets[] = { options->axis == 0 ? along : (double) x[0], options->axis == 1 ? along : (double) x[1],
                               options->axis == 2 ? along : (double) x[2] };

    for (size_t r = 0; r < 3; r++)
      x[r] = (float) (frame.m[r][3] + (options->turn
                                           ? frame.m[r][0] * along + frame.m[r][1] * raised + frame.m[r][2] * across
                                           : offsets[r]));
  }
}

bool
path_groups_move (KgGeometry *geometry, const Curve *path, const PathGroupsOptions *options,
                  const KgProgressMonitor *monitor, PathGroupsResult *result, GError **error)
{
  g_autoptr (GArray) members = find_members (geometry, options, error), groups = NULL;
  float *p;

  *result = (PathGroupsResult){ 0 };
  if (members == NULL || (options->mode == PATH_GROUPS_HEIGHT && !check_monotone (path, options->axis, error)))
    return false;
  groups = find_groups (members, options);
  result->n_groups = groups->len;
  for (guint i = 0; i < groups->len; i++) {
    Group *group = &g_array_index (groups, Group, i);

    if (options->mode == PATH_GROUPS_HEIGHT)
      group->height = path_groups_get_height (path, options->axis, options->up, group->place + options->travel);
    if (i % 256 == 0 && !kg_progress_check (monitor, error))
      return false;
  }
  if (options->mode == PATH_GROUPS_HEIGHT && options->max_shear > 0)
    limit_shear (groups, options->max_shear);
  p = kg_geometry_edit_positions (geometry);
  for (guint i = 0; i < groups->len; i++) {
    const Group *group = &g_array_index (groups, Group, i), *before = i > 0 ? group - 1 : group;

    if (group->place > before->place)
      result->shear = MAX (result->shear, fabs (group->height - before->height) / (group->place - before->place));
    if (options->mode == PATH_GROUPS_HEIGHT)
      raise_group (members, group, options, p);
    else
      carry_group (members, group, path, options, p);
  }
  return true;
}
