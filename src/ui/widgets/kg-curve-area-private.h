/* kg-curve-area-private: what kg-curve-area.c (the widget, its tracks and edits), kg-curve-area-tools.c (pointer and keyboard)
 * and kg-curve-area-draw.c share.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-curve-area.h"

G_BEGIN_DECLS

#define KG_CURVE_RULER 24.0 /* height of the strip with frames, where dragging scrubs */
#define KG_CURVE_GUTTER 58.0

typedef enum {
  KG_CURVE_GESTURE_NONE,
  KG_CURVE_GESTURE_MOVE,
  KG_CURVE_GESTURE_HANDLE,
  KG_CURVE_GESTURE_BOX,
  KG_CURVE_GESTURE_SCRUB,
  KG_CURVE_GESTURE_SCALE
} KgCurveGesture;

/* A key of a component of a track. */
typedef struct {
  guint track;
  gsize key;
  guint component;
} KgCurveSpot;

struct _KgCurveArea {
  GtkWidget parent_instance;
  KgDocument *document;
  KgNode *only; /* (nullable) of a small one: the node, */
  guint only_slot;
  bool is_motion;    /* and whether places are not frames, but seconds or phases */
  GPtrArray *tracks; /* KgCurveTrack */
  double left, right, bottom, top;
  bool fitted; /* a view has been chosen for these tracks */

  bool has_active;
  KgCurveSpot active;

  GtkGesture *drag;
  KgCurveGesture gesture;
  bool moved;           /* beyond the threshold: the group of undo is open where the gesture edits */
  bool armed;           /* S was pressed */
  GPtrArray *originals; /* Original, of each track, while a gesture edits */
  KgCurveSpot spot;     /* under the pointer when it was pressed */
  bool was_selected;
  KgKeySide side;
  double press_x, press_y, x, y;
  double pan_left, pan_right, pan_bottom, pan_top;
  double pointer_x, pointer_y;
  bool pointer_inside;
  char *hint;
  bool pressed_twice;
  bool applying;
};

/* kg-curve-area.c */
KgGraph *kg_curve_area_get_graph (KgCurveArea *self);
KgCurveTrack *kg_curve_area_edit_track (KgCurveArea *self, guint index);
bool kg_curve_track_is_shown (const KgCurveTrack *track, guint component);
/* (transfer full) As the inspector shows it; a change of a value has its sign. */
char *kg_curve_track_dup_value (const KgCurveTrack *track, double value, bool change);
/* (transfer full) */
GByteArray *kg_curve_marks_copy (const GByteArray *marks);
void kg_curve_area_update_tracks (KgCurveArea *self);
/* Takes channel (NULL: no key is left) and marks. */
void kg_curve_area_set_channel (KgCurveArea *self, KgCurveTrack *track, KgChannel *channel, GByteArray *marks);
/* In one track, or in all (track -1). */
void kg_curve_area_insert_at (KgCurveArea *self, int only, double frame);
/* The hint of what is done, or has to be done first; NULL: none. */
void kg_curve_area_set_hint (KgCurveArea *self, const char *hint);
bool kg_curve_area_is_selected (KgCurveArea *self, KgCurveSpot spot);
bool kg_curve_area_has_selection (KgCurveArea *self);
void kg_curve_area_select_nothing (KgCurveArea *self);
void kg_curve_area_select_spot (KgCurveArea *self, KgCurveSpot spot, bool add);
/* After any change of marks. */
void kg_curve_area_selection_changed (KgCurveArea *self);
/* Places in the widget. */
double kg_curve_area_get_plot_width (KgCurveArea *self);
double kg_curve_area_get_plot_height (KgCurveArea *self);
double kg_curve_area_to_x (KgCurveArea *self, double frame);
double kg_curve_area_to_y (KgCurveArea *self, double value);
double kg_curve_area_from_x (KgCurveArea *self, double x);
double kg_curve_area_from_y (KgCurveArea *self, double y);
bool kg_curve_area_get_handle_place (KgCurveArea *self, KgCurveSpot spot, KgKeySide side, double *x, double *y);
/* Where keys land: on whole frames; those of a motion on round places finer than a pixel. */
double kg_curve_area_snap (KgCurveArea *self, double at);
void kg_curve_area_set_view (KgCurveArea *self, double left, double right, double bottom, double top);
void kg_curve_area_zoom (KgCurveArea *self, double x, double y, double time_factor, double value_factor);

/* kg-curve-area-tools.c */
void kg_curve_area_add_controllers (KgCurveArea *self);
/* Ends what the pointer does; with cancel everything is as it was before. */
void kg_curve_area_finish_gesture (KgCurveArea *self, bool cancel);
/* The same where the tracks are others now. */
void kg_curve_area_forget_gesture (KgCurveArea *self);

/* kg-curve-area-draw.c */
void kg_curve_area_draw (KgCurveArea *self, GtkSnapshot *snapshot);

G_END_DECLS
