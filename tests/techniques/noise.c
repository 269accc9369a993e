/* tests/techniques/noise: the textbook's generator and lattice noise against their published figures; noise for blocks against
 * its laws: bounds, moments, gradients, octaves.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "../near.h"
#include "field/lattice_noise.h"
#include "field/noise.h"
#include "kg-random.h"
#include "value/lagged_random.h"

static void
assert_draws (const char *seed, const int32_t *draws, int n)
{
  g_autoptr (GError) error = NULL;
  LaggedRandom random;

  g_assert_true (lagged_random_init (&random, seed, &error));
  for (int i = 0; i < n; i++)
    g_assert_cmpint (lagged_random_draw (&random), ==, draws[i]);
}

static void
test_generator (void)
{
  static const int32_t kineograph[] = { 942623332, 174392101, 559147339, 73256532,
                                        205419038, 65670140,  274743907, 888617456 };
  static const int32_t empty[] = { 593484354, 253634966, 620268430 }, number[] = { 498455066, 633262261, 20427902 };
  static const int32_t large[] = { 750743138 }, small[] = { 436225570 };
  static const int32_t dice[] = { 5, 2, 2, 1, 3, 3, 2, 3, 1, 3, 1, 5 };
  LaggedRandom random;
  double sum = 0, squares = 0;
  int32_t draw = 0;

  assert_draws ("kineograph", kineograph, 8);
  assert_draws ("", empty, 3);
  assert_draws ("665", number, 3);
  assert_draws ("A", large, 1);
  assert_draws ("a", small, 1);
  lagged_random_init (&random, "kineograph", NULL);
  for (int i = 0; i < 12; i++)
    g_assert_cmpint (1 + lagged_random_draw (&random) % 6, ==, dice[i]);
  for (int i = 12; i < 1000; i++)
    draw = lagged_random_draw (&random);
  g_assert_cmpint (draw, ==, 969174929);
  lagged_random_init (&random, "kineograph", NULL);
  for (int i = 0; i < 200000; i++) {
    const double x = lagged_random_draw (&random) * 1e-9;

    sum += x;
    squares += x * x;
  }
  assert_near (sum / 200000, 0.50000246, 1e-8);
  assert_near (squares / 200000 - sum / 200000 * (sum / 200000), 0.08334789, 1e-8);
}

static void
test_seed (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *longest = g_strnfill (85, 'x'), *longer = g_strnfill (86, 'x');
  LaggedRandom random;

  g_assert_true (lagged_random_init (&random, longest, &error));
  g_assert_false (lagged_random_init (&random, longer, &error));
  g_assert_nonnull (strstr (error->message, "86 bytes"));
  g_clear_error (&error);
  g_assert_false (lagged_random_init (&random, "ab~c", &error));
  g_assert_nonnull (strstr (error->message, "byte 3"));
  g_assert_nonnull (strstr (error->message, "126"));
}

static void
test_index (void)
{
  guint at = 0, steps = 0;

  g_assert_cmpuint (lattice_index (0, 0, 0), ==, 218);
  g_assert_cmpuint (lattice_index (1, 2, 3), ==, 225);
  g_assert_cmpuint (lattice_index (2, 1, 3), ==, 79);
  g_assert_cmpuint (lattice_index (10, 20, 30), ==, 51);
  g_assert_cmpuint (lattice_index (-1, -1, -1), ==, 193);
  g_assert_cmpuint (lattice_index (255, 255, 255), ==, 193);
  g_assert_cmpuint (lattice_index (256, 0, 0), ==, 218);
  /* A walk along x with the other coordinates fixed meets each index once: a permutation. */
  {
    bool met[256] = { false };

    for (int i = 0; i < 256; i++) {
      at = lattice_index (i, 7, 9);
      g_assert_false (met[at]);
      met[at] = true;
      steps++;
    }
  }
  g_assert_cmpuint (steps, ==, 256);
}

