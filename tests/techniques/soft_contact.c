/* tests/techniques/soft_contact: bodies pressed against each other, against the figures of the catalogue.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "../near.h"
#include "kg-random.h"
#include "soft/contact_field.h"
#include "soft/soft_contact.h"
#include "soft/soft_keys.h"
#include "soft/transport.h"

static const SoftOptions plain = { .density = { .level = 0.5, .blobbiness = 2, .cutoff = 1e-4 }, .power = 4 };

/* A ball whose influence has this radius. */
static KgField *
ball (KgVector center, double radius)
{
  g_autoptr (KgGeometry) points = kg_geometry_new ();
  const KgGeometry *list[] = { points };
  g_autoptr (SoftKeys) keys = NULL;
  float *p, *axes;

  g_assert_true (kg_geometry_set_n_points (points, 1, NULL));
  p = kg_geometry_edit_positions (points);
  axes = kg_geometry_edit_float (points, KG_POINTS, "axes", 3);
  for (size_t c = 0; c < 3; c++) {
    p[c] = (float) kg_vector_get (center, c);
    axes[c] = (float) radius;
  }
  keys = soft_keys_new (list, 1, &plain, NULL, NULL);
  return soft_keys_make_field (keys, NULL);
}

static SoftContact *
press (KgField *const *fields, guint n, SoftContactOptions options)
{
  g_autoptr (GError) error = NULL;
  SoftContact *contact;

  options.limit = 10000000;
  options.cell = options.cell > 0 ? options.cell : 0.05;
  contact = soft_contact_solve ((const KgField *const *) fields, n, &options, NULL, &error);
  g_assert_no_error (error);
  return contact;
}

static double
value_at (const KgField *field, double x, double y, double z)
{
  const float place[] = { (float) x, (float) y, (float) z };
  float value;

  kg_field_sample_points (field, place, 1, 0, &value);
  return (double) value;
}

static void
test_bulge (void)
{
  assert_near (contact_bulge (0.0625, 1, 0.5, 0.3), 0.08203125, 1e-12);
  assert_near (contact_bulge (0.125, 1, 0.5, 0.3), 0.18125, 1e-12);
  assert_near (contact_bulge (0.25, 1, 0.5, 0.3), 0.3, 1e-12);
  assert_near (contact_bulge (0.375, 1, 0.5, 0.3), 0.15, 1e-12);
  assert_near (contact_bulge (0.5, 1, 0.5, 0.3), 0, 1e-12);
  assert_near (contact_bulge (0.05, 2, 0.5, 0.3), 0.0952, 1e-12);
  assert_near (contact_bulge (0.125, 2, 0.5, 0.3), 0.2125, 1e-12);
  assert_near (contact_bulge (0.125, 0.8, 0.5, 0.12), 0.085, 1e-12);
  for (int i = 0; i <= 100; i++)
    g_assert_cmpfloat (contact_bulge (0.01 * i, 5, 0.5, 0.1), <=, 0.1 + 1e-12);
  g_assert_cmpfloat (contact_bulge (0.1, 1, 0.5, 0), ==, 0);
  g_assert_cmpfloat (contact_bulge (0.1, 0, 0.5, 1), ==, 0);
}

/* Two balls of radius 1 whose centres are 1.6 apart touch in a disc of radius 0.6. */
static void
test_disc (void)
{
  g_autoptr (KgField) a = ball (kg_vector (-0.8, 0, 0), 2), b = ball (kg_vector (0.8, 0, 0), 2);
  KgField *const fields[] = { a, b };
  g_autoptr (SoftContact) contact = press (fields, 2, (SoftContactOptions){ .width = 0.3, .bulge = 0 });
  const KgGeometry *patch = contact->contacts;
  const float *p = kg_geometry_get_positions (patch);
  const float *pressure = kg_geometry_get_float (patch, KG_POINTS, "pressure", 1);
  const float *area = kg_geometry_get_float (patch, KG_POINTS, "area", 1);
  const float *normal = kg_geometry_get_float (patch, KG_POINTS, "N", 3);
  double most = 0, force = 0, total = 0;

  g_assert_cmpuint (contact->n_pairs, ==, 1);
  assert_near (contact->area, 1.1309734, 0.005);
  for (size_t i = 0; i < kg_geometry_get_n_points (patch); i++) {
    assert_near ((double) p[3 * i], 0, 1e-5);
    assert_near ((double) normal[3 * i], 1, 1e-5);
    g_assert_cmpfloat (hypot ((double) p[3 * i + 1], (double) p[3 * i + 2]), <, 0.601);
    most = MAX (most, (double) pressure[i]);
    force += (double) pressure[i] * (double) area[i];
    total += (double) area[i];
  }
  assert_near (total, contact->area, 1e-5);
  assert_near (most, 0.155424, 5e-4);
  assert_near (force, 0.0854235, 5e-4);
  /* Both have the level there, and none is where the other is. */
  for (guint i = 0; i < 2; i++)
    assert_near (value_at ((const KgField *) contact->fields->pdata[i], 0, 0.3, 0.1), 0.5, 1e-6);
}

