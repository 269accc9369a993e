/* bench: times the heavy parts of Kineograph and prints one line for each: name, seconds (median of the runs).
 * Not a test: nothing here passes or fails.  bench/run.py sets the figures beside those of other programs.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "curve/curve.h"
#include "kg-preset.h"
#include "kg-startup.h"
#include "kineograph.h"

#include <glib/gstdio.h>

#define RUNS 9

typedef struct {
  KgGraph *graph;
  KgEvaluator *evaluator;
} Bench;

static KgTypes *types;

static Bench
bench_new (void)
{
  Bench bench = { .graph = kg_graph_new (types) };

  bench.evaluator = kg_evaluator_new (bench.graph, NULL);
  kg_evaluator_set_lean (bench.evaluator, true);
  return bench;
}

static void
bench_clear (Bench *bench)
{
  kg_evaluator_free (bench->evaluator);
  g_object_unref (bench->graph);
}

static KgNode *
add (Bench *bench, const char *type, const char *name, ...)
{
  g_autoptr (GError) error = NULL;
  KgNode *node = kg_graph_add (bench->graph, type, name, 0, 0, &error);
  va_list arguments;

  g_assert_no_error (error);
  va_start (arguments, name);
  for (const char *slot; (slot = va_arg (arguments, const char *)) != NULL;) {
    kg_graph_set_json (bench->graph, node, slot, va_arg (arguments, const char *), &error);
    g_assert_no_error (error);
  }
  va_end (arguments);
  return node;
}

static void
evaluate (Bench *bench, const char *target, double time)
{
  g_autoptr (GError) error = NULL;
  g_auto (KgValue) value = KG_VALUE_INIT;
  KgNode *node;
  guint slot;

  kg_graph_find_output (bench->graph, target, &node, &slot, &error);
  g_assert_no_error (error);
  kg_evaluator_evaluate (bench->evaluator, node, slot, time, NULL, &value, &error);
  g_assert_no_error (error);
}

static int
compare (const void *a, const void *b)
{
  return (*(const double *) a > *(const double *) b) - (*(const double *) a < *(const double *) b);
}

static void
report (const char *name, double *seconds, guint n)
{
  qsort (seconds, n, sizeof *seconds, compare);
  g_print ("%s\t%.9f\n", name, seconds[n / 2]);
}

static double
now (void)
{
  return 1e-6 * (double) g_get_monotonic_time ();
}

/* Bytes read and written in a second by a plain loop over arrays far larger than the caches. */
static void
measure_memory (void)
{
  const size_t n = (size_t) 64 << 20;
  g_autofree float *a = g_new (float, n), *b = g_new (float, n);
  double seconds[RUNS];

  for (size_t i = 0; i < n; i++)
    a[i] = b[i] = 1;
  for (guint r = 0; r < RUNS; r++) {
    const double start = now ();

#pragma omp parallel for simd schedule(static)
    for (size_t i = 0; i < n; i++)
      b[i] = 0.5f * a[i] + 1;
    seconds[r] = now () - start;
  }
  qsort (seconds, RUNS, sizeof *seconds, compare);
  g_print ("memory-bandwidth\t%.0f\n", 8.0 * (double) n / seconds[RUNS / 2]);
}

/* Time of the node itself. */
static double
node_seconds (Bench *bench, const char *name)
{
  KgNodeStats stats;

  kg_evaluator_get_stats (bench->evaluator, kg_graph_find (bench->graph, name), &stats);
  kg_evaluator_reset_stats (bench->evaluator);
  return stats.seconds;
}

/* The time of a node in each of the frames after this one. */
static void
measure_steps (Bench *bench, const char *name, const char *node, const char *output, guint frame)
{
  double seconds[RUNS];

  evaluate (bench, output, frame / 24.0);
  kg_evaluator_reset_stats (bench->evaluator);
  for (guint r = 0; r < RUNS; r++) {
    evaluate (bench, output, (frame + 1 + r) / 24.0);
    seconds[r] = node_seconds (bench, node);
  }
  report (name, seconds, RUNS);
}

