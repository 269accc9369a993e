/* kg-curve-area: the drawing of the curve editor: the keyed inputs of the selected nodes over frames, and what the
 * pointer and the keyboard do to their keys.  The panels around it are in kg-curve-editor.
 *
 * Inputs of the kind motion are shown alone only: their keys stand in seconds or phases, not in frames.
 *
 * Signals:
 *   tracks-changed ()     other inputs are shown
 *   selection-changed ()  other keys are selected, or selected ones have changed
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <gtk/gtk.h>

#include "kg-document.h"
#include "kg-key-edit.h"
#include "kg-keyed.h"

G_BEGIN_DECLS

/* What has keys. */
typedef struct {
  KgKeyed at;
  KgChannel *channel;
  GByteArray *marks; /* see kg-key-edit.h */
  guint8 hidden;     /* bit c: component c is not drawn */
} KgCurveTrack;

#define KG_TYPE_CURVE_AREA (kg_curve_area_get_type ())
G_DECLARE_FINAL_TYPE (KgCurveArea, kg_curve_area, KG, CURVE_AREA, GtkWidget)

KgCurveArea *kg_curve_area_new (KgDocument *document);
/* A small one for a single input, selected or not; also of the kind motion.  It must not outlive the node. */
KgCurveArea *kg_curve_area_new_for_input (KgDocument *document, KgNode *node, guint slot);

guint kg_curve_area_get_n_tracks (KgCurveArea *area);
const KgCurveTrack *kg_curve_area_get_track (KgCurveArea *area, guint index);
void kg_curve_area_set_hidden (KgCurveArea *area, guint index, guint8 hidden);
/* How a component is called and drawn. */
const char *kg_curve_track_get_component (const KgCurveTrack *track, guint component);
/* What its values are in. */
KgUnit kg_curve_track_get_unit (const KgCurveTrack *track);
/* What all curves that are drawn have in common; KG_UNIT_NONE when they differ. */
KgUnit kg_curve_area_get_unit (KgCurveArea *area);
GdkRGBA kg_curve_area_get_color (KgCurveArea *area, guint index, guint component);

/* The key that numbers are shown of: the last that was selected.  False when there is none. */
bool kg_curve_area_get_active (KgCurveArea *area, guint *track, gsize *key, guint *component);

/* One step of undo over all tracks with selected keys.  The edit returns NULL when it leaves no key. */
typedef KgChannel *(*KgCurveEdit) (const KgChannel *channel, GByteArray *marks, gpointer data);
void kg_curve_area_edit (KgCurveArea *area, const char *label, KgCurveEdit edit, gpointer data);
/* Moves the selection so that the active key lands there. */
void kg_curve_area_place (KgCurveArea *area, double frame);
/* How curves continue before the first and after the last key: of the tracks with selected keys, else of all shown. */
void kg_curve_area_set_extend (KgCurveArea *area, const KgExtend *before, const KgExtend *after);
/* At the current frame, in the active track, else in all shown. */
void kg_curve_area_insert (KgCurveArea *area);
void kg_curve_area_delete (KgCurveArea *area);
void kg_curve_area_select_all (KgCurveArea *area, bool all);
void kg_curve_area_fit (KgCurveArea *area, bool only_selected);

G_END_DECLS
