/* kg-scene: objects, lights and cameras.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-scene.h"

#include "kg-hash.h"

struct _KgScene {
  gatomicrefcount refs;
  GArray *objects; /* KgObject */
  GArray *lights;  /* KgLight */
  GArray *cameras; /* KgCamera */
  KgHash fingerprint;
};

static void
clear_object (gpointer data)
{
  KgObject *object = (KgObject *) data;

  kg_geometry_unref (object->geometry);
  if (object->instances.points != NULL)
    kg_geometry_unref (object->instances.points);
}

KgScene *
kg_scene_new (void)
{
  KgScene *scene = g_new0 (KgScene, 1);

  g_atomic_ref_count_init (&scene->refs);
  scene->objects = g_array_new (FALSE, TRUE, sizeof (KgObject));
  scene->lights = g_array_new (FALSE, TRUE, sizeof (KgLight));
  scene->cameras = g_array_new (FALSE, TRUE, sizeof (KgCamera));
  g_array_set_clear_func (scene->objects, clear_object);
  return scene;
}

KgScene *
kg_scene_ref (const KgScene *scene)
{
  KgScene *s = (KgScene *) scene;

  g_atomic_ref_count_inc (&s->refs);
  return s;
}

void
kg_scene_unref (KgScene *scene)
{
  if (!g_atomic_ref_count_dec (&scene->refs))
    return;
  g_array_unref (scene->objects);
  g_array_unref (scene->lights);
  g_array_unref (scene->cameras);
  g_free (scene);
}

void
kg_material_init (KgMaterial *material)
{
  *material = (KgMaterial){ .color = { 0.6, 0.6, 0.6, 1 },
                            .ambient = 1,
                            .diffuse = 1,
                            .specular = 0.3,
                            .shininess = 32,
                            .shading = KG_SHADE_PHONG,
                            .wire_color = { 0, 0, 0, 1 },
                            .width = 0.02 };
}

void
kg_camera_init (KgCamera *camera)
{
  *camera = (KgCamera){
    .transform = kg_transform_identity (), .fov = 45 * KG_DEGREE, .height = 4, .near_plane = 0.01, .far_plane = 1000
  };
  camera->transform.m[2][3] = 5;
}

KgCamera
kg_camera_from_lens (const KgCamera *camera, double x, double y)
{
  const double u = 0.5 * camera->aperture * x, v = 0.5 * camera->aperture * y;
  const KgTransform shear = {
    { { 1, 0, u / camera->focus, u }, { 0, 1, v / camera->focus, v }, { 0, 0, 1, 0 }, { 0, 0, 0, 1 } }
  };
  KgCamera seen = *camera;

  seen.transform = kg_transform_multiply (camera->transform, shear);
  return seen;
}

guint
kg_scene_get_n_objects (const KgScene *scene)
{
  return scene->objects->len;
}

const KgObject *
kg_scene_get_object (const KgScene *scene, guint index)
{
  g_return_val_if_fail (index < scene->objects->len, NULL);
  return &g_array_index (scene->objects, KgObject, index);
}

guint
kg_scene_get_n_lights (const KgScene *scene)
{
  return scene->lights->len;
}

const KgLight *
kg_scene_get_light (const KgScene *scene, guint index)
{
  g_return_val_if_fail (index < scene->lights->len, NULL);
  return &g_array_index (scene->lights, KgLight, index);
}

guint
kg_scene_get_n_cameras (const KgScene *scene)
{
  return scene->cameras->len;
}

const KgCamera *
kg_scene_get_camera (const KgScene *scene, guint index)
{
  g_return_val_if_fail (index < scene->cameras->len, NULL);
  return &g_array_index (scene->cameras, KgCamera, index);
}

void
kg_scene_add_object (KgScene *scene, const KgGeometry *geometry, const KgTransform *transform,
                     const KgMaterial *material)
{
  const KgInstances none = { NULL, 1, false };

  kg_scene_add_instances (scene, geometry, transform, material, &none);
}