/* 1,000,000 points in a 4 × 4 × 4 lattice, of which all control points move; time of the node itself. */
static void
measure_ffd (void)
{
  Bench bench = bench_new ();
  double seconds[RUNS];

  add (&bench, "geometry/grid", "grid", "columns", "999", "rows", "999", "plane", "\"xy\"", NULL);
  add (&bench, "deform/ffd_lattice", "cage", "bend", "{\"expr\": \"10 + t\"}", "twist", "20", NULL);
  add (&bench, "deform/ffd", "ffd", "geometry", "{\"link\": \"grid.geometry\"}", "lattice",
       "{\"link\": \"cage.lattice\"}", "region", "\"all\"", NULL);
  for (guint r = 0; r < RUNS; r++) {
    evaluate (&bench, "ffd.deformed", r);
    seconds[r] = node_seconds (&bench, "ffd");
  }
  report ("ffd-1000000", seconds, RUNS);
  bench_clear (&bench);
}

/* 1,000,000 points that follow 16 points of a skeleton, each of them all 16; the turn is looked for in each frame. */
static void
measure_skin (void)
{
  Bench bench = bench_new ();
  double seconds[RUNS];

  add (&bench, "geometry/grid", "grid", "columns", "999", "rows", "999", "plane", "\"xy\"", NULL);
  add (&bench, "geometry/grid", "bones", "columns", "3", "rows", "3", "plane", "\"xy\"", NULL);
  add (&bench, "geometry/transform", "posed", "geometry", "{\"link\": \"bones.geometry\"}", "rotate",
       "{\"expr\": \"10*t, 20, 5*t\"}", "scale", "[1.2, 0.9, 1]", NULL);
  add (&bench, "deform/skeleton_skin", "skin", "geometry", "{\"link\": \"grid.geometry\"}", "rest",
       "{\"link\": \"bones.geometry\"}", "posed", "{\"link\": \"posed.transformed\"}", NULL);
  for (guint r = 0; r < RUNS; r++) {
    evaluate (&bench, "skin.deformed", r + 1);
    seconds[r] = node_seconds (&bench, "skin");
  }
  report ("skin-1000000-by-16", seconds, RUNS);
  bench_clear (&bench);
}

static void
measure_morph (void)
{
  Bench bench = bench_new ();
  double seconds[RUNS];

  add (&bench, "geometry/grid", "a", "columns", "999", "rows", "999", NULL);
  add (&bench, "geometry/transform", "b", "geometry", "{\"link\": \"a.geometry\"}", "rotate", "[0, 0, 90]", NULL);
  add (&bench, "morph/geometry", "m", "shapes", "[{\"link\": \"a.geometry\"}, {\"link\": \"b.transformed\"}]", "amount",
       "{\"expr\": \"t/20\"}", NULL);
  for (guint r = 0; r < RUNS; r++) {
    evaluate (&bench, "m.geometry", r + 1);
    seconds[r] = node_seconds (&bench, "m");
  }
  report ("morph-1000000", seconds, RUNS);
  bench_clear (&bench);
}

/* One step of about 1,000,000 particles under gravity and drag, with a ground, from this frame on. */
static void
measure_particles_from (const char *name, const char *speed, guint frame)
{
  Bench bench = bench_new ();

  add (&bench, "field/gravity", "g", NULL);
  add (&bench, "field/drag", "d", NULL);
  add (&bench, "sim/particles", "p", "rate", "2000000", "lifetime", "100", "limit", "1000000", "shape", "\"box\"",
       "forces", "[{\"link\": \"g.field\"}, {\"link\": \"d.field\"}]", "ground", "true", "speed", speed, NULL);
  measure_steps (&bench, name, "p", "p.count", frame);
  bench_clear (&bench);
}

/* Boids as dense as the node starts them: each frame from the last. */
static void
measure_flock (void)
{
  static const struct {
    const char *name, *count, *size;
  } cases[] = { { "flock-2000-step", "2000", "[14, 14, 14]" }, { "flock-100000-step", "100000", "[52, 52, 52]" } };

  for (guint k = 0; k < G_N_ELEMENTS (cases); k++) {
    Bench bench = bench_new ();

    add (&bench, "sim/flock", "f", "count", cases[k].count, "start_shape", "\"box\"", "start_size", cases[k].size,
         NULL);
    measure_steps (&bench, cases[k].name, "f", "f.geometry", 12);
    bench_clear (&bench);
  }
}

