/* tests/nodes/motion-control: keys, splines of keys, cycles, methods and chains, by the figures of the chapter on motion control
 * of catalogue 20.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "node-test.h"

#define RATE 24.0

static double
at_frame (double frame)
{
  return (frame - 1) / RATE;
}

/* 20-061: fairing spaces drawings so that the speed seems to change.  The steps of an ease are small at its ends, largest in the
 * middle, the same forwards and backwards, and add up to the way. */
static void
test_fairing (void)
{
  static const char *const shapes[] = { "\"sine\"", "\"cubic\"", "\"parabolic\"" };
  NodeTest test = node_test_new ();

  node_test_add (&test, "motion/ease", "e", "shape", "\"sine\"", "k1", "0.5", "k2", "0.5", NULL);
  for (guint s = 0; s < G_N_ELEMENTS (shapes); s++) {
    double steps[12], sum = 0, before = 0;

    node_test_set (&test, "e", "shape", shapes[s]);
    for (guint i = 0; i < 12; i++) {
      double now;

      node_test_set_number (&test, "e", "t", (i + 1) / 12.0);
      now = node_test_number (&test, "e.value", 0);
      steps[i] = now - before;
      sum += steps[i];
      before = now;
    }
    assert_near (sum, 1, 1e-12);
    for (guint i = 0; i < 6; i++) {
      assert_near (steps[i], steps[11 - i], 1e-12);
      if (i > 0)
        g_assert_cmpfloat (steps[i], >, steps[i - 1]);
    }
  }
  node_test_set (&test, "e", "shape", "\"sine\"");
  node_test_set (&test, "e", "t", "0.125");
  assert_near (node_test_number (&test, "e.value", 0), (1 - cos (G_PI / 8)) / 2, 1e-12);
  node_test_clear (&test);
}

/* The sum of the squares of how much a row bends from point to point. */
static double
measure_bends (NodeTest *test, const char *target)
{
  g_auto (KgValue) value = node_test_get (test, target, 0);
  const float *p = kg_geometry_get_positions (value.geometry);
  double sum = 0;

  for (size_t i = 1; i + 1 < kg_geometry_get_n_points (value.geometry); i++)
    for (guint c = 0; c < 2; c++) {
      const double bend = (double) p[3 * i - 3 + c] - 2 * (double) p[3 * i + c] + (double) p[3 * i + 3 + c];

      sum += bend * bend;
    }
  return sum;
}

/* 20-061: fairing of a row of places: with each pass it bends less, its ends stay, and a straight even row stays as it is. */
static void
test_faired_row (void)
{
  NodeTest test = node_test_new ();
  double bends;

  node_test_add (&test, "curve/spline", "row", "basis", "\"linear\"", "points",
                 "[[0, 0], [1, 0.7], [2, -0.2], [3, 1.1], [4, 0.4], [5, 0.9], [6, 0]]", NULL);
  node_test_add (&test, "curve/smooth", "faired", "geometry", "{\"link\": \"row.geometry\"}", NULL);
  bends = measure_bends (&test, "row.geometry");
  for (int pass = 1; pass <= 6; pass++) {
    double less;

    node_test_set_number (&test, "faired", "iterations", pass);
    less = measure_bends (&test, "faired.smoothed");
    g_assert_cmpfloat (less, <, bends);
    bends = less;
    {
      g_auto (KgValue) value = node_test_get (&test, "faired.smoothed", 0);
      const float *p = kg_geometry_get_positions (value.geometry);

      g_assert_cmpfloat (p[0], ==, 0);
      g_assert_cmpfloat (p[1], ==, 0);
      g_assert_cmpfloat (p[3 * 6], ==, 6);
      g_assert_cmpfloat (p[3 * 6 + 1], ==, 0);
    }
  }
  node_test_set (&test, "row", "points", "[[0, 0], [1, 0.5], [2, 1], [3, 1.5]]");
  assert_near (measure_bends (&test, "faired.smoothed"), 0, 1e-12);
  node_test_clear (&test);
}

/* 20-065: the ends of a rod, keyed and interpolated linearly, come nearer to each other; the place and the angle, interpolated
 * instead, keep its length. */