/* Unequal bodies: the border crosses the axis at 0.88, and is a sphere around -1.76. */
static void
test_unequal (void)
{
  g_autoptr (KgField) a = ball (kg_vector (0, 0, 0), 2), b = ball (kg_vector (2.2, 0, 0), 3);
  KgField *const fields[] = { a, b };
  g_autoptr (SoftContact) contact = press (fields, 2, (SoftContactOptions){ .width = 0, .bulge = 1 });
  const float *p = kg_geometry_get_positions (contact->contacts);
  double nearest = INFINITY;

  for (size_t i = 0; i < kg_geometry_get_n_points (contact->contacts); i++) {
    const double r = hypot ((double) p[3 * i + 1], (double) p[3 * i + 2]);

    assert_near (hypot ((double) p[3 * i] + 1.76, r), 2.64, 2e-3);
    nearest = MIN (nearest, hypot (r, (double) p[3 * i] - 0.88));
  }
  g_assert_cmpfloat (nearest, <, 0.03);
  for (guint i = 0; i < 2; i++)
    assert_near (value_at ((const KgField *) contact->fields->pdata[i], 0.88, 0, 0), 0.5, 1e-6);
}

/* Along the normals out of both bodies, whose surfaces have the radii 1 and 1.5: not as far as the slopes suggest. */
static void
test_depth (void)
{
  g_autoptr (KgField) a = ball (kg_vector (0, 0, 0), 2), b = ball (kg_vector (2.2, 0, 0), 3);
  KgField *const fields[] = { a, b };
  g_autoptr (SoftContact) contact = press (fields, 2, (SoftContactOptions){ .width = 0, .bulge = 0 });
  const float *p = kg_geometry_get_positions (contact->contacts);
  const float *depth = kg_geometry_get_float (contact->contacts, KG_POINTS, "depth", 1);
  double most = 0;

  for (size_t i = 0; i < kg_geometry_get_n_points (contact->contacts); i++) {
    const double beside = hypot ((double) p[3 * i + 1], (double) p[3 * i + 2]);
    const double ways = 2.5 - hypot ((double) p[3 * i], beside) - hypot (2.2 - (double) p[3 * i], beside);

    assert_near ((double) depth[i], MAX (ways, 0), 2e-4);
    most = MAX (most, (double) depth[i]);
  }
  assert_near (most, 0.3, 5e-4);
}

/* Apart: the very fields. */
static void
test_apart (void)
{
  g_autoptr (KgField) a = ball (kg_vector (-1.01, 0, 0), 2), b = ball (kg_vector (1.01, 0, 0), 2);
  KgField *const fields[] = { a, b };
  g_autoptr (SoftContact) contact = press (fields, 2, (SoftContactOptions){ .width = 0.3, .bulge = 1 });

  g_assert_cmpuint (contact->n_pairs, ==, 0);
  g_assert_true (contact->fields->pdata[0] == a && contact->fields->pdata[1] == b);
  g_assert_cmpuint (kg_geometry_get_n_points (contact->contacts), ==, 0);
}

/* A touch that is far smaller than a cell is found. */
static void
test_shallow (void)
{
  g_autoptr (KgField) a = ball (kg_vector (-0.999, 0.013, 0.021), 2), b = ball (kg_vector (0.999, 0.013, 0.021), 2);
  KgField *const fields[] = { a, b };
  g_autoptr (SoftContact) contact = press (fields, 2, (SoftContactOptions){ .width = 0.3, .bulge = 1 });

  g_assert_cmpuint (contact->n_pairs, ==, 1);
}