/* The same work as in blender-bench.py: all are born over a ball that stands on a floor, and fall on them through turbulent
 * air. */
static void
measure_falling (const char *name, const char *count)
{
  Bench bench = bench_new ();

  add (&bench, "field/gravity", "g", NULL);
  add (&bench, "field/drag", "d", "linear", "0.2", NULL);
  add (&bench, "field/noise", "n", "amplitude", "2", NULL);
  add (&bench, "geometry/sphere", "ball", "radius", "1", "segments", "64", "rings", "36", NULL);
  add (&bench, "geometry/grid", "floor", "size", "[12, 12, 0]", "columns", "32", "rows", "32", "plane", "\"zx\"", NULL);
  add (&bench, "geometry/transform", "low", "geometry", "{\"link\": \"floor.geometry\"}", "translate", "[0, -1, 0]",
       NULL);
  add (&bench, "sim/particles", "p", "births", "\"once\"", "event_count", count, "lifetime", "100", "shape", "\"box\"",
       "size", "[4, 0, 4]", "position", "[0, 3, 0]", "speed", "1", "particle_size", "0.02", "forces",
       "[{\"link\": \"g.field\"}, {\"link\": \"d.field\"}, {\"link\": \"n.field\"}]", "colliders",
       "[{\"link\": \"ball.geometry\"}, {\"link\": \"low.transformed\"}]", NULL);
  measure_steps (&bench, name, "p", "p.count", 20);
  bench_clear (&bench);
}

/* 10,000 agents with the rules that the node begins with, among as many tufts of grass and some dogs. */
static void
measure_crowd (void)
{
  Bench bench = bench_new ();

  add (&bench, "geometry/grid", "field", "size", "[300, 300, 0]", "columns", "99", "rows", "99", "plane", "\"zx\"",
       NULL);
  add (&bench, "geometry/attribute", "sheep", "geometry", "{\"link\": \"field.geometry\"}", "name", "\"kind\"", "kind",
       "\"text\"", "text", "\"sheep\"", NULL);
  add (&bench, "geometry/attribute", "grass", "geometry", "{\"link\": \"field.geometry\"}", "name", "\"kind\"", "kind",
       "\"text\"", "text", "\"grass\"", NULL);
  add (&bench, "geometry/grid", "corners", "size", "[200, 200, 0]", "columns", "4", "rows", "4", "plane", "\"zx\"",
       NULL);
  add (&bench, "geometry/attribute", "dogs", "geometry", "{\"link\": \"corners.geometry\"}", "name", "\"kind\"", "kind",
       "\"text\"", "text", "\"dog\"", NULL);
  add (&bench, "geometry/merge", "things", "geometries", "[{\"link\": \"grass.set\"}, {\"link\": \"dogs.set\"}]", NULL);
  add (&bench, "sim/agents", "a", "agents", "{\"link\": \"sheep.set\"}", "things", "{\"link\": \"things.geometry\"}",
       "sense", "\"sight\"", NULL);
  measure_steps (&bench, "agents-10000-step", "a", "a.count", 12);
  bench_clear (&bench);
}

static void
measure_particles (void)
{
  measure_falling ("falling-100000-step", "100000");
  measure_falling ("falling-1000000-step", "1000000");
  measure_particles_from ("particles-1000000-step", "4", 15);
  measure_particles_from ("particles-1000000-flying", "100", 15);
  measure_particles_from ("particles-1000000-on-ground", "0", 40);
}

