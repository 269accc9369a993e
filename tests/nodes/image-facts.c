/* tests/nodes/image-facts: checkable facts of catalogue 40 that belong to nodes of several families.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "node-test.h"

#include <math.h>
#include <string.h>

/* K04. */

static KgVector
get_column (const KgRotation *rotation, int column)
{
  return kg_rotation_apply (*rotation, kg_vector (column == 0, column == 1, column == 2));
}

static KgRotation
make_rotation (GRand *random)
{
  double q[4], length = 0;

  for (int i = 0; i < 4; i++) {
    q[i] = g_rand_double_range (random, -1, 1);
    length += q[i] * q[i];
  }
  length = sqrt (length);
  return (KgRotation){ q[0] / length, q[1] / length, q[2] / length, q[3] / length };
}

static void
set_columns (NodeTest *test, const KgVector columns[3])
{
  static const char *const names[] = { "x_axis", "y_axis", "z_axis" };

  for (int i = 0; i < 3; i++) {
    g_autofree char *json = g_strdup_printf ("[%.17g, %.17g, %.17g]", columns[i].x, columns[i].y, columns[i].z);

    node_test_set (test, "o", names[i], json);
  }
}

/* Frobenius. */
static double
find_distance (const KgVector a[3], const KgRotation *rotation)
{
  double sum = 0;

  for (int i = 0; i < 3; i++) {
    const KgVector d = kg_vector_subtract (a[i], get_column (rotation, i));

    sum += kg_vector_dot (d, d);
  }
  return sqrt (sum);
}

/* A rotation is its own nearest, and that of its double; for any other matrix of directions none of many rotations is nearer,
 * and R'M is symmetric, as the polar decomposition says. */
static void
test_k04_nearest_rotation (void)
{
  NodeTest test = node_test_new ();
  GRand *random = g_rand_new_with_seed (4);

  node_test_add (&test, "transform/orthonormalize", "o", "from", "\"axes\"", "method", "\"polar\"", NULL);
  for (int k = 0; k < 20; k++) {
    const KgRotation wanted = make_rotation (random);
    KgVector columns[3], found[3];

    for (int i = 0; i < 3; i++)
      columns[i] = kg_vector_scale (get_column (&wanted, i), k % 2 == 0 ? 1 : 2);
    set_columns (&test, columns);
    for (int i = 0; i < 3; i++) {
      const char *const outputs[] = { "o.x", "o.y", "o.z" };
      const KgVector is = node_test_vector (&test, outputs[i], 0), shall = get_column (&wanted, i);

      assert_vector_near (is, shall.x, shall.y, shall.z, 1e-14);
    }
    for (int i = 0; i < 3; i++) {
      const KgVector error = kg_vector (g_rand_double_range (random, -0.4, 0.4),
                                        g_rand_double_range (random, -0.4, 0.4),
                                        g_rand_double_range (random, -0.4, 0.4));

      columns[i] = kg_vector_normalize_or (kg_vector_add (get_column (&wanted, i), error), kg_vector (1, 0, 0));
    }
    set_columns (&test, columns);
    {
      g_auto (KgValue) value = node_test_get (&test, "o.rotation", 0);
      const double least = find_distance (columns, &value.rotation);

      g_assert_cmpint (value.kind, ==, KG_ROTATION);
      for (int i = 0; i < 3; i++)
        found[i] = get_column (&value.rotation, i);
      assert_near (kg_vector_dot (kg_vector_cross (found[0], found[1]), found[2]), 1, 1e-14);
      for (int i = 0; i < 3; i++)
        for (int j = 0; j < i; j++)
          assert_near (kg_vector_dot (found[i], columns[j]), kg_vector_dot (found[j], columns[i]), 1e-10);
      for (int i = 0; i < 500; i++) {
        const KgRotation other = make_rotation (random);

        g_assert_cmpfloat (least, <=, find_distance (columns, &other) + 1e-12);
      }
      g_assert_cmpfloat (least, <=, find_distance (columns, &wanted) + 1e-12);
    }
  }
  /* A mirror image has no nearest rotation: several are as near, one is chosen, and it is said. */
  set_columns (&test, (const KgVector[]){ { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, -1 } });
  assert_near (node_test_number (&test, "o.mirrors", 0), 1, 0);
  {
    g_auto (KgValue) value = node_test_get (&test, "o.rotation", 0);

    assert_near (find_distance ((const KgVector[]){ { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, -1 } }, &value.rotation), 2,
                 1e-14);
  }
  g_rand_free (random);
  node_test_clear (&test);
}

