/* tests/nodes/motion-import: motion/import, digitised data as articulation variables (catalogue 30-110, 30-123).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-json.h"
#include "kg-random.h"
#include "node-test.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct {
  NodeTest test;
  char *folder, *path;
} Bench;

static void
set_text (Bench *bench, const char *node, const char *slot, const char *text)
{
  g_auto (KgValue) value = kg_value_text (text);
  g_autoptr (GError) error = NULL;

  kg_graph_set_constant (bench->test.graph, kg_graph_find (bench->test.graph, node), slot, &value, &error);
  g_assert_no_error (error);
}

/* m reads the table, e is the motion somewhere. */
static Bench
bench_new (const char *table)
{
  Bench bench = { .test = node_test_new () };
  g_autoptr (GError) error = NULL;

  bench.folder = g_dir_make_tmp ("motion-import-XXXXXX", &error);
  g_assert_no_error (error);
  bench.path = g_build_filename (bench.folder, "table.csv", NULL);
  if (table != NULL) {
    g_file_set_contents (bench.path, table, -1, &error);
    g_assert_no_error (error);
  }
  node_test_add (&bench.test, "motion/import", "m", NULL);
  node_test_add (&bench.test, "motion/evaluate", "e", "motion", "{\"link\": \"m.motion\"}", NULL);
  set_text (&bench, "m", "path", bench.path);
  return bench;
}

static void
bench_clear (Bench *bench)
{
  node_test_clear (&bench->test);
  g_remove (bench->path);
  g_rmdir (bench->folder);
  g_free (bench->path);
  g_free (bench->folder);
}

static double
read_at (Bench *bench, const char *channel, double at)
{
  set_text (bench, "e", "channel", channel);
  node_test_set_number (&bench->test, "e", "at", at);
  return node_test_number (&bench->test, "e.value", 0);
}

static KgVector
read_vector_at (Bench *bench, const char *channel, double at)
{
  set_text (bench, "e", "channel", channel);
  node_test_set_number (&bench->test, "e", "at", at);
  return node_test_vector (&bench->test, "e.vector", 0);
}

static void
assert_names (Bench *bench, const char *names)
{
  g_auto (KgValue) value = node_test_get (&bench->test, "m.names", 0);

  g_assert_cmpstr (value.text, ==, names);
}

/* 30-110: an avar evaluated at its keys returns the key, to the bit, whichever way it goes between them. */
static void
test_exact (void)
{
  static const char *const betweens[] = { "\"hold\"", "\"linear\"", "\"smooth\"", "\"round\"" };
  g_autoptr (GString) text = g_string_new ("time, a, b\n");
  double numbers[60][3];
  Bench bench;

  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++) {
    numbers[i][0] = (i > 0 ? numbers[i - 1][0] : 0) + 0.01 + kg_random_uniform (7, i, 0);
    numbers[i][1] = ldexp (kg_random_uniform (7, i, 1) - 0.5, (int) i - 30);
    numbers[i][2] = 1 / (i + 3.0);
    for (guint c = 0; c < 3; c++) {
      kg_json_write_number (numbers[i][c], text);
      g_string_append (text, c < 2 ? ", " : "\n");
    }
  }
  bench = bench_new (text->str);
  for (guint k = 0; k < G_N_ELEMENTS (betweens); k++) {
    node_test_set (&bench.test, "m", "between", betweens[k]);
    for (guint i = 0; i < G_N_ELEMENTS (numbers); i++) {
      g_assert_true (read_at (&bench, "a", numbers[i][0]) == numbers[i][1]);
      g_assert_true (read_at (&bench, "b", numbers[i][0]) == numbers[i][2]);
    }
  }
  assert_names (&bench, "a\nb");
  assert_near (node_test_number (&bench.test, "m.rows", 0), 60, 0);
  bench_clear (&bench);
}