/* A warp of two images of 640 × 360 along 220 pairs of lines, with the usual falloff, and with one that needs powers. */
static void
measure_image_morph (void)
{
  Bench bench = bench_new ();
  double seconds[RUNS];

  add (&bench, "image/constant", "a", "width", "640", "height", "360", NULL);
  add (&bench, "image/constant", "b", "width", "640", "height", "360", "color", "[1, 0, 0, 1]", NULL);
  add (&bench, "geometry/circle", "ring", "points", "221", "angle", "359", "filled", "false", "radius", "0.7", NULL);
  add (&bench, "geometry/transform", "long", "geometry", "{\"link\": \"ring.geometry\"}", "scale", "[0.7, 1.2, 1]",
       NULL);
  add (&bench, "morph/image", "m", "from", "{\"link\": \"a.image\"}", "to", "{\"link\": \"b.image\"}", "from_lines",
       "{\"link\": \"ring.geometry\"}", "to_lines", "{\"link\": \"long.transformed\"}", "amount",
       "{\"expr\": \"0.1 + t/20\"}", NULL);
  for (guint r = 0; r < RUNS; r++) {
    evaluate (&bench, "m.image", r);
    seconds[r] = node_seconds (&bench, "m");
  }
  report ("morph-image-220-lines", seconds, RUNS);
  kg_graph_set_json (bench.graph, kg_graph_find (bench.graph, "m"), "b", "1.5", NULL);
  for (guint r = 0; r < RUNS; r++) {
    evaluate (&bench, "m.image", r);
    seconds[r] = node_seconds (&bench, "m");
  }
  report ("morph-image-falloff-1.5", seconds, RUNS);
  bench_clear (&bench);
}

/* An image of 1280 × 720 made small: most pixels of the result show nothing. */
static void
measure_image_transform (void)
{
  Bench bench = bench_new ();
  double seconds[RUNS];

  add (&bench, "image/constant", "a", "width", "1280", "height", "720", NULL);
  add (&bench, "image/transform", "small", "image", "{\"link\": \"a.image\"}", "scale", "[0.06, 0.06, 1]", "rotate",
       "{\"expr\": \"10*t\"}", NULL);
  for (guint r = 0; r < RUNS; r++) {
    evaluate (&bench, "small.transformed", r);
    seconds[r] = node_seconds (&bench, "small");
  }
  report ("image-transform-small", seconds, RUNS);
  bench_clear (&bench);
}

/* What grows by appending: 4,000 geometries into one, and a trail of 800 copies. */
static void
measure_appending (void)
{
  Bench bench = bench_new ();
  g_autoptr (GString) list = g_string_new ("[");
  double merge[RUNS], trail[RUNS];

  add (&bench, "geometry/circle", "c", "radius", "{\"expr\": \"1 + t\"}", "points", "12", NULL);
  for (guint i = 0; i < 4000; i++)
    g_string_append_printf (list, "%s{\"link\": \"c.geometry\"}", i > 0 ? ", " : "");
  g_string_append_c (list, ']');
  add (&bench, "geometry/merge", "m", "geometries", list->str, NULL);
  add (&bench, "geometry/trail", "t", "geometry", "{\"link\": \"c.geometry\"}", "length", "799", NULL);
  for (guint r = 0; r < RUNS; r++) {
    evaluate (&bench, "m.geometry", r);
    merge[r] = node_seconds (&bench, "m");
    evaluate (&bench, "t.trail", 100 * r);
    trail[r] = node_seconds (&bench, "t");
  }
  report ("merge-4000", merge, RUNS);
  report ("trail-800", trail, RUNS);
  bench_clear (&bench);
}

/* A cubic through 2,000 points, from text. */
static void
measure_fit (void)
{
  Bench bench = bench_new ();
  double seconds[RUNS];

  add (&bench, "curve/fit", "f", NULL);
  for (guint r = 0; r < RUNS; r++) {
    g_autoptr (GString) points = g_string_new ("\"");

    for (guint i = 0; i < 2000; i++)
      g_string_append_printf (points, "%s%.9g %.9g", i > 0 ? "\\n" : "", cos (0.7 * i) + 0.01 * i, sin (1.1 * i + r));
    g_string_append_c (points, '"');
    kg_graph_set_json (bench.graph, kg_graph_find (bench.graph, "f"), "points", points->str, NULL);
    evaluate (&bench, "f.residual", 0);
    seconds[r] = node_seconds (&bench, "f");
  }
  report ("fit-2000", seconds, RUNS);
  bench_clear (&bench);
}