void
kg_scene_add_instances (KgScene *scene, const KgGeometry *geometry, const KgTransform *transform,
                        const KgMaterial *material, const KgInstances *instances)
{
  KgObject object = { kg_geometry_ref (geometry), *transform, *material, *instances };

  if (instances->points != NULL)
    object.instances.points = kg_geometry_ref (instances->points);
  g_array_append_val (scene->objects, object);
  scene->fingerprint = (KgHash){ 0, 0 };
}

void
kg_scene_add_object_like (KgScene *scene, const KgObject *object, const KgGeometry *geometry,
                          const KgMaterial *material)
{
  kg_scene_add_instances (scene, geometry != NULL ? geometry : object->geometry, &object->transform, material,
                          &object->instances);
}

size_t
kg_object_get_n_instances (const KgObject *object)
{
  return object->instances.points != NULL ? kg_geometry_get_n_points (object->instances.points) : 1;
}

bool
kg_object_get_placement (const KgObject *object, KgInstancePlaces *placement)
{
  if (object->instances.points == NULL)
    return false;
  kg_instance_places_init (placement, object->instances.points, object->instances.size, object->instances.turns);
  return true;
}

KgTransform
kg_object_get_instance (const KgObject *object, const KgInstancePlaces *placement, size_t i)
{
  if (object->instances.points == NULL)
    return object->transform;
  return kg_transform_multiply (object->transform, kg_instance_places_get_transform (placement, i));
}

bool
kg_scene_each_instance (const KgScene *scene, KgInstanceVisit visit, gpointer data)
{
  for (guint i = 0; i < kg_scene_get_n_objects (scene); i++) {
    const KgObject *object = kg_scene_get_object (scene, i);
    const size_t n = kg_object_get_n_instances (object);
    KgInstancePlaces placement;

    kg_object_get_placement (object, &placement);
    for (size_t k = 0; k < n; k++) {
      const KgTransform transform = kg_object_get_instance (object, &placement, k);

      if (!visit (object, &transform, data))
        return false;
    }
  }
  return true;
}

void
kg_scene_add_light (KgScene *scene, const KgLight *light)
{
  g_array_append_vals (scene->lights, light, 1);
  scene->fingerprint = (KgHash){ 0, 0 };
}

void
kg_scene_add_camera (KgScene *scene, const KgCamera *camera)
{
  g_array_append_vals (scene->cameras, camera, 1);
  scene->fingerprint = (KgHash){ 0, 0 };
}

void
kg_scene_append (KgScene *scene, const KgScene *other)
{
  for (guint i = 0; i < other->objects->len; i++) {
    const KgObject *object = kg_scene_get_object (other, i);

    kg_scene_add_object_like (scene, object, NULL, &object->material);
  }
  g_array_append_vals (scene->lights, other->lights->data, other->lights->len);
  g_array_append_vals (scene->cameras, other->cameras->data, other->cameras->len);
  scene->fingerprint = (KgHash){ 0, 0 };
}

static bool
equal_doubles (const double *a, const double *b, guint n)
{
  for (guint i = 0; i < n; i++)
    if (!(a[i] == b[i]))
      return false;
  return true;
}

static bool
equal_materials (const KgMaterial *a, const KgMaterial *b)
{
  return equal_doubles (&a->color.r, &b->color.r, 4) && a->ambient == b->ambient && a->diffuse == b->diffuse &&
         a->specular == b->specular && a->shininess == b->shininess && a->shading == b->shading &&
         a->wireframe == b->wireframe && equal_doubles (&a->wire_color.r, &b->wire_color.r, 4) &&
         a->width == b->width && a->blend == b->blend;
}

static bool
equal_instances (const KgInstances *a, const KgInstances *b)
{
  if (a->points == NULL || b->points == NULL)
    return a->points == b->points;
  return a->size == b->size && a->turns == b->turns && kg_geometry_equal (a->points, b->points);
}

static bool
equal_lights (const KgLight *a, const KgLight *b)
{
  return a->kind == b->kind && equal_doubles (&a->position.x, &b->position.x, 3) &&
         equal_doubles (&a->direction.x, &b->direction.x, 3) && equal_doubles (&a->color.r, &b->color.r, 4) &&
         a->intensity == b->intensity && a->falloff == b->falloff && a->distance == b->distance;
}

