/* shading: ambient, diffuse and specular light.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "render/shading.h"
#include "kg-floats.h"

void
shading_init (Shading *shading, const KgCamera *camera, const KgScene *scene)
{
  const KgTransform *t = &camera->transform;
  const KgVector sight = kg_transform_get_column (t, 2);
  /* A point of a lens sees along a shear (kg_camera_from_lens), which is longer; the lamp stays where the lens is. */
  const bool sheared = camera->aperture > 0;
  const KgVector axis = sheared ? kg_vector_cross (kg_transform_get_column (t, 0), kg_transform_get_column (t, 1))
                                : sight;
  const KgLight head = { .kind = KG_LIGHT_DIRECTIONAL,
                         .direction = kg_vector_scale (axis, kg_vector_dot (axis, sight) < 0 ? 1 : -1),
                         .color = { 1, 1, 1, 1 },
                         .intensity = 0.85 };
  const KgLight ambient = { .kind = KG_LIGHT_AMBIENT, .color = { 1, 1, 1, 1 }, .intensity = 0.15 };

  shading->orthographic = camera->orthographic;
  if (camera->orthographic)
    shading->eye = sheared ? kg_vector_normalize_or (sight, kg_vector (0, 0, 1)) : sight;
  else
    shading->eye = kg_transform_get_place (t);
  shading->materials = g_array_new (FALSE, FALSE, sizeof (KgMaterial));
  shading->lights = g_array_new (FALSE, FALSE, sizeof (KgLight));
  for (guint i = 0; i < kg_scene_get_n_lights (scene); i++)
    g_array_append_vals (shading->lights, kg_scene_get_light (scene, i), 1);
  if (shading->lights->len == 0) {
    g_array_append_val (shading->lights, head);
    g_array_append_val (shading->lights, ambient);
  }
  /* Of unit length once, and not at every sample. */
  for (guint i = 0; i < shading->lights->len; i++) {
    KgLight *light = &g_array_index (shading->lights, KgLight, i);

    light->direction = kg_vector_normalize_or (light->direction, kg_vector (0, 0, 0));
  }
}

void
shading_clear (Shading *shading)
{
  g_array_unref (shading->lights);
  g_array_unref (shading->materials);
}

/* What is left of a lamp's light after a distance.  It stops growing at a thousandth of the distance where it has its
 * intensity: a lamp is not a point, and what it stands in is not infinitely bright. */
static double
fall_off (const KgLight *light, double distance)
{
  const double share = light->distance / fmax (distance, 1e-3 * light->distance);

  return light->falloff == KG_FALLOFF_LINEAR ? share : share * share;
}

/* The powers of nothing are worth not computing: most of a surface has no highlight. */
static double
get_highlight (const KgMaterial *material, double cosine)
{
  if (cosine <= 0 && material->shininess > 0)
    return 0;
  return material->specular * pow (fmax (0, cosine), material->shininess);
}

void
shading_light (const Shading *shading, const KgMaterial *material, const float normal[3], const float position[3],
               float color[4])
{
  const KgVector p = kg_floats_get_vector (position, 0);
  const KgVector eye = shading->orthographic
                           ? shading->eye
                           : kg_vector_normalize_or (kg_vector_subtract (shading->eye, p), kg_vector (0, 0, 1));
  KgVector n = kg_vector_normalize_or (kg_floats_get_vector (normal, 0), eye);
  double sum[3] = { 0, 0, 0 }, shine[3] = { 0, 0, 0 };

  /* Both sides of a surface are lit. */
  if (kg_vector_dot (n, eye) < 0)
    n = kg_vector_scale (n, -1);
  for (guint i = 0; i < shading->lights->len; i++) {
    const KgLight *light = &g_array_index (shading->lights, KgLight, i);
    const double *rgb = &light->color.r;
    KgVector to_light = kg_vector_scale (light->direction, -1);
    double cosine, highlight = 0, intensity = light->intensity;

    if (light->kind == KG_LIGHT_AMBIENT) {
      for (int c = 0; c < 3; c++)
        sum[c] += material->ambient * intensity * rgb[c];
      continue;
    }
    if (light->kind == KG_LIGHT_POINT) {
      to_light = kg_vector_subtract (light->position, p);
      if (light->falloff != KG_FALLOFF_NONE)
        intensity *= fall_off (light, kg_vector_length (to_light));
      to_light = kg_vector_normalize_or (to_light, n);
    } else if (kg_vector_dot (to_light, to_light) == 0)
      to_light = n;
    cosine = kg_vector_dot (n, to_light);
    if (cosine <= 0)
      continue;
    if (material->specular > 0) {
      const KgVector mirror = kg_vector_subtract (kg_vector_scale (n, 2 * cosine), to_light);

      highlight = get_highlight (material, kg_vector_dot (mirror, eye));
    }
    for (int c = 0; c < 3; c++) {
      sum[c] += material->diffuse * cosine * intensity * rgb[c];
      shine[c] += highlight * intensity * rgb[c];
    }
  }
  for (int c = 0; c < 3; c++)
    color[c] = (float) ((double) color[c] * sum[c] + shine[c]);
}

void
shading_light_sample (gconstpointer shading, uint32_t material, const float normal[3], const float position[3],
                      float color[4])
{
  const Shading *s = (const Shading *) shading;

  shading_light (s, &g_array_index (s->materials, KgMaterial, material), normal, position, color);
}