/* A grid of one square and n nodes that move it one after the other. */
static void
add_chain (Bench *bench, guint n)
{
  add (bench, "geometry/grid", "grid", "columns", "1", "rows", "1", NULL);
  for (guint i = 1; i <= n; i++) {
    g_autofree char *node = g_strdup_printf ("n%u", i);
    g_autofree char *link = i == 1 ? g_strdup ("{\"link\": \"grid.geometry\"}")
                                   : g_strdup_printf ("{\"link\": \"n%u.transformed\"}", i - 1);

    add (bench, "geometry/transform", node, "geometry", link, "translate", "[0.001, 0, 0]", NULL);
  }
}

/* An edit at the start of a chain to the result at its end. */
static void
measure_chain (guint n, const char *name)
{
  Bench bench = bench_new ();
  g_autofree char *last = g_strdup_printf ("n%u.transformed", n);
  double seconds[RUNS];

  kg_evaluator_set_lean (bench.evaluator, false);
  add_chain (&bench, n);
  evaluate (&bench, last, 0);
  for (guint r = 0; r < RUNS; r++) {
    g_autofree char *size = g_strdup_printf ("[%u, 1, 0]", r + 3);
    double start;

    start = now ();
    kg_graph_set_json (bench.graph, kg_graph_find (bench.graph, "grid"), "size", size, NULL);
    evaluate (&bench, last, 0);
    seconds[r] = now () - start;
  }
  report (name, seconds, RUNS);
  bench_clear (&bench);
}

static void
measure_longest_chain (void)
{
  measure_chain (100000, "edit-chain-100000");
}

/* A chain of 100 segments that reaches for a goal on its way, by each of the methods that look for a pose. */
static void
measure_ik (void)
{
  static const char *const methods[][2] = { { "ik-100-fabrik", "\"fabrik\"" },
                                            { "ik-100-ccd", "\"ccd\"" },
                                            { "ik-100-damped", "\"damped-least-squares\"" } };
  g_autoptr (GString) lengths = g_string_new ("\"");

  for (guint i = 0; i < 100; i++)
    g_string_append (lengths, i > 0 ? "\\n0.1" : "0.1");
  g_string_append_c (lengths, '"');
  for (guint k = 0; k < G_N_ELEMENTS (methods); k++) {
    Bench bench = bench_new ();
    double seconds[RUNS];

    add (&bench, "rig/chain", "chain", "lengths", lengths->str, NULL);
    add (&bench, "rig/ik", "ik", "skeleton", "{\"link\": \"chain.skeleton\"}", "method", methods[k][1], "goal",
         "{\"expr\": \"3 + 0.1*t, 5 - 0.2*t, 1\"}", NULL);
    for (guint r = 0; r < RUNS; r++) {
      evaluate (&bench, "ik.residual", r);
      seconds[r] = node_seconds (&bench, "ik");
    }
    report (methods[k][0], seconds, RUNS);
    bench_clear (&bench);
  }
}

/* Scan conversion of 1,000,000 triangles (a grid of 707 × 707 squares, tilted) at 1920 × 1080, one sample a pixel. */
static void
measure_scene (void)
{
  Bench bench = bench_new ();
  double seconds[3];

  add (&bench, "geometry/grid", "grid", "columns", "707", "rows", "707", NULL);
  add (&bench, "render/object", "object", "geometry", "{\"link\": \"grid.geometry\"}", "rotate", "[-40, 15, 0]",
       "shading", "\"gouraud\"", NULL);
  add (&bench, "render/scene", "picture", "scenes", "[{\"link\": \"object.scene\"}]", "width", "1920", "height", "1080",
       "antialias", "\"1\"", "background", "{\"expr\": \"t, 0, 0, 1\"}", NULL);
  for (guint r = 0; r < G_N_ELEMENTS (seconds); r++) {
    evaluate (&bench, "picture.image", r);
    seconds[r] = node_seconds (&bench, "picture");
  }
  report ("scan-1000000-triangles", seconds, G_N_ELEMENTS (seconds));
  bench_clear (&bench);
}

