/* sim/correction_stages: how skeleton dynamics corrects a rod or a hinge, step by step.
 * Source: van Overveld, skeleton dynamics by decoupled constraints, figures 1 to 3; see skeleton_solver.c.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"
#include "sim/skeleton_solver.h"
#include "value/number_table.h"

typedef struct {
  const KgTable *points;
  double length;
  double low;
  double high;
  int rule;
  KgVector spacing;
  KgGeometry *geometry;
  KgGeometry *arrows;
  KgTable *places;
  double angle;
  KgVector moved;
  double torque;
} CorrectionStages;

static const KgChoice correction_stages_rules[] = {
  [SKELETON_GRADIENT] = { "gradient", N_ ("Along the gradient: balanced") },
  [SKELETON_PAPER] = { "paper", N_ ("As published, in three stages") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (correction_stages_rules, SKELETON_N_HINGE_RULES);

/* Most stages, and points of one. */
#define STAGES 4
#define POINTS 3

/* Both ends by half of what is too much. */
static guint
correction_stages_rod (const CorrectionStages *n, const KgVector *places, KgVector stages[STAGES][POINTS])
{
  const KgVector d = kg_vector_subtract (places[1], places[0]);
  const double length = kg_vector_length (d);
  const KgVector along = kg_vector_normalize_or (d, kg_vector (1, 0, 0));

  stages[0][0] = places[0];
  stages[0][1] = places[1];
  stages[1][0] = kg_vector_add_scaled (places[0], 0.5 * (length - n->length), along);
  stages[1][1] = kg_vector_add_scaled (places[1], -0.5 * (length - n->length), along);
  return 2;
}

/* A line for each stage, a row of the table for each point, and arrows from stage to stage. */
static bool
correction_stages_draw (CorrectionStages *n, KgVector stages[STAGES][POINTS], guint n_stages, guint n_points,
                        GError **error)
{
  static const char *const names[] = { "stage", "point", "x", "y", "z" };
  const size_t n_arrows = (size_t) (n_stages - 1) * n_points;
  double cells[STAGES * POINTS * 5];
  int32_t *stage, *moved;
  float *p;

  if (!kg_geometry_set_n_points (n->geometry, (size_t) n_stages * n_points, error) ||
      !kg_geometry_set_n_points (n->arrows, 2 * n_arrows, error))
    return false;
  for (guint s = 0; s < n_stages; s++) {
    uint32_t vertices[POINTS];

    for (guint i = 0; i < n_points; i++) {
      const KgVector at = kg_vector_add_scaled (stages[s][i], s, n->spacing);
      double *row = cells + 5 * ((size_t) s * n_points + i);

      vertices[i] = s * n_points + i;
      row[0] = s;
      row[1] = i;
      p = kg_geometry_edit_positions (n->geometry) + 3 * (size_t) vertices[i];
      for (size_t c = 0; c < 3; c++) {
        row[2 + c] = kg_vector_get (stages[s][i], c);
        p[c] = (float) kg_vector_get (at, c);
      }
    }
    kg_geometry_add_primitives (n->geometry, KG_POLYLINE, false, 1, n_points, vertices);
  }
  /* In the panel of the stage that they lead to. */
  for (guint k = 0; k < n_arrows; k++) {
    const guint s = k / n_points + 1, i = k % n_points;
    const KgVector from = kg_vector_add_scaled (stages[s - 1][i], s, n->spacing);
    const KgVector to = kg_vector_add_scaled (stages[s][i], s, n->spacing);
    const uint32_t line[] = { 2 * k, 2 * k + 1 };

    p = kg_geometry_edit_positions (n->arrows) + 6 * (size_t) k;
    for (size_t c = 0; c < 3; c++) {
      p[c] = (float) kg_vector_get (from, c);
      p[3 + c] = (float) kg_vector_get (to, c);
    }
    kg_geometry_add_primitives (n->arrows, KG_POLYLINE, false, 1, 2, line);
  }
  stage = kg_geometry_edit_int (n->geometry, KG_PRIMITIVES, "stage", 1);
  for (guint s = 0; s < n_stages; s++)
    stage[s] = (int32_t) s;
  moved = kg_geometry_edit_int (n->arrows, KG_PRIMITIVES, "stage", 1);
  for (guint k = 0; k < n_arrows; k++)
    moved[k] = (int32_t) (k / n_points + 1);
  n->places = number_table_new (5, names, (size_t) n_stages * n_points, cells, error);
  return n->places != NULL;
}

