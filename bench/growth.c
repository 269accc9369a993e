/* bench/growth: how the time of every node type, and of the graph itself, grows with what it is given.  Each input that can
 * grow is given n, 2 n and 4 n elements (points, lines, joints, keys, pixels, objects, links); one line each: name, n, the three
 * times in seconds of the processor, and the exponent of growth.  It knows no type by name.  Times are minima of several runs
 * on one thread; what seems to grow too fast is measured again, for other programs disturb.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-preset.h"
#include "kg-startup.h"
#include "kineograph.h"

#include <glib/gstdio.h>
#include <omp.h>
#include <time.h>

/* Growth beyond this is worse than n log n, for the sizes measured here. */
#define SUSPECT 1.3
/* The smallest size, and the time from which one is large enough. */
#define FIRST_SIZE 256
#define ENOUGH 2e-3
#define LARGEST_SIZE 65536
/* Lists of links are made from text, which takes longer than most nodes. */
#define LARGEST_LIST 2048
/* Slower than this is not made larger. */
#define TOO_LONG 0.5

static KgTypes *types;

static double
processor_time (void)
{
  struct timespec t;

  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &t);
  return (double) t.tv_sec + 1e-9 * (double) t.tv_nsec;
}

/* Something of n elements of every kind. */

typedef struct {
  int64_t n;
  bool mesh;
  KgMotion *motion;
  KgGeometry *geometry;
  KgSkeleton *skeleton;
  KgField *field;
  KgImage *image;
  KgScene *scene;
} Source;

/* A wavy sheet of about n squares, or one polyline of n points. */
static KgGeometry *
make_geometry (size_t n, bool mesh)
{
  const uint32_t columns = mesh ? (uint32_t) MAX (ceil (sqrt ((double) n)), 1) : (uint32_t) n - 1,
                 rows = mesh ? columns : 0;
  g_autofree uint32_t *line = g_new (uint32_t, n);
  KgGeometry *geometry = kg_geometry_new ();
  float *p;

  kg_geometry_set_n_points (geometry, (size_t) (columns + 1) * (rows + 1), NULL);
  p = kg_geometry_edit_positions (geometry);
  for (uint32_t j = 0; j <= rows; j++)
    for (uint32_t i = 0; i <= columns; i++) {
      const double x = (double) i / columns, y = mesh ? (double) j / rows : 0.1 * sin (40 * x);

      *p++ = (float) (4 * x - 2);
      *p++ = (float) (2 * y - 1);
      *p++ = (float) (0.2 * sin (9 * x + 7 * y));
    }
  for (uint32_t j = 0; j < rows; j++)
    for (uint32_t i = 0; i < columns; i++) {
      const uint32_t a = j * (columns + 1) + i, corners[] = { a, a + 1, a + columns + 2, a + columns + 1 };
      const KgPrimitive square = { .kind = KG_POLYGON, .closed = true, .n_vertices = 4, .vertices = corners };

      kg_geometry_add_primitive (geometry, &square);
    }
  if (!mesh) {
    const KgPrimitive primitive = { .kind = KG_POLYLINE, .n_vertices = (uint32_t) n, .vertices = line };

    for (uint32_t i = 0; i < n; i++)
      line[i] = i;
    kg_geometry_add_primitive (geometry, &primitive);
  }
  return geometry;
}

static KgMotion *
make_motion (size_t n)
{
  g_autofree KgKey *keys = g_new0 (KgKey, n);

  for (size_t i = 0; i < n; i++) {
    keys[i].at = (double) i / (double) n;
    keys[i].value[0] = keys[i].at + 0.1 * sin ((double) i);
  }
  return kg_motion_new_take ("value", kg_channel_new_keys (1, false, keys, n, KG_EXTEND_HOLD, KG_EXTEND_HOLD, NULL));
}

static bool
source_evaluate (Source *n, const KgContext *ctx, GError **error)
{
  const size_t count = (size_t) n->n;
  const KgTransform identity = kg_transform_identity ();
  g_autoptr (KgGeometry) small = make_geometry (4, true);
  g_autofree const KgField **fields = g_new (const KgField *, count);
  g_autoptr (KgField) field = kg_field_new_constant_vector (kg_vector (0, -1, 0));
  const int side = (int) MAX (ceil (sqrt ((double) count)), 1);
  KgMaterial material;

  (void) ctx;
  n->motion = make_motion (count);
  n->geometry = make_geometry (count, n->mesh);
  n->skeleton = kg_skeleton_new ();
  n->scene = kg_scene_new ();
  kg_material_init (&material);
  for (size_t i = 0; i < count; i++) {
    g_autofree char *name = g_strdup_printf ("joint%zu", i);
    KgJoint joint;

    kg_joint_init (&joint, name, (int) i - 1);
    joint.offset = kg_vector (i > 0 ? 2.0 / (double) count : 0, 0, 0);
    kg_skeleton_add_joint (n->skeleton, &joint, NULL);
    kg_scene_add_object (n->scene, small, &identity, &material);
    fields[i] = field;
  }
  n->field = kg_field_new_sum (fields, (guint) count, error);
  n->image = kg_image_new (side, side, false, error);
  return n->field != NULL && n->image != NULL;
}

