/* render/camera: where a scene is seen from.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"

typedef struct {
  KgVector position;
  KgVector target;
  double roll;
  double fov;
  bool orthographic;
  double height;
  double near;
  double far;
  double scale;
  double aperture;
  double focus;
  KgScene *scene;
  KgTransform transform;
} Camera;

static bool
camera_evaluate (Camera *n, const KgContext *ctx, GError **error)
{
  const KgVector position = kg_vector_scale (n->position, 1 / n->scale),
                 view = kg_vector_subtract (n->position, n->target);
  const KgVector z = kg_vector_normalize_or (view, kg_vector (0, 0, 1));
  const double focus = n->focus > 0 ? n->focus : kg_vector_length (view);
  KgVector x = kg_vector_cross (kg_vector (0, 1, 0), z), y;
  KgCamera camera;

  (void) ctx;
  if (!(n->near < n->far)) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "near is %g m and far is %g m: near must be less than far", n->near,
                  n->far);
    return false;
  }
  /* Looking straight up or down there is no horizon: x stays to the right. */
  x = kg_vector_length (x) > 1e-9 ? kg_vector_normalize_or (x, kg_vector (1, 0, 0)) : kg_vector (1, 0, 0);
  y = kg_vector_cross (z, x);
  x = kg_rotation_apply (kg_rotation_from_axis_angle (z, n->roll), x);
  y = kg_rotation_apply (kg_rotation_from_axis_angle (z, n->roll), y);
  n->transform = (KgTransform){
    { { x.x, y.x, z.x, position.x }, { x.y, y.y, z.y, position.y }, { x.z, y.z, z.z, position.z }, { 0, 0, 0, 1 } }
  };
  if (n->aperture > 0 && !(focus > 0)) {
    kg_set_error (
        error, KG_ERROR_DEGENERATE,
        "the camera is at its target, so there is no distance to focus on: set the focus, or move the camera");
    return false;
  }
  camera = (KgCamera){ .transform = n->transform,
                       .orthographic = n->orthographic,
                       .fov = n->fov,
                       .height = n->height / n->scale,
                       .near_plane = n->near / n->scale,
                       .far_plane = n->far / n->scale,
                       .aperture = n->aperture / n->scale,
                       .focus = focus / n->scale };
  n->scene = kg_scene_new ();
  kg_scene_add_camera (n->scene, &camera);
  return true;
}

static const KgSlot camera_slots[] = {
  KG_INPUT (Camera, position, VECTOR, .label = N_ ("Position"), .unit = KG_METRES, .def_v = { 0, 1.5, 6 },
            .help = N_ ("Position of the camera.")),
  KG_INPUT (Camera, target, VECTOR, .label = N_ ("Target"), .unit = KG_METRES,
            .help = N_ ("Point that the camera looks at.")),
  KG_INPUT (Camera, roll, NUMBER, .label = N_ ("Roll"), .unit = KG_DEGREES, .soft_min = -180, .soft_max = 180,
            .help = N_ ("Rotation about the view direction, which tilts the horizon.")),
  KG_INPUT (Camera, fov, NUMBER, .label = N_ ("Field of view"), .unit = KG_DEGREES, .def = 40, .min = 0.1, .max = 170,
            .soft_min = 10, .soft_max = 120,
            .help = N_ ("Vertical angle of view: small for a telephoto lens, large for a wide-angle lens.")),
  KG_INPUT (Camera, orthographic, BOOLEAN, .label = N_ ("Orthographic"),
            .help = N_ ("Turns perspective off: objects do not get smaller with distance.")),
  KG_INPUT (Camera, height, NUMBER, .label = N_ ("Height"), .unit = KG_METRES, .def = 4, .min = 1e-6, .max = 1e6,
            .soft_max = 20, .help = N_ ("Height of the view in metres, for an orthographic camera.")),
  KG_INPUT (Camera, near, NUMBER, .label = N_ ("Near"), .unit = KG_METRES, .def = 0.01, .min = 1e-6, .max = 1e6,
            .soft_max = 1, .help = N_ ("Anything nearer than this is not visible.")),
  KG_INPUT (Camera, far, NUMBER, .label = N_ ("Far"), .unit = KG_METRES, .def = 1000, .min = 1e-6, .max = 1e9,
            .soft_max = 10000, .help = N_ ("Anything farther away than this is not visible.")),
  KG_INPUT (Camera, aperture, NUMBER, .label = N_ ("Aperture"), .unit = KG_METRES, .min = 0, .max = 1e6,
            .soft_max = 0.5, .group = N_ ("Lens"),
            .help = N_ ("Diameter of the lens: what is nearer or farther than the focus gets blurred. 0: all is "
                        "sharp. Render Scene sets how many points of the lens it looks through.")),
  KG_INPUT (Camera, focus, NUMBER, .label = N_ ("Focus"), .unit = KG_METRES, .min = 0, .max = 1e9, .soft_max = 20,
            .group = N_ ("Lens"), .shown_when = "aperture!=0",
            .help = N_ ("Distance, along the view, of what is sharp. 0: that of the target.")),
  KG_INPUT (
      Camera, scale, NUMBER, .label = N_ ("Scale of the set"), .def = 1, .min = 1e-3, .max = 1e4, .soft_max = 100,
      .group = N_ ("Lens"),
      .help = N_ (
          "How many times smaller a miniature set is than what it represents. All lengths of the camera are divided by it, so that they can be given in life size and the image stays the same: a person's eye at 1.6 m is 13 cm above the floor of a 1:12 set.")),
  KG_OUTPUT (Camera, scene, SCENE, .label = N_ ("Scene"), .help = N_ ("A scene with this camera.")),
  KG_OUTPUT (Camera, transform, TRANSFORM, .label = N_ ("Transform"),
             .help = N_ ("Position and rotation of the camera; it looks along -z.")),
};

KG_NODE (render, camera, Camera, .label = N_ ("Camera"), .version = 1, .since = "0.1", .role = KG_ROLE_CAMERA,
         .tags = N_ ("view eye lens perspective look at orthographic depth of field focus miniature"),
         .help = N_ ("Adds a camera: the position and direction from which a scene is seen, and the field of view."));
