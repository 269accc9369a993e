/* transform/calibrate_camera: where a camera stood, and its lens, from points of its image.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "transform/camera_calibration.h"

#include "kg-node.h"

/* Points of one calibration: each has two rows of a matrix. */
#define MATRIX_LIMIT 2000

typedef struct {
  const KgTable *points;
  bool refine;
  double fu;
  double fv;
  KgVector center;
  KgRotation rotation;
  KgVector translation;
  KgVector position;
  KgVector target;
  double fov;
  double rms;
  KgTable *residuals;
} CalibrateCamera;

static const KgTableColumn calibrate_camera_columns[] = {
  { "x", N_ ("x"), 0, false },           { "y", N_ ("y"), 0, false },     { "z", N_ ("z"), 0, false },
  { "column", N_ ("Column"), 0, false }, { "row", N_ ("Row"), 0, false }, KG_TABLE_COLUMNS_END,
};

static bool
calibrate_camera_report (CalibrateCamera *n, const CameraPixels *camera, GError **error)
{
  static const char *const names[] = { "column", "row", "column_error", "row_error", "depth" };
  const size_t count = kg_table_get_n_rows (n->points);
  size_t behind = 0;
  double *cells, sum = 0;

  n->residuals = kg_table_new (G_N_ELEMENTS (names), names, count, error);
  if (n->residuals == NULL)
    return false;
  cells = kg_table_edit (n->residuals);
  for (size_t i = 0; i < count; i++, cells += 5) {
    const double *row = kg_table_get_row (n->points, i);

    if (!camera_project (camera, row, &cells[0], &cells[1], &cells[4]) || cells[4] < 0)
      behind++;
    cells[2] = cells[0] - row[3];
    cells[3] = cells[1] - row[4];
    sum += cells[2] * cells[2] + cells[3] * cells[3];
  }
  n->rms = sqrt (sum / (double) count);
  if (behind == 0)
    return true;
  kg_set_error (error, KG_ERROR_DEGENERATE,
                g_dngettext (GETTEXT_PACKAGE, "%zu point would lie behind the camera: check the order of the columns",
                             "%zu points would lie behind the camera: check the order of the columns", behind),
                behind);
  return false;
}

static bool
calibrate_camera_evaluate (CalibrateCamera *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const size_t count = kg_table_get_n_rows (n->points);
  g_autofree CameraMeasurement *measurements = g_new0 (CameraMeasurement, MAX (count, 1));
  KgTransform turn = kg_transform_identity ();
  CameraPixels camera;

  if (count > MATRIX_LIMIT) {
    kg_set_error (error, KG_ERROR_LIMIT, "%zu points are too many: use at most %d", count, MATRIX_LIMIT);
    return false;
  }
  for (size_t i = 0; i < count; i++) {
    const double *row = kg_table_get_row (n->points, i);

    measurements[i] = (CameraMeasurement){ { row[0], row[1], row[2] }, row[3], row[4] };
  }
  if (!camera_calibrate (measurements, (guint) count, n->refine, &camera, &monitor, error) ||
      !calibrate_camera_report (n, &camera, error))
    return false;
  n->fu = camera.fu;
  n->fv = camera.fv;
  n->center = (KgVector){ camera.c0, camera.r0, 0 };
  n->translation = (KgVector){ camera.t[0], camera.t[1], camera.t[2] };
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      turn.m[i][j] = camera.r[i][j];
  n->rotation = kg_rotation_from_transform (turn);
  /* R p + T = 0, and a metre along the axis from there. */
  for (int j = 0; j < 3; j++) {
    double *to = j == 0 ? &n->position.x : j == 1 ? &n->position.y : &n->position.z;
    double *ahead = j == 0 ? &n->target.x : j == 1 ? &n->target.y : &n->target.z;

    for (int i = 0; i < 3; i++)
      *to -= camera.r[i][j] * camera.t[i];
    *ahead = *to + camera.r[2][j];
  }
  n->fov = 2 * atan2 (camera.r0, camera.fv);
  return true;
}