/* M07. */

#define NET                                                                                                            \
  "[[-1.5, 1, 0], [0, 1, 0], [1.5, 1, 0], [-1.5, 0, 0], [%s, 0.1, 0], [1.5, 0, 0], [-1.5, -1, 0], [0, -1, 0], [1.5, -1, 0]]"

static void
add_morph (NodeTest *test, const char *name, const char *middle)
{
  g_auto (GStrv) parts = g_strsplit (NET, "%s", 2);
  g_autofree char *net = g_strconcat (parts[0], middle, parts[1], NULL);

  node_test_add (test, "morph/mesh", name, "from", "{\"link\": \"a.result\"}", "to", "{\"link\": \"b.result\"}",
                 "amount", "0.5", "from_points", net, NULL);
}

static bool
are_equal (NodeTest *test, const char *one, double time, const char *other, double other_time)
{
  g_auto (KgValue) a = node_test_get (test, one, time), b = node_test_get (test, other, other_time);

  return kg_image_equal (a.image, b.image);
}

/* Two sequences whose images change from frame to frame, with a net for the first that is keyed: at its keys it is the net that
 * stands there, between them one between; a net with one key stands still. */
static void
test_m07_sequences (void)
{
  NodeTest test = node_test_new ();
  const double end = 24 / 24.0;

  node_test_add (&test, "image/constant", "c", "width", "96", "height", "64", "color", "[0, 0, 0, 1]", NULL);
  node_test_add (&test, "image/constant", "k", "width", "96", "height", "64", "color",
                 "{\"keys\": [[1, [1, 0, 0, 1]], [25, [0, 1, 0, 1]]]}", NULL);
  node_test_add (&test, "image/expression", "a", "image", "{\"link\": \"k.image\"}", "blue", "\"0.5 + 0.5*sin(x/4)\"",
                 NULL);
  node_test_add (&test, "image/expression", "b", "image", "{\"link\": \"c.image\"}", "red", "\"0.5 + 0.5*sin(y/3)\"",
                 NULL);
  add_morph (&test, "keyed", "{\"keys\": [[1, 0.5], [25, -0.5]]}");
  add_morph (&test, "one_key", "{\"keys\": [[9, 0.5]]}");
  add_morph (&test, "first", "0.5");
  add_morph (&test, "last", "-0.5");
  g_assert_true (are_equal (&test, "keyed.image", 0, "first.image", 0));
  g_assert_true (are_equal (&test, "keyed.image", end, "last.image", end));
  g_assert_false (are_equal (&test, "keyed.image", end / 2, "first.image", end / 2));
  g_assert_false (are_equal (&test, "keyed.image", end / 2, "last.image", end / 2));
  for (int i = 0; i <= 3; i++)
    g_assert_true (are_equal (&test, "one_key.image", i * end / 3, "first.image", i * end / 3));
  /* The images themselves move on. */
  g_assert_false (are_equal (&test, "first.image", 0, "first.image", end));
  node_test_clear (&test);
}

/* R01. */

/* There in 1/60 s and back in 1/60 s: 30 images a second always find it on the left, 60 on the left and on the right; any rate above
 * 60 tells more than two places. */