/* The chain in a file, which is safe on the disk before it takes the place of the older one. */
static void
measure_file (void)
{
  Bench bench = bench_new ();
  g_autoptr (GError) error = NULL;
  g_autofree char *folder = g_dir_make_tmp ("kineo-bench-XXXXXX", &error);
  g_autofree char *path = g_build_filename (folder, "chain.json", NULL);
  double load[RUNS], save[RUNS];

  g_assert_no_error (error);
  add_chain (&bench, 10000);
  for (guint r = 0; r < RUNS; r++) {
    g_autoptr (GPtrArray) problems = kg_problems_new ();
    g_autoptr (KgGraph) graph = NULL;
    double start = now ();

    kg_graph_save (bench.graph, path, &error);
    save[r] = now () - start;
    g_assert_no_error (error);
    start = now ();
    graph = kg_graph_load (types, path, problems);
    load[r] = now () - start;
    g_assert_nonnull (graph);
  }
  report ("load-10000-nodes", load, RUNS);
  report ("save-10000-nodes", save, RUNS);
  g_unlink (path);
  g_rmdir (folder);
  bench_clear (&bench);
}

/* What an instance of a preset costs beyond the node in it: a chain of instances of one node each, beside a chain of the
 * nodes; seconds an instance and evaluation.  A hundred fit into the second cache of a processor, a thousand do not. */
static double
measure_chain_of (KgTypes *with_preset, int length, const char *type, const char *input, const char *output)
{
  Bench bench = { .graph = kg_graph_new (with_preset) };
  g_autofree char *last = g_strdup_printf ("n%d.%s", length - 1, output);
  double seconds[RUNS];

  bench.evaluator = kg_evaluator_new (bench.graph, NULL);
  for (int i = 0; i < length; i++) {
    g_autofree char *name = g_strdup_printf ("n%d", i);
    g_autofree char *link = i == 0 ? g_strdup ("0") : g_strdup_printf ("{\"link\": \"n%d.%s\"}", i - 1, output);

    add (&bench, type, name, input, link, NULL);
  }
  evaluate (&bench, last, 0);
  for (guint r = 0; r < RUNS; r++) {
    g_autofree char *value = g_strdup_printf ("%u", r + 1);
    double start;

    start = now ();
    kg_graph_set_json (bench.graph, kg_graph_find (bench.graph, "n0"), input, value, NULL);
    evaluate (&bench, last, 0);
    seconds[r] = now () - start;
  }
  bench_clear (&bench);
  qsort (seconds, RUNS, sizeof *seconds, compare);
  return seconds[RUNS / 2] / length;
}

static void
measure_preset (void)
{
  static const char text[] =
      "{ \"kineograph_preset\": 1, \"id\": \"bench/one\", \"interface\": { \"inputs\": { \"x\": { \"drives\": [\"n.a\"] } },"
      " \"outputs\": { \"y\": { \"from\": \"n.result\" } } }, \"graph\": { \"nodes\": { \"n\": { \"type\": \"value/math\","
      " \"inputs\": { \"b\": 1 } } } } }";
  g_autoptr (GPtrArray) problems = kg_problems_new ();
  g_autoptr (KgPreset) preset = kg_preset_parse (types, text, -1, problems);
  g_autoptr (KgTypes) with_preset = kg_types_add (types, kg_preset_get_type (preset));

  for (int length = 100; length <= 1000; length *= 10) {
    const double overhead = measure_chain_of (with_preset, length, "bench/one", "x", "y") -
                            measure_chain_of (with_preset, length, "value/math", "a", "result");

    g_print ("preset-instance-%d\t%.9f\n", length, overhead);
  }
}

static void
measure_short_chain (void)
{
  measure_chain (100, "edit-chain-100");
}

static void
measure_long_chain (void)
{
  measure_chain (10000, "edit-chain-10000");
}

