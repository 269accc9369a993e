/* kg-canvas-colors: every colour of the canvas but those of the kinds of values, which kg-kind-color has.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-kind-color.h"

#include <stdbool.h>

/* Colours that follow the theme. */
typedef struct {
  KgTint ground, grid, body, text, faint, outline, accent;
  bool dark;
} KgCanvasColors;

extern const KgCanvasColors kg_canvas_colors_dark, kg_canvas_colors_light;

/* The same in both. */
extern const KgTint kg_canvas_error, kg_canvas_warning;
extern const KgTint kg_canvas_displayed; /* the node whose output the viewport shows */
extern const KgTint kg_canvas_running;
extern const KgTint kg_canvas_outdated; /* an instance of a preset that has a newer version */
extern const KgTint kg_canvas_bypass, kg_canvas_cut;
extern const KgTint kg_canvas_note;   /* that has no colour of its own */
extern const KgTint kg_canvas_symbol; /* on a badge */

/* The colour of a name on a head of that colour. */
KgTint kg_canvas_get_name_tint (KgTint head);
/* How hot a node is that takes a share (0 to 1) of the scale; drawn with alpha. */
KgTint kg_canvas_get_heat (double share, double *alpha);
/* What the artist has chosen for a node, "#rrggbb"; fallback where text is none. */
KgTint kg_canvas_parse_tint (const char *text, KgTint fallback);
