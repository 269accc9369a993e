/* kg-viewport-private: what kg-viewport.c (the widget and its image), kg-viewport-pointer.c and kg-viewport-actions.c share.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-handle-view.h"
#include "kg-image-view.h"
#include "kg-stroke.h"
#include "kg-viewport.h"

G_BEGIN_DECLS

typedef enum {
  KG_VIEWPORT_DRAG_NONE,
  KG_VIEWPORT_DRAG_ORBIT,
  KG_VIEWPORT_DRAG_PAN,
  KG_VIEWPORT_DRAG_DOLLY,
  KG_VIEWPORT_DRAG_HANDLE,
  KG_VIEWPORT_DRAG_STROKE,
  KG_VIEWPORT_DRAG_BOX,
  KG_VIEWPORT_DRAG_PICK
} KgViewportDrag;

/* Of KgView.coarser. */
#define KG_VIEWPORT_COARSEST 4

struct _KgViewport {
  GtkWidget parent_instance;
  KgDocument *document;
  KgWorker *worker;
  GdkTexture *texture, *ghosts, *beside;
  int image_width, image_height; /* of all of what is shown; texture may have fewer pixels, and be a part of it */
  KgImage *image_shown;          /* (nullable) that texture is of, its depth if depth_shown */
  bool depth_shown;
  int width, height;        /* at the last allocation */
  const KgResultSet *shown; /* only compared */
  double shown_time;
  bool frame_waits; /* for its time on the screen */
  GtkWidget *status, *bar, *popover;
  KgHandleView *handles;
  KgOrbit orbit;
  KgImageView image;
  KgSolidStyle style;
  KgOnion onion; /* step in frames here */
  bool from_scene, depth, framed, onion_shown;
  int proxy;         /* as KgView.proxy */
  bool scene_view;   /* shown instead of the image that is displayed */
  bool beside_shown; /* on the right: the image, or what the camera sees */
  bool headlight, grid;
  char *camera;         /* (nullable) "path.scene" of the camera that is looked through; NULL: the first of the scene */
  bool locked;          /* the camera follows the view */
  guint64 lock_step;    /* the undo step that it is moved in; 0: none yet */
  bool axis_view;       /* parallel until the view is turned */
  const char *side;     /* (nullable) that an axis view looks from, in English, until the view is turned */
  bool moving;          /* the view: drafts will do */
  double draft_share;   /* of the pixels along each side */
  bool coarse;          /* a handle moves: what is evaluated may be coarser */
  int coarser;          /* how much, as KgView.coarser, to keep up */
  guint rest_source;    /* until what is dragged has rested for long enough to be shown as it is */
  double full_seconds;  /* that the last image took that was no draft */
  char *message;        /* (nullable) in place of the status */
  guint message_source; /* until it goes by itself */
  KgViewportDrag drag;
  bool space_held;
  GArray *stroke; /* KgStrokePoint */
  bool draws;     /* strokes, instead of turning the view */
  bool selects;   /* handles by a box, instead of turning the view */
  bool snaps;     /* what is dragged, unless Ctrl is held */
  guint snap_to;  /* KgSnap */
  bool box_adds;
  double start_x, start_y, pointer_x, pointer_y;
  KgOrbit start_orbit;
  double start_image_x, start_image_y;
};

enum {
  KG_VIEWPORT_PROP_0,
  KG_VIEWPORT_PROP_STYLE,
  KG_VIEWPORT_PROP_HANDLES,
  KG_VIEWPORT_PROP_ONION,
  KG_VIEWPORT_PROP_DEPTH,
  KG_VIEWPORT_PROP_SCENE_CAMERA,
  KG_VIEWPORT_PROP_DRAW,
  KG_VIEWPORT_PROP_RECORD,
  KG_VIEWPORT_PROP_SCENE,
  KG_VIEWPORT_PROP_BESIDE,
  KG_VIEWPORT_PROP_ORTHOGRAPHIC,
  KG_VIEWPORT_PROP_HEADLIGHT,
  KG_VIEWPORT_PROP_GRID,
  KG_VIEWPORT_PROP_LOCK,
  KG_VIEWPORT_PROP_PATHS,
  KG_VIEWPORT_PROP_SNAP,
  KG_VIEWPORT_PROP_SNAP_GRID,
  KG_VIEWPORT_PROP_SNAP_POINTS,
  KG_VIEWPORT_PROP_SNAP_ANGLES,
  KG_VIEWPORT_PROP_SOFT,
  KG_VIEWPORT_PROP_SELECT,
  KG_VIEWPORT_PROP_PROXY,
  KG_VIEWPORT_N_PROPERTIES
};

/* As the property "style" names them. */
extern const char *const kg_viewport_style_names[];

/* kg-viewport.c */
/* set: (nullable) */
bool kg_viewport_shows_solid (const KgResultSet *set);
bool kg_viewport_shows_image (const KgResultSet *set);
/* False when the place of a point of the world in what is shown is unknown. */
bool kg_viewport_get_projection (KgViewport *self, KgProjection *projection);
/* Works out where the image stands in the widget. */
void kg_viewport_place_image (KgViewport *self);
/* The image is moved or zoomed: asks for what has come into sight, where only a part of it was made. */
void kg_viewport_image_moved (KgViewport *self);
void kg_viewport_frame_all (KgViewport *self);
/* The view has been turned or moved: out of the camera it looked through, or together with it. */
void kg_viewport_orbit_changed (KgViewport *self);
/* By pixels; a view along an axis gets its perspective back. */
void kg_viewport_turn (KgViewport *self, double dx, double dy);
/* Before the view is turned or moved: it goes on from where the camera is that it is locked to. */
void kg_viewport_orbit_begin (KgViewport *self);
void kg_viewport_emit_view_changed (KgViewport *self);
/* The line of text below what is shown. */
void kg_viewport_describe (KgViewport *self, const KgResultSet *set);
/* What the graph refused (nullable); gone with the next change. */
void kg_viewport_set_message (KgViewport *self, const char *text);

/* kg-viewport-pointer.c */
void kg_viewport_add_controllers (KgViewport *self);
/* A hand that does not move holds, too. */
void kg_viewport_frame_changed (KgViewport *self);
/* A colour is wanted from what is shown, or no longer. */
void kg_viewport_picking_changed (KgViewport *self);

/* A handle has moved: for a moment drafts will do. */
void kg_viewport_handle_moved (KgViewport *self);

/* kg-viewport-camera.c */
/* (nullable) The node of the camera that is looked through, or would be. */
KgNode *kg_viewport_find_camera_node (KgViewport *self);
/* (nullable) Why the view cannot move that camera. */
const char *kg_viewport_find_lock_need (KgViewport *self);
/* The view as the camera has it. */
void kg_viewport_take_camera (KgViewport *self);
/* The camera as the view has it; step: of earlier moves of the same drag. */
bool kg_viewport_place_camera (KgViewport *self, guint64 *step, GError **error);
/* Looks through a camera ("path.scene"), the first of the scene (NULL). */
void kg_viewport_look_through (KgViewport *self, const char *camera);

/* kg-viewport-actions.c */
/* The radius of a soft selection. */
void kg_viewport_scale_soft (KgViewport *self, double factor);
void kg_viewport_install_actions (GtkWidgetClass *class);
/* (nullable) What is missing for a way to show things (KG_VIEWPORT_PROP_...) that is to be turned on, or off. */
const char *kg_viewport_find_need (KgViewport *self, guint property, bool on);
/* False with a message. */
bool kg_viewport_check_need (KgViewport *self, guint property, bool on);

G_END_DECLS