static bool
equal_cameras (const KgCamera *a, const KgCamera *b)
{
  return equal_doubles (&a->transform.m[0][0], &b->transform.m[0][0], 16) && a->orthographic == b->orthographic &&
         a->fov == b->fov && a->height == b->height && a->near_plane == b->near_plane && a->far_plane == b->far_plane &&
         a->aperture == b->aperture && a->focus == b->focus;
}

bool
kg_scene_equal (const KgScene *a, const KgScene *b)
{
  if (a == b)
    return true;
  if (a->objects->len != b->objects->len || a->lights->len != b->lights->len || a->cameras->len != b->cameras->len)
    return false;
  for (guint i = 0; i < a->objects->len; i++) {
    const KgObject *x = kg_scene_get_object (a, i), *y = kg_scene_get_object (b, i);

    if (!equal_doubles (&x->transform.m[0][0], &y->transform.m[0][0], 16) ||
        !equal_materials (&x->material, &y->material) || !kg_geometry_equal (x->geometry, y->geometry) ||
        !equal_instances (&x->instances, &y->instances))
      return false;
  }
  for (guint i = 0; i < a->lights->len; i++)
    if (!equal_lights (kg_scene_get_light (a, i), kg_scene_get_light (b, i)))
      return false;
  for (guint i = 0; i < a->cameras->len; i++)
    if (!equal_cameras (kg_scene_get_camera (a, i), kg_scene_get_camera (b, i)))
      return false;
  return true;
}

void
kg_scene_each_buffer (const KgScene *scene, KgBufferVisit visit, gpointer data)
{
  for (guint i = 0; i < scene->objects->len; i++) {
    const KgObject *object = kg_scene_get_object (scene, i);

    kg_geometry_each_buffer (object->geometry, visit, data);
    if (object->instances.points != NULL)
      kg_geometry_each_buffer (object->instances.points, visit, data);
  }
}

static bool
all_finite (const double *x, guint n)
{
  for (guint i = 0; i < n; i++)
    if (!isfinite (x[i]))
      return false;
  return true;
}

bool
kg_scene_check_finite (const KgScene *scene, GError **error)
{
  for (guint i = 0; i < scene->objects->len; i++) {
    const KgObject *object = kg_scene_get_object (scene, i);
    const double numbers[] = { object->material.ambient, object->material.diffuse, object->material.specular,
                               object->material.shininess, object->material.width };

    if (!kg_geometry_check_finite (object->geometry, error) ||
        (object->instances.points != NULL && !kg_geometry_check_finite (object->instances.points, error))) {
      kg_prefix_error (error, "a scene, object %u: ", i);
      return false;
    }
    if (!all_finite (&object->transform.m[0][0], 16) || !all_finite (&object->material.color.r, 4) ||
        !all_finite (&object->material.wire_color.r, 4) || !all_finite (numbers, G_N_ELEMENTS (numbers))) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE, "a scene whose object %u has a number that is not finite", i);
      return false;
    }
  }
  for (guint i = 0; i < scene->lights->len; i++) {
    const KgLight *light = kg_scene_get_light (scene, i);

    if (!kg_vector_is_finite (light->position) || !kg_vector_is_finite (light->direction) ||
        !all_finite (&light->color.r, 4) || !isfinite (light->intensity) || !isfinite (light->distance)) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE, "a scene whose light %u has a number that is not finite", i);
      return false;
    }
  }
  for (guint i = 0; i < scene->cameras->len; i++) {
    const KgCamera *camera = kg_scene_get_camera (scene, i);

    if (!all_finite (&camera->transform.m[0][0], 16) || !all_finite (&camera->fov, 6)) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE, "a scene whose camera %u has a number that is not finite", i);
      return false;
    }
  }
  return true;
}

KgHash
kg_scene_get_fingerprint (const KgScene *scene)
{
  return scene->fingerprint;
}

void
kg_scene_set_fingerprint (KgScene *scene, KgHash fingerprint)
{
  scene->fingerprint = fingerprint;
}