static bool
correction_stages_evaluate (CorrectionStages *n, const KgContext *ctx, GError **error)
{
  const size_t rows = kg_table_get_n_rows (n->points);
  const SkeletonHinge hinge = { .a = 0, .b = 1, .c = 2, .low = n->low, .high = n->high };
  KgVector places[POINTS] = { { 0 } }, stages[STAGES][POINTS];
  guint n_stages, middle;

  if (rows != 2 && rows != 3) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "the number of points is %zu: give two for a rod, or three for a hinge", rows);
    return false;
  }
  if (n->low > n->high) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "the lower limit %g° is above the upper %g°: swap them",
                  n->low / KG_DEGREE, n->high / KG_DEGREE);
    return false;
  }
  for (size_t i = 0; i < rows; i++) {
    const double *row = kg_table_get_row (n->points, i);

    places[i] = kg_vector (row[0], row[1], rows == 3 ? 0 : row[2]);
  }
  if (rows == 2) {
    n_stages = correction_stages_rod (n, places, stages);
    if (kg_vector_length (kg_vector_subtract (places[1], places[0])) == 0)
      kg_context_warn (ctx, "the rod has no length, and no direction: move its points apart");
  } else
    n_stages = skeleton_solver_list_stages (&hinge, (SkeletonHingeRule) n->rule, places, stages, &n->angle);
  if (n_stages == 1)
    kg_context_warn (ctx, "an arm of the hinge has no length, and no direction: move its points apart");
  middle = rows == 3 ? 1 : 0;
  for (size_t i = 0; i < rows; i++) {
    const KgVector move = kg_vector_subtract (stages[n_stages - 1][i], places[i]);

    n->moved = kg_vector_add (n->moved, move);
    n->torque += kg_vector_cross (kg_vector_subtract (places[i], places[middle]), move).z;
  }
  n->geometry = kg_geometry_new ();
  n->arrows = kg_geometry_new ();
  return correction_stages_draw (n, stages, n_stages, (guint) rows, error);
}

static const KgSlot correction_stages_slots[] = {
  KG_INPUT (CorrectionStages, points, TABLE, .label = N_ ("Points"), .columns = kg_table_points,
            .def_text = "-1 0\n0 0\n0.5 0.8660254",
            .help = N_ ("Positions of two points of a rod, or of three points of a hinge in the plane; all weigh the "
                        "same.")),
  KG_INPUT (CorrectionStages, length, NUMBER, .label = N_ ("Length"), .unit = KG_METRES, .def = 1, .min = 0, .max = 1e6,
            .soft_max = 10, .help = N_ ("Length that the rod should have.")),
  KG_INPUT (CorrectionStages, low, NUMBER, .label = N_ ("Lower limit"), .unit = KG_DEGREES, .def = -30, .min = -180,
            .max = 180, .help = N_ ("Smallest angle of the hinge: 0 is straight, to the left is positive.")),
  KG_INPUT (CorrectionStages, high, NUMBER, .label = N_ ("Upper limit"), .unit = KG_DEGREES, .def = 30, .min = -180,
            .max = 180, .help = N_ ("Largest angle of the hinge.")),
  KG_INPUT (CorrectionStages, rule, CHOICE, .label = N_ ("Hinge rule"), .choices = correction_stages_rules,
            .def = SKELETON_PAPER, .help = N_ ("How the hinge is corrected.")),
  KG_INPUT (CorrectionStages, spacing, VECTOR, .label = N_ ("Spacing"), .unit = KG_METRES, .handle = { KG_HANDLE_NONE },
            .help = N_ ("Offset from each stage to the next, so that they can be seen side by side.")),
  KG_OUTPUT (CorrectionStages, geometry, GEOMETRY, .label = N_ ("Stages"),
             .help = N_ ("A line for each stage, with the primitive attribute stage.")),
  KG_OUTPUT (CorrectionStages, arrows, GEOMETRY, .label = N_ ("Moves"),
             .help = N_ ("A line for each move of a point from the stage before, with the primitive attribute stage.")),
  KG_OUTPUT (CorrectionStages, places, TABLE, .label = N_ ("Positions"),
             .help = N_ ("Stage, point and position, a row for each.")),
  KG_OUTPUT (CorrectionStages, angle, NUMBER, .label = N_ ("Angle"), .unit = KG_DEGREES,
             .help = N_ ("Angle of the hinge after the last stage.")),
  KG_OUTPUT (CorrectionStages, moved, VECTOR, .label = N_ ("Sum of moves"), .unit = KG_METRES,
             .help = N_ ("Sum of the moves of all points: 0 if momentum is kept.")),
  KG_OUTPUT (CorrectionStages, torque, NUMBER, .label = N_ ("Torque"),
             .help = N_ ("Torque of the moves about the middle point: 0 if angular momentum is kept.")),
};

KG_NODE (
    sim, correction_stages, CorrectionStages, .label = N_ ("Correction Stages"), .version = 1, .since = "0.1",
    .tags = N_ ("skeleton dynamics constraint rod hinge teach momentum torque"),
    .source = "van Overveld, skeleton dynamics by decoupled constraints, figures 1 to 3",
    .help = N_ (
        "Shows how Skeleton Dynamics corrects one rod or one hinge, stage by stage, and the remaining momentum and "
        "torque. For learning, and for comparing the rules."));
