/* kg-canvas-colors: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-canvas-colors.h"

#include <gdk/gdk.h>

const KgCanvasColors kg_canvas_colors_dark = {
  .ground = { 0.11, 0.12, 0.14 },
  .grid = { 0.15, 0.16, 0.19 },
  .body = { 0.19, 0.20, 0.24 },
  .text = { 0.93, 0.94, 0.96 },
  .faint = { 0.62, 0.64, 0.69 },
  .outline = { 0.05, 0.05, 0.06 },
  .accent = { 1.00, 0.66, 0.16 },
  .dark = true,
};
const KgCanvasColors kg_canvas_colors_light = {
  .ground = { 0.93, 0.93, 0.94 },
  .grid = { 0.88, 0.88, 0.90 },
  .body = { 0.99, 0.99, 1.00 },
  .text = { 0.10, 0.11, 0.13 },
  .faint = { 0.42, 0.44, 0.48 },
  .outline = { 0.62, 0.63, 0.66 },
  .accent = { 0.85, 0.42, 0.00 },
};

const KgTint kg_canvas_error = { 0.90, 0.25, 0.22 }, kg_canvas_warning = { 0.95, 0.72, 0.15 };
const KgTint kg_canvas_displayed = { 0.25, 0.65, 1.00 };
const KgTint kg_canvas_running = { 0.30, 0.75, 1.00 };
const KgTint kg_canvas_outdated = { 0.30, 0.75, 0.35 };
const KgTint kg_canvas_bypass = { 1.00, 0.85, 0.20 }, kg_canvas_cut = { 0.95, 0.30, 0.25 };
const KgTint kg_canvas_note = { 0.85, 0.78, 0.45 };
const KgTint kg_canvas_symbol = { 1.00, 1.00, 1.00 };

KgTint
kg_canvas_get_name_tint (KgTint head)
{
  static const KgTint dark_ink = { 0.08, 0.08, 0.10 }, light_ink = { 1.00, 1.00, 1.00 };

  return 0.3 * head.r + 0.59 * head.g + 0.11 * head.b > 0.55 ? dark_ink : light_ink;
}

KgTint
kg_canvas_get_heat (double share, double *alpha)
{
  *alpha = 0.55 * share;
  return (KgTint){ 1.00, 0.25 + 0.5 * (1 - share), 0.10 };
}

KgTint
kg_canvas_parse_tint (const char *text, KgTint fallback)
{
  GdkRGBA color;

  if (text == NULL || !gdk_rgba_parse (&color, text))
    return fallback;
  return (KgTint){ (double) color.red, (double) color.green, (double) color.blue };
}