static void
test_r01_temporal_aliasing (void)
{
  NodeTest test = node_test_new ();
  guint n_between = 0;

  node_test_add (&test, "value/number", "x", "value", "{\"expr\": \"1 - abs(1 - 2*(30*t - floor(30*t + 1e-9)))\"}",
                 NULL);
  for (int k = 0; k < 60; k++) {
    assert_near (node_test_number (&test, "x.value", k / 30.0), 0, 1e-7);
    assert_near (node_test_number (&test, "x.value", k / 60.0), k % 2, 1e-7);
    if (fabs (node_test_number (&test, "x.value", k / 240.0) - 0.5) < 0.1)
      n_between++;
  }
  /* Two of the eight of each period: a quarter of 60. */
  g_assert_cmpuint (n_between, ==, 15);
  node_test_clear (&test);
}

/* V06. */

static double
find_contrast (NodeTest *test, const char *target, int channel)
{
  g_auto (KgValue) value = node_test_get (test, target, 0);
  const int width = kg_image_get_width (value.image), row = kg_image_get_height (value.image) / 2;
  const float *pixels = kg_image_get_pixels (value.image) + 4 * (size_t) row * (size_t) width;
  double least = INFINITY, most = -INFINITY;

  for (int x = width / 4; x < 3 * width / 4; x++) {
    least = fmin (least, (double) pixels[4 * x + channel]);
    most = fmax (most, (double) pixels[4 * x + channel]);
  }
  return most - least;
}

/* S-VHS keeps stripes of 320 lines, which VHS loses; both keep those of 96 lines, and lose the same colours. */
static void
test_v06_tapes (void)
{
  static const char *const tapes[] = { "\"vhs\"", "\"s-vhs\"" };
  NodeTest test = node_test_new ();
  double fine[2], coarse[2], red[2], blue[2];

  node_test_add (&test, "image/constant", "c", "width", "640", "height", "480", "color", "[0.4, 0.4, 0.4, 1]", NULL);
  node_test_add (&test, "image/expression", "s", "image", "{\"link\": \"c.image\"}", NULL);
  node_test_add (&test, "image/composite_video", "v", "image", "{\"link\": \"s.result\"}", "decoder", "\"separate\"",
                 "noise", "0", "jitter", "0", NULL);
  for (int i = 0; i < 2; i++) {
    const char *const channels[] = { "red", "green", "blue" };

    node_test_set (&test, "v", "tape", tapes[i]);
    for (int c = 0; c < 3; c++)
      node_test_set (&test, "s", channels[c], "\"0.4 + 0.3*sin(2*pi*x/3)\"");
    fine[i] = find_contrast (&test, "v.result", 1);
    for (int c = 0; c < 3; c++)
      node_test_set (&test, "s", channels[c], "\"0.4 + 0.3*sin(2*pi*x/10)\"");
    coarse[i] = find_contrast (&test, "v.result", 1);
    node_test_set (&test, "s", "red", "\"0.4 + 0.3*sin(2*pi*x/16)\"");
    node_test_set (&test, "s", "green", "\"0.4\"");
    node_test_set (&test, "s", "blue", "\"0.4\"");
    red[i] = find_contrast (&test, "v.result", 0);
    blue[i] = find_contrast (&test, "v.result", 2);
  }
  g_assert_cmpfloat (fine[1], >, 4 * fine[0]);
  g_assert_cmpfloat (fine[1], >, 0.2);
  g_assert_cmpfloat (coarse[0], >, 0.3);
  assert_near (coarse[1] / coarse[0], 1, 0.1);
  assert_near (red[1] / red[0], 1, 0.05);
  assert_near (blue[1] / blue[0], 1, 0.05);
  node_test_clear (&test);
}

/* Devices of the cinema, of catalogue 10. */

/* (transfer full) */
static KgImage *
get_image (NodeTest *test, const char *target, int frame)
{
  g_auto (KgValue) value = node_test_get (test, target, (frame - 1) / kg_graph_get_frames (test->graph).rate);

  g_assert_cmpint (value.kind, ==, KG_IMAGE);
  return kg_image_ref (value.image);
}