static void
test_spline (void)
{
  double w[4], s[4];

  lattice_spline_weights (0.5, w, s);
  assert_near (w[0], -1.0 / 16, 0);
  assert_near (w[1], 9.0 / 16, 0);
  assert_near (w[2], 9.0 / 16, 0);
  assert_near (w[3], -1.0 / 16, 0);
  /* Straight lines and parabolas are reproduced. */
  for (double u = 0; u <= 1; u += 0.125) {
    lattice_spline_weights (u, w, s);
    assert_near (w[0] + w[1] + w[2] + w[3], 1, 1e-15);
    assert_near (-w[0] + w[2] + 2 * w[3], u, 1e-15);
    assert_near (w[0] + w[2] + 4 * w[3], u * u, 1e-15);
    assert_near (s[0] + s[2] + 4 * s[3], 2 * u, 1e-15);
  }
}

static void
test_value_noise (void)
{
  LatticeTable table;
  double low = INFINITY, high = -INFINITY;

  lattice_table_init (&table, 0);
  assert_near (table.value[0], 0.00308986700309, 1e-14);
  assert_near (table.value[1], -0.26652452326652, 1e-14);
  assert_near (table.value[2], 0.95914419595914, 1e-14);
  assert_near (table.value[3], -0.84940994584941, 1e-14);
  assert_near (lattice_noise (&table, 1, 2, 3, NULL), -0.753068087753068, 1e-12);
  assert_near (lattice_noise (&table, 0.5, 0.5, 0.5, NULL), -0.170811990144933, 1e-12);
  assert_near (lattice_noise (&table, 1.25, 2.5, 3.75, NULL), 0.223491895929440, 1e-12);
  assert_near (lattice_noise (&table, -0.25, -0.5, -0.75, NULL), -0.383037029317424, 1e-12);
  assert_near (lattice_noise (&table, 10.3, -7.8, 100.1, NULL), -0.388303649975027, 1e-12);
  assert_near (lattice_noise (&table, 256.25, 2.5, 3.75, NULL), lattice_noise (&table, 0.25, 2.5, 3.75, NULL), 1e-12);
  assert_near (lattice_noise (&table, -0.999999, 0.5, 0.5, NULL), lattice_noise (&table, -1.000001, 0.5, 0.5, NULL),
               1e-5);
  assert_near (lattice_noise (&table, NAN, 0, 0, NULL), 0, 0);
  assert_near (lattice_noise (&table, 1e300, 0, 0, NULL), 0, 0);
  for (int i = 0; i < 6000; i++) {
    const double x = 0.37 * i, y = -0.73 * i, z = 0.11 * i, h = 1e-6;
    /* At whole numbers the second derivative jumps. */
    KgVector g;
    const double v = lattice_noise (&table, x, y, z, &g);

    low = fmin (low, v);
    high = fmax (high, v);
    assert_near (g.x, (lattice_noise (&table, x + h, y, z, NULL) - lattice_noise (&table, x - h, y, z, NULL)) / (2 * h),
                 2e-5);
    assert_near (g.y, (lattice_noise (&table, x, y + h, z, NULL) - lattice_noise (&table, x, y - h, z, NULL)) / (2 * h),
                 2e-5);
    assert_near (g.z, (lattice_noise (&table, x, y, z + h, NULL) - lattice_noise (&table, x, y, z - h, NULL)) / (2 * h),
                 2e-5);
  }
  g_assert_cmpfloat (fmax (high, -low), <=, 1.953125);
  g_assert_cmpfloat (fmax (high, -low), >, 0.9);
}

#define N KG_FIELD_BLOCK

typedef struct {
  float x[N], y[N], z[N], value[N], d[3][N];
} Samples;

static NoiseSettings
make (NoiseKind kind, NoiseSum sum, guint octaves)
{
  return (NoiseSettings){
    .kind = kind, .sum = sum, .seed = 5, .size = 1, .octaves = octaves, .lacunarity = 2, .roughness = 0.5
  };
}

static void
sample (const NoiseSettings *settings, Samples *s, size_t n, double time, bool slopes)
{
  const KgFieldBlock block = { .n = n, .x = s->x, .y = s->y, .z = s->z, .time = time };

  noise_sample (settings, &block, s->value, slopes ? (float *const[]){ s->d[0], s->d[1], s->d[2] } : NULL);
}