static void
test_rod (void)
{
  static const double shortest[][2] = { { 60, 0.8660254037844386 }, { 90, 0.7071067811865476 }, { 180, 0 } };
  NodeTest test = node_test_new ();

  node_test_add (&test, "value/vector", "p", "value", "{\"keys\": [[1, [0, 0, 0]], [25, [2, 0.5, 0]]]}", NULL);
  node_test_add (&test, "value/vector", "q", NULL);
  node_test_add (&test, "transform/compose", "first", NULL);
  node_test_add (&test, "transform/compose", "last", "translate", "[2, 0.5, 0]", NULL);
  node_test_add (&test, "transform/interpolate", "between", "a", "{\"link\": \"first.transform\"}", "b",
                 "{\"link\": \"last.transform\"}", "t", "{\"expr\": \"(frame - 1)/24\"}", NULL);
  node_test_add (&test, "rotation/apply", "start", "transform", "{\"link\": \"between.transform\"}", "vector",
                 "[0, 0, 0]", NULL);
  node_test_add (&test, "rotation/apply", "end", "transform", "{\"link\": \"between.transform\"}", "vector",
                 "[1, 0, 0]", NULL);
  for (guint i = 0; i < G_N_ELEMENTS (shortest); i++) {
    const double angle = shortest[i][0] * G_PI / 180;
    g_autofree char *keys =
        g_strdup_printf ("{\"keys\": [[1, [1, 0, 0]], [25, [%.17g, %.17g, 0]]]}", 2 + cos (angle), 0.5 + sin (angle));
    g_autofree char *turned = g_strdup_printf ("[0, 0, %.17g]", shortest[i][0]);

    node_test_set (&test, "q", "value", keys);
    node_test_set (&test, "last", "rotate", turned);
    for (int frame = 1; frame <= 25; frame += 3) {
      const double u = (frame - 1) / 24.0, t = at_frame (frame);
      const double length =
          kg_vector_distance (node_test_vector (&test, "p.output", t), node_test_vector (&test, "q.output", t));

      assert_near (length, sqrt (fmax (1 - 2 * u * (1 - u) * (1 - cos (angle)), 0)), 1e-7);
      if (frame == 13)
        assert_near (length, shortest[i][1], 1e-7);
      assert_near (
          kg_vector_distance (node_test_vector (&test, "start.applied", t), node_test_vector (&test, "end.applied", t)),
          1, 1e-12);
    }
  }
  node_test_clear (&test);
}

/* 20-067: times between keys are scaled about a frame before anything is sampled, by a shift in time as by moving the keys. */
static void
test_scaled_time (void)
{
  NodeTest test = node_test_new ();
  const char *keys =
      "{\"keys\": [[1, 0], {\"frame\": 7, \"value\": 3, \"interpolation\": \"bezier\"}, [13, 1], [25, 4]]}";
  const char *scaled =
      "{\"keys\": [[1, 0], {\"frame\": 16, \"value\": 3, \"interpolation\": \"bezier\"}, [31, 1], [61, 4]]}";

  node_test_add (&test, "value/number", "n", "value", keys, NULL);
  node_test_add (&test, "value/number", "moved", "value", scaled, NULL);
  node_test_add (&test, "graph/time_shift", "slow", "value", "{\"link\": \"n.output\"}", "mode", "\"speed\"", "speed",
                 "0.4", NULL);
  node_test_add (&test, "graph/time_shift", "about", "value", "{\"link\": \"n.output\"}", "mode", "\"frame\"", "frame",
                 "{\"expr\": \"(frame - 7)/2.5 + 7\"}", NULL);
  for (double frame = 1; frame <= 61; frame += 1.5) {
    const double there = node_test_number (&test, "n.output", at_frame ((frame - 1) / 2.5 + 1));

    assert_near (node_test_number (&test, "slow.shifted", at_frame (frame)), there, 1e-12);
    assert_near (node_test_number (&test, "moved.output", at_frame (frame)), there, 1e-9);
    assert_near (node_test_number (&test, "about.shifted", at_frame (frame)),
                 node_test_number (&test, "n.output", at_frame ((frame - 7) / 2.5 + 7)), 1e-12);
  }
  node_test_clear (&test);
}

/* 20-068: a camera along a path through points by an ease: its place and its direction change without a jump, it starts and
 * stops at rest, and by length its speed is that of the ease alone. */
