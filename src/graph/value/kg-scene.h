/* kg-scene: placed geometries with materials, cameras and lights.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-geometry.h"
#include "kg-instance-places.h"

G_BEGIN_DECLS

typedef enum { KG_SHADE_FLAT, KG_SHADE_GOURAUD, KG_SHADE_PHONG, KG_SHADE_CONSTANT } KgShading;

/* How a surface is laid on what is behind it: over it, or as light: added, added without exceeding 1, or the brighter of both. */
typedef enum { KG_BLEND_OVER, KG_BLEND_ADD, KG_BLEND_SCREEN, KG_BLEND_MAX, KG_N_BLENDS } KgBlend;

typedef struct {
  KgColor color;                     /* multiplied with Cd where the geometry has it */
  double ambient, diffuse, specular; /* shares 0..1 */
  double shininess;                  /* Phong exponent */
  KgShading shading;
  bool wireframe; /* edges drawn over the surface */
  KgColor wire_color;
  double width;  /* metres: of points and curves without a width attribute */
  KgBlend blend; /* light hides nothing, and has no distance */
} KgMaterial;

/* The geometry of an object may stand on every point of another one, without being copied there. */
typedef struct {
  KgGeometry *points; /* (nullable) owned by the scene; NULL: the geometry stands in its own place alone */
  double size;        /* and turns: see KgInstancePlaces */
  bool turns;
} KgInstances;

typedef struct {
  KgGeometry *geometry; /* owned by the scene */
  KgTransform transform;
  KgMaterial material;
  KgInstances instances; /* in the object's space */
} KgObject;

typedef enum { KG_LIGHT_AMBIENT, KG_LIGHT_DIRECTIONAL, KG_LIGHT_POINT } KgLightKind;

/* How a point light loses strength: not at all, or by the first or second power of the distance. */
typedef enum { KG_FALLOFF_NONE, KG_FALLOFF_LINEAR, KG_FALLOFF_INVERSE_SQUARE } KgFalloff;

typedef struct {
  KgLightKind kind;
  KgVector position;  /* point */
  KgVector direction; /* directional: the way the light travels, unit */
  KgColor color;
  double intensity;
  KgFalloff falloff; /* point */
  double distance;   /* where it has its intensity in spite of the falloff; metres, positive */
} KgLight;

typedef struct {
  KgTransform transform; /* camera to world; looks along -z, y up */
  bool orthographic;
  double fov;                   /* vertical field of view, radians */
  double height;                /* orthographic: metres from bottom to top */
  double near_plane, far_plane; /* metres, positive */
  double aperture;              /* diameter of the lens, metres; 0: all is sharp */
  double focus;                 /* distance of what is sharp along the view, metres; > 0 where there is an aperture */
} KgCamera;

/* The camera as one point of its lens sees: at (x, y) of the unit disc.  Its rays meet those of the other points in the plane of
 * focus, by a shear. */
KgCamera kg_camera_from_lens (const KgCamera *camera, double x, double y);

KgScene *kg_scene_new (void);
KgScene *kg_scene_ref (const KgScene *scene);
void kg_scene_unref (KgScene *scene);

void kg_material_init (KgMaterial *material); /* light grey, Phong */
void kg_camera_init (KgCamera *camera);       /* at (0, 0, 5) looking at the origin, 45 degrees */

guint kg_scene_get_n_objects (const KgScene *scene);
const KgObject *kg_scene_get_object (const KgScene *scene, guint index);
guint kg_scene_get_n_lights (const KgScene *scene);
const KgLight *kg_scene_get_light (const KgScene *scene, guint index);
guint kg_scene_get_n_cameras (const KgScene *scene);
const KgCamera *kg_scene_get_camera (const KgScene *scene, guint index);

/* Each takes a reference or a copy. */
void kg_scene_add_object (KgScene *scene, const KgGeometry *geometry, const KgTransform *transform,
                          const KgMaterial *material);
/* The same, of which every point of instances has one. */
void kg_scene_add_instances (KgScene *scene, const KgGeometry *geometry, const KgTransform *transform,
                             const KgMaterial *material, const KgInstances *instances);
/* Any of the two, with another geometry (nullable: its own) and material. */
void kg_scene_add_object_like (KgScene *scene, const KgObject *object, const KgGeometry *geometry,
                               const KgMaterial *material);
/* One for each point of its instances, in the world; one without instances. */
size_t kg_object_get_n_instances (const KgObject *object);
/* placement: of the object's instances, not used when it has none. */
KgTransform kg_object_get_instance (const KgObject *object, const KgInstancePlaces *placement, size_t i);
/* False where there are no instances. */
bool kg_object_get_placement (const KgObject *object, KgInstancePlaces *placement);
/* Visits each instance of each object, with its place in the world, until a visit gives false, and then gives that. */
typedef bool (*KgInstanceVisit) (const KgObject *object, const KgTransform *transform, gpointer data);
bool kg_scene_each_instance (const KgScene *scene, KgInstanceVisit visit, gpointer data);
void kg_scene_add_light (KgScene *scene, const KgLight *light);
void kg_scene_add_camera (KgScene *scene, const KgCamera *camera);
void kg_scene_append (KgScene *scene, const KgScene *other);

bool kg_scene_equal (const KgScene *a, const KgScene *b);
void kg_scene_each_buffer (const KgScene *scene, KgBufferVisit visit, gpointer data);
bool kg_scene_check_finite (const KgScene *scene, GError **error);
KgHash kg_scene_get_fingerprint (const KgScene *scene);
void kg_scene_set_fingerprint (KgScene *scene, KgHash fingerprint);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (KgScene, kg_scene_unref)

G_END_DECLS