static const KgSlot source_slots[] = {
  KG_INPUT (Source, n, INTEGER, .label = "n", .help = "n", .def = 16, .min = 4, .max = 1e9),
  KG_INPUT (Source, mesh, BOOLEAN, .label = "mesh", .help = "mesh", .def = 1),
  KG_OUTPUT (Source, motion, MOTION, .label = "motion", .help = "motion"),
  KG_OUTPUT (Source, geometry, GEOMETRY, .label = "geometry", .help = "geometry"),
  KG_OUTPUT (Source, skeleton, SKELETON, .label = "skeleton", .help = "skeleton"),
  KG_OUTPUT (Source, field, FIELD, .label = "field", .help = "field"),
  KG_OUTPUT (Source, image, IMAGE, .label = "image", .help = "image"),
  KG_OUTPUT (Source, scene, SCENE, .label = "scene", .help = "scene"),
};

KG_NODE (bench, source, Source, .label = "Source", .help = "A source for benchmarks.", .version = 1);

/* What can be measured: seconds for a size; negative when that size is not possible. */
typedef double (*Measure) (gpointer data, size_t n);

static double
measure_least (Measure measure, gpointer data, size_t n, guint runs)
{
  double least = INFINITY;

  for (guint r = 0; r < runs; r++) {
    const double seconds = measure (data, n);

    if (seconds < 0)
      return seconds;
    least = MIN (least, seconds);
    if (least > TOO_LONG)
      break;
  }
  return least;
}

/* False when not even the smallest size can be measured. */
static bool
report (const char *name, Measure measure, gpointer data, size_t largest)
{
  size_t n = FIRST_SIZE;
  double seconds[3] = { measure_least (measure, data, n, 1) };

  while (n < largest && seconds[0] >= 0 && seconds[0] < ENOUGH) {
    const double next = measure_least (measure, data, 2 * n, 1);

    if (next < 0)
      break;
    seconds[0] = next;
    n *= 2;
  }
  /* A node that cannot take more is measured below what it can take. */
  if (seconds[0] < ENOUGH || seconds[0] > TOO_LONG / 16 || measure_least (measure, data, 4 * n, 1) < 0)
    n /= 4;
  for (guint runs = 3; runs <= 12; runs *= 2) {
    double exponent;

    for (guint i = 0; i < 3; i++)
      if ((seconds[i] = measure_least (measure, data, n << i, runs)) < 0)
        return false;
    exponent = 0.5 * log2 (seconds[2] / seconds[0]);
    if (exponent <= SUSPECT || runs == 12) {
      g_print ("%s\t%zu\t%.9f\t%.9f\t%.9f\t%.2f\n", name, n, seconds[0], seconds[1], seconds[2], exponent);
      return true;
    }
  }
  return true;
}

/* Node types. */

typedef struct {
  const KgNodeType *type;
  const KgSlot *slot; /* that grows */
  bool mesh, all;     /* all: every input of that kind grows with it */
  char *message;      /* of the last failure */
} Subject;

static const char *
find_output (KgKind kind)
{
  for (guint i = 0; i < G_N_ELEMENTS (source_slots); i++)
    if (source_slots[i].role == KG_SLOT_OUTPUT && source_slots[i].kind == kind)
      return source_slots[i].name;
  return NULL;
}