static void
test_camera_moves (void)
{
  NodeTest test = node_test_new ();
  KgVector before[2] = { { 0 } }, step[2] = { { 0 } };
  double length, way = 0;

  node_test_add (&test, "curve/spline", "path", "points", "[[0, 1, 6], [3, 1, 4], [3.5, 2, 0], [0, 2, -4], [-4, 1, 0]]",
                 "basis", "\"cubic-spline\"", NULL);
  node_test_add (&test, "motion/ease", "ease", "shape", "\"sine\"", "t", "{\"expr\": \"(frame - 1)/96\"}", NULL);
  node_test_add (&test, "curve/follow", "dolly", "geometry", "{\"link\": \"path.geometry\"}", "parameter",
                 "{\"link\": \"ease.value\"}", "orientation", "\"interest\"", "interest", "[0, 1, 0]", "axes",
                 "\"camera\"", NULL);
  length = node_test_number (&test, "dolly.length", 0);
  for (int k = 0; k <= 96 * 4; k++) {
    const double t = k / (4 * RATE), u = k / (96 * 4.0);
    const KgVector place = node_test_vector (&test, "dolly.position", t),
                   ahead = node_test_vector (&test, "dolly.forward", t);
    const KgVector to = kg_vector_normalize_or (kg_vector_subtract (kg_vector (0, 1, 0), place), kg_vector (0, 0, 0));

    assert_vector_near (ahead, to.x, to.y, to.z, 1e-6);
    if (k > 0) {
      const KgVector now[2] = { kg_vector_subtract (place, before[0]), kg_vector_subtract (ahead, before[1]) };
      const double moved = kg_vector_length (now[0]);

      way += moved;
      /* The ease says how far it has come, whatever the spacing of the points. */
      assert_near (way, length * (1 - cos (G_PI * u)) / 2, 1e-3 * length);
      if (k > 1)
        for (guint i = 0; i < 2; i++)
          g_assert_cmpfloat (kg_vector_distance (now[i], step[i]), <, 5e-3);
      if (k == 1 || k == 96 * 4)
        g_assert_cmpfloat (moved, <, 2e-3);
      memcpy (step, now, sizeof step);
    }
    before[0] = place;
    before[1] = ahead;
  }
  node_test_clear (&test);
}

static bool
takes_keys (KgKind kind)
{
  return kind == KG_NUMBER || kind == KG_INTEGER || kind == KG_BOOLEAN || kind == KG_VECTOR || kind == KG_COLOR ||
         kind == KG_ROTATION;
}

/* 20-069: any parameter is a function of time: whatever is a number, or is made of them, takes keys in every node, but for what
 * is read before there is a time; and what is not says so. */
static void
test_any_parameter (void)
{
  g_autoptr (KgTypes) types = kg_types_new (kg_node_table);
  guint keyed = 0;

  for (guint i = 0; i < kg_types_get_n (types); i++) {
    const KgNodeType *type = kg_types_get (types, i);
    g_autoptr (KgGraph) graph = kg_graph_new (types);
    KgNode *node = kg_graph_add (graph, type->id, "n", 0, 0, NULL);

    g_assert_nonnull (node);
    for (guint s = 0; s < type->n_slots; s++) {
      const KgSlot *slot = &type->slots[s];
      g_autoptr (GError) error = NULL;
      const guint width = kg_kind_get_width (slot->kind);
      g_autoptr (GString) keys = g_string_new ("{\"keys\": [");
      bool taken;

      if (slot->role != KG_SLOT_INPUT || slot->list || slot->fixed || slot->kind == KG_MOTION)
        continue;
      for (int k = 0; k < 2; k++) {
        g_string_append_printf (keys, "%s[%d, ", k > 0 ? ", " : "", 1 + 24 * k);
        for (guint c = 0; c < MAX (width, 1); c++)
          g_string_append_printf (keys, "%s1", c > 0 ? ", " : width > 1 ? "[" : "");
        g_string_append (keys, width > 1 ? "]]" : "]");
      }
      g_string_append (keys, "]}");
      taken = kg_graph_set_json (graph, node, slot->name, keys->str, &error);
      if (taken != takes_keys (slot->kind))
        g_error ("%s.%s: keys %s are %s: %s", type->id, slot->name, keys->str, taken ? "taken" : "refused",
                 error != NULL ? error->message : "");
      if (!taken && slot->kind != KG_TABLE)
        g_assert_nonnull (strstr (error->message, "keyed"));
      keyed += taken;
    }
  }
  g_assert_cmpuint (keyed, >, 1000);
}

static KgVector
tcb_middle (NodeTest *test, const char *tcb)
{
  node_test_set (test, "c", "tcb", tcb);
  return node_test_vector (test, "e.point", 0);
}

