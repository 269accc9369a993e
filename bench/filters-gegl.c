/* filters-gegl: the rows of filters.c that GEGL has, on its buffers in memory.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "filters.h"

#include <gegl.h>

#define PREMULTIPLIED "RaGaBaA float"
#define STRAIGHT "RGBA float"

/* The formats are those that the operations work in: nothing is converted.  The colours of numbers are those of image
 * as if they were straight, for operations that take channels one by one. */
static GeglBuffer *image, *front, *numbers, *result;

static GeglBuffer *
make_buffer (const float *pixels, const Babl *format)
{
  GeglBuffer *buffer = gegl_buffer_new (GEGL_RECTANGLE (0, 0, width, height), format);

  gegl_buffer_set (buffer, NULL, 0, format, pixels, GEGL_AUTO_ROWSTRIDE);
  return buffer;
}

/* Runs the nodes up to the last one for all pixels at once. */
static void
finish_as (GeglNode *graph, GeglNode *last, int columns, int rows, const char *format)
{
  result = gegl_buffer_new (GEGL_RECTANGLE (0, 0, columns, rows), babl_format (format));
  gegl_node_blit_buffer (last, result, GEGL_RECTANGLE (0, 0, columns, rows), 0, GEGL_ABYSS_NONE);
  g_object_unref (graph);
}

static GeglNode *
add_source (GeglNode *graph, GeglBuffer *buffer)
{
  return gegl_node_new_child (graph, "operation", "gegl:buffer-source", "buffer", buffer, NULL);
}

/* One node, named with its properties. */
#define APPLY(buffer, format, columns, rows, ...)                                                                      \
  do {                                                                                                                 \
    GeglNode *graph = gegl_node_new (), *source = add_source (graph, buffer);                                          \
    GeglNode *node = gegl_node_new_child (graph, "operation", __VA_ARGS__, NULL);                                      \
    gegl_node_link (source, node);                                                                                     \
    finish_as (graph, node, columns, rows, format);                                                                    \
  } while (0)

static void
over (double opacity)
{
  GeglNode *graph = gegl_node_new (), *source = add_source (graph, image), *aux = add_source (graph, front);
  GeglNode *node = gegl_node_new_child (graph, "operation", "svg:src-over", NULL);

  (void) opacity;
  gegl_node_link (source, node);
  gegl_node_connect_to (aux, "output", node, "aux");
  finish_as (graph, node, width, height, PREMULTIPLIED);
}

/* Contrast is about a half: 0.95 x + 0.02. */
static void
chain (double n)
{
  GeglNode *graph = gegl_node_new (), *last = add_source (graph, numbers);

  for (int i = 0; i < n; i++) {
    GeglNode *node = gegl_node_new_child (graph, "operation", "gegl:brightness-contrast", "contrast", 0.95,
                                          "brightness", -0.005, NULL);

    gegl_node_link (last, node);
    last = node;
  }
  finish_as (graph, last, width, height, STRAIGHT);
}

/* A choice of an operation, by its name: the numbers are in no header. */
static int
find_choice (const char *operation, const char *property, const char *name)
{
  GParamSpec *spec = gegl_operation_find_property (operation, property);
  const GEnumValue *choice = g_enum_get_value_by_nick (G_PARAM_SPEC_ENUM (spec)->enum_class, name);

  if (choice == NULL)
    g_error ("%s of %s cannot be %s", property, operation, name);
  return choice->value;
}

/* The recursive filter, which it prefers from 1 on, is off by a thirtieth there. */
static void
blur (double size)
{
  APPLY (image, PREMULTIPLIED, width, height, "gegl:gaussian-blur", "std-dev-x", size, "std-dev-y", size, "filter",
         find_choice ("gegl:gaussian-blur", "filter", size < 10 ? "fir" : "iir"));
}

static void
box (double size)
{
  APPLY (image, PREMULTIPLIED, width, height, "gegl:box-blur", "radius", (int) size);
}

static void
streak (double size)
{
  APPLY (image, PREMULTIPLIED, width, height, "gegl:motion-blur-linear", "length", size, "angle", 0.5 * 180 / G_PI);
}

