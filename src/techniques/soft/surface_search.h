/* surface_search: what the ways to find the cubes of a surface share: places of the lattice, and the values of a field there.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "soft/lattice_map.h"
#include "soft/polygonize.h"

G_BEGIN_DECLS

typedef struct {
  int32_t x, y, z;
} LatticePlace;

/* low <= place <= high */
typedef struct {
  LatticePlace low, high;
} LatticeRange;

/* See surface_memo.h. */
typedef struct _SurfaceMemo SurfaceMemo;

/* Where a field is sampled, and for what. */
typedef struct {
  const KgField *field;
  const PolygonizeOptions *options;
  const KgProgressMonitor *monitor;
} SurfaceSampling;

/* KG_ERROR_CANCELLED */
bool surface_search_check_cancelled (const SurfaceSampling *sampling, GError **error);
/* Samples at n places (3 floats each), and checks for cancelling now and then.  KG_ERROR_CANCELLED. */
bool surface_search_sample (const SurfaceSampling *sampling, const float *places, size_t n, float *values,
                            GError **error);
/* Writes the place of a corner of the lattice. */
void surface_search_fill_place (const PolygonizeOptions *options, LatticePlace at, float *p);
/* The cubes that a box touches.  KG_ERROR_LIMIT: there are fewer than margin left between them and the end of the lattice. */
bool surface_search_get_range (const PolygonizeOptions *options, int32_t margin, LatticeRange *cubes, GError **error);

/* Corners of the lattice whose values are known, or asked for and sampled together. */
typedef struct {
  LatticeMap map;
  GArray *values;    /* float */
  GArray *asked;     /* LatticePlace: those without a value yet */
  SurfaceMemo *memo; /* (nullable) of values from before */
  size_t n_samples;  /* at which the field was looked at */
} LatticeCorners;

/* memo: (nullable) borrowed */
void lattice_corners_init (LatticeCorners *corners, SurfaceMemo *memo);
void lattice_corners_clear (LatticeCorners *corners);
/* The number of a corner among the values, once it is answered. */
uint32_t lattice_corners_ask (LatticeCorners *corners, LatticePlace at);
/* KG_ERROR_CANCELLED */
bool lattice_corners_answer (LatticeCorners *corners, const SurfaceSampling *sampling, GError **error);

/* The value at a corner that is answered. */
static inline float
lattice_corners_get (const LatticeCorners *corners, LatticePlace at)
{
  const size_t slot = lattice_map_find_slot (&corners->map, lattice_key (at.x, at.y, at.z, 0));

  return g_array_index (corners->values, float, corners->map.values[slot]);
}

static inline LatticePlace
lattice_place_add (LatticePlace at, int32_t scale, guint corner)
{
  return (LatticePlace){ at.x + scale * (int32_t) (corner & 1), at.y + scale * (int32_t) (corner >> 1 & 1),
                         at.z + scale * (int32_t) (corner >> 2) };
}

/* By z, y and x. */
static inline int
lattice_place_compare (LatticePlace p, LatticePlace q)
{
  return p.z != q.z ? (p.z > q.z) - (p.z < q.z) : p.y != q.y ? (p.y > q.y) - (p.y < q.y) : (p.x > q.x) - (p.x < q.x);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (LatticeCorners, lattice_corners_clear)

G_END_DECLS