static float
sample_one (const NoiseSettings *settings, double x, double y, double z, double time)
{
  g_autofree Samples *s = g_new0 (Samples, 1);

  s->x[0] = (float) x;
  s->y[0] = (float) y;
  s->z[0] = (float) z;
  sample (settings, s, 1, time, false);
  return s->value[0];
}

static void
scatter (Samples *s, uint64_t first, double size)
{
  for (size_t i = 0; i < N; i++) {
    s->x[i] = (float) (size * kg_random_signed (3, first + i, 0));
    s->y[i] = (float) (size * kg_random_signed (3, first + i, 1));
    s->z[i] = (float) (size * kg_random_signed (3, first + i, 2));
  }
}

/* The values of the lattice at whole points; 0 there for gradient noise; 0 at the corners of simplices alike. */
static void
test_whole_points (void)
{
  const NoiseSettings gradient = make (NOISE_GRADIENT, NOISE_PLAIN, 1), value = make (NOISE_VALUE, NOISE_PLAIN, 1);
  bool differ = false;

  for (int i = -5; i < 5; i++) {
    g_assert_true (sample_one (&gradient, i, 3 * i, 7, 0) == 0);
    differ |= fabsf (sample_one (&value, i, 3 * i, 7, 0)) > 0.5f;
  }
  g_assert_true (differ);
}

/* The figures of the text, in single precision. */
static void
test_textbook (void)
{
  NoiseSettings s = make (NOISE_VALUE, NOISE_PLAIN, 1);

  s.textbook = true;
  s.seed = 0;
  assert_near ((double) sample_one (&s, 1.25, 2.5, 3.75, 0), 0.223491895929440, 1e-6);
  assert_near ((double) sample_one (&s, -0.25, -0.5, -0.75, 0), -0.383037029317424, 1e-6);
  s.sum = NOISE_TURBULENCE;
  s.octaves = 1;
  assert_near ((double) sample_one (&s, 0.3, 0.4, 0.5, 0), 0.182066788877200, 1e-6);
  s.octaves = 4;
  assert_near ((double) sample_one (&s, 0.3, 0.4, 0.5, 0), 0.422847990801541, 2e-6);
  assert_near ((double) sample_one (&s, 0, 0, 0, 0), 0.959973164084974, 1e-6);
  s.octaves = 5;
  assert_near ((double) sample_one (&s, 0.3, 0.4, 0.5, 0), 0.446660139818573, 3e-6);
}

/* Figures that a program of its own computed in exact fractions, from the text of the permutation, the generator, the splines
 * and the sum alone: below zero, across periods, between whole points, of another seed. */
static void
test_exact_figures (void)
{
  static const struct {
    uint32_t seed;
    double x, y, z, noise;
  } figures[] = {
    { 0, 0.1, 0.2, 0.3, -0.270697198431597 },          { 0, -1.75, 4.125, -8.5, 0.594922228208141 },
    { 0, 127.5, -128.25, 255.875, 0.228828236381757 }, { 0, 1000.625, -2000.375, 3000.0625, 0.328305383364085 },
    { 0, -0.0625, 0.9375, -0.5, -0.270345590027839 },  { 0, 63.99, 64.01, -63.99, 0.589282036030804 },
    { 7, 0.1, 0.2, 0.3, 0.195414828727348 },           { 7, 5.5, -5.5, 5.25, -0.050131342819296 },
  };
  NoiseSettings s = make (NOISE_VALUE, NOISE_TURBULENCE, 1);

  for (size_t i = 0; i < G_N_ELEMENTS (figures); i++) {
    LatticeTable table;

    lattice_table_init (&table, figures[i].seed);
    assert_near (lattice_noise (&table, figures[i].x, figures[i].y, figures[i].z, NULL), figures[i].noise, 1e-12);
  }
  /* Turbulence from 1 below 32, and from 2 below 64: sizes of 1 m and 0.5 m; of weights, the second has those twice as large. */
  s.textbook = true;
  s.seed = 0;
  s.octaves = 5;
  assert_near ((double) sample_one (&s, -0.7, 1.3, 2.9, 0), 0.620156903733665, 4e-6);
  s.size = 0.5;
  assert_near ((double) sample_one (&s, 2.25, -3.5, 0.125, 0), 2 * 0.333809908979806, 4e-6);
}