/* 20-071: the middle of the middle piece by tension, continuity and bias. */
static void
test_tcb (void)
{
  NodeTest test = node_test_new ();
  KgVector p;

  node_test_add (&test, "curve/spline", "c", "points", "[[0, 0], [1, 2], [3, 3], [4, 0]]", "basis",
                 "\"kochanek-bartels\"", NULL);
  node_test_add (&test, "curve/evaluate", "e", "geometry", "{\"link\": \"c.geometry\"}", "by", "\"natural\"",
                 "parameter", "1.5", NULL);
  p = tcb_middle (&test, "[]");
  assert_vector_near (p, 2, 2.8125, 0, 1e-6);
  p = tcb_middle (&test, "[[0, 0, 0], [0, -1, 0], [0, -1, 0], [0, 0, 0]]");
  assert_vector_near (p, 2, 2.5, 0, 1e-6);
  p = tcb_middle (&test, "[[0, 0, 0], [1, 0, 0], [1, 0, 0], [0, 0, 0]]");
  assert_vector_near (p, 2, 2.5, 0, 1e-6);
  /* Outgoing at p1, incoming at p2, of any of them. */
  p = tcb_middle (&test, "[[0, 0, 0], [0.3, -0.2, 0.5], [-0.4, 0.6, -0.1], [0, 0, 0]]");
  {
    static const double points[4][2] = { { 0, 0 }, { 1, 2 }, { 3, 3 }, { 4, 0 } };
    double expected[2];

    for (guint c = 0; c < 2; c++) {
      const double out = 0.5 * 0.7 * 0.8 * 1.5 * (points[1][c] - points[0][c]) +
                         0.5 * 0.7 * 1.2 * 0.5 * (points[2][c] - points[1][c]);
      const double in = 0.5 * 1.4 * 0.4 * 0.9 * (points[2][c] - points[1][c]) +
                        0.5 * 1.4 * 1.6 * 1.1 * (points[3][c] - points[2][c]);

      expected[c] = (points[1][c] + points[2][c]) / 2 + (out - in) / 8;
    }
    assert_vector_near (p, expected[0], expected[1], 0, 1e-6);
  }
  node_test_clear (&test);
}

/* 20-072: a ball's height by keys with continuity −1 at its contacts alone: it leaves the ground as it came at once, and turns
 * smoothly at the top. */
static void
test_contacts (void)
{
  NodeTest test = node_test_new ();
  const double h = 1e-3;

  node_test_add (&test, "value/number", "y", "value",
                 "{\"keys\": ["
                 "{\"frame\": 1, \"value\": 0, \"interpolation\": \"tcb\", \"tcb\": [0, -1, 0]}, "
                 "{\"frame\": 13, \"value\": 2, \"interpolation\": \"tcb\", \"tcb\": [0, 0, 0]}, "
                 "{\"frame\": 25, \"value\": 0, \"interpolation\": \"tcb\", \"tcb\": [0, -1, 0]}, "
                 "{\"frame\": 37, \"value\": 2, \"interpolation\": \"tcb\", \"tcb\": [0, 0, 0]}, "
                 "{\"frame\": 49, \"value\": 0, \"interpolation\": \"tcb\", \"tcb\": [0, -1, 0]}]}",
                 NULL);
  for (double frame = 13; frame <= 37; frame += 12) {
    const double here = node_test_number (&test, "y.output", at_frame (frame));
    const double before = (here - node_test_number (&test, "y.output", at_frame (frame - h))) / h;
    const double after = (node_test_number (&test, "y.output", at_frame (frame + h)) - here) / h;

    if (frame == 25) {
      /* The slope of the chords: 2 in 12 frames. */
      assert_near (before, -2.0 / 12, 1e-3);
      assert_near (after, 2.0 / 12, 1e-3);
    } else {
      assert_near (before, 0, 1e-3);
      assert_near (after, 0, 1e-3);
    }
  }
  node_test_clear (&test);
}

/* 20-073: a surface that a net of control points bends: to interpolate the net, and bend then, is to interpolate surfaces. */
static void
test_control_points (void)
{
  static const char *const moves[] = { "[[1, 1, 0, 0.2, -0.3, 0.8], [3, 0, 0, 0, 0, -0.5]]",
                                       "[[2, 2, 0, -0.4, 0.1, -1.2], [0, 3, 0, 0.3, 0.3, 0.3]]" };
  NodeTest test = node_test_new ();

  node_test_add (&test, "geometry/grid", "sheet", "size", "[2, 2, 0]", "columns", "12", "rows", "12", NULL);
  for (int i = 0; i < 2; i++) {
    g_autofree char *net = g_strdup_printf ("net%d", i), *patch = g_strdup_printf ("patch%d", i),
                    *link = g_strdup_printf ("{\"link\": \"net%d.lattice\"}", i);

    node_test_add (&test, "deform/ffd_lattice", net, "n", "1", "origin", "[-1, -1, 0]", "u", "[0, 0, 1]", "moves",
                   moves[i], NULL);
    node_test_add (&test, "deform/ffd", patch, "geometry", "{\"link\": \"sheet.geometry\"}", "lattice", link, NULL);
  }
  node_test_add (&test, "morph/geometry", "net", "shapes",
                 "[{\"link\": \"net0.lattice\"}, {\"link\": \"net1.lattice\"}]", NULL);
  node_test_add (&test, "deform/ffd", "bent", "geometry", "{\"link\": \"sheet.geometry\"}", "lattice",
                 "{\"link\": \"net.geometry\"}", NULL);
  node_test_add (&test, "morph/geometry", "mixed", "shapes",
                 "[{\"link\": \"patch0.deformed\"}, {\"link\": \"patch1.deformed\"}]", NULL);
  for (int k = 0; k <= 4; k++) {
    node_test_set_number (&test, "net", "amount", k / 4.0);
    node_test_set_number (&test, "mixed", "amount", k / 4.0);
    {
      g_auto (KgValue) bent = node_test_get (&test, "bent.deformed", 0),
                       mixed = node_test_get (&test, "mixed.geometry", 0);
      const float *a = kg_geometry_get_positions (bent.geometry), *b = kg_geometry_get_positions (mixed.geometry);
      double highest = 0;

      g_assert_cmpuint (kg_geometry_get_n_points (bent.geometry), ==, kg_geometry_get_n_points (mixed.geometry));
      for (size_t i = 0; i < 3 * kg_geometry_get_n_points (bent.geometry); i++) {
        assert_near ((double) a[i], (double) b[i], 2e-6);
        highest = fmax (highest, fabs ((double) a[3 * (i / 3) + 2]));
      }
      g_assert_cmpfloat (highest, >, 0.03);
    }
  }
  node_test_clear (&test);
}

