/* kg-value: what flows on a wire: a small tagged value, or a reference to a heavy one.
 * Heavy values are immutable once published.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-field.h"
#include "kg-geometry.h"
#include "kg-hash.h"
#include "kg-image.h"
#include "kg-json.h"
#include "kg-math.h"
#include "kg-motion.h"
#include "kg-scene.h"
#include "kg-skeleton.h"
#include "kg-sound.h"
#include "kg-table.h"

G_BEGIN_DECLS

struct _KgValue {
  KgKind kind; /* never KG_CHOICE, KG_ANY or KG_LIST */
  union {
    double number;
    int64_t integer;
    bool boolean;
    char *text; /* GRefString */
    KgVector vector;
    KgColor color;
    KgRotation rotation;
    KgTransform *transform; /* GRcBox */
    KgMotion *motion;
    KgGeometry *geometry;
    KgSkeleton *skeleton;
    KgField *field;
    KgImage *image;
    KgScene *scene;
    KgTable *table;
    KgSound *sound;
    void *pointer;
  };
};

/* A zero-initialised KgValue is the number 0; clearing it does nothing. */
#define KG_VALUE_INIT                                                                                                  \
  {                                                                                                                    \
    .kind = KG_NUMBER, .number = 0                                                                                     \
  }

/* What a list input holds: borrowed values, in the order of the list. */
typedef struct {
  guint n;
  const KgValue *items;
} KgList;

KgValue kg_value_number (double number);
KgValue kg_value_integer (int64_t integer);
KgValue kg_value_boolean (bool boolean);
KgValue kg_value_text (const char *text);
KgValue kg_value_vector (KgVector vector);
KgValue kg_value_color (KgColor color);
KgValue kg_value_rotation (KgRotation rotation);
KgValue kg_value_transform (const KgTransform *transform);
/* Takes the reference; kind says what pointer is (KG_MOTION and later). */
KgValue kg_value_take (KgKind kind, void *pointer);

/* (transfer full) Another reference to the same value. */
KgValue kg_value_copy (const KgValue *value);
void kg_value_clear (KgValue *value);

/* Same kind and same contents (bits, but -0 equals 0; a NaN equals no number). */
bool kg_value_equal (const KgValue *a, const KgValue *b);

/* Small values: hash of the contents.  Heavy ones: the fingerprint given at publication (or of the contents
 * where that is cheap), zero when they were not published. */
KgHash kg_value_get_fingerprint (const KgValue *value);
/* Does the work that is pending in the value: see kg_image_complete. */
bool kg_value_complete (const KgValue *value, const KgProgressMonitor *monitor);
/* Publishes a heavy value under this fingerprint unless it has one already (passed through from upstream). */
void kg_value_publish (KgValue *value, KgHash fingerprint);

/* Whether every number in it is finite; *error names the first one that is not. */
bool kg_value_check_finite (const KgValue *value, GError **error);

size_t kg_value_get_bytes (const KgValue *value);
void kg_value_each_buffer (const KgValue *value, KgBufferVisit visit, gpointer data);

/* "number", "vector", ...: the stable names used in files and messages. */
const char *kg_kind_get_name (KgKind kind);
/* "a number", "an image", ...: for sentences; translated. */
const char *kg_kind_get_phrase (KgKind kind);
/* False when no kind has that name. */
bool kg_kind_from_name (const char *name, KgKind *kind);

/* Appends the value as JSON (one line). */
void kg_value_write_json (const KgValue *value, GString *out);
/* Reads a constant of a slot: a number, boolean, text, [x, y, z], "#rrggbb[aa]" or [r, g, b(, a)] for colours,
 * [w, x, y, z] for rotations, 16 numbers for transforms, an array of rows or {"columns": names, "rows": array of rows} for
 * tables (typed rows become a text, which kg_slot_convert reads), and for KG_ANY whatever the JSON looks like: an array of
 * numbers is a vector, a colour or a transform, and an empty one a table. */
bool kg_value_from_json (const KgJson *json, KgKind kind, KgValue *value, GError **error);

/* A declared conversion (kg-convert.c holds the table).  True also when from is to. */
bool kg_kind_converts (KgKind from, KgKind to);
/* For the canvas: what the conversion does, translated; NULL when there is none or none is needed. */
const char *kg_kind_get_conversion (KgKind from, KgKind to);
/* (transfer full) Fails with KG_ERROR_TYPE_MISMATCH, or KG_ERROR_INVALID_VALUE when this value does not fit. */
bool kg_value_convert (const KgValue *value, KgKind to, KgValue *converted, GError **error);

/* Component access for expressions: "x", "y", "z", "w", "r", "g", "b", "a"; NULL for the value itself as a
 * number.  False when the value has no such component. */
bool kg_value_get_component (const KgValue *value, const char *component, double *number);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (KgValue, kg_value_clear)

G_END_DECLS
