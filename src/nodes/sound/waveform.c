/* sound/waveform: the outline of a sound, as geometry.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"

typedef struct {
  const KgSound *sound;
  double first;
  double last;
  KgVector center;
  double width;
  double height;
  double full_scale;
  int64_t columns;
  KgGeometry *outline;
} Waveform;

/* The upper edge from left to right, then the lower one back. */
static bool
waveform_draw (Waveform *n, const double *lowest, const double *highest, GError **error)
{
  const size_t columns = (size_t) n->columns;
  const double scale = n->height / 2 / n->full_scale;
  g_autoptr (KgGeometry) outline = kg_geometry_new ();
  g_autofree uint32_t *vertices = g_new (uint32_t, 2 * columns);
  float *p;

  if (!kg_geometry_set_n_points (outline, 2 * columns, error))
    return false;
  p = kg_geometry_edit_positions (outline);
  for (size_t k = 0; k < 2 * columns; k++) {
    const size_t column = k < columns ? k : 2 * columns - 1 - k;

    p[3 * k] = (float) (n->center.x + n->width * (((double) column + 0.5) / (double) columns - 0.5));
    p[3 * k + 1] = (float) (n->center.y + scale * (k < columns ? highest[column] : lowest[column]));
    p[3 * k + 2] = (float) n->center.z;
    vertices[k] = (uint32_t) k;
  }
  kg_geometry_add_primitives (outline, KG_POLYGON, true, 1, 2 * (guint) columns, vertices);
  n->outline = g_steal_pointer (&outline);
  return true;
}

static bool
waveform_evaluate (Waveform *n, const KgContext *ctx, GError **error)
{
  const bool all = n->first == 0 && n->last == 0;
  const double first = all ? ctx->start : n->first, last = all ? ctx->end : n->last;
  g_autofree double *lowest = g_new (double, n->columns);
  g_autofree double *highest = g_new (double, n->columns);

  if (!(last >= first)) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "the frames %g to %g are reversed: set the first before the last",
                  first, last);
    return false;
  }
  kg_sound_find_extremes (n->sound, (first - ctx->start) / ctx->rate, (last + 1 - ctx->start) / ctx->rate,
                          (size_t) n->columns, lowest, highest);
  return waveform_draw (n, lowest, highest, error);
}

static const KgSlot waveform_slots[] = {
  KG_INPUT (Waveform, sound, SOUND, .label = N_ ("Sound"), .help = N_ ("The sound to draw.")),
  KG_INPUT (Waveform, first, NUMBER, .label = N_ ("First frame"), .unit = KG_FRAMES, .min = -1e9, .max = 1e9,
            .soft_min = 1, .soft_max = 1000,
            .help = N_ (
                "Frame at the left. While First frame and Last frame are both 0, all frames of the graph are drawn.")),
  KG_INPUT (Waveform, last, NUMBER, .label = N_ ("Last frame"), .unit = KG_FRAMES, .min = -1e9, .max = 1e9,
            .soft_min = 1, .soft_max = 1000, .help = N_ ("Last frame drawn, at the right.")),
  KG_INPUT (Waveform, center, VECTOR, .label = N_ ("Centre"), .unit = KG_METRES,
            .help = N_ ("Position of the middle of the drawing.")),
  KG_INPUT (Waveform, width, NUMBER, .label = N_ ("Width"), .unit = KG_METRES, .def = 2, .min = 1e-6, .max = INFINITY,
            .soft_max = 10, .help = N_ ("Width of the drawing.")),
  KG_INPUT (Waveform, height, NUMBER, .label = N_ ("Height"), .unit = KG_METRES, .def = 1, .min = 1e-6, .max = INFINITY,
            .soft_max = 10, .help = N_ ("Height from minus to plus full scale.")),
  KG_INPUT (Waveform, full_scale, NUMBER, .label = N_ ("Full scale"), .def = 1, .min = 1e-6, .max = 1e6, .soft_max = 2,
            .help = N_ ("Amplitude that is drawn at the full height.")),
  KG_INPUT (Waveform, columns, INTEGER, .label = N_ ("Columns"), .def = 400, .min = 2, .max = 1000000, .soft_max = 4000,
            .help = N_ ("Number of steps in time; each shows the lowest and the highest sample within it.")),
  KG_OUTPUT (Waveform, outline, GEOMETRY, .label = N_ ("Outline"),
             .help = N_ ("A polygon: the upper edge from left to right, and the lower one back.")),
};

KG_NODE (
    sound, waveform, Waveform, .label = N_ ("Waveform"), .version = 1, .since = "0.1", .reads_end = true,
    .tags = N_ ("audio draw oscilloscope envelope amplitude plot visualizer"),
    .help = N_ ("Draws the outline of a sound over a range of frames, all channels in one. Silence is a flat line."));