/* One component of the pixel in a column and a row. */
static double
get_number (NodeTest *test, const char *target, int frame, int column, int row, int c)
{
  g_autoptr (KgImage) image = get_image (test, target, frame);

  return (double) kg_image_get_pixels (image)[4 * (row * kg_image_get_width (image) + column) + c];
}

/* A card with a bird and a cage, flipped each frame: one or the other is seen, and over a turn both at half their light.  The
 * trick of the stopped camera: A is there until frame 4, and B from frame 5 on.  The sheet of a sequence has room for all. */
static void
test_p1_cards (void)
{
  NodeTest test = node_test_new ();
  g_autoptr (KgImage) sheet = NULL;

  node_test_add (&test, "image/constant", "bird", "width", "6", "height", "4", "color", "[0.8, 0.2, 0, 1]", NULL);
  node_test_add (&test, "image/constant", "cage", "width", "6", "height", "4", "color", "[0, 0.4, 0.6, 1]", NULL);
  node_test_add (&test, "graph/switch", "card", "values", "[{\"link\": \"bird.image\"}, {\"link\": \"cage.image\"}]",
                 "index", "{\"expr\": \"mod (frame - 1, 2)\"}", NULL);
  node_test_add (&test, "image/time_average", "eye", "image", "{\"link\": \"card.value\"}", "range", "\"fixed\"",
                 "first", "1", "count", "8", NULL);
  for (int c = 0; c < 4; c++) {
    const double front = get_number (&test, "card.value", 1, 2, 2, c),
                 back = get_number (&test, "card.value", 2, 2, 2, c);

    assert_near (get_number (&test, "bird.image", 1, 0, 0, c), front, 0);
    assert_near (get_number (&test, "cage.image", 1, 0, 0, c), back, 0);
    assert_near (get_number (&test, "eye.average", 3, 2, 2, c), 0.5 * (front + back), 1e-6);
  }
  node_test_set (&test, "card", "index", "{\"expr\": \"frame >= 5\"}");
  assert_near (get_number (&test, "card.value", 4, 0, 0, 0), 0.8, 1e-6);
  assert_near (get_number (&test, "card.value", 5, 0, 0, 0), 0, 0);
  node_test_add (&test, "image/contact_sheet", "sheet", "image", "{\"link\": \"card.value\"}", "count", "10",
                 "per_line", "4", "gap", "0", NULL);
  sheet = get_image (&test, "sheet.sheet", 1);
  g_assert_cmpint (kg_image_get_width (sheet), ==, 4 * 6);
  g_assert_cmpint (kg_image_get_height (sheet), ==, 3 * 4);
  node_test_clear (&test);
}

/* A long background goes past by three pixels a frame, to the bit; what is displaced and displaced back is where it was. */
static void
test_p1_moved (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "image/constant", "plate", "width", "40", "height", "8", NULL);
  node_test_add (&test, "image/expression", "marks", "image", "{\"link\": \"plate.image\"}", "red",
                 "\"u * u + 0.1 * v\"", NULL);
  node_test_add (&test, "image/transform", "pan", "image", "{\"link\": \"marks.result\"}", "translate",
                 "{\"expr\": \"[3 * (frame - 1), 0, 0]\"}", NULL);
  for (int x = 12; x < 40; x++)
    assert_near (get_number (&test, "pan.transformed", 5, x, 3, 0), get_number (&test, "marks.result", 1, x - 12, 3, 0),
                 0);
  node_test_add (&test, "image/constant", "heat", "width", "40", "height", "8", "color", "[0.25, 0, 0, 1]", NULL);
  node_test_add (&test, "image/displace", "add", "image", "{\"link\": \"marks.result\"}", "map",
                 "{\"link\": \"heat.image\"}", "scale", "[20, 20, 0]", NULL);
  node_test_add (&test, "image/displace", "erase", "image", "{\"link\": \"add.result\"}", "map",
                 "{\"link\": \"heat.image\"}", "scale", "[-20, -20, 0]", NULL);
  g_assert_cmpfloat (
      fabs (get_number (&test, "add.result", 1, 20, 3, 0) - get_number (&test, "marks.result", 1, 20, 3, 0)), >, 0.05);
  for (int x = 8; x < 32; x++)
    assert_near (get_number (&test, "erase.result", 1, x, 3, 0), get_number (&test, "marks.result", 1, x, 3, 0), 1e-5);
  node_test_clear (&test);
}