/* 20-074: polygons with different numbers of points do not match: it is said which has how many, and the rest stays. */
static void
test_mismatch (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "geometry/circle", "five", "points", "5", NULL);
  node_test_add (&test, "geometry/circle", "eight", "points", "8", "radius", "3", NULL);
  node_test_add (&test, "morph/geometry", "morph", "shapes",
                 "[{\"link\": \"five.geometry\"}, {\"link\": \"eight.geometry\"}]", "amount", "0.5", NULL);
  node_test_warns (&test, "morph.geometry", "8");
  node_test_warns (&test, "morph.geometry", "5");
  node_test_set (&test, "eight", "points", "5");
  {
    g_auto (KgValue) value = node_test_get (&test, "morph.geometry", 0);
    g_auto (GStrv) warnings = kg_evaluator_dup_warnings (test.evaluator, kg_graph_find (test.graph, "morph"));

    g_assert_true (warnings == NULL || warnings[0] == NULL);
  }
  node_test_clear (&test);
}

/* 20-075: lights, fades and colours follow keys like everything else: halfway between two of them they are the mean, in light. */
static void
test_lights_on_curves (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "image/constant", "fade", "width", "4", "height", "4", "color",
                 "{\"keys\": [[1, [1, 0.5, 0, 1]], [25, [0, 0.25, 1, 0.5]]]}", NULL);
  node_test_add (&test, "render/light", "lamp", "kind", "\"ambient\"", "intensity", "{\"keys\": [[1, 1], [25, 0]]}",
                 "color", "{\"keys\": [[1, [1, 0, 0, 1]], [25, [0, 0, 1, 1]]]}", NULL);
  node_test_add (&test, "geometry/grid", "wall", "size", "[40, 40, 0]", "plane", "\"xy\"", NULL);
  node_test_add (&test, "render/object", "seen", "geometry", "{\"link\": \"wall.geometry\"}", "color", "[1, 1, 1, 1]",
                 "specular", "0", NULL);
  node_test_add (&test, "render/camera", "camera", "position", "[0, 0, 4]", NULL);
  node_test_add (&test, "render/scene", "picture", "scenes",
                 "[{\"link\": \"seen.scene\"}, {\"link\": \"lamp.scene\"}, {\"link\": \"camera.scene\"}]", "width",
                 "16", "height", "16", NULL);
  for (int k = 0; k <= 4; k++) {
    const double u = k / 4.0, t = u;
    g_auto (KgValue) fade = node_test_get (&test, "fade.image", t), picture = node_test_get (&test, "picture.image", t);
    const float *a = kg_image_get_pixels (fade.image) + 4 * (4 * 2 + 2),
                *b = kg_image_get_pixels (picture.image) + 4 * (16 * 8 + 8);
    const double alpha = 1 - 0.5 * u;

    /* Images are premultiplied. */
    assert_near ((double) a[0], (1 - u) * alpha, 1e-6);
    assert_near ((double) a[1], (0.5 - 0.25 * u) * alpha, 1e-6);
    assert_near ((double) a[2], u * alpha, 1e-6);
    assert_near ((double) a[3], alpha, 1e-6);
    assert_near ((double) b[0], (1 - u) * (1 - u), 2e-3);
    assert_near ((double) b[1], 0, 2e-3);
    assert_near ((double) b[2], (1 - u) * u, 2e-3);
  }
  node_test_clear (&test);
}

/* 20-090: the frame at which a cycle begins belongs to it, at any rate, also where a cycle is no whole number of frames; before
 * the first frame it has always been going on. */