/* Curves of 1,000 segments at 1,000,000 values, and 100,000 of their lengths turned into parameters.  The curves are those
 * of scipy-bench.py. */
enum { CURVE_POINTS = 1001, CURVE_VALUES = 1000000, CURVE_LENGTHS = 100000 };

static Curve *
make_bench_curve (KgBasis basis, guint order, bool weighted)
{
  g_autofree KgVector *points = g_new (KgVector, CURVE_POINTS), *tangents = g_new (KgVector, CURVE_POINTS);
  g_autofree double *weights = g_new (double, CURVE_POINTS);
  CurveControl control = { .basis = basis, .order = order, .n = CURVE_POINTS, .points = points };
  g_autoptr (GError) error = NULL;
  Curve *curve;

  for (guint i = 0; i < CURVE_POINTS; i++) {
    points[i] = kg_vector (cos (0.7 * i) + 0.01 * i, sin (1.1 * i), 0.3 * cos (0.3 * i));
    tangents[i] = kg_vector (0.01, 1.1 * cos (1.1 * i), 0);
    weights[i] = 1 + 0.5 * sin (i);
  }
  control.tangent_in = control.tangent_out = tangents;
  control.weights = weighted ? weights : NULL;
  curve = curve_new_from_control (&control, &error);
  g_assert_no_error (error);
  return curve;
}

static void
measure_curve (const char *name, KgBasis basis, guint order, bool weighted, guint derivative, bool scattered)
{
  g_autoptr (Curve) curve = make_bench_curve (basis, order, weighted);
  g_autofree double *u = g_new (double, CURVE_VALUES);
  g_autofree KgVector *out = g_new0 (KgVector, CURVE_VALUES);
  double seconds[RUNS];

  for (guint i = 0; i < CURVE_VALUES; i++) {
    /* A step that shares no factor with the number of values visits each once. */
    const guint64 k = scattered ? (guint64) i * 387420489 % CURVE_VALUES : i;

    u[i] = (double) k / (CURVE_VALUES - 1) * curve_get_n_segments (curve);
  }
  for (guint r = 0; r < RUNS; r++) {
    const double start = now ();

    curve_evaluate_many (curve, u, CURVE_VALUES, derivative, out);
    seconds[r] = now () - start;
  }
  report (name, seconds, RUNS);
}

static void
measure_curves (void)
{
  g_autoptr (Curve) curve = make_bench_curve (KG_BASIS_CUBIC_SPLINE, 0, false);
  const double length = curve_get_length (curve);
  g_autofree double *lengths = g_new (double, CURVE_LENGTHS), *u = g_new (double, CURVE_LENGTHS);
  double seconds[RUNS];

  measure_curve ("curve-linear", KG_BASIS_LINEAR, 0, false, 0, false);
  measure_curve ("curve-hermite", KG_BASIS_HERMITE, 0, false, 0, false);
  measure_curve ("curve-catmull-rom", KG_BASIS_CATMULL_ROM, 0, false, 0, false);
  measure_curve ("curve-kochanek-bartels", KG_BASIS_KOCHANEK_BARTELS, 0, false, 0, false);
  measure_curve ("curve-four-point", KG_BASIS_FOUR_POINT, 0, false, 0, false);
  measure_curve ("curve-bezier", KG_BASIS_BEZIER, 4, false, 0, false);
  measure_curve ("curve-cubic-spline", KG_BASIS_CUBIC_SPLINE, 0, false, 0, false);
  measure_curve ("curve-cubic-spline-scattered", KG_BASIS_CUBIC_SPLINE, 0, false, 0, true);
  measure_curve ("curve-b-spline-4", KG_BASIS_BSPLINE, 4, false, 0, false);
  measure_curve ("curve-b-spline-splev", KG_BASIS_BSPLINE, 4, false, 0, false);
  measure_curve ("curve-b-spline-6", KG_BASIS_BSPLINE, 6, false, 0, false);
  measure_curve ("curve-nurbs", KG_BASIS_BSPLINE, 4, true, 0, false);
  measure_curve ("curve-derivative", KG_BASIS_CATMULL_ROM, 0, false, 1, false);
  for (guint i = 0; i < CURVE_LENGTHS; i++)
    lengths[i] = length * i / (CURVE_LENGTHS - 1);
  for (guint r = 0; r < RUNS; r++) {
    const double start = now ();

    curve_get_parameters (curve, lengths, CURVE_LENGTHS, u);
    seconds[r] = now () - start;
  }
  report ("curve-inverse-100000", seconds, RUNS);
}

