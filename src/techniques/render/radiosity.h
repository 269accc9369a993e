/* radiosity: light that goes between surfaces until it is in balance.
 *
 * Faces are divided into patches.  Each has one radiosity B = E + rho sum F B': what it emits and the share rho of what arrives that
 * it scatters.  F_ij, the form factor, is the share of the diffuse light of patch i that meets patch j; it comes from cosine
 * distributed rays or from a hemicube drawn around the patch, and is scaled so that all shares together are 1.  The system
 * is solved by progressive shooting: the patch with most light that it has not passed on yet passes it on.  On two
 * levels, patches shoot and their elements receive: the factors of a patch are the mean of those of its elements.
 *
 * An ideal mirror shows the patch that the reflected ray meets.  Other surfaces that are not diffuse have a radiance for each bin of
 * directions; their reflection is scaled so that every direction reflects the share rho, by factors that keep it
 * reciprocal (Sinkhorn and Knopp 1967).
 *
 * Light has the unit of a radiosity: a radiance is pi times smaller, so that diffuse surfaces have one number for both.
 *
 * Sources: Goral, Torrance, Greenberg and Battaile 1984; Cohen and Greenberg 1985 (hemicube); Cohen, Greenberg, Immel and
 * Brock 1986 (elements); Cohen, Chen, Wallace and Greenberg 1988 (shooting); Immel, Cohen and Greenberg 1986 (directions).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-geometry.h"
#include "kg-progress.h"

G_BEGIN_DECLS

/* Of form factors, and of directions times patches, that are kept: enough for any room, refused before memory is. */
#define RADIOSITY_MOST_FACTORS 50000000
#define RADIOSITY_MOST_NUMBERS 200000000
#define RADIOSITY_MOST_ELEMENTS 1000000
/* Of the light that arrives, by scattering and as a mirror: beyond, light is reflected so often that hardly any work is enough. */
#define RADIOSITY_MOST_REFLECTED 0.9999
/* Beyond, a lobe is narrower than any bin, and all of it would be rounded to 0. */
#define RADIOSITY_MOST_SHINE 1000

typedef enum { RADIOSITY_FRONT, RADIOSITY_BOTH, RADIOSITY_N_SIDES } RadiositySides;
typedef enum { RADIOSITY_RAYS, RADIOSITY_HEMICUBE, RADIOSITY_N_FACTORS } RadiosityFactors;
typedef enum { RADIOSITY_DIFFUSE, RADIOSITY_DIRECTIONAL, RADIOSITY_N_SURFACES } RadiositySurfaces;
typedef enum { RADIOSITY_PHONG, RADIOSITY_COOK_TORRANCE, RADIOSITY_N_LOBES } RadiosityLobe;

typedef struct {
  double patch_size; /* metres: no side of a patch is longer */
  uint32_t elements; /* 1 or more: parts of a patch along each side */
  RadiositySides sides;
  double reflectance;   /* multiplies Cd */
  double background[3]; /* radiosity of what is outside */
  RadiosityFactors factors;
  uint32_t rays;     /* of each element */
  uint32_t hemicube; /* even */
  uint64_t seed;
  double tolerance; /* shooting ends when this share of all light is left; directions, when no more of the largest is */
  RadiositySurfaces surfaces;
  uint32_t bins; /* even */
  RadiosityLobe lobe;
  double gloss; /* 0 to 1: the share of the reflected light that goes into the lobe */
  double
      shine; /* Phong's exponent where the faces have no attribute shine; Cook and Torrance: m is sqrt (2 / (shine + 2)) */
  double index; /* of refraction: Cook and Torrance */
  KgVector eye; /* directions: from where the result is seen */
} RadiosityRule;

/* One patch, or one element. */
typedef struct {
  uint32_t facet;   /* the same for all of one face, or of one triangle of a face with more than four corners */
  uint32_t polygon; /* primitive of the geometry */
  bool back;        /* the other side of the face */
  KgVector center, normal;
  double area, size; /* size: the largest distance of two corners */
  double emission[3], reflectance[3], mirror, shine;
  double radiosity[3]; /* directions: that of the diffuse surface with the same light, pi times the mean radiance */
  double shown[3];     /* what the result is coloured with: the light of a mirror, or towards the eye, too */
} RadiosityPatch;

/* The share of patch i's light that meets patch. */
typedef struct {
  uint32_t patch;
  float share;
} RadiosityFactor;

typedef struct {
  uint32_t n;
  RadiosityFactor *factors; /* in the order of patches */
  double outside;           /* the share that leaves the scene */
} RadiosityRow;

/* Read only once it is made. */
typedef struct {
  size_t n_patches, n_elements;
  RadiosityPatch *patches, *elements; /* the same array where there is one level */
  uint32_t *patch;                    /* of each element */
  RadiosityRow *rows;                 /* of each element; NULL for directions */
  size_t n_near;                      /* hemicube: pairs nearer than their size, whose factors come from rays */
  const char *twice[5]; /* attributes of primitives that points have, too, and that do not count there; NULL ends */
  double shine;         /* the largest of faces; beyond RADIOSITY_MOST_SHINE, that is used instead */
  KgGeometry *
      lit; /* the elements as faces, coloured at their corners by the mean of those around that belong to one smooth surface of
                      one material; their primitives have the attributes of the original ones but Cd */
} Radiosity;

/* Reads Cd, emission (1, 3 or 4 numbers), mirror and shine (1 number) of primitives, or else of points.  NULL and *error: no face, a
 * surface that reflects nearly all light or more, something beyond a limit.  NULL without an error: cancelled.  (transfer full) */
Radiosity *radiosity_new (const KgGeometry *geometry, const RadiosityRule *rule, const KgProgressMonitor *monitor,
                          GError **error);
void radiosity_free (Radiosity *radiosity);

/* The form factor of an element to a patch. */
double radiosity_get_factor (const Radiosity *radiosity, size_t element, size_t patch);

/* Reflection of directions.  n bins with the shares weights (together 1) in the directions d, unit, z along the normal:
 * reflection[n i + k] is pi times the scaled reflection from bin i to k of a surface with albedo 1, the same in both ways; of no use when cancelled.
 * scales: (out) n, the factors of both ends.  Without gloss everything is 1. */
void radiosity_scale_reflection (const RadiosityRule *rule, double shine, uint32_t n, const KgVector *d,
                                 const double *weights, double *reflection, double *scales,
                                 const KgProgressMonitor *monitor);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Radiosity, radiosity_free)

G_END_DECLS