static void
test_cycles (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "value/number", "n", "value", "{\"expr\": \"frame\"}", NULL);
  node_test_add (&test, "graph/time_shift", "again", "value", "{\"link\": \"n.output\"}", "mode", "\"cycle\"", "first",
                 "5", "length", "48", NULL);
  for (int frame = -200; frame <= 1000; frame++) {
    const int since = frame - 5, cycle = since >= 0 ? since / 48 : -((47 - since) / 48);

    assert_near (node_test_number (&test, "again.shifted", at_frame (frame)), 5 + since - 48 * cycle, 1e-9);
  }
  /* A third of a frame and its multiples are no exact numbers. */
  node_test_set_number (&test, "again", "length", 10 / 3.0);
  node_test_set (&test, "again", "first", "1");
  for (int k = 0; k <= 300; k++) {
    assert_near (node_test_number (&test, "again.shifted", at_frame (1 + 10 * k)), 1, 1e-6);
  }
  node_test_set (&test, "again", "length", "0");
  node_test_warns (&test, "again.shifted", "length");
  node_test_clear (&test);
}

/* 20-090: a point that goes round in a cycle is where it was a cycle ago, to the last bit where the cycle is whole frames. */
static void
test_cycle_of_geometry (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "geometry/sphere", "ball", "center", "{\"expr\": \"sin(frame), frame, 0\"}", NULL);
  node_test_add (&test, "graph/time_shift", "again", "value", "{\"link\": \"ball.geometry\"}", "mode", "\"cycle\"",
                 "length", "12", NULL);
  for (int frame = 1; frame <= 12; frame++) {
    g_auto (KgValue) first = node_test_get (&test, "ball.geometry", at_frame (frame));

    for (int k = 0; k < 4; k++) {
      g_auto (KgValue) later = node_test_get (&test, "again.shifted", at_frame (frame + 12 * k));

      for (size_t i = 0; i < 3 * kg_geometry_get_n_points (first.geometry); i++)
        assert_near ((double) kg_geometry_get_positions (first.geometry)[i],
                     (double) kg_geometry_get_positions (later.geometry)[i], 2e-6);
    }
  }
  node_test_clear (&test);
}

/* 20-092: what a command implies: the actor's method bends the arm and swells the muscle by as much, in one word; the keys of
 * the muscle follow an expression of the same angle. */
static void
test_method (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "motion/actors", "arm", "text",
                 "\"actor arm\\n  state angle = 0\\n  state muscle = 1\\n  on bend to time\\n"
                 "    change angle to to over time with linear\\n"
                 "    change muscle to (1 + 0.6*to/120) over time with linear\\n  end\\nend\\n\"",
                 "messages", "\"at frame 1 send arm bend 90 24\\nat frame 49 send arm bend 0 24\\n\"", NULL);
  node_test_add (&test, "motion/evaluate", "angle", "motion", "{\"link\": \"arm.motion\"}", "channel", "\"arm.angle\"",
                 "at", "{\"expr\": \"frame\"}", NULL);
  node_test_add (&test, "motion/evaluate", "muscle", "motion", "{\"link\": \"arm.motion\"}", "channel",
                 "\"arm.muscle\"", "at", "{\"expr\": \"frame\"}", NULL);
  node_test_add (
      &test, "soft/keys", "key", "as", "\"influence\"", "size",
      "{\"expr\": \"0.12*(1 + 0.6*angle.value/120), 0.08*(1 + 0.6*angle.value/120), 0.08*(1 + 0.6*angle.value/120)\"}",
      NULL);
  node_test_add (&test, "soft/primitive", "object", "keys", "[{\"link\": \"key.keys\"}]", NULL);
  for (int frame = 1; frame <= 73; frame += 6) {
    const double t = at_frame (frame), angle = frame <= 25   ? 90 * (frame - 1) / 24.0
                                               : frame <= 49 ? 90
                                                             : 90 * (73 - frame) / 24.0;
    const double factor = 1 + 0.6 * angle / 120;
    const KgVector low = node_test_vector (&test, "object.low", t), high = node_test_vector (&test, "object.high", t);

    assert_near (node_test_number (&test, "angle.value", t), angle, 1e-9);
    assert_near (node_test_number (&test, "muscle.value", t), factor, 1e-9);
    assert_near (high.x - low.x, 0.24 * factor, 1e-6);
    assert_near (high.y - low.y, 0.16 * factor, 1e-6);
  }
  node_test_clear (&test);
}