/* Noise of 10,000,000 places: each kind alone, as numbers; three components at once; and five octaves. */
static void
measure_noise (void)
{
  static const struct {
    const char *name, *gives, *kind, *sum;
  } cases[] = {
    { "noise-gradient-10000000", "\"number\"", "\"gradient\"", "\"plain\"" },
    { "noise-simplex-10000000", "\"number\"", "\"simplex\"", "\"plain\"" },
    { "noise-value-10000000", "\"number\"", "\"value\"", "\"plain\"" },
    { "noise-cells-10000000", "\"number\"", "\"cells\"", "\"plain\"" },
    { "noise-fractal-5-10000000", "\"number\"", "\"gradient\"", "\"fractal\"" },
    { "noise-vector-10000000", "\"vector\"", "\"gradient\"", "\"plain\"" },
  };
  const size_t n = 10000000;
  g_autofree float *points = g_new (float, 3 * n), *out = g_new0 (float, 3 * n);

  for (size_t i = 0; i < n; i++) {
    points[3 * i] = 0.01f * (float) (i % 1000);
    points[3 * i + 1] = 0.01f * (float) (i / 1000 % 1000);
    points[3 * i + 2] = 0.1f * (float) (i / 1000000);
  }
  for (guint k = 0; k < G_N_ELEMENTS (cases); k++) {
    Bench bench = bench_new ();
    g_autoptr (GError) error = NULL;
    g_auto (KgValue) value = KG_VALUE_INIT;
    double seconds[RUNS];
    KgNode *node;
    guint slot;

    add (&bench, "field/noise", "noise", "gives", cases[k].gives, "kind", cases[k].kind, "sum", cases[k].sum, "octaves",
         "5", "curl", "false", "evolution", "0", NULL);
    kg_graph_find_output (bench.graph, "noise.field", &node, &slot, &error);
    g_assert_no_error (error);
    kg_evaluator_evaluate (bench.evaluator, node, slot, 0, NULL, &value, &error);
    g_assert_no_error (error);
    for (guint r = 0; r < RUNS; r++) {
      const double start = now ();

      kg_field_sample_points (value.field, points, n, 0, out);
      seconds[r] = now () - start;
    }
    report (cases[k].name, seconds, RUNS);
    bench_clear (&bench);
  }
}

/* Measures all, or only what the arguments name. */
int
main (int argc, char **argv)
{
  static const struct {
    const char *name;
    void (*measure) (void);
  } parts[] = {
    { "memory", measure_memory },
    { "ffd", measure_ffd },
    { "skin", measure_skin },
    { "morph", measure_morph },
    { "particles", measure_particles },
    { "flock", measure_flock },
    { "crowd", measure_crowd },
    { "image-morph", measure_image_morph },
    { "image-transform", measure_image_transform },
    { "appending", measure_appending },
    { "fit", measure_fit },
    { "preset", measure_preset },
    { "short-chain", measure_short_chain },
    { "long-chain", measure_long_chain },
    { "longest-chain", measure_longest_chain },
    { "ik", measure_ik },
    { "scene", measure_scene },
    { "file", measure_file },
    { "curves", measure_curves },
    { "noise", measure_noise },
  };

  /* As the programs themselves begin. */
  kg_startup_begin_again (argv);
  kg_startup_join_blocks ();
  types = kg_types_new (kg_node_table);
  for (guint i = 0; i < G_N_ELEMENTS (parts); i++) {
    bool wanted = argc < 2;

    for (int a = 1; a < argc; a++)
      wanted |= g_str_equal (argv[a], parts[i].name);
    if (wanted)
      parts[i].measure ();
  }
  kg_types_unref (types);
  return 0;
}
