/* kg-field: a scalar or vector function of space and time, sampled in blocks.
 * A field is a node of a tree: a class (one static const struct in a node's file), a few parameters, children.
 * Evaluated only where and when it is sampled.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-math.h"
#include "kg-types.h"

G_BEGIN_DECLS

#define KG_FIELD_BLOCK 1024    /* most points of one sampling call */
#define KG_FIELD_MAX_DEPTH 256 /* most levels of one tree */

/* Where to sample: n <= KG_FIELD_BLOCK points as separate coordinates.  Velocities and ids matter to fields
 * that stand for forces; NULL means zero velocity, ids 0..n-1. */
typedef struct {
  size_t n;
  const float *x, *y, *z;
  const float *vx, *vy, *vz;
  const int32_t *id;
  double time;                     /* seconds */
  struct _KgFieldScratch *scratch; /* NULL: kg_field_sample keeps its own things here */
} KgFieldBlock;

/* The values of one field at the points of a block, or scratch for that. */
typedef float (*KgFieldArrays)[KG_FIELD_BLOCK];

typedef struct {
  const char *name;
  guint width; /* 1 scalar, 3 vector */
  /* Writes n numbers to each of width arrays.  A class samples its children with kg_field_sample and the same block,
   * into arrays from kg_field_take_arrays.  What it does not sample at other places or times than its own is worked
   * out once, however many fields of the tree share it. */
  void (*sample) (const KgField *field, const KgFieldBlock *block, float *const *out);
  /* Of classes whose fields hold something besides numbers. */
  void (*free_data) (gpointer data);
  bool (*equal_data) (gconstpointer a, gconstpointer b);
  /* Of scalar fields that stand for bodies; each may be missing.  Values together with their derivatives along x, y and z. */
  void (*sample_gradient) (const KgField *field, const KgFieldBlock *block, float *value, float *const gradient[3]);
  /* A box outside of which the field is below its level; false: there is none.  The low corner is above the high one where it
   * is nowhere at its level. */
  bool (*get_bounds) (const KgField *field, KgVector *low, KgVector *high);
  /* The same for another level, above 0: of classes whose box depends on it.  NULL: the box is that of all levels. */
  bool (*get_bounds_at) (const KgField *field, double level, KgVector *low, KgVector *high);
  /* The value on the surface: a body is where the field is at least that. */
  double (*get_level) (const KgField *field);
  /* Appends places (KgVector) near which pieces of a body are to be searched for. */
  void (*add_seeds) (const KgField *field, GArray *seeds);
  /* Joins to the hash all that the values within a box, its border included, depend on besides the place; false: it cannot
   * tell.  Of classes whose values differ with time only as their parameters, data and children do. */
  bool (*hash_within) (const KgField *field, KgVector low, KgVector high, KgHash *hash);
  /* Of fields that stand for forces and depend on the velocity: the most by which they draw velocities to one of their own, in
   * 1/s; INFINITY: it depends. */
  double (*get_hold) (const KgField *field);
} KgFieldClass;

/* Copies the parameters (n_parameters doubles) and takes references on the children.  Fails when the tree
 * would be deeper than KG_FIELD_MAX_DEPTH.  (transfer full) */
KgField *kg_field_new (const KgFieldClass *klass, const double *parameters, guint n_parameters,
                       const KgField *const *children, guint n_children, GError **error);
/* The same with what the class gives the meaning of: data, which it frees, also if this fails, and never changes.
 * (transfer full) */
KgField *kg_field_new_with_data (const KgFieldClass *klass, const double *parameters, guint n_parameters,
                                 const KgField *const *children, guint n_children, gpointer data, GError **error);
gconstpointer kg_field_get_data (const KgField *field);
KgField *kg_field_ref (const KgField *field);
void kg_field_unref (KgField *field);

/* (transfer full) The same number (or vector) everywhere. */
KgField *kg_field_new_constant (double value);
KgField *kg_field_new_constant_vector (KgVector value);
/* (transfer full) The sum of n vector fields; scalar children count as multiples of y. */
KgField *kg_field_new_sum (const KgField *const *fields, guint n, GError **error);

guint kg_field_get_width (const KgField *field);
const char *kg_field_get_name (const KgField *field); /* of its class */
const KgFieldClass *kg_field_get_class (const KgField *field);
const double *kg_field_get_parameters (const KgField *field);
guint kg_field_get_n_parameters (const KgField *field);
const KgField *kg_field_get_child (const KgField *field, guint index);
guint kg_field_get_n_children (const KgField *field);

/* Three arrays for a class to sample a child into, to be given back before it returns.  Not on the stack: there is one
 * for each level of the tree, and the stacks of threads are small. */
KgFieldArrays kg_field_take_arrays (const KgFieldBlock *block);
void kg_field_release_arrays (const KgFieldBlock *block, KgFieldArrays arrays);

/* out: as many arrays of n floats as the field is wide. */
void kg_field_sample (const KgField *field, const KgFieldBlock *block, float *const *out);
/* Samples at n points (3 floats each, any n, parallel over blocks) into width floats a point. */
void kg_field_sample_points (const KgField *field, const float *points, size_t n, double time, float *out);

/* The values of a scalar field and their derivatives: exact where the class knows them, else central differences with the
 * given step (metres, > 0). */
void kg_field_sample_gradient (const KgField *field, const KgFieldBlock *block, double step, float *value,
                               float *const gradient[3]);
/* The same at n points: one value and 3 derivatives a point. */
void kg_field_sample_gradients (const KgField *field, const float *points, size_t n, double time, double step,
                                float *values, float *gradients);
/* What the class says of its fields; see KgFieldClass.  Without a level of its own the surface of a field is where it is
 * KG_FIELD_LEVEL. */
#define KG_FIELD_LEVEL 0.5
bool kg_field_get_bounds (const KgField *field, KgVector *low, KgVector *high);
/* A box outside of which it is below a level, which need not be its own; false: there is none, or the level is not above 0. */
bool kg_field_get_bounds_at (const KgField *field, double level, KgVector *low, KgVector *high);
double kg_field_get_level (const KgField *field);
void kg_field_add_seeds (const KgField *field, GArray *seeds);
/* 0: the velocity has no part in it.  INFINITY: it cannot tell. */
double kg_field_get_hold (const KgField *field);
/* Two fields with the same hash have the same values within the box, and slopes that differences find there. */
bool kg_field_hash_within (const KgField *field, KgVector low, KgVector high, KgHash *hash);
/* For hash_within: the parameters of a field and what its children say. */
bool kg_field_hash_tree_within (const KgField *field, KgVector low, KgVector high, KgHash *hash);

/* Structural: same class, parameters and children. */
bool kg_field_equal (const KgField *a, const KgField *b);
KgHash kg_field_get_fingerprint (const KgField *field);
void kg_field_set_fingerprint (KgField *field, KgHash fingerprint);

/* Gradient noise (Perlin 2002), value in about -1..1, and its extension to three decorrelated components.
 * Deterministic in (seed, position). */
double kg_noise (uint64_t seed, double x, double y, double z);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (KgField, kg_field_unref)

G_END_DECLS