/* Bounds, and the moments that normalize uses: 200 blocks, so the error of a mean is about its deviation over 450. */
static void
test_moments (void)
{
  static const double bounds[NOISE_N_KINDS] = { 1.04, 1.01, 1.953125, 1.7320508 };
  g_autofree Samples *s = g_new (Samples, 1);

  for (int kind = 0; kind < NOISE_N_KINDS; kind++)
    for (int cells = 0; cells < (kind == NOISE_CELLS ? NOISE_N_CELLS : 1); cells++)
      for (int sum = 0; sum < NOISE_N_SUMS; sum++) {
        NoiseSettings settings = make ((NoiseKind) kind, (NoiseSum) sum, 3);
        double total = 0, squares = 0, mean, deviation, n = 0;

        settings.cells = (NoiseCells) cells;
        noise_get_moments (&settings, &mean, &deviation);
        for (uint64_t b = 0; b < 200; b++) {
          scatter (s, b * N, 500);
          sample (&settings, s, N, 0, false);
          for (size_t i = 0; i < N; i++) {
            const double x = (double) s->value[i];

            total += x;
            squares += x * x;
            n++;
            if (sum == NOISE_PLAIN)
              g_assert_cmpfloat (fabs (x), <=, bounds[kind]);
            if (sum == NOISE_TURBULENCE)
              g_assert_cmpfloat (x, >=, 0);
          }
        }
        total /= n;
        assert_near (total, mean, 0.02 * deviation + 0.002);
        assert_near (sqrt (squares / n - total * total), deviation, 0.02 * deviation + 0.001);
        settings.normalize = true;
        sample (&settings, s, N, 0, false);
        total = 0;
        for (size_t i = 0; i < N; i++)
          total += (double) s->value[i] / N;
        assert_near (total, 0, 0.1);
      }
}

/* Derivatives against differences of values, where no crease is within a step. */
static void
test_gradients (void)
{
  g_autofree Samples *s = g_new (Samples, 1), *moved = g_new (Samples, 1), *back = g_new (Samples, 1);
  const float h = 0x1p-8f;

  for (int kind = 0; kind < NOISE_N_KINDS; kind++)
    for (int sum = 0; sum < NOISE_N_SUMS; sum++) {
      NoiseSettings settings = make ((NoiseKind) kind, (NoiseSum) sum, 2);
      guint wrong = 0;

      settings.slices = 0.5;
      settings.size = 2;
      scatter (s, 77, 20);
      sample (&settings, s, N, 0.7, true);
      for (int c = 0; c < 3; c++) {
        *moved = *back = *s;
        for (size_t i = 0; i < N; i++) {
          (c == 0 ? moved->x : c == 1 ? moved->y : moved->z)[i] += h;
          (c == 0 ? back->x : c == 1 ? back->y : back->z)[i] -= h;
        }
        sample (&settings, moved, N, 0.7, false);
        sample (&settings, back, N, 0.7, false);
        for (size_t i = 0; i < N; i++)
          wrong += fabsf ((moved->value[i] - back->value[i]) / (2 * h) - s->d[c][i]) > 0.01f;
      }
      /* Creases: of the absolute value, and where another point becomes the nearest. */
      g_assert_cmpuint (wrong, <=,
                        kind == NOISE_CELLS || sum == NOISE_TURBULENCE || sum == NOISE_RIDGED ? N * 3 / 20 : 0);
    }
}

