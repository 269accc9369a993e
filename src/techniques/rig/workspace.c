/* workspace: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "rig/workspace.h"

#include "geometry/symmetric_matrix.h"
#include "kg-random.h"
#include "rig/ik_jacobian.h"

/* Directions in which the area of a planar workspace is measured. */
#define SECTORS 120
/* Places that show whether a workspace is planar. */
#define PROBES 64
/* Poses from which each orientation is tried. */
#define STARTS 3

typedef struct {
  Workspace *workspace;
  const KgProgressMonitor *monitor;
  KgSkeleton *skeleton; /* ours, to be posed */
  Linkage linkage;
  guint joint;
  double reach;
  double *values;
  KgVector normal, u, v; /* of a planar workspace */
} Search;

static void
draw (Search *search, uint64_t id)
{
  linkage_draw (&search->linkage, search->workspace->seed, id, search->values);
  linkage_set_values (&search->linkage, search->skeleton, search->values);
  linkage_update (&search->linkage, search->skeleton);
}

static KgVector
get_end (const Search *search)
{
  return search->linkage.points[search->joint];
}

/* Moves the end from its pose towards a place.  False when it does not get there. */
static bool
reach_for (Search *search, KgVector place, const KgRotation *orientation, guint iterations)
{
  const IkJacobianGoal goal = { .joint = search->joint,
                                .position = place,
                                .orientation = orientation != NULL ? *orientation : kg_rotation_identity (),
                                .weight = 1,
                                .orientation_weight = orientation != NULL ? 1 : 0 };
  IkJacobian ik = { .goals = &goal,
                    .n_goals = 1,
                    .method = IK_RATES_DAMPED,
                    .damping = 0.02,
                    .step = 0.2,
                    .max_iterations = iterations,
                    .substeps = 1,
                    .tolerance = 1e-4 * search->reach,
                    .tolerance_angle = 1e-3,
                    .power = 2 };

  ik_jacobian_run (&ik, search->skeleton, search->monitor, NULL);
  linkage_update (&search->linkage, search->skeleton);
  return ik.residual <= ik.tolerance && ik.residual_angle <= ik.tolerance_angle;
}

static void
add_place (Search *search, double dexterity)
{
  const KgVector end = get_end (search);
  Workspace *workspace = search->workspace;
  const double distance = kg_vector_distance (end, workspace->center);
  bool singular;
  const double ease = linkage_get_manipulability (&search->linkage, search->skeleton, search->joint, 0, 3, &singular);

  g_array_append_val (workspace->places, end);
  g_array_append_val (workspace->manipulability, ease);
  g_array_append_val (workspace->dexterity, dexterity);
  workspace->nearest = fmin (workspace->nearest, distance);
  workspace->farthest = fmax (workspace->farthest, distance);
}

/* Whether all places lie in a plane through the first joint or beside it, and which. */
static void
find_plane (Search *search)
{
  KgVector places[PROBES], mean = { 0, 0, 0 }, axes[3];
  SymmetricMatrix spread = { 0, 0, 0, 0, 0, 0 };
  double values[3];

  for (guint i = 0; i < PROBES; i++) {
    draw (search, UINT64_C (1) << 40 | i);
    places[i] = get_end (search);
    mean = kg_vector_add_scaled (mean, 1.0 / PROBES, places[i]);
  }
  for (guint i = 0; i < PROBES; i++)
    spread = symmetric_matrix_add_square (spread, 1, kg_vector_subtract (places[i], mean));
  symmetric_matrix_decompose (spread, values, axes);
  search->normal = axes[0];
  search->u = axes[1];
  search->v = axes[2];
  search->workspace->planar = values[0] <= 1e-18 * PROBES * search->reach * search->reach && values[1] > values[0];
}

static KgVector
get_direction (const Search *search, uint64_t id)
{
  const double angle = 2 * KG_PI * kg_random_uniform (search->workspace->seed, id, UINT64_C (1) << 41);

  if (!search->workspace->planar)
    return kg_random_direction (search->workspace->seed, id, UINT64_C (1) << 40);
  return kg_vector_add_scaled (kg_vector_scale (search->u, cos (angle)), sin (angle), search->v);
}

static void
add_boundary (Search *search, uint64_t id)
{
  const KgVector direction = get_direction (search, id);
  const KgVector center = search->workspace->center;

  draw (search, id);
  if (id % 2 == 0)
    reach_for (search, kg_vector_add_scaled (center, 10 * search->reach, direction), NULL, 60);
  else if (reach_for (search, center, NULL, 60))
    /* Nothing keeps the end away: there is no boundary on this side. */
    return;
  add_place (search, 0);
}

/* The share of orientations that the end can have where a random pose brings it: in a plane all angles, in space the directions
 * of its x axis. */
