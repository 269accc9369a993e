/* kg-mesh-space: the axes and the unit that a file declares.
 * FBX has them as metadata of the scene, which Assimp hands on without applying them: of each of the axes to the right, up
 * and towards the viewer its number (0 x, 1 y, 2 z) and sign, and how many centimetres long its unit is.  What COLLADA
 * declares Assimp has applied to the root; glTF is y-up and in metres; the other formats do not say.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-mesh-space.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

static void warn (GPtrArray *warnings, const char *format, ...) G_GNUC_PRINTF (2, 3);

static void
warn (GPtrArray *warnings, const char *format, ...)
{
  va_list arguments;

  if (warnings == NULL)
    return;
  va_start (arguments, format);
  g_ptr_array_add (warnings, g_strdup_vprintf (format, arguments));
  va_end (arguments);
}

static bool
get_number (const struct aiScene *scene, const char *key, double *number)
{
  const struct aiMetadata *all = scene->mMetaData;

  for (unsigned i = 0; all != NULL && i < all->mNumProperties; i++) {
    const struct aiMetadataEntry *entry = &all->mValues[i];

    if (strcmp (all->mKeys[i].data, key) != 0 || entry->mData == NULL)
      continue;
    if (entry->mType == AI_INT32)
      *number = *(const int32_t *) entry->mData;
    else if (entry->mType == AI_FLOAT)
      *number = (double) *(const float *) entry->mData;
    else if (entry->mType == AI_DOUBLE)
      *number = *(const double *) entry->mData;
    else
      return false;
    return true;
  }
  return false;
}

/* A direction of the file's space along one of its axes. */
typedef struct {
  int axis; /* -1: none of the three */
  double sign;
} Axis;

static bool
read_axis (const struct aiScene *scene, const char *name, Axis *axis)
{
  g_autofree char *sign_name = g_strconcat (name, "Sign", NULL);
  double number, sign = 1;

  if (!get_number (scene, name, &number))
    return false;
  get_number (scene, sign_name, &sign);
  axis->axis = (number == 0 || number == 1 || number == 2) && fabs (sign) == 1 ? (int) number : -1;
  axis->sign = sign;
  return true;
}

/* The other two where they do not fit to the one that points up: what turns this up by the shortest way. */
static void
complete_axes (const Axis *up, Axis *right, Axis *front)
{
  *right = (Axis){ 0, 1 };
  *front = (Axis){ 2, 1 };
  if (up->axis == 0)
    *right = (Axis){ 1, -up->sign };
  else if (up->axis == 1)
    front->sign = up->sign;
  else
    *front = (Axis){ 1, -up->sign };
}

static KgTransform
make_turn (const Axis *right, const Axis *up, const Axis *front)
{
  KgTransform turn = { { { 0 } } };

  turn.m[0][right->axis] = right->sign;
  turn.m[1][up->axis] = up->sign;
  turn.m[2][front->axis] = front->sign;
  turn.m[3][3] = 1;
  return turn;
}

static KgTransform
read_turn (const struct aiScene *scene, const char *path, GPtrArray *warnings)
{
  Axis right, up, front;

  if (!read_axis (scene, "UpAxis", &up) || !read_axis (scene, "CoordAxis", &right) ||
      !read_axis (scene, "FrontAxis", &front))
    return kg_transform_identity ();
  if (up.axis < 0) {
    warn (
        warnings,
        _ ("%s does not specify which of its axes points up (UpAxis is not 0, 1 or 2, or UpAxisSign not 1 or -1): the axes are kept as they are; if the mesh lies on its side, rotate it with Transform"),
        path);
    return kg_transform_identity ();
  }
  if (right.axis < 0 || front.axis < 0 || right.axis == up.axis || front.axis == up.axis || right.axis == front.axis) {
    warn (
        warnings,
        _ ("%s contradicts itself about its axes (UpAxis, CoordAxis and FrontAxis are not 0, 1 and 2 in some order): it is rotated so that UpAxis points up; if it faces the wrong way, rotate it with Transform"),
        path);
    complete_axes (&up, &right, &front);
  }
  return make_turn (&right, &up, &front);
}

/* How many metres a unit of the file is. */
static double
read_unit (const struct aiScene *scene, const char *path, GPtrArray *warnings)
{
  double centimetres;

  if (!get_number (scene, "UnitScaleFactor", &centimetres))
    return 1;
  if (isfinite (centimetres) && centimetres > 0)
    return centimetres / 100;
  warn (
      warnings,
      _ ("%s declares a unit of %g cm, which is impossible: its lengths are not converted; set Scale to the metres per unit"),
      path, centimetres);
  return 1;
}

/* What Assimp makes of the unit and axis that a COLLADA file declares is the root's. */
static KgTransform
read_root (const struct aiScene *scene, const char *path, GPtrArray *warnings)
{
  const KgTransform root = kg_mesh_read_matrix (&scene->mRootNode->mTransformation);
  double largest = 0;

  for (guint i = 0; i < 3; i++)
    for (guint j = 0; j < 3; j++)
      largest = isfinite (root.m[i][j]) ? MAX (largest, fabs (root.m[i][j])) : INFINITY;
  if (largest > 0 && isfinite (largest))
    return root;
  warn (
      warnings,
      _ ("%s declares a unit, or an overall scale, of %g, which is impossible: it is ignored; set Scale to the metres per unit of the file"),
      path, root.m[0][0]);
  return kg_transform_identity ();
}

KgTransform
kg_mesh_read_matrix (const struct aiMatrix4x4 *m)
{
  return (KgTransform){ { { (double) m->a1, (double) m->a2, (double) m->a3, (double) m->a4 },
                          { (double) m->b1, (double) m->b2, (double) m->b3, (double) m->b4 },
                          { (double) m->c1, (double) m->c2, (double) m->c3, (double) m->c4 },
                          { 0, 0, 0, 1 } } };
}

KgTransform
kg_mesh_place_root (const struct aiScene *scene, const char *path, KgMeshSpace space, bool *reverses,
                    GPtrArray *warnings)
{
  const KgTransform root = read_root (scene, path, warnings);
  KgTransform turn;

  *reverses = false;
  if (space == KG_MESH_SPACE_FILE)
    return root;
  turn = read_turn (scene, path, warnings);
  *reverses = kg_transform_determinant (turn) < 0;
  if (space == KG_MESH_SPACE_METRES) {
    const double unit = read_unit (scene, path, warnings);

    for (guint i = 0; i < 3; i++)
      for (guint j = 0; j < 3; j++)
        turn.m[i][j] *= unit;
  }
  return kg_transform_multiply (turn, root);
}
