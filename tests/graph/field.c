/* tests/graph/field: deep trees of fields, and branches that many share.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-field.h"

#include <pthread.h>

/* How often the counted leaf was sampled. */
static gint n_samples;

static void
counted_sample (const KgField *field, const KgFieldBlock *block, float *const *out)
{
  (void) field;
  g_atomic_int_inc (&n_samples);
  for (size_t i = 0; i < block->n; i++)
    for (int c = 0; c < 3; c++)
      out[c][i] = block->x[i] + (float) c;
}

static const KgFieldClass counted_class = { "counted", 3, counted_sample };

/* Samples its child one metre further: at places that are not the block's. */
static void
shifted_sample (const KgField *field, const KgFieldBlock *block, float *const *out)
{
  const KgFieldArrays places = kg_field_take_arrays (block);
  KgFieldBlock moved = *block;

  for (size_t i = 0; i < block->n; i++)
    places[0][i] = block->x[i] + 1;
  moved.x = places[0];
  kg_field_sample (kg_field_get_child (field, 0), &moved, out);
  kg_field_release_arrays (block, places);
}

static const KgFieldClass shifted_class = { "shifted", 3, shifted_sample };

static KgField *
sum (const KgField *a, const KgField *b)
{
  g_autoptr (GError) error = NULL;
  KgField *field = kg_field_new_sum ((const KgField *const[]){ a, b }, b != NULL ? 2 : 1, &error);

  g_assert_no_error (error);
  return field;
}

/* levels sums over a leaf: each of the one below, or twice of it. */
static KgField *
stack (KgField *leaf, int levels, bool twice)
{
  KgField *field = leaf;

  for (int i = 0; i < levels; i++) {
    KgField *above = sum (field, twice ? field : NULL);

    kg_field_unref (field);
    field = above;
  }
  return field;
}

static float
sample (const KgField *field, float x)
{
  float y = 0, z = 0, out[3];
  const KgFieldBlock block = { .n = 1, .x = &x, .y = &y, .z = &z };

  kg_field_sample (field, &block, (float *const[]){ out, out + 1, out + 2 });
  return out[0];
}

static void *
sample_deep (void *data)
{
  const KgField *field = (const KgField *) data;
  float points[3 * 3000], out[3 * 3000];

  for (int i = 0; i < 3000; i++) {
    points[3 * i] = (float) i;
    points[3 * i + 1] = points[3 * i + 2] = 0;
  }
  kg_field_sample_points (field, points, 3000, 0, out);
  for (int i = 0; i < 3000; i++)
    g_assert_cmpfloat ((double) out[3 * i + 2], ==, i + 2);
  return NULL;
}

/* The deepest tree there is, on a stack that is small for a thread; one level more is refused. */
static void
test_deep (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (KgField)
      field = stack (kg_field_new (&counted_class, NULL, 0, NULL, 0, NULL), KG_FIELD_MAX_DEPTH - 1, false);
  pthread_attr_t attributes;
  pthread_t thread;

  g_assert_null (kg_field_new_sum ((const KgField *const[]){ field }, 1, &error));
  g_assert_error (error, KG_ERROR, KG_ERROR_LIMIT);
  pthread_attr_init (&attributes);
  pthread_attr_setstacksize (&attributes, 1 << 20);
  g_assert_cmpint (pthread_create (&thread, &attributes, sample_deep, field), ==, 0);
  pthread_join (thread, NULL);
  pthread_attr_destroy (&attributes);
}

/* Sixty levels that use the one below twice: 2^60 ways to the leaf, which is sampled twice. */
static void
test_diamond (void)
{
  g_autoptr (KgField) field = stack (kg_field_new (&counted_class, NULL, 0, NULL, 0, NULL), 60, true);
  g_autoptr (KgField) same = stack (kg_field_new (&counted_class, NULL, 0, NULL, 0, NULL), 60, true);
  g_autoptr (KgField) other = stack (kg_field_new_constant_vector (kg_vector (0, 0, 0)), 60, true);

  g_atomic_int_set (&n_samples, 0);
  g_assert_cmpfloat ((double) sample (field, 3), ==, 3 * 0x1p60);
  g_assert_cmpint (g_atomic_int_get (&n_samples), ==, 2);
  g_assert_true (kg_field_equal (field, same));
  g_assert_false (kg_field_equal (field, other));
}

/* A shared branch at its own places and at those of a class that moves them: x + x and (x + 1) + (x + 1). */
static void
test_moved (void)
{
  g_autoptr (KgField) leaf = kg_field_new (&counted_class, NULL, 0, NULL, 0, NULL);
  g_autoptr (KgField) two = sum (leaf, leaf);
  g_autoptr (KgField) shifted = kg_field_new (&shifted_class, NULL, 0, (const KgField *const[]){ two }, 1, NULL);
  g_autoptr (KgField) left = sum (two, shifted), right = sum (shifted, two), all = sum (left, right);

  g_assert_cmpfloat ((double) sample (all, 10), ==, 2 * (20 + 22));
}

/* Scalars count as y, and their own arrays do not disturb the others. */
static void
test_scalar (void)
{
  g_autoptr (KgField) leaf = kg_field_new (&counted_class, NULL, 0, NULL, 0, NULL), five = kg_field_new_constant (5);
  g_autoptr (KgField) both = sum (leaf, five), again = sum (both, both);
  const float place[] = { 7, 0, 0 };
  float out[3];

  kg_field_sample_points (again, place, 1, 0, out);
  g_assert_cmpfloat ((double) out[0], ==, 14);
  g_assert_cmpfloat ((double) out[1], ==, 26);
  g_assert_cmpfloat ((double) out[2], ==, 18);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/field/deep", test_deep);
  g_test_add_func ("/field/diamond", test_diamond);
  g_test_add_func ("/field/moved", test_moved);
  g_test_add_func ("/field/scalar", test_scalar);
  return g_test_run ();
}