/* 20-174, 20-092: the height of the arm over the muscle at 0, 45 and 90 degrees, with it and without, and one piece in all. */
static void
test_muscle (void)
{
  static const double facts[][2] = { { 0, 0.0768120 }, { 45, 0.0830075 }, { 90, 0.0896298 } };
  NodeTest test = node_test_open_example ("arm_of_clay.json");

  node_test_add (&test, "geometry/line", "over", "start", "[0.14, 1, 0]", "end", "[0.14, 1, 0]", "points", "2", NULL);
  node_test_add (&test, "soft/ray", "with", "samples", "{\"link\": \"over.geometry\"}", "field",
                 "{\"link\": \"strong.field\"}", NULL);
  node_test_add (&test, "soft/ray", "without", "samples", "{\"link\": \"over.geometry\"}", "field",
                 "{\"link\": \"weak.field\"}", NULL);
  for (guint i = 0; i < G_N_ELEMENTS (facts); i++) {
    /* The example bends by 60 − 60 cos (πt). */
    const double t = acos (1 - facts[i][0] / 60) / G_PI;

    assert_near (1 - node_test_number (&test, "with.nearest", t), facts[i][1], 2e-6);
    assert_near (1 - node_test_number (&test, "without.nearest", t), 0.0582719, 2e-6);
    g_assert_cmpfloat (node_test_number (&test, "strong_skin.pieces", t), ==, 1);
  }
  node_test_clear (&test);
}

/* 20-102: joints of a chain in the plane are at the sums of the pieces before them, each turned by the sum of the angles. */
static void
test_direct_kinematics (void)
{
  static const double lengths[] = { 0.4, 0.3, 0.2 },
                      poses[][3] = { { -11.5172, 80.4059, 0 }, { 55.12, -80.4059, 30 }, { 170, -120, 175 } };
  static const char *const joints[] = { "\"joint1\"", "\"joint2\"", "\"joint3\"" };
  NodeTest test = node_test_new ();

  node_test_add (&test, "rig/chain", "chain", "lengths", "[0.4, 0.3, 0.2]", NULL);
  node_test_add (&test, "rig/pose", "p0", "skeleton", "{\"link\": \"chain.skeleton\"}", "joint", "\"joint1\"", NULL);
  node_test_add (&test, "rig/pose", "p1", "skeleton", "{\"link\": \"p0.posed\"}", "joint", "\"joint2\"", NULL);
  node_test_add (&test, "rig/pose", "p2", "skeleton", "{\"link\": \"p1.posed\"}", "joint", "\"joint3\"", NULL);
  node_test_add (&test, "rig/joint_transform", "place", "skeleton", "{\"link\": \"p2.posed\"}", NULL);
  for (guint i = 0; i < G_N_ELEMENTS (poses); i++) {
    double x = 0, y = 0, sum = 0;

    for (guint k = 0; k < 3; k++) {
      g_autofree char *pose = g_strdup_printf ("p%u", k), *angles = g_strdup_printf ("[0, 0, %.17g]", poses[i][k]);

      node_test_set (&test, pose, "angles", angles);
    }
    for (guint k = 0; k <= 3; k++) {
      node_test_set (&test, "place", "joint", k < 3 ? joints[k] : "\"end\"");
      assert_vector_near (node_test_vector (&test, "place.position", 0), x, y, 0, 1e-9);
      if (k < 3) {
        sum += poses[i][k] * G_PI / 180;
        x += lengths[k] * cos (sum);
        y += lengths[k] * sin (sum);
      }
    }
    /* The first two reach the goal of the inverse: (0.5, 0.2). */
    if (i < 2) {
      node_test_set (&test, "place", "joint", "\"joint3\"");
      assert_vector_near (node_test_vector (&test, "place.position", 0), 0.5, 0.2, 0, 1e-6);
    }
  }
  node_test_clear (&test);
}

/* 20-186: drawings between two keys, point by point: evenly on straight ways; and with a skeleton, where what is drawn keeps its
 * place along and across its bone: it turns with the bone, and goes along as the bone gets longer. */