/* Squares of whole times: between 1 and 2 a Catmull-Rom spline is the parabola itself. */
static void
test_between (void)
{
  Bench bench = bench_new ("t q line\n0 0 1\n1 1 3\n2 4 5\n3 9 7\n");

  assert_near (read_at (&bench, "q", 1.5), 2.5, 1e-15);
  node_test_set (&bench.test, "m", "between", "\"hold\"");
  assert_near (read_at (&bench, "q", 1.999), 1, 0);
  node_test_set (&bench.test, "m", "between", "\"round\"");
  for (double t = 1; t <= 2; t += 0.125)
    assert_near (read_at (&bench, "q", t), t * t, 1e-14);
  node_test_set (&bench.test, "m", "between", "\"smooth\"");
  /* Slopes are those of the neighbours, and flat at the ends: so it starts as 1 + 4 t^2 - 2 t^3. */
  for (double t = 0; t <= 2; t += 0.125)
    assert_near (read_at (&bench, "line", t), t < 1 ? 1 + t * t * (4 - 2 * t) : 1 + 2 * t, 1e-13);
  assert_near (read_at (&bench, "q", 7), 9, 0);
  node_test_set (&bench.test, "m", "between", "\"linear\"");
  node_test_set (&bench.test, "m", "after", "\"linear\"");
  assert_near (read_at (&bench, "q", 7), 29, 1e-12);
  node_test_set (&bench.test, "m", "before", "\"mirror\"");
  assert_near (read_at (&bench, "q", -1.5), 2.5, 1e-12);
  bench_clear (&bench);
}

