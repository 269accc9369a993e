/* tests/nodes/formula-curve: curvature and torsion of formula curves are those of the formulas, whatever the number of
 * samples.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "node-test.h"
#include "curve/frames.h"

static void
assert_frenet (const KgGeometry *geometry, double curvature, double torsion, double tolerance)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (Frames) frames = frames_new (geometry, 0, NULL, &error);
  const Curve *curve = frames_get_curve (frames);

  g_assert_no_error (error);
  for (guint i = 1; i < 100; i++) {
    const FramesBridge bridge = { .fill = true };
    Frenet f;

    frames_get_frenet (frames, curve_get_parameter (curve, curve_get_length (curve) * i / 100), &bridge,
                       kg_vector (0, 1, 0), &f);
    if (!(fabs (f.curvature - curvature) <= tolerance) || !(fabs (f.torsion - torsion) <= tolerance))
      g_error ("at %u: curvature %.9g, torsion %.9g; expected %.9g and %.9g", i, f.curvature, f.torsion, curvature,
               torsion);
  }
}

/* A helix of radius 2 that falls 1 m a radian: r / (r² + c²) = 0.4, c / (r² + c²) = -0.2, by whatever parameter. */
static void
test_helix (void)
{
  const char *const samples[] = { "12", "101", "401", "2001", "20001" };

  for (guint i = 0; i < G_N_ELEMENTS (samples); i++) {
    NodeTest test = node_test_new ();
    g_auto (KgValue) value = KG_VALUE_INIT;

    node_test_add (&test, "curve/parametric", "c", "x", "\"a*cos(u)\"", "y", "\"a*sin(u)\"", "z", "\"-b*u\"", "a", "2",
                   "to", "6", "samples", samples[i], "make", "\"spline\"", NULL);
    value = node_test_get (&test, "c.geometry", 0);
    assert_frenet (value.geometry, 0.4, -0.2, 1e-9);
    node_test_clear (&test);
  }
}

/* A closed circle, and one that is not drawn at an even pace. */
static void
test_circle (void)
{
  NodeTest test = node_test_new ();
  g_auto (KgValue) closed = KG_VALUE_INIT, uneven = KG_VALUE_INIT;

  node_test_add (&test, "curve/parametric", "c", "x", "\"4*cos(2*pi*u)\"", "y", "\"4*sin(2*pi*u)\"", "closed", "true",
                 "samples", "60", "make", "\"spline\"", NULL);
  closed = node_test_get (&test, "c.geometry", 0);
  assert_frenet (closed.geometry, 0.25, 0, 1e-9);
  node_test_add (&test, "curve/parametric", "d", "x", "\"4*cos(u + sin(u)/2)\"", "y", "\"4*sin(u + sin(u)/2)\"", "to",
                 "5", "samples", "101", "make", "\"spline\"", NULL);
  uneven = node_test_get (&test, "d.geometry", 0);
  assert_frenet (uneven.geometry, 0.25, 0, 1e-9);
  node_test_clear (&test);
}

/* y = sin x bends by |sin x| / (1 + cos² x)^(3/2). */
static void
test_explicit (void)
{
  NodeTest test = node_test_new ();
  g_auto (KgValue) value = KG_VALUE_INIT;
  g_autoptr (Curve) curve = NULL;

  node_test_add (&test, "curve/parametric", "c", "form", "\"explicit\"", "y", "\"sin(x)\"", "from", "0.2", "to", "3",
                 "samples", "40", "make", "\"spline\"", NULL);
  value = node_test_get (&test, "c.geometry", 0);
  curve = curve_new (value.geometry, 0, NULL);
  for (double s = 0; s <= 1; s += 0.01) {
    const KgVector p = curve_evaluate (curve, s * 39, 0);
    Frenet f;

    assert_vector_near (p, p.x, sin (p.x), 0, 1e-12);
    frenet_from_derivatives (curve_evaluate (curve, s * 39, 1), curve_evaluate (curve, s * 39, 2),
                             curve_evaluate (curve, s * 39, 3), 0, 0, &f);
    g_assert_cmpfloat_with_epsilon (f.curvature, sin (p.x) / pow (1 + cos (p.x) * cos (p.x), 1.5), 1e-8);
  }
  node_test_clear (&test);
}

/* A curve that no longer fits its formula is the spline through its points: moved, bent, with a corner or a jump between
 * samples. */
static void
test_fallback (void)
{
  NodeTest test = node_test_new ();
  g_auto (KgValue) bent = KG_VALUE_INIT, jump = KG_VALUE_INIT, few = KG_VALUE_INIT;
  g_autoptr (Curve) curve = NULL, stepped = NULL, rough = NULL;

  node_test_add (&test, "curve/parametric", "c", "x", "\"u\"", "y", "\"sin(3*u)\"", "samples", "30", "make",
                 "\"spline\"", NULL);
  node_test_add (&test, "geometry/transform", "m", "geometry", "{\"link\": \"c.geometry\"}", "translate", "[0, 1, 0]",
                 NULL);
  bent = node_test_get (&test, "m.transformed", 0);
  curve = curve_new (bent.geometry, 0, NULL);
  g_assert_cmpuint (curve_get_degree (curve), ==, 3);
  assert_vector_near (curve_evaluate (curve, 0, 0), 0, 1, 0, 1e-6);
  node_test_add (&test, "curve/parametric", "j", "x", "\"u\"", "y", "\"step(0.5, u)\"", "samples", "30", "make",
                 "\"spline\"", NULL);
  jump = node_test_get (&test, "j.geometry", 0);
  stepped = curve_new (jump.geometry, 0, NULL);
  g_assert_cmpuint (curve_get_degree (stepped), ==, 3);
  node_test_add (&test, "curve/parametric", "f", "x", "\"u\"", "y", "\"sin(200*u)\"", "samples", "7", "make",
                 "\"spline\"", NULL);
  few = node_test_get (&test, "f.geometry", 0);
  rough = curve_new (few.geometry, 0, NULL);
  g_assert_cmpuint (curve_get_degree (rough), ==, 3);
  node_test_clear (&test);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/formula-curve/30-77-helix", test_helix);
  g_test_add_func ("/formula-curve/circle", test_circle);
  g_test_add_func ("/formula-curve/explicit", test_explicit);
  g_test_add_func ("/formula-curve/fallback", test_fallback);
  return g_test_run ();
}