static void
add_dextrous (Search *search, uint64_t id)
{
  const guint directions = search->workspace->directions;
  g_autofree double *start = g_new (double, MAX (search->linkage.n, 1));
  KgRotation frame;
  KgVector place;
  guint reached = 0;

  draw (search, id);
  memcpy (start, search->values, search->linkage.n * sizeof *start);
  place = get_end (search);
  frame = search->linkage.frames[search->joint];
  for (guint d = 0; d < directions && !kg_progress_is_cancelled (search->monitor); d++) {
    const double angle = 2 * KG_PI * d / directions, z = 1 - (2 * d + 1.0) / directions;
    const double around = d * KG_PI * (3 - sqrt (5)), r = sqrt (fmax (0, 1 - z * z));
    const KgRotation turn = search->workspace->planar
                                ? kg_rotation_from_axis_angle (search->normal, angle)
                                : kg_rotation_between (kg_rotation_apply (frame, kg_vector (1, 0, 0)),
                                                       kg_vector (r * cos (around), r * sin (around), z));
    const KgRotation wanted = kg_rotation_multiply (turn, frame);
    bool found = false;

    /* From the pose of the direction before, and then from others. */
    for (guint k = 0; k < STARTS && !found; k++) {
      if (k > 0)
        draw (search, id + (uint64_t) k * search->workspace->samples + d);
      found = reach_for (search, place, &wanted, 100);
    }
    reached += found;
  }
  linkage_set_values (&search->linkage, search->skeleton, start);
  linkage_update (&search->linkage, search->skeleton);
  add_place (search, (double) reached / directions);
}

/* From the nearest to the farthest place in each direction. */
static void
measure_area (Search *search)
{
  Workspace *workspace = search->workspace;

  workspace->area = 0;
  for (guint s = 0; s < SECTORS && !kg_progress_is_cancelled (search->monitor); s++) {
    const double angle = 2 * KG_PI * (s + 0.5) / SECTORS;
    const KgVector direction = kg_vector_add_scaled (kg_vector_scale (search->u, cos (angle)), sin (angle), search->v);
    double near = INFINITY, far = 0;

    for (guint pass = 0; pass < 4; pass++) {
      KgVector way;
      double distance;

      draw (search, (UINT64_C (1) << 42) + 4 * s + pass / 2);
      reach_for (search,
                 kg_vector_add_scaled (workspace->center, pass % 2 == 0 ? 10 * search->reach : 1e-4 * search->reach,
                                       direction),
                 NULL, 100);
      way = kg_vector_subtract (get_end (search), workspace->center);
      distance = kg_vector_length (way);
      workspace->nearest = fmin (workspace->nearest, distance);
      workspace->farthest = fmax (workspace->farthest, distance);
      /* Limits may keep the end out of this direction altogether. */
      if (pass % 2 == 0 && kg_vector_dot (way, direction) > distance * cos (KG_PI / SECTORS))
        far = fmax (far, distance);
      if (pass % 2 == 1)
        near = fmin (near, distance);
    }
    if (far > near)
      workspace->area += (far * far - near * near) * KG_PI / SECTORS;
  }
}

bool
workspace_explore (Workspace *workspace, const KgSkeleton *skeleton, guint joint, const KgProgressMonitor *monitor,
                   GError **error)
{
  Search search = { .workspace = workspace, .monitor = monitor, .joint = joint };
  int first = -1;

  workspace->places = g_array_new (FALSE, FALSE, sizeof (KgVector));
  workspace->manipulability = g_array_new (FALSE, FALSE, sizeof (double));
  workspace->dexterity = g_array_new (FALSE, FALSE, sizeof (double));
  search.skeleton = kg_skeleton_ref (skeleton);
  kg_skeleton_make_writable (&search.skeleton);
  linkage_init (&search.linkage, search.skeleton);
  for (int i = (int) joint; i >= 0; i = search.linkage.parents[i])
    if (search.linkage.first[i + 1] > search.linkage.first[i])
      first = i;
  if (first < 0) {
    kg_set_error (error, KG_ERROR_DEGENERATE,
                  "no joint on the way to the end is free to move: add a hinge, a slider or a ball");
  } else {
    search.values = g_new (double, search.linkage.n);
    search.reach = fmax (linkage_get_reach (&search.linkage, joint), 1e-9);
    workspace->center = search.linkage.points[first];
    workspace->nearest = INFINITY;
    workspace->farthest = 0;
    find_plane (&search);
    for (guint i = 0; i < workspace->samples && !kg_progress_is_cancelled (monitor); i++) {
      if (workspace->mode == WORKSPACE_BOUNDARY) {
        add_boundary (&search, i);
      } else if (workspace->mode == WORKSPACE_DEXTROUS) {
        add_dextrous (&search, i);
      } else {
        draw (&search, i);
        add_place (&search, 0);
      }
      kg_progress_report (monitor, (i + 1.0) / (workspace->samples + 1.0));
    }
    if (workspace->planar)
      measure_area (&search);
    if (!isfinite (workspace->nearest))
      workspace->nearest = 0;
  }
  g_free (search.values);
  linkage_clear (&search.linkage);
  kg_skeleton_unref (search.skeleton);
  return first >= 0 && !kg_progress_is_cancelled (monitor);
}

void
workspace_clear (Workspace *workspace)
{
  g_clear_pointer (&workspace->places, g_array_unref);
  g_clear_pointer (&workspace->manipulability, g_array_unref);
  g_clear_pointer (&workspace->dexterity, g_array_unref);
}