static void
test_drawings_between (void)
{
  static const double first[][2] = { { 0, 0 }, { 1, 0 }, { 1, 1 } }, last[][2] = { { 2, 1 }, { 4, 1 }, { 3, 5 } };
  NodeTest test = node_test_new ();

  node_test_add (&test, "curve/spline", "a", "basis", "\"linear\"", "points", "[[0, 0], [1, 0], [1, 1]]", NULL);
  node_test_add (&test, "curve/spline", "b", "basis", "\"linear\"", "points", "[[2, 1], [4, 1], [3, 5]]", NULL);
  node_test_add (&test, "morph/curves", "between", "keys", "[{\"link\": \"a.geometry\"}, {\"link\": \"b.geometry\"}]",
                 NULL);
  for (int k = 0; k <= 4; k++) {
    node_test_set_number (&test, "between", "at", k / 4.0);
    {
      g_auto (KgValue) value = node_test_get (&test, "between.geometry", 0);
      const float *p = kg_geometry_get_positions (value.geometry);

      for (int i = 0; i < 3; i++)
        for (int c = 0; c < 2; c++)
          assert_near ((double) p[3 * i + c], first[i][c] + k / 4.0 * (last[i][c] - first[i][c]), 1e-6);
    }
  }
  /* A bone from (0, 0) to (2, 0) becomes one from (1, 1) to (1, 5): what is a share u along it and v beside it stays so. */
  node_test_add (&test, "curve/spline", "drawing", "basis", "\"linear\"", "points", "[[0.5, 0.3], [1, -0.2], [2, 0.1]]",
                 NULL);
  node_test_add (&test, "geometry/line", "rest", "start", "[0, 0, 0]", "end", "[2, 0, 0]", "points", "2", NULL);
  node_test_add (&test, "geometry/line", "posed", "start", "[1, 1, 0]", "end", "[1, 5, 0]", "points", "2", NULL);
  node_test_add (&test, "deform/burtnyk_wein", "bent", "geometry", "{\"link\": \"drawing.geometry\"}", "rest",
                 "{\"link\": \"rest.geometry\"}", "posed", "{\"link\": \"posed.geometry\"}", NULL);
  {
    static const double wanted[][2] = { { 1 - 0.3, 2 }, { 1 + 0.2, 3 }, { 1 - 0.1, 5 } };
    g_auto (KgValue) value = node_test_get (&test, "bent.deformed", 0);
    const float *p = kg_geometry_get_positions (value.geometry);

    for (int i = 0; i < 3; i++)
      for (int c = 0; c < 2; c++)
        assert_near ((double) p[3 * i + c], wanted[i][c], 1e-6);
  }
  node_test_clear (&test);
}

/* 20-109: springs too stiff for the step: said with the limit and the remedy; the implicit method needs none, and the number of
 * substeps that is named helps. */
static void
test_instability (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "geometry/line", "rope", "points", "2", "start", "[0, 0, 0]", "end", "[1, 0, 0]", NULL);
  node_test_add (&test, "sim/soft_body", "body", "body", "{\"link\": \"rope.geometry\"}", "mass", "2", "stiffness",
                 "1e6", "damping", "0", "substeps", "8", "gravity", "[0, 0, 0]", "method", "\"semi-implicit\"", NULL);
  /* Two masses of 1 kg on a spring: ω = √(2 k/m), and the limit 2/ω. */
  assert_near (node_test_number (&test, "body.step_limit", 0), 2 / sqrt (2e6), 1e-9);
  node_test_warns_at (&test, "body.energy", 1 / RATE, "implicit method");
  node_test_set (&test, "body", "method", "\"implicit\"");
  {
    g_auto (KgValue) value = node_test_get (&test, "body.energy", 1 / RATE);
    g_auto (GStrv) warnings = kg_evaluator_dup_warnings (test.evaluator, kg_graph_find (test.graph, "body"));

    g_assert_true (warnings == NULL || warnings[0] == NULL);
  }
  node_test_clear (&test);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/motion-control/20-061-fairing", test_fairing);
  g_test_add_func ("/motion-control/20-061-faired-row", test_faired_row);
  g_test_add_func ("/motion-control/20-065-rod", test_rod);
  g_test_add_func ("/motion-control/20-067-scaled-time", test_scaled_time);
  g_test_add_func ("/motion-control/20-068-camera-moves", test_camera_moves);
  g_test_add_func ("/motion-control/20-069-any-parameter", test_any_parameter);
  g_test_add_func ("/motion-control/20-071-tcb", test_tcb);
  g_test_add_func ("/motion-control/20-072-contacts", test_contacts);
  g_test_add_func ("/motion-control/20-073-control-points", test_control_points);
  g_test_add_func ("/motion-control/20-074-mismatch", test_mismatch);
  g_test_add_func ("/motion-control/20-075-lights-on-curves", test_lights_on_curves);
  g_test_add_func ("/motion-control/20-090-cycles", test_cycles);
  g_test_add_func ("/motion-control/20-090-cycle-of-geometry", test_cycle_of_geometry);
  g_test_add_func ("/motion-control/20-092-method", test_method);
  g_test_add_func ("/motion-control/20-092-20-174-muscle", test_muscle);
  g_test_add_func ("/motion-control/20-102-direct-kinematics", test_direct_kinematics);
  g_test_add_func ("/motion-control/20-186-drawings-between", test_drawings_between);
  g_test_add_func ("/motion-control/20-109-instability", test_instability);
  return g_test_run ();
}
