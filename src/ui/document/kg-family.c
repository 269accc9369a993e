/* kg-family: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-family.h"

#include "config.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

typedef struct {
  const char *name, *label;
  KgTint tint;
  /* In a square of 16: M and L go to a point, C is a cubic, O a circle (middle, radius), D a disc, Z closes. */
  const char *path;
} Family;

static const Family families[] = {
  { "curve", N_ ("Curves"), { 0.16, 0.66, 0.62 }, "M 2 13 C 5 -2 11 18 14 3 D 2 13 1.5 D 14 3 1.5" },
  { "deform",
    N_ ("Deformation"),
    { 0.36, 0.62, 0.30 },
    "M 4 2 C 7 6 1 10 4 14 M 12 2 C 15 6 9 10 12 14 M 4 2 L 12 2 M 4 14 L 12 14 M 3.5 8 L 11.5 8" },
  { "edit",
    N_ ("Editing"),
    { 0.74, 0.40, 0.26 },
    "M 1.5 4 L 9 4 L 9 7.5 L 1.5 7.5 Z M 7 9 L 14.5 9 L 14.5 12.5 L 7 12.5 Z M 12 1.5 L 12 6.5" },
  { "field",
    N_ ("Fields"),
    { 0.22, 0.62, 0.78 },
    "M 1 5 C 4 1 7 9 10 5 C 12 3 13 3 15 4 M 1 10 C 4 6 7 14 10 10 C 12 8 13 8 15 9" },
  { "figure", N_ ("Figures"), { 0.78, 0.52, 0.34 }, "O 8 3.5 2 M 8 5.5 L 8 10 L 5 15 M 8 10 L 11 15 M 4 8 L 12 8" },
  { "gegl", N_ ("GEGL"), { 0.64, 0.46, 0.32 }, "M 2 3 L 14 3 L 9.5 9 L 9.5 14 L 6.5 12 L 6.5 9 Z" },
  { "geometry",
    N_ ("Geometry"),
    { 0.10, 0.62, 0.45 },
    "M 8 1.5 L 14 5 L 14 11 L 8 14.5 L 2 11 L 2 5 Z M 2 5 L 8 8.5 L 14 5 M 8 8.5 L 8 14.5" },
  { "graph",
    N_ ("Graph"),
    { 0.48, 0.50, 0.55 },
    "M 1.5 2 L 6.5 2 L 6.5 6 L 1.5 6 Z M 9.5 10 L 14.5 10 L 14.5 14 L 9.5 14 Z M 6.5 4 C 10 4 6 12 9.5 12" },
  { "image",
    N_ ("Images"),
    { 0.80, 0.36, 0.30 },
    "M 1.5 3 L 14.5 3 L 14.5 13 L 1.5 13 Z M 2 12 L 6 7.5 L 9 10.5 L 11 8.5 L 14 12 O 11 6 1.2" },
  { "morph", N_ ("Morphing"), { 0.62, 0.44, 0.74 }, "O 5.5 8 4 M 7.5 4 L 14.5 4 L 14.5 12 L 7.5 12" },
  { "motion", N_ ("Motion"), { 0.86, 0.52, 0.16 }, "M 1.5 14 L 1.5 2 M 1.5 14 L 14.5 14 M 2 13 C 8 13 8 3 14 3" },
  { "nature",
    N_ ("Nature"),
    { 0.34, 0.58, 0.22 },
    "M 8 15 L 8 6 M 8 8 C 3 8 3 3 3 2 C 8 2 8 6 8 8 M 8 11 C 12 11 13 8 13 6 C 9 6 8 9 8 11" },
  { "physics", N_ ("Physics"), { 0.70, 0.38, 0.46 }, "M 3 1.5 L 13 1.5 M 8 1.5 L 12 11 D 12 12 2.2" },
  { "render",
    N_ ("Rendering"),
    { 0.82, 0.34, 0.54 },
    "M 1.5 5 L 10 5 L 10 12 L 1.5 12 Z M 10 7.5 L 14.5 5 L 14.5 12 L 10 9.5" },
  { "rig",
    N_ ("Skeletons"),
    { 0.66, 0.58, 0.40 },
    "O 3 3 1.6 O 12 7 1.6 O 6 13 1.6 M 4.4 3.7 L 10.6 6.4 M 11 8.2 L 7 11.8" },
  { "rotation",
    N_ ("Rotation"),
    { 0.56, 0.38, 0.72 },
    "M 13.5 8 C 13.5 11 11 13.5 8 13.5 C 5 13.5 2.5 11 2.5 8 C 2.5 5 5 2.5 8 2.5 C 10 2.5 11.5 3.4 12.5 4.8 M 12.8 1.5 L 12.8 5.2 L 9.2 5.2" },
  { "sim",
    N_ ("Simulation"),
    { 0.70, 0.38, 0.46 },
    "D 3 13 1.3 D 6 8 1.3 D 10 5 1.3 D 13 9 1.3 D 9 12 1.3 D 14 2 1.3" },
  { "soft",
    N_ ("Soft Objects"),
    { 0.30, 0.56, 0.66 },
    "M 5 13 C 0 12 1 5 5 5 C 6 1 13 1 13 6 C 16 9 13 13 10 12 C 8 15 6 14 5 13 Z" },
  { "transform",
    N_ ("Transforms"),
    { 0.50, 0.42, 0.80 },
    "M 8 8 L 8 1.5 M 8 8 L 14.5 11 M 8 8 L 1.5 11 M 6.5 3.2 L 8 1.5 L 9.5 3.2" },
  { "value",
    N_ ("Values"),
    { 0.40, 0.44, 0.72 },
    "M 5.5 2 L 4 14 M 11.5 2 L 10 14 M 1.5 5.5 L 14.5 5.5 M 1.5 10.5 L 14.5 10.5" },
};