/* The lines of the default again and again, with other numbers; its first word apart, which may be a name. */
static char *
make_lines (const KgSlot *slot, size_t n)
{
  g_auto (GStrv) lines = g_strsplit (slot->def_text != NULL ? slot->def_text : "", "\n", -1);
  const guint n_lines = g_strv_length (lines);
  g_autoptr (GString) text = g_string_new ("\"");
  guint numbers = 0;

  if (n_lines > 0) {
    g_auto (GStrv) words = g_strsplit_set (lines[0], " ,", -1);

    for (guint i = 0; words[i] != NULL; i++)
      numbers += words[i][0] != '\0';
  }
  for (size_t i = 0; i < n; i++) {
    g_string_append_printf (text, "%s%.9g", i > 0 ? "\\n" : "", 4 * (double) i / (double) n - 2);
    for (guint k = 1; k < MAX (numbers, 2); k++)
      g_string_append_printf (text, " %.9g", sin (0.1 * (double) i + k));
  }
  g_string_append_c (text, '"');
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static char *
make_json (const Subject *subject, const KgSlot *slot, size_t n)
{
  const char *output = find_output (slot->kind);
  const bool grows = slot == subject->slot || (subject->all && slot->kind == subject->slot->kind);
  g_autoptr (GString) list = NULL;

  if (slot->kind == KG_TEXT)
    return grows ? make_lines (slot, n) : NULL;
  if (output == NULL || (!grows && slot->optional))
    return NULL;
  if (!slot->list)
    return g_strdup_printf ("{\"link\": \"%s.%s\"}", grows ? "large" : "small", output);
  list = g_string_new ("[");
  for (size_t i = 0; i < (grows ? n : 2); i++)
    g_string_append_printf (list, "%s{\"link\": \"small.%s\"}", i > 0 ? "," : "", output);
  g_string_append_c (list, ']');
  return g_string_free (g_steal_pointer (&list), FALSE);
}

/* The node of the subject with its inputs; NULL when it refuses one. */
static KgNode *
build (Subject *subject, KgGraph *graph, size_t n)
{
  KgNode *large = kg_graph_add (graph, "bench/source", "large", 0, 0, NULL), *node;
  g_autofree char *size = g_strdup_printf ("%zu", n);
  g_autoptr (GError) error = NULL;

  kg_graph_add (graph, "bench/source", "small", 0, 0, NULL);
  kg_graph_set_json (graph, large, "n", size, NULL);
  kg_graph_set_json (graph, large, "mesh", subject->mesh ? "true" : "false", NULL);
  node = kg_graph_add (graph, subject->type->id, "node", 0, 0, &error);
  for (guint i = 0; node != NULL && i < subject->type->n_slots; i++) {
    const KgSlot *slot = &subject->type->slots[i];
    g_autofree char *json = slot->role == KG_SLOT_INPUT ? make_json (subject, slot, n) : NULL;

    if (json != NULL && !kg_graph_set_json (graph, node, slot->name, json, &error))
      node = NULL;
  }
  if (error != NULL) {
    g_free (subject->message);
    subject->message = g_strdup (error->message);
  }
  return node;
}

static bool
evaluate (KgEvaluator *evaluator, const char *node, const char *output, double time, GError **error)
{
  g_autofree char *target = g_strdup_printf ("%s.%s", node, output);
  g_auto (KgValue) value = KG_VALUE_INIT;
  KgNode *found;
  guint slot;

  return kg_graph_find_output (kg_evaluator_get_graph (evaluator), target, &found, &slot, error) &&
         kg_evaluator_evaluate (evaluator, found, slot, time, NULL, &value, error);
}

static const char *
first_output (const KgNodeType *type)
{
  for (guint i = 0; i < type->n_slots; i++)
    if (type->slots[i].role == KG_SLOT_OUTPUT)
      return type->slots[i].name;
  return NULL;
}

/* Seconds of the node alone: the sources are evaluated before. */
static double
measure_node (gpointer data, size_t n)
{
  Subject *subject = (Subject *) data;
  g_autoptr (KgGraph) graph = kg_graph_new (types);
  KgNode *node = build (subject, graph, n);
  g_autoptr (KgEvaluator) evaluator = kg_evaluator_new (graph, NULL);
  g_autoptr (GError) error = NULL;
  double start, seconds;

  if (node == NULL)
    return -1;
  evaluate (evaluator, "large", "geometry", 0.5, NULL);
  evaluate (evaluator, "small", "geometry", 0.5, NULL);
  start = processor_time ();
  evaluate (evaluator, "node", first_output (subject->type), 0.5, &error);
  seconds = processor_time () - start;
  if (error == NULL)
    return seconds;
  g_free (subject->message);
  subject->message = g_strdup (error->message);
  return -1;
}

static bool
can_grow (const KgSlot *slot)
{
  if (slot->role != KG_SLOT_INPUT || slot->path || slot->remark)
    return false;
  return (slot->kind == KG_TEXT && slot->multiline) || find_output (slot->kind) != NULL;
}

static void
report_slot (const KgNodeType *type, const KgSlot *slot)
{
  static const char *const ways[] = { "", " (lines)", " (all)", " (all, lines)" };
  const bool geometry = slot->kind == KG_GEOMETRY && !slot->list;
  Subject subject = { .type = type, .slot = slot };
  bool good = false;

  for (guint way = 0; way < G_N_ELEMENTS (ways); way++) {
    g_autofree char *name = g_strdup_printf ("%s.%s%s", type->id, slot->name, ways[way]);

    subject.mesh = way % 2 == 0;
    subject.all = way >= 2;
    /* Only a geometry has two forms; that all grow together is tried where one alone is refused. */
    if ((subject.all && good) || (!subject.mesh && !geometry))
      continue;
    good |= report (name, measure_node, &subject, slot->list || slot->kind == KG_TEXT ? LARGEST_LIST : LARGEST_SIZE);
  }
  if (!good)
    g_print ("%s.%s\t%s\n", type->id, slot->name, subject.message);
  g_free (subject.message);
}

static void
report_types (const char *only)
{
  for (guint i = 0; i < kg_types_get_n (types); i++) {
    const KgNodeType *type = kg_types_get (types, i);

    if (g_str_has_prefix (type->id, "bench/") || first_output (type) == NULL ||
        (only != NULL && !g_str_has_prefix (type->id, only)))
      continue;
    for (guint k = 0; k < type->n_slots; k++)
      if (can_grow (&type->slots[k]))
        report_slot (type, &type->slots[k]);
  }
}

/* The graph. */

typedef enum { CHAIN, STAR } Shape;

/* n nodes that move a square: one after the other, or all the same one. */
static KgGraph *
make_graph (size_t n, Shape shape)
{
  KgGraph *graph = kg_graph_new (types);

  kg_graph_set_recording (graph, false);
  kg_graph_add (graph, "bench/source", "n0", 0, 0, NULL);
  for (size_t i = 1; i <= n; i++) {
    g_autofree char *name = g_strdup_printf ("n%zu", i);
    g_autofree char *link = i == 1 || shape == STAR ? g_strdup ("{\"link\": \"n0.geometry\"}")
                                                    : g_strdup_printf ("{\"link\": \"n%zu.transformed\"}", i - 1);
    KgNode *node = kg_graph_add (graph, "geometry/transform", name, 0, 0, NULL);

    kg_graph_set_json (graph, node, "geometry", link, NULL);
    kg_graph_set_json (graph, node, "translate", "[0.001, 0, 0]", NULL);
  }
  return graph;
}

/* Adding and linking. */
static double
measure_building (gpointer data, size_t n)
{
  const double start = processor_time ();
  g_autoptr (KgGraph) graph = make_graph (n, *(const Shape *) data);

  return processor_time () - start;
}

/* An edit of the first node, to the results of all. */
static double
measure_edit (gpointer data, size_t n)
{
  const Shape shape = *(const Shape *) data;
  g_autoptr (KgGraph) graph = make_graph (n, shape);
  g_autoptr (KgEvaluator) evaluator = kg_evaluator_new (graph, NULL);
  double start = 0;

  for (guint pass = 0; pass < 2; pass++) {
    start = processor_time ();
    kg_graph_set_json (graph, kg_graph_find (graph, "n0"), "n", pass == 0 ? "4" : "9", NULL);
    for (size_t i = shape == CHAIN ? n : 1; i <= n; i++) {
      g_autofree char *name = g_strdup_printf ("n%zu", i);

      evaluate (evaluator, name, "transformed", 0, NULL);
    }
  }
  return processor_time () - start;
}

/* Written and read. */
static double
measure_file (gpointer data, size_t n)
{
  g_autoptr (KgGraph) graph = make_graph (n, CHAIN), again = NULL;
  g_autofree char *folder = g_dir_make_tmp ("kineo-growth-XXXXXX", NULL),
                  *path = g_build_filename (folder, "g.json", NULL);
  g_autoptr (GPtrArray) problems = kg_problems_new ();
  const double start = processor_time ();
  double seconds;

  (void) data;
  kg_graph_save (graph, path, NULL);
  again = kg_graph_load (types, path, problems);
  seconds = processor_time () - start;
  g_unlink (path);
  g_rmdir (folder);
  return again != NULL ? seconds : -1;
}

/* Undone and redone, node by node. */
static double
measure_undo (gpointer data, size_t n)
{
  g_autoptr (KgGraph) graph = kg_graph_new (types);
  const double start = processor_time ();

  (void) data;
  for (size_t i = 0; i < n; i++)
    kg_graph_add (graph, "geometry/transform", NULL, 0, 0, NULL);
  while (kg_graph_undo (graph)) {
  }
  while (kg_graph_redo (graph)) {
  }
  return processor_time () - start;
}

/* Frames of something that moves, and of a simulation. */
static double
measure_frames (gpointer data, size_t n)
{
  const bool simulation = *(const bool *) data;
  g_autoptr (KgGraph) graph = kg_graph_new (types);
  g_autoptr (KgEvaluator) evaluator = kg_evaluator_new (graph, NULL);
  KgNode *node = kg_graph_add (graph, simulation ? "sim/particles" : "geometry/transform", "node", 0, 0, NULL);
  double start;

  kg_graph_add (graph, "bench/source", "source", 0, 0, NULL);
  if (simulation) {
    kg_graph_set_json (graph, node, "rate", "100", NULL);
    kg_graph_set_json (graph, node, "lifetime", "1", NULL);
  } else {
    kg_graph_set_json (graph, node, "geometry", "{\"link\": \"source.geometry\"}", NULL);
    kg_graph_set_json (graph, node, "translate", "{\"expr\": \"t, 0, 0\"}", NULL);
  }
  start = processor_time ();
  for (size_t i = 0; i < n; i++)
    evaluate (evaluator, "node", simulation ? "geometry" : "transformed", (double) i / 24, NULL);
  return processor_time () - start;
}

/* A chain of instances of a preset. */
static double
measure_instances (gpointer data, size_t n)
{
  static const char text[] =
      "{ \"kineograph_preset\": 1, \"id\": \"bench/one\", \"interface\": { \"inputs\": { \"x\": { \"drives\": [\"n.a\"] } },"
      " \"outputs\": { \"y\": { \"from\": \"n.result\" } } }, \"graph\": { \"nodes\": { \"n\": { \"type\": \"value/math\","
      " \"inputs\": { \"b\": 1 } } } } }";
  g_autoptr (GPtrArray) problems = kg_problems_new ();
  g_autoptr (KgPreset) preset = kg_preset_parse (types, text, -1, problems);
  g_autoptr (KgTypes) with_preset = kg_types_add (types, kg_preset_get_type (preset));
  g_autoptr (KgGraph) graph = kg_graph_new (with_preset);
  g_autoptr (KgEvaluator) evaluator = kg_evaluator_new (graph, NULL);
  const double start = processor_time ();
  g_autofree char *last = g_strdup_printf ("n%zu", n - 1);

  (void) data;
  for (size_t i = 0; i < n; i++) {
    g_autofree char *name = g_strdup_printf ("n%zu", i), *link = g_strdup_printf ("{\"link\": \"n%zu.y\"}", i - 1);
    KgNode *node = kg_graph_add (graph, "bench/one", name, 0, 0, NULL);

    if (i > 0)
      kg_graph_set_json (graph, node, "x", link, NULL);
  }
  if (!evaluate (evaluator, last, "y", 0, NULL))
    return -1;
  return processor_time () - start;
}

static void
report_graph (void)
{
  Shape chain = CHAIN, star = STAR;
  bool motion = false, simulation = true;

  report ("nodes: added and linked in a chain", measure_building, &chain, LARGEST_SIZE / 4);
  report ("nodes: edit of a chain", measure_edit, &chain, LARGEST_SIZE / 4);
  report ("nodes: saved and loaded", measure_file, NULL, LARGEST_SIZE / 4);
  report ("nodes: undone and redone", measure_undo, NULL, LARGEST_SIZE / 4);
  report ("links: added to one output", measure_building, &star, LARGEST_SIZE / 4);
  report ("links: edit of one output", measure_edit, &star, LARGEST_SIZE / 4);
  report ("frames: of a movement", measure_frames, &motion, LARGEST_SIZE / 4);
  report ("frames: of a simulation", measure_frames, &simulation, LARGEST_SIZE / 4);
  report ("instances: a chain of a preset", measure_instances, NULL, LARGEST_SIZE / 4);
}

/* Measures all, or the graph ("graph"), or the node types that begin with the argument. */
int
main (int argc, char **argv)
{
  const char *only = argc > 1 ? argv[1] : NULL;

  g_autoptr (GPtrArray) table = g_ptr_array_new ();

  kg_startup_join_blocks ();
  omp_set_num_threads (1);
  for (guint i = 0; kg_node_table[i] != NULL; i++)
    g_ptr_array_add (table, (gpointer) kg_node_table[i]);
  g_ptr_array_add (table, (gpointer) &kg_node_bench_source);
  g_ptr_array_add (table, NULL);
  types = kg_types_new ((const KgNodeType *const *) table->pdata);
  if (only == NULL || g_str_equal (only, "graph"))
    report_graph ();
  if (only == NULL || !g_str_equal (only, "graph"))
    report_types (only);
  kg_types_unref (types);
  return 0;
}