/* One point a cell: some place within each cell has distance 0, and none is farther than √3; F2 >= F1. */
static void
test_cells (void)
{
  NoiseSettings s = make (NOISE_CELLS, NOISE_PLAIN, 1);

  for (int c = 0; c < 3; c++) {
    double x = c + 0.5, y = 0.5 - c, z = 2 * c + 0.5, step = 0.5, best = 10;

    /* Downhill to the nearest point. */
    for (int k = 0; k < 4000 && step > 1e-7; k++) {
      bool better = false;

      for (int axis = 0; axis < 6; axis++) {
        const double d = axis % 2 == 0 ? step : -step;
        const double nx = x + (axis / 2 == 0 ? d : 0), ny = y + (axis / 2 == 1 ? d : 0),
                     nz = z + (axis / 2 == 2 ? d : 0);
        const double here = (double) sample_one (&s, nx, ny, nz, 0);

        if (here < best) {
          best = here;
          x = nx;
          y = ny;
          z = nz;
          better = true;
        }
      }
      if (!better)
        step /= 2;
    }
    assert_near (best, 0, 1e-5);
    s.cells = NOISE_CELLS_DIFFERENCE;
    g_assert_cmpfloat (sample_one (&s, x, y, z, 0), >=, 0);
    s.cells = NOISE_CELLS_NEAREST;
  }
}

/* The same bits for any number of threads, any order and with or without gradients; places that are not finite give numbers. */
static void
test_blocks (void)
{
  g_autofree Samples *s = g_new (Samples, 1), *other = g_new (Samples, 1);

  for (int kind = 0; kind < NOISE_N_KINDS; kind++) {
    const NoiseSettings settings = make ((NoiseKind) kind, NOISE_FRACTAL, 3);

    scatter (s, 5, 30);
    sample (&settings, s, N, 1.5, true);
    *other = *s;
    sample (&settings, other, N, 1.5, false);
    g_assert_cmpmem (s->value, sizeof s->value, other->value, sizeof other->value);
    for (size_t i = 0; i < N; i += 37)
      g_assert_true (sample_one (&settings, (double) s->x[i], (double) s->y[i], (double) s->z[i], 1.5) == s->value[i]);
    s->x[0] = NAN;
    s->y[1] = INFINITY;
    s->z[2] = -1e30f;
    sample (&settings, s, 3, 1e300, true);
    for (size_t i = 0; i < 3; i++)
      g_assert_true (isfinite (s->value[i]) && isfinite (s->d[0][i]));
  }
}

/* Over time patterns fade into each other without a jump, and keep their strength. */
static void
test_evolution (void)
{
  for (int kind = 0; kind < NOISE_N_KINDS; kind++) {
    NoiseSettings settings = make ((NoiseKind) kind, NOISE_PLAIN, 1);
    float before = sample_one (&settings, 0.3, 0.6, 0.8, 0);

    g_assert_true (before == sample_one (&settings, 0.3, 0.6, 0.8, 9));
    settings.slices = 2;
    before = sample_one (&settings, 0.3, 0.6, 0.8, 0);
    for (int k = 1; k <= 4000; k++) {
      const float now = sample_one (&settings, 0.3, 0.6, 0.8, 0.001 * k);

      g_assert_cmpfloat (fabsf (now - before), <, 0.02f);
      before = now;
    }
    settings.slices = 0;
    settings.drift = kg_vector (2, 0, 0);
    assert_near ((double) sample_one (&settings, 4.3, 0.6, 0.8, 2), (double) sample_one (&settings, 0.3, 0.6, 0.8, 0),
                 1e-5);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/lagged-random/70-60-sequence", test_generator);
  g_test_add_func ("/lagged-random/70-61-seed", test_seed);
  g_test_add_func ("/lattice-noise/70-52-index", test_index);
  g_test_add_func ("/lattice-noise/70-53-spline", test_spline);
  g_test_add_func ("/lattice-noise/70-51-70-54-70-55-value-noise", test_value_noise);
  g_test_add_func ("/noise/70-58-whole-points", test_whole_points);
  g_test_add_func ("/noise/70-56-textbook", test_textbook);
  g_test_add_func ("/noise/70-51-70-54-70-56-exact-figures", test_exact_figures);
  g_test_add_func ("/noise/70-59-moments", test_moments);
  g_test_add_func ("/noise/70-58-gradients", test_gradients);
  g_test_add_func ("/noise/70-58-cells", test_cells);
  g_test_add_func ("/noise/blocks", test_blocks);
  g_test_add_func ("/noise/evolution", test_evolution);
  return g_test_run ();
}
