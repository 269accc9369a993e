/* color_profile: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/color_profile.h"

#include "image/color_lut.h"
#include "image/color_space.h"
#include "kg-math.h"

struct _ColorProfile {
  bool to_device;
  float *curves; /* 3 of n */
  guint n;
  double matrix[3][3]; /* of light, to BT.709 or from it */
  ColorLut *table;     /* instead of all these */
  ColorConversion encode;
};

/* Of colours of profiles, as ICC.1 writes it. */
static const double d50[3] = { 0.9642, 1, 0.8249 };

void
color_profile_free (ColorProfile *profile)
{
  g_free (profile->curves);
  g_clear_pointer (&profile->table, color_lut_free);
  g_free (profile);
}

static bool
check_curve (const float *curve, guint n, guint component, GError **error)
{
  for (guint i = 1; i < n; i++)
    if (!(curve[i] >= curve[i - 1])) {
      kg_set_error (error, KG_ERROR_INVALID_FILE, "the curve of component %u falls: it cannot be reversed",
                    component + 1);
      return false;
    }
  if (curve[n - 1] > curve[0])
    return true;
  kg_set_error (error, KG_ERROR_INVALID_FILE, "the curve of component %u does not rise", component + 1);
  return false;
}

ColorProfile *
color_profile_new_curves (const float *curves, guint n, const float matrix[9], bool to_device, GError **error)
{
  g_autoptr (ColorProfile) profile = g_new0 (ColorProfile, 1);
  double to_xyz[3][3], to_light[3][3];

  g_return_val_if_fail (n >= 2 && n <= COLOR_PROFILE_MAX_CURVE, NULL);
  for (guint c = 0; c < 3; c++)
    if (!check_curve (curves + c * n, n, c, error))
      return NULL;
  profile->to_device = to_device;
  profile->n = n;
  profile->curves = g_memdup2 (curves, 3 * (size_t) n * sizeof *curves);
  color_adapted_matrix (d50, to_light);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      to_xyz[i][j] = (double) matrix[3 * i + j];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      for (int k = 0; k < 3; k++)
        profile->matrix[i][j] += to_light[i][k] * to_xyz[k][j];
  if (to_device && !color_matrix_invert (profile->matrix, profile->matrix)) {
    kg_set_error (error, KG_ERROR_INVALID_FILE, "its primaries lie in one plane: it cannot be reversed");
    return NULL;
  }
  return g_steal_pointer (&profile);
}

ColorProfile *
color_profile_new_table (const float *table, guint size, bool to_device, GError **error)
{
  ColorProfile *profile;
  ColorLut *lut = color_lut_new_cube (table, size, error);

  if (lut == NULL)
    return NULL;
  profile = g_new0 (ColorProfile, 1);
  profile->to_device = to_device;
  profile->table = lut;
  color_conversion_init (&profile->encode, COLOR_SPACE_LINEAR, COLOR_SPACE_SRGB);
  return profile;
}

/* The light of a signal. */
static float
follow (const float *curve, guint n, float x)
{
  const double u = kg_clamp ((double) x, 0, 1) * (n - 1);
  const guint i = MIN ((guint) u, n - 2);

  return (float) ((double) curve[i] + (u - i) * ((double) curve[i + 1] - (double) curve[i]));
}

/* The signal of a light: of those on a level part the highest but for the last, so that black is 0. */
static float
find (const float *curve, guint n, float light)
{
  guint low = 0, high = n - 1;

  if (!(light > curve[0]))
    return 0;
  if (light >= curve[n - 1])
    return 1;
  while (high - low > 1) {
    const guint middle = (low + high) / 2;

    if (curve[middle] <= light)
      low = middle;
    else
      high = middle;
  }
  return (float) ((low + ((double) light - (double) curve[low]) / ((double) curve[high] - (double) curve[low])) /
                  (n - 1));
}

void
color_profile_apply (const ColorProfile *profile, float *r, float *g, float *b, size_t n)
{
  float *const channels[] = { r, g, b };

  if (profile->table != NULL) {
    if (profile->to_device)
      color_conversion_apply (&profile->encode, r, g, b, n);
    color_lut_apply (profile->table, r, g, b, n);
    return;
  }
  if (profile->to_device)
    color_matrix_apply (profile->matrix, r, g, b, n);
  for (guint c = 0; c < 3; c++) {
    const float *curve = profile->curves + c * profile->n;

    for (size_t i = 0; i < n; i++)
      channels[c][i] = profile->to_device ? find (curve, profile->n, channels[c][i])
                                          : follow (curve, profile->n, channels[c][i]);
  }
  if (!profile->to_device)
    color_matrix_apply (profile->matrix, r, g, b, n);
}