/* P1-07: twelve lamps, of which a quarter is lit at each time, one farther in each frame: as many as the duty says, each as long as it
 * says, and what seems to move is the same light. */
static void
test_p1_07_marquee (void)
{
  enum { LAMPS = 12, LIT = 3 };
  NodeTest test = node_test_new ();
  int shown[LAMPS] = { 0 };

  node_test_add (&test, "image/constant", "dark", "width", "12", "height", "1", "color", "[0, 0, 0, 1]", NULL);
  node_test_add (&test, "image/expression", "lamps", "image", "{\"link\": \"dark.image\"}", "red",
                 "\"mod (x - 0.5 - (frame - 1), 12) < 12 * p\"", "p", "0.25", NULL);
  for (int frame = 1; frame <= LAMPS; frame++) {
    int lit = 0;

    for (int k = 0; k < LAMPS; k++) {
      const double light = get_number (&test, "lamps.result", frame, k, 0, 0);

      g_assert_true (light == 0 || light == 1);
      assert_near (get_number (&test, "lamps.result", frame + 1, (k + 1) % LAMPS, 0, 0), light, 0);
      lit += light > 0;
      shown[k] += light > 0;
    }
    g_assert_cmpint (lit, ==, LIT);
  }
  for (int k = 0; k < LAMPS; k++)
    g_assert_cmpint (shown[k], ==, LIT);
  node_test_clear (&test);
}

/* The area that an image covers, in square metres of a view of height. */
static double
measure_area (const KgImage *image, double height)
{
  const double metre = height / kg_image_get_height (image);
  double sum = 0;

  for (int i = 0; i < kg_image_get_width (image) * kg_image_get_height (image); i++)
    sum += (double) kg_image_get_pixels (image)[4 * i + 3];
  return sum * metre * metre;
}

/* P1-13: a silhouette has the area of the projected body and one colour everywhere; a magic lantern's image of a slide is as much larger
 * as its wall is farther away. */
static void
test_p1_13_silhouette (void)
{
  static const double angles[] = { 0, 30, 75 };
  NodeTest test = node_test_new ();

  node_test_add (&test, "geometry/box", "box", "size", "[1.5, 1, 0.8]", NULL);
  node_test_add (&test, "geometry/transform", "turn", "geometry", "{\"link\": \"box.geometry\"}", NULL);
  node_test_add (&test, "geometry/color", "black", "geometry", "{\"link\": \"turn.transformed\"}", "color",
                 "[0.1, 0.2, 0.3, 1]", NULL);
  node_test_add (&test, "render/draw", "d", "geometries", "[{\"link\": \"black.colored\"}]", "width", "320", "height",
                 "240", "view_height", "2.4", NULL);
  for (guint i = 0; i < G_N_ELEMENTS (angles); i++) {
    const double a = angles[i] * G_PI / 180;
    g_autofree char *rotate = g_strdup_printf ("[0, %g, 0]", angles[i]);
    g_autoptr (KgImage) image = NULL;

    node_test_set (&test, "turn", "rotate", rotate);
    image = get_image (&test, "d.image", 1);
    assert_near (measure_area (image, 2.4), 1.5 * cos (a) + 0.8 * sin (a), 0.01);
    for (int k = 0; k < 320 * 240; k++) {
      const float *p = kg_image_get_pixels (image) + 4 * k;

      for (int c = 0; c < 3; c++)
        assert_near (p[c], 0.1 * (c + 1) * (double) p[3], 0.005);
    }
  }
  /* A slide of 1 by 0.5 metres two metres below the lamp, the wall four metres below it. */
  node_test_add (&test, "geometry/box", "slide", "size", "[1, 0, 0.5]", NULL);
  node_test_add (&test, "geometry/transform", "up", "geometry", "{\"link\": \"slide.geometry\"}", "translate",
                 "[0, 2, 0]", NULL);
  node_test_add (&test, "geometry/drop_shadow", "s", "geometry", "{\"link\": \"up.transformed\"}", "kind", "\"point\"",
                 "light", "[0, 4, 0]", "lift", "0", "sides", "\"outline\"", NULL);
  node_test_add (&test, "geometry/transform", "wall", "geometry", "{\"link\": \"s.shadow\"}", "rotate", "[90, 0, 0]",
                 NULL);
  node_test_add (&test, "geometry/color", "light", "geometry", "{\"link\": \"wall.transformed\"}", "color",
                 "[1, 1, 1, 1]", NULL);
  node_test_set (&test, "d", "geometries", "[{\"link\": \"light.colored\"}]");
  {
    g_autoptr (KgImage) image = get_image (&test, "d.image", 1);

    assert_near (measure_area (image, 2.4), 1 * 0.5 * 4, 0.01);
  }
  node_test_clear (&test);
}