/* No place is inside of two bodies, however many there are. */
static void
test_no_overlap (void)
{
  const KgVector centers[] = { { -0.7, 0, 0 }, { 0.7, 0, 0 }, { 0, 1.2, 0 }, { 0, 0.4, 1.1 } };
  KgField *fields[4];
  g_autoptr (SoftContact) contact = NULL;
  const size_t n = 20000;
  g_autofree float *places = g_new (float, 3 * n), *values = g_new (float, n);
  g_autofree uint8_t *inside = g_new0 (uint8_t, n);

  for (guint i = 0; i < 4; i++)
    fields[i] = ball (centers[i], 2);
  contact = press (fields, 4, (SoftContactOptions){ .width = 0.6, .bulge = 2, .cell = 0.1 });
  g_assert_cmpuint (contact->n_pairs, ==, 6);
  for (size_t i = 0; i < n; i++)
    for (size_t c = 0; c < 3; c++)
      places[3 * i + c] = (float) (4 * kg_random_uniform (1, i, c) - (c == 1 ? 1.5 : 2));
  for (guint b = 0; b < 4; b++) {
    kg_field_sample_points ((const KgField *) contact->fields->pdata[b], places, n, 0, values);
    for (size_t i = 0; i < n; i++)
      inside[i] = (uint8_t) (inside[i] + ((double) values[i] > 0.5 + 1e-6));
  }
  for (size_t i = 0; i < n; i++)
    g_assert_cmpuint (inside[i], <=, 1);
  for (guint i = 0; i < 4; i++)
    kg_field_unref (fields[i]);
}

/* The bulge that keeps the volume. */
static void
test_volume (void)
{
  g_autoptr (KgField) a = ball (kg_vector (-0.8, 0, 0), 2), b = ball (kg_vector (0.8, 0, 0), 2);
  KgField *const fields[] = { a, b };
  g_autoptr (SoftContact) wide = press (fields, 2, (SoftContactOptions){ .width = 0.8, .keep_volume = true });
  g_autoptr (SoftContact) narrow = press (fields, 2, (SoftContactOptions){ .width = 0.4, .keep_volume = true });

  for (guint i = 0; i < 2; i++) {
    assert_near (g_array_index (wide->bulges, double, i), 0.40635, 0.008);
    assert_near (g_array_index (narrow->bulges, double, i), 0.53139, 0.01);
    assert_near (g_array_index (wide->rest_volumes, double, i), 4.1887902, 0.03);
  }
  g_assert_cmpuint (wide->n_short, ==, 0);
}

/* A ball over a plane that attracts it or repels it: where its lowest point is. */
static void
test_plane (void)
{
  static const struct {
    double height, force, bottom;
  } facts[] = {
    { 1.5, 0.5, 1 },          { 1.4, 0.5, 0.8913784 },  { 1.3, 0.5, 0.7569920 },  { 1.2, 0.5, 0.5778941 },
    { 1.1, 0.5, 0.3303544 },  { 1.5, -0.5, 1 },         { 1.4, -0.5, 0.9063865 }, { 1.3, -0.5, 0.8230087 },
    { 1.2, -0.5, 0.7467052 }, { 1.1, -0.5, 0.6753116 }, { 1, -0.5, 0.6073989 },   { 0.8, -0.5, 0.4784881 },
  };

  for (size_t f = 0; f < G_N_ELEMENTS (facts); f++) {
    g_autoptr (KgGeometry) points = kg_geometry_new ();
    const KgGeometry *list[] = { points };
    g_autoptr (SoftKeys) keys = NULL;
    double low = 0, high = facts[f].height;
    float *p, *axes, *force;

    g_assert_true (kg_geometry_set_n_points (points, 2, NULL));
    p = kg_geometry_edit_positions (points);
    axes = kg_geometry_edit_float (points, KG_POINTS, "axes", 3);
    force = kg_geometry_edit_float (points, KG_POINTS, "force", 1);
    kg_geometry_edit_int (points, KG_POINTS, "kind", 1)[0] = SOFT_KEY_PLANE;
    p[4] = (float) facts[f].height;
    for (int i = 0; i < 6; i++)
      axes[i] = 1;
    force[0] = (float) facts[f].force;
    force[1] = 1;
    keys = soft_keys_new (list, 1, &plain, NULL, NULL);
    while (high - low > 1e-9) {
      const double middle = 0.5 * (low + high);

      *(soft_keys_get_value (keys, kg_vector (0, middle, 0), NULL) >= 0.5 ? &high : &low) = middle;
    }
    assert_near (high, facts[f].bottom, 1e-6);
    /* The plane itself is never seen. */
    g_assert_cmpfloat (soft_keys_get_value (keys, kg_vector (3, -1, 0), NULL), ==, 0);
  }
}