/* One table, as many programs write it. */
static void
test_styles (void)
{
  static const struct {
    const char *text, *settings;
  } styles[] = {
    { "frame,x,y\n1,0.5,2\n3,1.5,-4\n", "" },
    { "frame x y\n1 0.5 2\n3 1.5 -4", "" },
    { "  frame   x\ty \n  1   0.5\t2 \n\n3 1.5 -4\n", "separator=blanks" },
    { "frame\tx\ty\r\n1\t0.5\t2\r\n3\t1.5\t-4\r\n", "" },
    { "frame;x;y\r1;0.5;2\r3;1.5;-4\r", "" },
    { "frame;x;y\n1;0,5;2\n3;1,5;-4\n", "decimal_comma" },
    { "frame x y\n1 0,5 2,0\n3 1,5 -4\n", "decimal_comma" },
    { "\xEF\xBB\xBF\"frame\", \"x\" ,\"y\"\n\"1\",0.5,\"2\"\n3,1.5,-4", "" },
    { "# digitised by hand\n# frame x y\n1 .5 2.\n# half way\n3 15e-1 -4\n", "" },
    { "frame,x,y,\n1,0.5,2,\n3,1.5,-4,\n,,,\n", "" },
    { "x,y,Frame [24/s]\n0.5,2,1\n1.5,-4,3\n", "" },
    { "column1,x,y\n1,0.5,2\n3,1.5,-4\n", "column" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (styles); i++) {
    Bench bench = bench_new (styles[i].text);

    g_test_message ("style %u", i);
    if (g_str_equal (styles[i].settings, "separator=blanks"))
      node_test_set (&bench.test, "m", "separator", "\"blanks\"");
    if (g_str_equal (styles[i].settings, "decimal_comma"))
      node_test_set (&bench.test, "m", "decimal_comma", "true");
    if (g_str_equal (styles[i].settings, "column"))
      node_test_set (&bench.test, "m", "timing", "\"column\"");
    assert_names (&bench, "x\ny");
    assert_near (node_test_number (&bench.test, "m.rows", 0), 2, 0);
    assert_near (read_at (&bench, "x", 2.5), 1.25, 1e-15);
    assert_near (read_at (&bench, "y", 2.5), -2.5, 1e-15);
    bench_clear (&bench);
  }
}

/* Rows without times, with a counter, and without names. */
static void
test_times (void)
{
  Bench bench = bench_new ("100 0\n103 6\n112 2\n");

  assert_names (&bench, "column1\ncolumn2");
  node_test_set (&bench.test, "m", "rate", "10");
  node_test_set (&bench.test, "m", "start", "2");
  assert_near (read_at (&bench, "column2", 2.05), 3, 1e-12);
  assert_near (read_at (&bench, "column1", 2.2), 112, 1e-12);
  /* A counter of a camera with 120 frames a second. */
  node_test_set (&bench.test, "m", "timing", "\"counter\"");
  node_test_set (&bench.test, "m", "rate", "120");
  assert_names (&bench, "column2");
  assert_near (read_at (&bench, "column2", 2 + 3.0 / 120), 6, 1e-12);
  assert_near (read_at (&bench, "column2", 2 + 7.5 / 120), 4, 1e-10);
  set_text (&bench, "m", "column", "column2");
  node_test_set (&bench.test, "m", "timing", "\"column\"");
  assert_names (&bench, "column1");
  bench_clear (&bench);
}

/* 30-110: rows that are not in the order of time are put into it, with a warning. */
static void
test_unsorted (void)
{
  Bench bench = bench_new ("t,v\n3,30\n0,0\n2,20\n1,10\n2,25\n");

  node_test_warns (&bench.test, "m.motion", "line 3: time 0 comes after 3");
  node_test_warns (&bench.test, "m.motion", "(out of order: 4)");
  assert_near (read_at (&bench, "v", 0.5), 5, 1e-15);
  assert_near (read_at (&bench, "v", 1.5), 15, 1e-15);
  /* Two rows at one time are a step, the later one on top of it. */
  assert_near (read_at (&bench, "v", 2), 25, 0);
  assert_near (read_at (&bench, "v", 2.5), 27.5, 1e-14);
  bench_clear (&bench);
}

static void
test_joined (void)
{
  Bench bench = bench_new ("hand.x,hand.y,t,hand.z,foot_X,foot_Y,foot_Z,a.x,a.z,b.x,b.y,b,.x,.y,c.x,c.y,c_x,c_y\n"
                           "1,2,0,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17\n");

  assert_names (&bench, "hand\nhand.z\nfoot\na.x\na.z\nb.x\nb.y\nb\n.x\n.y\nc\nc_x\nc_y");
  assert_vector_near (read_vector_at (&bench, "foot", 0), 4, 5, 6, 0);
  assert_vector_near (read_vector_at (&bench, "hand", 0), 1, 2, 0, 0);
  assert_vector_near (read_vector_at (&bench, "c", 0), 14, 15, 0, 0);
  assert_near (read_at (&bench, "c_y", 0), 17, 0);
  node_test_set (&bench.test, "m", "join", "false");
  assert_near (read_at (&bench, "foot_Y", 0), 5, 0);
  bench_clear (&bench);
}

/* A marker that was hidden for a while. */
static void
test_gaps (void)
{
  Bench bench = bench_new ("t,p.x,p.y,q\n0,0,0,1\n1,,7,2\n2,NaN,nan,-\n3,3,6,\n4,8,8,5\n");

  node_test_fails_saying (&bench.test, "m.motion", 0,
                          "line 3: column 2 (p.x) has \"\" instead of a number: fill it in");
  node_test_set (&bench.test, "m", "gaps", "\"bridge\"");
  assert_vector_near (read_vector_at (&bench, "p", 1), 1, 2, 0, 1e-15);
  assert_near (read_at (&bench, "q", 2.5), 3.5, 1e-15);
  bench_clear (&bench);
  bench = bench_new ("t,v\n0,1\n,2\n");
  node_test_set (&bench.test, "m", "gaps", "\"bridge\"");
  node_test_fails_saying (&bench.test, "m.motion", 0, "line 3: the time in column 1 (t) is empty");
  bench_clear (&bench);
  bench = bench_new ("t,v\n0,-\n1,-\n");
  node_test_set (&bench.test, "m", "gaps", "\"bridge\"");
  node_test_fails_saying (&bench.test, "m.motion", 0, "v contains no numbers");
  bench_clear (&bench);
}

static void
test_wrong_tables (void)
{
  static const struct {
    const char *text, *words;
  } tables[] = {
    { "", "the file is empty" },
    { "\n \n\t\n# nothing\n", "the file is empty" },
    { "time,x\n", "no rows of numbers below the column names" },
    { "time,x\n,\n", "no rows of numbers below the column names" },
    { "t,x\n0,1\n1,1e999\n", "line 3: column 2 (x): \"1e999\" is not a number" },
    { "t,x\n0,1\n1,inf\n", "line 3: column 2 (x): \"inf\" is not a number" },
    { "t,x\n0,1\n\n1,nan\n", "line 4: column 2 (x) has \"nan\" instead of a number" },
    { "t,x\n0,1\n1,o.5\n", "line 3: column 2 (x): \"o.5\" is not a number: write one" },
    { "t;x\n0;1\n1;0,5\n", "line 3: column 2 (x): \"0,5\" is not a number: if its comma" },
    { "0 1\n1 2 3\n", "line 2: 3 fields, but the table has 2 columns" },
    { "0 1x\n1 2\n", "line 1: column 2 (column2): \"1x\" is not a number" },
    /* A file that is not a table is not quoted: it may be a secret. */
    { "0x 1\n1 2\n", "line 1: column 1 is not a number: choose a table" },
    { "root:x:0\ndaemon:y:1\n", "line 2: column 1 is not a number: choose a table" },
    { "t,x,y\n0,1\n", "line 2: 2 fields, but the table has 3 columns" },
    { "t,x,y,x\n0,1,2,3\n", "line 1: columns 2 and 4 have the same name" },
    { "t,\"x\n0,1\n", "line 1: the quotation mark is never closed" },
    { "t,\"x\"y\n0,1\n", "line 1: text after a quoted field" },
    { "t\n0\n1\n", "only one column, which contains the times" },
    { "t,x\n0,1\n1,\xFF\n", "line 3: not a text in UTF-8" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (tables); i++) {
    Bench bench = bench_new (tables[i].text);

    node_test_fails_saying (&bench.test, "m.motion", 0, tables[i].words);
    bench_clear (&bench);
  }
}

/* Rows of nothing but separators stand for nothing, above the names of the columns too. */
static void
test_empty_rows (void)
{
  static const char *const tables[] = { ",,\n,,\ntime,x,y\n,,\n0,1,2\n,,\n1,3,4\n,,\n", ";;;\ntime;x;y\n0;1;2\n1;3;4\n",
                                        "\"\",\"\",\n# time,x,y\n0,1,2\n1,3,4\n" };

  for (guint i = 0; i < G_N_ELEMENTS (tables); i++) {
    Bench bench = bench_new (tables[i]);

    assert_names (&bench, "x\ny");
    assert_near (node_test_number (&bench.test, "m.rows", 0), 2, 0);
    assert_near (read_at (&bench, "y", 1), 4, 0);
    bench_clear (&bench);
  }
}

/* What a message quotes is what the file has, also where commas are read as decimal points. */
static void
test_quoted_commas (void)
{
  Bench bench = bench_new ("t;x\n0;1,25\n0,5;1.234,5\n");

  node_test_set (&bench.test, "m", "decimal_comma", "true");
  node_test_fails_saying (&bench.test, "m.motion", 0, "line 3: column 2 (x): \"1.234,5\" is not a number: write one");
  bench_clear (&bench);
  bench = bench_new ("t;x\n0;1,25\n1;1,234,5\n");
  node_test_set (&bench.test, "m", "decimal_comma", "true");
  node_test_fails_saying (&bench.test, "m.motion", 0, "line 3: column 2 (x): \"1,234,5\" is not a number: write one");
  bench_clear (&bench);
}

/* A line of more fields than a table may have numbers is refused before each of them gets a name. */
static void
test_too_wide (void)
{
  g_autofree char *separators = g_strnfill (4000001, ','), *text = g_strdup_printf ("time%sx\n", separators);
  Bench bench = bench_new (text);

  node_test_fails_saying (&bench.test, "m.motion", 0, "line 1: more than 4000000 numbers");
  bench_clear (&bench);
}

/* The file and the channel are named where a time leaves the numbers. */
static void
test_far_counter (void)
{
  Bench bench = bench_new ("time,x\n-1e308,1\n1e308,2\n");

  node_test_set (&bench.test, "m", "timing", "\"counter\"");
  node_test_fails_saying (&bench.test, "m.motion", 0, "table.csv: x: key 1 has a number that is not finite");
  bench_clear (&bench);
}

static void
test_wrong_files (void)
{
  static const char zeros[] = "t x\n0 \0 1\n";
  Bench bench = bench_new (NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (GString) much = g_string_new (NULL);
  FILE *file;

  node_test_fails_saying (&bench.test, "m.motion", 0, "No such file");
  g_assert_true (mkfifo (bench.path, 0600) == 0 || errno == EPERM);
  node_test_fails_saying (&bench.test, "m.motion", 0, "is a pipe, a socket or a device, not a table");
  g_remove (bench.path);
  set_text (&bench, "m", "path", bench.folder);
  node_test_fails_saying (&bench.test, "m.motion", 0, "is a folder, not a table");
  set_text (&bench, "m", "path", "");
  node_test_fails_saying (&bench.test, "m.motion", 0, "choose a table");
  set_text (&bench, "m", "path", bench.path);
  g_file_set_contents (bench.path, zeros, sizeof zeros - 1, &error);
  g_assert_no_error (error);
  node_test_fails_saying (&bench.test, "m.motion", 0, "line 2: not a text in UTF-8");
  /* Longer than any file is read: nothing is stored for the hole in it. */
  file = fopen (bench.path, "w");
  g_assert_nonnull (file);
  g_assert_cmpint (ftruncate (fileno (file), (off_t) KG_JSON_MAX_BYTES + 1), ==, 0);
  fclose (file);
  kg_graph_reload (bench.test.graph, false);
  node_test_fails_saying (&bench.test, "m.motion", 0, "the limit for a table");
  for (guint i = 0; i < 4000; i++) {
    for (guint c = 0; c < 1001; c++)
      g_string_append (much, "0 ");
    g_string_append_c (much, '\n');
  }
  g_file_set_contents (bench.path, much->str, (gssize) much->len, &error);
  g_assert_no_error (error);
  kg_graph_reload (bench.test.graph, false);
  node_test_fails_saying (&bench.test, "m.motion", 0, "line 3997: more than 4000000 numbers");
  bench_clear (&bench);
}

static void
test_wrong_column (void)
{
  Bench bench = bench_new ("when,x\n0,1\n1,2\n");

  node_test_set (&bench.test, "m", "timing", "\"column\"");
  set_text (&bench, "m", "column", "time");
  node_test_fails_saying (&bench.test, "m.motion", 0, "no column \"time\" for the times: its columns are when, x");
  bench_clear (&bench);
}

/* Numbers as large as they get: held they are what they are, and where slopes overflow it is said. */
static void
test_large_numbers (void)
{
  static const char *const betweens[] = { "\"hold\"", "\"linear\"", "\"smooth\"", "\"round\"" };
  Bench bench = bench_new ("t v\n0 -1e308\n1e-300 1e308\n2 -1e308\n1e308 0\n");

  for (guint k = 0; k < G_N_ELEMENTS (betweens); k++) {
    node_test_set (&bench.test, "m", "between", betweens[k]);
    for (double t = -1; t < 4; t += 0.25) {
      g_auto (KgValue) value = KG_VALUE_INIT, motion = node_test_get (&bench.test, "m.motion", 0);
      double held;
      g_autoptr (GError) error = NULL;

      set_text (&bench, "e", "channel", "v");
      node_test_set_number (&bench.test, "e", "at", t);
      if (kg_evaluator_evaluate (bench.test.evaluator, kg_graph_find (bench.test.graph, "e"),
                                 (guint) kg_node_find_slot (kg_graph_find (bench.test.graph, "e"), "value"), 0, NULL,
                                 &value, &error))
        g_assert_true (isfinite (value.number));
      else
        g_assert_nonnull (strstr (error->message, "every number must be finite"));
      kg_channel_evaluate (kg_motion_get_channel (motion.motion, 0), t, &held);
      if (k == 0)
        assert_near (held, t > 0 && t < 2 ? 1e308 : -1e308, 0);
    }
  }
  bench_clear (&bench);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/motion-import/exact", test_exact);
  g_test_add_func ("/motion-import/between", test_between);
  g_test_add_func ("/motion-import/styles", test_styles);
  g_test_add_func ("/motion-import/times", test_times);
  g_test_add_func ("/motion-import/unsorted", test_unsorted);
  g_test_add_func ("/motion-import/joined", test_joined);
  g_test_add_func ("/motion-import/gaps", test_gaps);
  g_test_add_func ("/motion-import/wrong-tables", test_wrong_tables);
  g_test_add_func ("/motion-import/empty-rows", test_empty_rows);
  g_test_add_func ("/motion-import/quoted-commas", test_quoted_commas);
  g_test_add_func ("/motion-import/too-wide", test_too_wide);
  g_test_add_func ("/motion-import/far-counter", test_far_counter);
  g_test_add_func ("/motion-import/wrong-files", test_wrong_files);
  g_test_add_func ("/motion-import/wrong-column", test_wrong_column);
  g_test_add_func ("/motion-import/large-numbers", test_large_numbers);
  return g_test_run ();
}
