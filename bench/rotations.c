/* rotations: times the mathematics of rotations in bulk and prints one line for each: name, seconds (median of the runs).
 * bench/scipy-rotations.py does the same with SciPy, from the same keys.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kineograph.h"

#include "rotation/conversion.h"
#include "rotation/quaternion_path.h"
#include "times.h"

#define RUNS 9
#define KEYS 1001
#define VALUES 1000000

static double seconds[RUNS];

static void
report (const char *name)
{
  report_median (name, seconds, RUNS);
}

/* Key i: turned by sin 1.1 i, cos 0.7 i and sin 0.3 i radians about x, y and z; neighbours are far apart. */
static QuaternionPath *
make_path (QuaternionPathKind kind)
{
  KgRotation keys[KEYS];

  for (int i = 0; i < KEYS; i++)
    keys[i] = kg_rotation_from_angles (kg_vector (sin (1.1 * i), cos (0.7 * i), sin (0.3 * i)));
  return quaternion_path_new (keys, NULL, KEYS, kind, true, 1.0 / 3, NULL);
}

static void
measure_path (const char *name, QuaternionPathKind kind, guint depth, KgRotation *values)
{
  g_autoptr (QuaternionPath) path = make_path (kind);

  for (guint r = 0; r < RUNS; r++) {
    const double start = now ();

    quaternion_path_sample (path, depth, VALUES, values, NULL);
    seconds[r] = now () - start;
  }
  report (name);
}

static void
measure_angles (const KgRotation *values)
{
  g_autofree KgVector *angles = g_new (KgVector, VALUES);

  for (guint r = 0; r < RUNS; r++) {
    const double start = now ();

#pragma omp parallel for schedule(static)
    for (int i = 0; i < VALUES; i++) {
      bool locked;

      angles[i] = conversion_to_euler (values[i], EULER_XYZ, false, &locked);
    }
    seconds[r] = now () - start;
  }
  report ("rotation-to-angles");
}

static void
measure_matrices (const KgRotation *values)
{
  g_autofree KgTransform *matrices = g_new (KgTransform, VALUES);
  g_autofree KgRotation *back = g_new (KgRotation, VALUES);

  for (guint r = 0; r < RUNS; r++) {
    const double start = now ();

#pragma omp parallel for schedule(static)
    for (int i = 0; i < VALUES; i++) {
      matrices[i] = kg_transform_from_parts (kg_vector (0, 0, 0), values[i], kg_vector (1, 1, 1));
      back[i] = kg_rotation_from_transform (matrices[i]);
    }
    seconds[r] = now () - start;
  }
  report ("rotation-matrix-and-back");
}

int
main (void)
{
  g_autofree KgRotation *values = g_new (KgRotation, VALUES);

  measure_path ("rotation-smooth-halving", QUATERNION_PATH_BEZIER, 16, values);
  measure_path ("rotation-smooth", QUATERNION_PATH_BEZIER, 0, values);
  measure_path ("rotation-slerp", QUATERNION_PATH_SLERP, 0, values);
  measure_angles (values);
  measure_matrices (values);
  return 0;
}