/* Of a preset, and of what this program does not know. */
static const Family other = { "", NULL, { 0.45, 0.47, 0.50 }, "M 8 1.5 L 14.5 8 L 8 14.5 L 1.5 8 Z" };

static const Family *
find (const char *type_id)
{
  const size_t length = strcspn (type_id, "/");

  for (guint i = 0; i < G_N_ELEMENTS (families); i++)
    if (strlen (families[i].name) == length && strncmp (families[i].name, type_id, length) == 0)
      return &families[i];
  return &other;
}

const char *
kg_family_get_label (const char *family)
{
  const Family *found = find (family);

  return found->label != NULL ? _ (found->label) : NULL;
}

KgTint
kg_family_get_tint (const char *type_id)
{
  return find (type_id)->tint;
}

/* The paths are constants of this file: each letter has its numbers. */
static const char *
read_numbers (const char *at, double *numbers, guint n)
{
  for (guint i = 0; i < n; i++) {
    char *end;

    numbers[i] = g_ascii_strtod (at, &end);
    at = end;
  }
  return at;
}

void
kg_family_draw_icon (cairo_t *cr, const char *type_id, double x, double y, double size)
{
  const char *at = find (type_id)->path;

  cairo_save (cr);
  cairo_translate (cr, x, y);
  cairo_scale (cr, size / 16, size / 16);
  cairo_set_line_width (cr, 1.5);
  cairo_set_line_cap (cr, CAIRO_LINE_CAP_ROUND);
  cairo_set_line_join (cr, CAIRO_LINE_JOIN_ROUND);
  cairo_new_path (cr);
  while (*at != '\0') {
    const char command = *at++;
    double p[6];

    if (command == 'M' || command == 'L') {
      at = read_numbers (at, p, 2);
      if (command == 'M')
        cairo_move_to (cr, p[0], p[1]);
      else
        cairo_line_to (cr, p[0], p[1]);
    } else if (command == 'C') {
      at = read_numbers (at, p, 6);
      cairo_curve_to (cr, p[0], p[1], p[2], p[3], p[4], p[5]);
    } else if (command == 'O' || command == 'D') {
      at = read_numbers (at, p, 3);
      cairo_stroke (cr);
      cairo_arc (cr, p[0], p[1], p[2], 0, 2 * G_PI);
      if (command == 'D')
        cairo_fill (cr);
    } else if (command == 'Z')
      cairo_close_path (cr);
  }
  cairo_stroke (cr);
  cairo_restore (cr);
}