static const KgSlot calibrate_camera_slots[] = {
  KG_INPUT (CalibrateCamera, points, TABLE, .columns = calibrate_camera_columns, .label = N_ ("Points"),
            .def_text =
                "-1 -1 -1 182.25 377.75\n1 -1 -1 457.75 377.75\n-1 1 -1 182.25 102.25\n1 1 -1 457.75 102.25\n-1 "
                "-1 1 220 340\n1 -1 1 420 340\n-1 1 1 220 140",
            .help = N_ ("At least 6 points that do not lie in one plane: x, y and z in the world, and column and row "
                        "in the image in pixels, rows counted downwards.")),
  KG_INPUT (CalibrateCamera, refine, BOOLEAN, .label = N_ ("Refine"), .def = 1,
            .help = N_ ("Makes the distances in the image as small as possible, after the linear solution.")),
  KG_OUTPUT (CalibrateCamera, fu, NUMBER, .label = N_ ("Focal length across"), .unit = KG_PIXELS,
             .help = N_ ("Focal length in widths of a pixel; negative where columns run against the camera's x axis.")),
  KG_OUTPUT (CalibrateCamera, fv, NUMBER, .label = N_ ("Focal length down"), .unit = KG_PIXELS,
             .help = N_ ("Focal length in heights of a pixel.")),
  KG_OUTPUT (CalibrateCamera, center, VECTOR, .label = N_ ("Centre"), .unit = KG_PIXELS,
             .help = N_ ("Column and row where the axis of the lens meets the image.")),
  KG_OUTPUT (CalibrateCamera, rotation, ROTATION, .label = N_ ("Rotation"),
             .help = N_ ("Rotation from the world to the camera, whose z axis points ahead.")),
  KG_OUTPUT (CalibrateCamera, translation, VECTOR, .label = N_ ("Translation"), .unit = KG_METRES,
             .help = N_ ("Position of the world's origin relative to the camera.")),
  KG_OUTPUT (CalibrateCamera, position, VECTOR, .label = N_ ("Position"), .unit = KG_METRES,
             .help = N_ ("Position of the camera.")),
  KG_OUTPUT (CalibrateCamera, target, VECTOR, .label = N_ ("Target"), .unit = KG_METRES,
             .help = N_ ("A point one metre ahead of the camera: link it and Position to Camera.")),
  KG_OUTPUT (CalibrateCamera, fov, NUMBER, .label = N_ ("Field of view"), .unit = KG_DEGREES,
             .help = N_ ("Vertical field of view of an image whose middle is the centre.")),
  KG_OUTPUT (CalibrateCamera, rms, NUMBER, .label = N_ ("Residual"), .unit = KG_PIXELS,
             .help = N_ ("Root of the mean square distance between measured and computed pixels.")),
  KG_OUTPUT (CalibrateCamera, residuals, TABLE, .label = N_ ("Residuals"),
             .help = N_ ("For each point the computed column and row, how far they are from the measured ones, and the "
                         "depth.")),
};

KG_NODE (
    transform, calibrate_camera, CalibrateCamera, .label = N_ ("Calibrate Camera"), .version = 1, .since = "0.1",
    .tags = N_ ("camera matching match move solve lens focal length pose intrinsic extrinsic resection pinhole"),
    .formula = "column = c₀ + f_u (R₀·p + t₀)/(R₂·p + t₂)\nrow = r₀ + f_v (R₁·p + t₁)/(R₂·p + t₂)",
    .source = "Parent, Computer Animation, B.9; Weng, Cohen and Herniou, 1992",
    .help = N_ (
        "Finds position, direction and focal length of the camera that took an image, from points whose positions in "
        "the world are known, so that rendered objects fit into the image. The residuals show which points were "
        "measured badly."));