/* Masses arrive whole, and no exchange of two makes it cheaper. */
static void
test_transport (void)
{
  enum { N = 12, M = 17 };
  double costs[N * M], sources[N], destinations[M], flows[N * M], sum_n = 0, sum_m = 0;

  for (uint64_t i = 0; i < N; i++)
    sum_n += sources[i] = 0.1 + kg_random_uniform (5, i, 0);
  for (uint64_t k = 0; k < M; k++)
    sum_m += destinations[k] = 0.1 + kg_random_uniform (5, k, 1);
  for (uint64_t i = 0; i < N; i++)
    sources[i] /= sum_n;
  for (uint64_t k = 0; k < M; k++)
    destinations[k] /= sum_m;
  for (uint64_t i = 0; i < N * M; i++)
    costs[i] = kg_random_uniform (5, i, 2);
  g_assert_true (transport_solve (costs, sources, N, destinations, M, flows, NULL));
  for (size_t i = 0; i < N; i++) {
    double sum = 0;

    for (size_t k = 0; k < M; k++)
      sum += flows[i * M + k];
    assert_near (sum, sources[i], 1e-10);
  }
  for (size_t k = 0; k < M; k++) {
    double sum = 0;

    for (size_t i = 0; i < N; i++)
      sum += flows[i * M + k];
    assert_near (sum, destinations[k], 1e-10);
  }
  for (size_t i = 0; i < N; i++)
    for (size_t j = 0; j < N; j++)
      for (size_t k = 0; k < M; k++)
        for (size_t l = 0; l < M; l++)
          if (flows[i * M + k] > 1e-9 && flows[j * M + l] > 1e-9)
            g_assert_cmpfloat (costs[i * M + k] + costs[j * M + l], <=, costs[i * M + l] + costs[j * M + k] + 1e-9);
}

static void
test_probe (void)
{
  g_autoptr (KgField) field = ball (kg_vector (0, 0, 0), 2);
  const float places[] = { 0.9f, 0, 0, 3, 0, 0, 0, 0, 0, 0, 1.1f, 0, 0, 0, 0.2f };
  float depths[5], normals[15];

  soft_contact_probe (field, places, 5, 0, false, depths, normals);
  assert_near ((double) depths[0], 0.1009359, 1e-6);
  soft_contact_probe (field, places, 5, 0, true, depths, normals);
  assert_near ((double) depths[0], 0.1, 1e-6);
  assert_near ((double) normals[0], 1, 1e-6);
  g_assert_cmpfloat ((double) depths[1], <, 0);
  g_assert_cmpfloat ((double) normals[3], ==, 0);
  assert_near ((double) depths[2], 1, 1e-5);
  g_assert_cmpfloat ((double) depths[3], <, -0.09);
  assert_near ((double) depths[4], 0.8, 1e-5);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/soft_contact/20-175-55-94-bulge", test_bulge);
  g_test_add_func ("/soft_contact/55-93-55-96-disc", test_disc);
  g_test_add_func ("/soft_contact/55-93-unequal", test_unequal);
  g_test_add_func ("/soft_contact/55-93-depth", test_depth);
  g_test_add_func ("/soft_contact/20-175-55-92-apart", test_apart);
  g_test_add_func ("/soft_contact/55-92-shallow", test_shallow);
  g_test_add_func ("/soft_contact/55-93-no-overlap", test_no_overlap);
  g_test_add_func ("/soft_contact/55-95-volume", test_volume);
  g_test_add_func ("/soft_contact/20-173-plane", test_plane);
  g_test_add_func ("/soft_contact/20-185-transport", test_transport);
  g_test_add_func ("/soft_contact/55-90-probe", test_probe);
  return g_test_run ();
}