/* Of squares, and without the 8 bits that it makes of the numbers otherwise. */
static void
median (double size)
{
  APPLY (numbers, STRAIGHT, width, height, "gegl:median-blur", "radius", (int) size, "neighborhood",
         find_choice ("gegl:median-blur", "neighborhood", "square"), "high-precision", TRUE);
}

/* It has no Lanczos: its own filter for both. */
static void
resize (double factor)
{
  APPLY (image, PREMULTIPLIED, (int) (factor * width), (int) (factor * height), "gegl:scale-ratio", "x", factor, "y",
         factor, "sampler", GEGL_SAMPLER_LOHALO);
}

/* With a map of the positions, which belongs to the work. */
static void
warp (double size)
{
  const Babl *format = babl_format_n (babl_type ("float"), 2);
  GeglBuffer *map = gegl_buffer_new (GEGL_RECTANGLE (0, 0, width, height), format);
  GeglBufferIterator *i = gegl_buffer_iterator_new (map, NULL, 0, format, GEGL_ACCESS_WRITE, GEGL_ABYSS_NONE, 1);
  GeglNode *graph = gegl_node_new (), *source = add_source (graph, image), *aux = add_source (graph, map);
  GeglNode *node = gegl_node_new_child (graph, "operation", "gegl:map-absolute", "sampler-type", GEGL_SAMPLER_CUBIC,
                                        "abyss-policy", GEGL_ABYSS_CLAMP, NULL);

  while (gegl_buffer_iterator_next (i)) {
    const GeglRectangle *area = &i->items[0].roi;
    float *to = (float *) i->items[0].data;

    for (int y = area->y; y < area->y + area->height; y++)
      for (int x = area->x; x < area->x + area->width; x++, to += 2) {
        to[0] = (float) (x + 0.5 + size * sin (0.02 * (y + 0.5)));
        to[1] = (float) (y + 0.5 + size * cos (0.02 * (x + 0.5)));
      }
  }
  gegl_node_link (source, node);
  gegl_node_connect_to (aux, "output", node, "aux");
  finish_as (graph, node, width, height, PREMULTIPLIED);
  g_object_unref (map);
}

static const FilterRow rows[] = {
  { "over", over, 1 },
  { "chain-10", chain, 10 },
  { "warp", warp, 20 },
  { "gaussian-1", blur, 1 },
  { "gaussian-10", blur, 10 },
  { "gaussian-100", blur, 100 },
  { "box-10", box, 10, true },
  { "box-100", box, 100, true },
  { "streak-30", streak, 30, true },
  { "streak-300", streak, 300, true },
  { "median-1", median, 1 },
  { "median-5", median, 5 },
  { "median-20", median, 20, true },
  { "lanczos-half", resize, 0.5 },
  { "lanczos-twice", resize, 2, true },
};

static void
forget (void)
{
  g_clear_object (&result);
}

static FilterResult
fetch (void)
{
  const GeglRectangle *extent = gegl_buffer_get_extent (result);
  float *pixels = g_new (float, 4 * (size_t) extent->width * (size_t) extent->height);

  gegl_buffer_get (result, extent, 1, NULL, pixels, GEGL_AUTO_ROWSTRIDE, GEGL_ABYSS_NONE);
  return (FilterResult){ pixels, extent->width, extent->height };
}

int
main (int argc, char **argv)
{
  filters_begin (argc, argv);
  g_setenv ("GEGL_USE_OPENCL", "no", TRUE);
  g_object_set (gegl_config (), "tile-cache-size", (guint64) 8 << 30, "application-license", "GPL3", NULL);
  gegl_init (NULL, NULL);
  image = make_buffer (original, babl_format (PREMULTIPLIED));
  front = make_buffer (above, babl_format (PREMULTIPLIED));
  numbers = make_buffer (original, babl_format (STRAIGHT));
  filters_run (rows, G_N_ELEMENTS (rows), argc, argv, forget, fetch);
  forget ();
  g_object_unref (image);
  g_object_unref (front);
  g_object_unref (numbers);
  gegl_exit ();
  filters_end ();
  return 0;
}
