/* lattice_noise: the textbook's noise.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "field/lattice_noise.h"

#include "value/lagged_random.h"

/* As printed: a permutation of 0 to 255, of a single cycle. */
static const uint8_t permutation[256] = {
  225, 155, 210, 108, 175, 199, 221, 144, 203, 116, 70,  213, 69,  158, 33,  252, 5,   82,  173, 133, 222, 139,
  174, 27,  9,   71,  90,  246, 75,  130, 91,  191, 169, 138, 2,   151, 194, 235, 81,  7,   25,  113, 228, 159,
  205, 253, 134, 142, 248, 65,  224, 217, 22,  121, 229, 63,  89,  103, 96,  104, 156, 17,  201, 129, 36,  8,
  165, 110, 237, 117, 231, 56,  132, 211, 152, 20,  181, 111, 239, 218, 170, 163, 51,  172, 157, 47,  80,  212,
  176, 250, 87,  49,  99,  242, 136, 189, 162, 115, 44,  43,  124, 94,  150, 16,  141, 247, 32,  10,  198, 223,
  255, 72,  53,  131, 84,  57,  220, 197, 58,  50,  208, 11,  241, 28,  3,   192, 62,  202, 18,  215, 153, 24,
  76,  41,  15,  179, 39,  46,  55,  6,   128, 167, 23,  188, 106, 34,  187, 140, 164, 73,  112, 182, 244, 195,
  227, 13,  35,  77,  196, 185, 26,  200, 226, 119, 31,  123, 168, 125, 249, 68,  183, 230, 177, 135, 160, 180,
  12,  1,   243, 148, 102, 166, 38,  238, 251, 37,  240, 126, 64,  74,  161, 40,  184, 149, 171, 178, 101, 66,
  29,  59,  146, 61,  254, 107, 42,  86,  154, 4,   236, 232, 120, 21,  233, 209, 45,  98,  193, 114, 78,  19,
  206, 14,  118, 127, 48,  79,  147, 85,  30,  207, 219, 54,  88,  234, 190, 122, 95,  67,  143, 109, 137, 214,
  145, 93,  92,  100, 245, 0,   216, 186, 60,  83,  105, 97,  204, 52,
};

void
lattice_table_init (LatticeTable *table, uint32_t seed)
{
  g_autofree char *text = seed != 0 ? g_strdup_printf ("665%u", seed) : g_strdup ("665");
  LaggedRandom random;

  lagged_random_init (&random, text, NULL);
  for (int k = 0; k < 256; k++)
    table->value[k] = 1 - 2 * (lagged_random_draw (&random) / (double) (LAGGED_RANDOM_END - 1));
}

guint
lattice_index (int64_t i, int64_t j, int64_t k)
{
  return permutation[(uint64_t) (i + permutation[(uint64_t) (j + permutation[(uint64_t) k & 255]) & 255]) & 255];
}

void
lattice_spline_weights (double u, double weights[4], double slopes[4])
{
  weights[0] = ((-0.5 * u + 1) * u - 0.5) * u;
  weights[1] = (1.5 * u - 2.5) * u * u + 1;
  weights[2] = ((-1.5 * u + 2) * u + 0.5) * u;
  weights[3] = (0.5 * u - 0.5) * u * u;
  if (slopes == NULL)
    return;
  slopes[0] = (-1.5 * u + 2) * u - 0.5;
  slopes[1] = (4.5 * u - 5) * u;
  slopes[2] = (-4.5 * u + 4) * u + 0.5;
  slopes[3] = (1.5 * u - 1) * u;
}

/* Sixteen splines along x, four along y, one along z; each also with one of the factors replaced by its derivative. */
double
lattice_noise (const LatticeTable *table, double x, double y, double z, KgVector *gradient)
{
  double wx[4], wy[4], wz[4], sx[4], sy[4], sz[4], value = 0;
  KgVector slope = { 0, 0, 0 };
  int64_t i, j, k;

  if (gradient != NULL)
    *gradient = slope;
  if (!(fabs (x) < 0x1p52) || !(fabs (y) < 0x1p52) || !(fabs (z) < 0x1p52))
    return 0;
  /* The true floor: a cast would extrapolate the splines below zero. */
  i = (int64_t) floor (x);
  j = (int64_t) floor (y);
  k = (int64_t) floor (z);
  lattice_spline_weights (x - (double) i, wx, sx);
  lattice_spline_weights (y - (double) j, wy, sy);
  lattice_spline_weights (z - (double) k, wz, sz);
  for (int c = 0; c < 4; c++) {
    double plane = 0, plane_x = 0, plane_y = 0;

    for (int b = 0; b < 4; b++) {
      double row = 0, row_x = 0;

      for (int a = 0; a < 4; a++) {
        const double v = table->value[lattice_index (i + a - 1, j + b - 1, k + c - 1)];

        row += wx[a] * v;
        row_x += sx[a] * v;
      }
      plane += wy[b] * row;
      plane_x += wy[b] * row_x;
      plane_y += sy[b] * row;
    }
    value += wz[c] * plane;
    slope = kg_vector_add (slope, kg_vector (wz[c] * plane_x, wz[c] * plane_y, sz[c] * plane));
  }
  if (gradient != NULL)
    *gradient = slope;
  return value;
}
