/* key_attributes: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "soft/key_attributes.h"
#include "kg-floats.h"

const float *
key_attributes_find_color (const KgGeometry *geometry, KgDomain domain, uint8_t *size)
{
  *size = kg_geometry_get_float (geometry, domain, "Cd", 4) != NULL ? 4 : 3;
  return kg_geometry_get_float (geometry, domain, "Cd", *size);
}

KeyAttributes
key_attributes_find (const KgGeometry *geometry)
{
  KeyAttributes a = { .geometry = geometry,
                      .p = kg_geometry_get_positions (geometry),
                      .axes = kg_geometry_get_float (geometry, KG_POINTS, "axes", 3),
                      .size = kg_geometry_get_float (geometry, KG_POINTS, "size", 3),
                      .width = kg_geometry_get_float (geometry, KG_POINTS, "width", 1),
                      .orient = kg_geometry_get_float (geometry, KG_POINTS, "orient", 4),
                      .frame = kg_geometry_get_float (geometry, KG_POINTS, "frame", 9),
                      .power = kg_geometry_get_float (geometry, KG_POINTS, "power", 1),
                      .force = kg_geometry_get_float (geometry, KG_POINTS, "force", 1),
                      .sized = kg_geometry_get_float (geometry, KG_POINTS, "sized", 1),
                      .group = kg_geometry_get_int (geometry, KG_POINTS, "group", 1),
                      .kind = kg_geometry_get_int (geometry, KG_POINTS, "kind", 1),
                      .part = kg_geometry_get_int (geometry, KG_POINTS, "part", 1),
                      .id = kg_geometry_get_int (geometry, KG_POINTS, "id", 1) };

  a.color = key_attributes_find_color (geometry, KG_POINTS, &a.color_size);
  return a;
}

KgVector
key_attributes_get_place (const KeyAttributes *a, size_t i)
{
  return kg_floats_get_vector (a->p, i);
}

KgRotation
key_attributes_get_orient (const KeyAttributes *a, size_t i)
{
  return a->orient == NULL ? kg_rotation_identity () : kg_rotation_normalize (kg_floats_get_rotation (a->orient, i));
}

/* Which attribute tells the extent. */
typedef enum { EXTENT_AXES, EXTENT_SIZE, EXTENT_WIDTH, EXTENT_DEFAULT } Extent;

static bool
has_any (const float *numbers, size_t n, size_t i)
{
  if (numbers == NULL)
    return false;
  for (size_t c = 0; c < n; c++)
    if (numbers[n * i + c] != 0)
      return true;
  return false;
}

static Extent
find_extent (const KeyAttributes *a, size_t i)
{
  if (has_any (a->axes, 3, i))
    return EXTENT_AXES;
  if (has_any (a->size, 3, i))
    return EXTENT_SIZE;
  if (has_any (a->width, 1, i))
    return EXTENT_WIDTH;
  /* A key that has faded away. */
  return a->axes != NULL    ? EXTENT_AXES
         : a->size != NULL  ? EXTENT_SIZE
         : a->width != NULL ? EXTENT_WIDTH
                            : EXTENT_DEFAULT;
}

KgVector
key_attributes_get_half_extent (const KeyAttributes *a, size_t i, bool *influence)
{
  const Extent extent = find_extent (a, i);
  const float *half = extent == EXTENT_AXES ? a->axes : a->size;
  const double radius = extent == EXTENT_WIDTH ? 0.5 * (double) a->width[i] : KEY_DEFAULT_RADIUS;

  *influence = extent == EXTENT_AXES;
  return extent == EXTENT_AXES || extent == EXTENT_SIZE ? kg_floats_get_vector (half, i)
                                                        : kg_vector (radius, radius, radius);
}

bool
key_attributes_has_frame (const KeyAttributes *a, size_t i)
{
  return has_any (a->frame, 9, i);
}

bool
key_attributes_has_body_frame (const KeyAttributes *a, size_t i)
{
  return key_attributes_has_frame (a, i) && find_extent (a, i) == EXTENT_SIZE;
}

double
key_attributes_get_power (const KeyAttributes *a, size_t i)
{
  return a->power != NULL ? (double) a->power[i] : 2;
}

double
key_attributes_get_force (const KeyAttributes *a, size_t i)
{
  return a->force != NULL ? (double) a->force[i] : 1;
}

int32_t
key_attributes_get_group (const KeyAttributes *a, size_t i)
{
  return a->group != NULL ? a->group[i] : 0;
}

double
key_attributes_get_sized (const KeyAttributes *a, size_t i)
{
  return a->sized != NULL && a->sized[i] != 0 ? (double) a->sized[i] : key_attributes_get_force (a, i);
}