/* A layer whose coverage and colours differ from pixel to pixel. */
static void
add_layer (NodeTest *test, const char *name, const char *alpha, const char *red)
{
  g_autofree char *a = g_strdup_printf ("\"%s\"", alpha), *r = g_strdup_printf ("\"(%s) * (%s)\"", red, alpha);

  if (kg_graph_find (test->graph, "ground") == NULL)
    node_test_add (test, "image/constant", "ground", "width", "40", "height", "24", "color", "[0, 0, 0, 1]", NULL);
  node_test_add (test, "image/expression", name, "image", "{\"link\": \"ground.image\"}", "red", r, "green", a, "alpha",
                 a, NULL);
}

static double
get_most_apart (NodeTest *test, const char *a, const char *b)
{
  g_autoptr (KgImage) one = get_image (test, a, 1), other = get_image (test, b, 1);
  double most = 0;

  for (int i = 0; i < 4 * 40 * 24; i++)
    most = fmax (most, fabs ((double) kg_image_get_pixels (one)[i] - (double) kg_image_get_pixels (other)[i]));
  return most;
}

/* P1-16: a drawn figure over a live plate: where it covers nothing the plate is left, to the bit, and where it covers all it is seen
 * alone.  P1-17: cels: C = F α + B (1 - α), and they may be laid together in any grouping. */
static void
test_p1_cels (void)
{
  NodeTest test = node_test_new ();

  add_layer (&test, "plate", "1", "0.5 + 0.5 * sin (x / 3)");
  add_layer (&test, "figure", "x > 20 ? 1 : 0", "0.8");
  add_layer (&test, "cel", "0.3 + 0.5 * u", "v");
  add_layer (&test, "smoke", "0.6 * v", "u");
  node_test_add (&test, "image/over", "o", "layers", "[{\"link\": \"plate.result\"}, {\"link\": \"figure.result\"}]",
                 NULL);
  for (int x = 0; x < 40; x++)
    for (int c = 0; c < 4; c++)
      assert_near (get_number (&test, "o.image", 1, x, 7, c),
                   get_number (&test, x < 20 ? "plate.result" : "figure.result", 1, x, 7, c), 0);
  node_test_set (&test, "o", "layers", "[{\"link\": \"plate.result\"}, {\"link\": \"cel.result\"}]");
  for (int x = 0; x < 40; x++) {
    const double alpha = 0.3 + 0.5 * (x + 0.5) / 40, straight = (24 - 7.5) / 24;

    assert_near (get_number (&test, "o.image", 1, x, 7, 0),
                 straight * alpha + get_number (&test, "plate.result", 1, x, 7, 0) * (1 - alpha), 1e-6);
  }
  node_test_set (&test, "o", "layers",
                 "[{\"link\": \"plate.result\"}, {\"link\": \"cel.result\"}, {\"link\": \"smoke.result\"}]");
  node_test_add (&test, "image/over", "below", "layers", "[{\"link\": \"plate.result\"}, {\"link\": \"cel.result\"}]",
                 NULL);
  node_test_add (&test, "image/over", "left", "layers", "[{\"link\": \"below.image\"}, {\"link\": \"smoke.result\"}]",
                 NULL);
  node_test_add (&test, "image/over", "above", "layers", "[{\"link\": \"cel.result\"}, {\"link\": \"smoke.result\"}]",
                 NULL);
  node_test_add (&test, "image/over", "right", "layers", "[{\"link\": \"plate.result\"}, {\"link\": \"above.image\"}]",
                 NULL);
  g_assert_cmpfloat (get_most_apart (&test, "o.image", "left.image"), <, 1e-6);
  g_assert_cmpfloat (get_most_apart (&test, "o.image", "right.image"), <, 1e-6);
  g_assert_cmpfloat (get_most_apart (&test, "o.image", "below.image"), >, 0.1);
  node_test_clear (&test);
}

