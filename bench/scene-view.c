/* bench/scene-view: how many pictures a second the scene view draws while it is turned: 100,000 triangles at 960×540, as drafts
 * and as pictures that stay, shaded, as wires and as a template.
 *   kineo-scene-view-bench [SIDE]   SIDE: squares along each side of the surface (223)
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-stage.h"

#define TURNS 24

/* Hills of side × side squares, two triangles each. */
static KgGeometry *
make_hills (guint side)
{
  KgGeometry *geometry = kg_geometry_new ();
  g_autofree uint32_t *corners = g_new (uint32_t, (size_t) 6 * side * side);
  size_t n = 0;
  float *p;

  kg_geometry_set_n_points (geometry, (size_t) (side + 1) * (side + 1), NULL);
  p = kg_geometry_edit_positions (geometry);
  for (guint j = 0; j <= side; j++)
    for (guint i = 0; i <= side; i++) {
      const double x = 4.0 * i / side - 2, z = 4.0 * j / side - 2;

      *p++ = (float) x;
      *p++ = (float) (0.3 * sin (5 * x) * cos (4 * z));
      *p++ = (float) z;
    }
  for (guint j = 0; j < side; j++)
    for (guint i = 0; i < side; i++) {
      const uint32_t a = j * (side + 1) + i, b = a + side + 1;
      const uint32_t square[] = { a, b, a + 1, a + 1, b, b + 1 };

      for (guint k = 0; k < 6; k++)
        corners[n++] = square[k];
    }
  kg_geometry_add_primitives (geometry, KG_POLYGON, true, n / 3, 3, corners);
  return geometry;
}

static void
measure (const char *name, const GPtrArray *items, KgView view, double share)
{
  g_autoptr (KgStagePainter) painter = kg_stage_painter_new ();
  gint64 start = 0;

  view.scale = share;
  /* The first picture works out what the others use again. */
  for (int i = -1; i < TURNS; i++) {
    const double yaw = 2 * G_PI * i / TURNS;
    g_autoptr (KgImage) image = NULL;
    g_autoptr (GError) error = NULL;

    if (i == 0)
      start = g_get_monotonic_time ();
    view.eye = kg_vector (6 * sin (yaw), 2.5, 6 * cos (yaw));
    image = kg_stage_painter_draw (painter, items, &view, (int) (share * view.width), (int) (share * view.height), NULL,
                                   NULL, &error);
    g_assert_no_error (error);
  }
  {
    const double seconds = 1e-6 * (double) (g_get_monotonic_time () - start) / TURNS;

    g_print ("%-28s %7.2f ms %7.1f a second\n", name, 1e3 * seconds, 1 / seconds);
  }
}

int
main (int argc, char **argv)
{
  const guint side = argc > 1 ? (guint) g_ascii_strtoull (argv[1], NULL, 10) : 223;
  g_autoptr (GPtrArray) items = g_ptr_array_new ();
  KgStageItem item = { .target = NULL, .stage = KG_STAGE_SHOWN, .has_value = true };
  KgView view = {
    .width = 960, .height = 540, .fov = 40, .near_plane = 0.006, .far_plane = 6000, .style = KG_STYLE_SHADED
  };

  item.value = (KgValue){ .kind = KG_GEOMETRY, .geometry = make_hills (side) };
  g_ptr_array_add (items, &item);
  g_print ("%u triangles, %d × %d\n", 2 * side * side, view.width, view.height);
  view.draft = true;
  measure ("draft", items, view, 1);
  measure ("draft, half size", items, view, 0.5);
  measure ("draft, quarter size", items, view, 0.25);
  view.draft = false;
  measure ("2 × 2 samples", items, view, 1);
  view.style = KG_STYLE_WIREFRAME;
  view.draft = true;
  measure ("wireframe draft", items, view, 1);
  view.style = KG_STYLE_SHADED;
  item.stage = KG_STAGE_TEMPLATE;
  measure ("template draft", items, view, 1);
  view.style = KG_STYLE_POINTS;
  item.stage = KG_STAGE_SHOWN;
  measure ("points", items, view, 1);
  kg_value_clear (&item.value);
  return 0;
}