/* P1-19: the corners of what is in each frame of a film were clicked; the drawing of a frame covers it, and each frame has its own. */
static void
test_p1_19_rotoscope (void)
{
  static const int boxes[3][4] = { { 10, 12, 30, 34 }, { 17, 8, 37, 30 }, { 30, 10, 60, 44 } };
  g_autoptr (GString) clicks = g_string_new ("[");
  NodeTest test = node_test_new ();

  for (int f = 0; f < 3; f++)
    for (int k = 0; k < 4; k++) {
      const int x = boxes[f][k == 0 || k == 3 ? 0 : 2], y = boxes[f][k < 2 ? 1 : 3];

      g_string_append_printf (clicks, "%s[%d, %d, %d, %d, 32, %d]", clicks->len > 1 ? ", " : "", f + 1, k, x, y, y);
    }
  g_string_append_c (clicks, ']');
  node_test_add (&test, "motion/rotoscope", "r", "joints", "\"a b c d\"", "clicks", clicks->str, "origin_front",
                 "[32, 24, 0]", "origin_side", "[32, 24, 0]", "frame", "{\"expr\": \"frame\"}", NULL);
  node_test_add (&test, "curve/spline", "outline", "control", "{\"link\": \"r.points\"}", "basis", "\"linear\"", NULL);
  node_test_add (&test, "image/roto", "drawing", "shapes", "{\"link\": \"outline.geometry\"}", "scale", "100", "width",
                 "64", "height", "48", NULL);
  for (int f = 0; f < 3; f++) {
    g_autoptr (KgImage) image = get_image (&test, "drawing.image", f + 1);

    for (int y = 0; y < 48; y++)
      for (int x = 0; x < 64; x++) {
        const bool in = x >= boxes[f][0] && x < boxes[f][2] && y >= boxes[f][1] && y < boxes[f][3];

        assert_near (kg_image_get_pixels (image)[4 * (y * 64 + x) + 3], in ? 1 : 0, 1e-4);
      }
  }
  node_test_clear (&test);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/image-facts/K04-nearest-rotation", test_k04_nearest_rotation);
  g_test_add_func ("/image-facts/M07-sequences", test_m07_sequences);
  g_test_add_func ("/image-facts/R01-temporal-aliasing", test_r01_temporal_aliasing);
  g_test_add_func ("/image-facts/V06-tapes", test_v06_tapes);
  g_test_add_func ("/image-facts/P1-08-P1-14-P1-15-cards", test_p1_cards);
  g_test_add_func ("/image-facts/P1-18-P1-78-moved", test_p1_moved);
  g_test_add_func ("/image-facts/P1-07-marquee", test_p1_07_marquee);
  g_test_add_func ("/image-facts/P1-13-silhouette", test_p1_13_silhouette);
  g_test_add_func ("/image-facts/P1-16-P1-17-cels", test_p1_cels);
  g_test_add_func ("/image-facts/P1-19-rotoscope", test_p1_19_rotoscope);
  return g_test_run ();
}
