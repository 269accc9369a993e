/* kg-render-plan: what is rendered where: targets, file names, sizes.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-image-file.h"
#include "kg-movie-file.h"
#include "kg-regular-file.h"
#include "kg-render-private.h"

#include <glib/gi18n-lib.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

/* More digits than any frame number has. */
#define MAX_DIGITS 20

/* File names. */

typedef struct {
  const char *start; /* at the % */
  size_t length;
  int width;
  bool zeros;
} Conversion;

/* Reads %d, %4d, %04d or %% (width -1) at s; false for anything else that starts with %. */
static bool
read_conversion (const char *s, Conversion *conversion)
{
  const char *next = s + 1;

  *conversion = (Conversion){ .start = s };
  if (*next == '%') {
    conversion->width = -1;
    conversion->length = 2;
    return true;
  }
  conversion->zeros = *next == '0';
  while (g_ascii_isdigit (*next) && conversion->width <= MAX_DIGITS)
    conversion->width = 10 * conversion->width + (*next++ - '0');
  conversion->length = (size_t) (next - s) + 1;
  return *next == 'd' && conversion->width <= MAX_DIGITS;
}

static bool
count_conversions (const char *path, guint *n, GError **error)
{
  *n = 0;
  for (const char *s = strchr (path, '%'); s != NULL; s = strchr (s, '%')) {
    Conversion conversion;

    if (!read_conversion (s, &conversion)) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE,
                    "%s: write the frame number as %%d, %%4d or %%04d, and a percent sign as %%%%", path);
      return false;
    }
    *n += conversion.width >= 0;
    s += conversion.length;
  }
  return true;
}

/* For all frames: a movie, or sound. */
static bool
is_one_file (const char *path)
{
  return kg_movie_path_is_movie (path) || kg_movie_path_is_sound (path);
}

char *
kg_render_expand_path (const char *path, int64_t frame)
{
  GString *expanded;
  const char *done = path;

  if (is_one_file (path))
    return g_strdup (path);
  expanded = g_string_new (NULL);
  for (const char *s = strchr (path, '%'); s != NULL; s = strchr (done, '%')) {
    Conversion conversion;

    if (!read_conversion (s, &conversion))
      break;
    g_string_append_len (expanded, done, s - done);
    if (conversion.width < 0)
      g_string_append_c (expanded, '%');
    else if (conversion.zeros)
      g_string_append_printf (expanded, "%0*" PRId64, conversion.width, frame);
    else
      g_string_append_printf (expanded, "%*" PRId64, conversion.width, frame);
    done = s + conversion.length;
  }
  g_string_append (expanded, done);
  return g_string_free (expanded, FALSE);
}

static bool
check_folder (const char *path, GError **error)
{
  g_autofree char *folder = g_path_get_dirname (path);

  if (strchr (folder, '%') != NULL || g_file_test (folder, G_FILE_TEST_IS_DIR))
    return true;
  kg_set_error (error, KG_ERROR_IO, "%s: the folder %s does not exist: create it first", path, folder);
  return false;
}

bool
kg_render_check_path (const char *path, const KgRenderRange *range, GError **error)
{
  KgImageFormat format;
  guint n;

  if (g_file_test (path, G_FILE_TEST_IS_DIR)) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "%s is a folder: name a file in it", path);
    return false;
  }
  if (is_one_file (path))
    return check_folder (path, error);
  if (!kg_image_format_from_path (path, &format)) {
    kg_set_error (
        error, KG_ERROR_INVALID_VALUE,
        "%s: the name must end with .png or .exr (images), .mp4, .webm, .mov, .mkv, .avi, .gif, .apng or .webp (movies) or "
        ".wav, .flac, .ogg, .opus, .mp3 or .m4a (sound)",
        path);
    return false;
  }
  if (!count_conversions (path, &n, error))
    return false;
  if (n > 1 || (n == 0 && kg_render_count_frames (range) > 1)) {
    const char *suffix = strrchr (path, '.');
    g_autofree char *stem = n > 1 ? g_strdup (kg_translate ("name")) : g_strndup (path, (gsize) (suffix - path));

    kg_set_error (
        error, KG_ERROR_INVALID_VALUE,
        n > 1 ? N_ ("%s: the frame number occurs more than once: keep one, as in %s.%%04d%s")
              : N_ ("%s: every frame would overwrite the one before: insert the frame number, as in %s.%%04d%s"),
        path, stem, suffix);
    return false;
  }
  return check_folder (path, error);
}

/* Can images in the file of this name, or the stream, have this many bits (0: any)? */
static bool
check_bits (const char *path, int bits, GError **error)
{
  KgImageFormat format;

  if (bits == 0 || (kg_image_format_from_path (path, &format) && kg_image_format_set_bits (&format, bits)))
    return true;
  kg_set_error (error, KG_ERROR_INVALID_VALUE,
                "%s cannot have %d bits: PNG has 8 or 16, EXR 16 or 32, and a movie the depth of its format", path,
                bits);
  return false;
}

guint64
kg_render_count_frames (const KgRenderRange *range)
{
  if (range->frames != NULL)
    return range->n_frames;
  return range->last < range->first ? 0 : ((guint64) range->last - (guint64) range->first) / (guint64) range->step + 1;
}

int64_t
kg_render_get_frame (const KgRenderRange *range, guint64 index)
{
  return range->frames != NULL ? range->frames[index] : range->first + (int64_t) index * range->step;
}

bool
kg_render_check_range (const KgRenderRange *range, GError **error)
{
  if (range->last < range->first)
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "the frames %" PRId64 "-%" PRId64 " are reversed: write %" PRId64 "-%" PRId64, range->first,
                  range->last, range->last, range->first);
  else if (range->first < -KG_RENDER_MAX_FRAME || range->last > KG_RENDER_MAX_FRAME)
    kg_set_error (error, KG_ERROR_LIMIT, "frame numbers must be from %d to %d", -KG_RENDER_MAX_FRAME,
                  KG_RENDER_MAX_FRAME);
  else if (range->step < 1)
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "a step of %" PRId64 " frames is not possible: use 1 or more",
                  range->step);
  else if (kg_render_count_frames (range) > KG_RENDER_MAX_FRAMES)
    kg_set_error (error, KG_ERROR_LIMIT, "the range has %" PRIu64 " frames, more than %d: split it",
                  kg_render_count_frames (range), KG_RENDER_MAX_FRAMES);
  else
    return true;
  return false;
}

/* Targets. */

static void
free_output (gpointer data)
{
  KgRenderOutput *output = data;

  g_free (output->node);
  g_free (output->slot);
  g_free (output->path);
  g_free (output);
}

void
kg_render_find_target (KgGraph *graph, const KgRenderOutput *output, KgNode **node, guint *slot)
{
  *node = kg_graph_find_path (graph, output->node);
  g_assert (*node != NULL);
  *slot = (guint) kg_node_find_slot (*node, output->slot);
}

bool
kg_render_check_kind (KgNode *node, guint slot, KgKind kind, GError **error)
{
  const char *remedy;
  g_autofree char *path = NULL;

  if (kind == KG_IMAGE || kind == KG_ANY || kg_kind_converts (kind, KG_IMAGE))
    return true;
  if (kind == KG_SCENE)
    remedy = _ ("add a render/scene node after it and render that");
  else if (kg_kind_converts (kind, KG_GEOMETRY) || kg_kind_converts (kind, KG_SCENE))
    remedy =
        _ ("add a render/draw node (flat drawing) or a render/scene node (camera and lights) after it and render that");
  else
    remedy = _ ("name an output that is an image");
  path = kg_node_dup_path (node);
  kg_set_error (error, KG_ERROR_TYPE_MISMATCH, "%s.%s is of kind %s, not an image: %s", path,
                kg_node_get_slot (node, slot)->name, kg_kind_get_name (kind), remedy);
  return false;
}

bool
kg_render_find_sound (KgGraph *graph, KgNode **node, guint *slot, GError **error)
{
  *node = NULL;
  for (guint i = 0; i < kg_graph_get_n_nodes (graph); i++) {
    KgNode *candidate = kg_graph_get_node (graph, i);
    const KgNodeType *type = kg_node_get_type (candidate);

    if (type == NULL || type->role != KG_ROLE_SOUND_OUTPUT || kg_node_get_bypass (candidate))
      continue;
    if (*node != NULL) {
      kg_set_error (
          error, KG_ERROR_INVALID_VALUE,
          "%s and %s are both the sound of the graph: link their sounds to one sound/mix node, and keep one output",
          kg_node_get_name (*node), kg_node_get_name (candidate));
      return false;
    }
    *node = candidate;
    *slot = (guint) kg_node_find_slot (candidate, "output");
  }
  return true;
}

bool
kg_render_find_own_sound (const KgNode *node, guint *slot)
{
  const KgNodeType *type = kg_node_get_type (node);
  const int sound = type != NULL && type->role == KG_ROLE_FILE_OUTPUT ? kg_node_find_slot (node, "sound") : -1;

  if (sound < 0 || kg_node_get_source (node, (guint) sound)->kind == KG_SOURCE_DEFAULT)
    return false;
  *slot = (guint) sound;
  return true;
}

static bool
check_sound_kind (KgNode *node, guint slot, KgKind kind, GError **error)
{
  g_autofree char *path = NULL;

  if (kind == KG_SOUND || kind == KG_ANY)
    return true;
  path = kg_node_dup_path (node);
  kg_set_error (error, KG_ERROR_TYPE_MISMATCH, "%s.%s is of kind %s, not a sound: name an output that is one, or none",
                path, kg_node_get_slot (node, slot)->name, kg_kind_get_name (kind));
  return false;
}

/* What is written into a file of sound: the sound of the graph, unless an output is named. */
static bool
check_sound_target (KgGraph *graph, const KgRenderOptions *options, const KgRenderRange *range, KgNode **node,
                    guint *slot, GError **error)
{
  if (options->target == NULL) {
    if (!kg_render_find_sound (graph, node, slot, error))
      return false;
    if (*node == NULL) {
      kg_set_error (error, KG_ERROR_UNKNOWN_NAME, "the graph has no sound: add a sound/output node, or name an output");
      return false;
    }
  } else if (!kg_graph_find_output (graph, options->target, node, slot, error) ||
             !check_sound_kind (*node, *slot, kg_node_get_slot_kind (*node, *slot), error))
    return false;
  return kg_render_check_path (options->path, range, error) && check_bits (options->path, options->bits, error);
}

static bool
check_target (KgGraph *graph, const KgRenderOptions *options, const KgRenderRange *range, KgNode **node, guint *slot,
              GError **error)
{
  const char *target = options->target != NULL ? options->target : kg_graph_get_display (graph);

  if (options->stream == NULL && kg_movie_path_is_sound (options->path))
    return check_sound_target (graph, options, range, node, slot, error);
  if (target == NULL) {
    kg_set_error (error, KG_ERROR_UNKNOWN_NAME, "the graph has no displayed node: name the node to render");
    return false;
  }
  return kg_graph_find_output (graph, target, node, slot, error) &&
         kg_render_check_kind (*node, *slot, kg_node_get_slot_kind (*node, *slot), error) &&
         (options->stream != NULL ||
          (kg_render_check_path (options->path, range, error) && check_bits (options->path, options->bits, error)));
}

static bool
plan_target (KgGraph *graph, const KgRenderOptions *options, const KgRenderRange *range, GPtrArray *outputs,
             GError **error)
{
  KgRenderOutput *output;
  KgNode *node;
  guint slot;

  if (!check_target (graph, options, range, &node, &slot, error))
    return false;
  output = g_new0 (KgRenderOutput, 1);
  output->node = kg_node_dup_path (node);
  output->slot = g_strdup (kg_node_get_slot (node, slot)->name);
  output->path = g_strdup (options->path);
  output->range = *range;
  g_ptr_array_add (outputs, output);
  return true;
}

/* The value of a slot at the first frame, as kind; false and *error when it has none. */
static bool
read_slot (KgEvaluator *evaluator, KgNode *node, const char *name, KgKind kind, KgValue *value, GError **error)
{
  const int slot = kg_node_find_slot (node, name);
  g_auto (KgValue) read = KG_VALUE_INIT;

  if (slot < 0) {
    kg_set_error (error, KG_ERROR_UNKNOWN_NAME, "%s has no input \"%s\"", kg_node_get_name (node), name);
    return false;
  }
  return kg_evaluator_evaluate (evaluator, node, (guint) slot, 0, NULL, &read, error) &&
         kg_value_convert (&read, kind, value, error);
}

bool
kg_render_check_writable (KgGraph *graph, const KgRenderOptions *options, const char *path, GError **error)
{
  const char *folder = kg_graph_get_folder (kg_graph_get_root (graph));
  const char *const own[] = { folder != NULL ? folder : ".", NULL };
  g_autofree char *real = NULL, *around = NULL;

  if (options->path != NULL || options->writable == NULL || kg_regular_file_is_below (path, own) ||
      kg_regular_file_is_below (path, options->writable))
    return true;
  real = kg_regular_file_dup_real_path (path);
  around = g_path_get_dirname (real);
  kg_set_error (error, KG_ERROR_REFUSED,
                "%s is outside the folder of the graph: name a file to write (kineo: -o), or permit writing there "
                "(kineo: --allow-write %s; in the window: render again and allow it)",
                real, around);
  return false;
}

/* A node that names a file of sound writes its own sound, and needs no image. */
static bool
choose_sound (KgNode *node, KgRenderOutput *output, GError **error)
{
  guint slot;

  if (!kg_render_find_own_sound (node, &slot)) {
    kg_set_error (
        error, KG_ERROR_INVALID_VALUE,
        "%s: %s is a file of sound: link a sound to its input \"sound\", write images or a movie, or name it with -o",
        output->node, output->path);
    return false;
  }
  g_free (output->slot);
  output->slot = g_strdup (kg_node_get_slot (node, slot)->name);
  return true;
}

/* Fills in a node that names a file: its own range, unless that is 0-0 or the caller has one. */
static bool
plan_file_node (KgEvaluator *evaluator, KgNode *node, const KgRenderOptions *options, const KgRenderRange *range,
                KgRenderOutput *output, GError **error)
{
  const char *folder = kg_graph_get_folder (kg_graph_get_root (kg_node_get_parent (node)));
  g_auto (KgValue) path = KG_VALUE_INIT;
  g_auto (KgValue) first = KG_VALUE_INIT;
  g_auto (KgValue) last = KG_VALUE_INIT;

  output->node = kg_node_dup_path (node);
  output->slot = g_strdup ("image");
  output->range = *range;
  if (!read_slot (evaluator, node, "path", KG_TEXT, &path, error) ||
      !read_slot (evaluator, node, "first", KG_INTEGER, &first, error) ||
      !read_slot (evaluator, node, "last", KG_INTEGER, &last, error))
    return false;
  if (*path.text == '\0') {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "%s: the path is empty: name the file to write", output->node);
    return false;
  }
  output->path = kg_regular_file_dup_path (folder, path.text);
  if (options->range == NULL && (first.integer != 0 || last.integer != 0))
    output->range = (KgRenderRange){ .first = first.integer, .last = last.integer, .step = 1 };
  if (kg_node_find_slot (node, "image") < 0) {
    kg_set_error (error, KG_ERROR_UNKNOWN_NAME, "%s has no input \"%s\"", output->node, "image");
    return false;
  }
  if (kg_movie_path_is_sound (output->path) && !choose_sound (node, output, error))
    return false;
  if (kg_render_check_range (&output->range, error) && kg_render_check_path (output->path, &output->range, error) &&
      check_bits (output->path, options->bits, error) &&
      kg_render_check_writable (kg_node_get_parent (node), options, output->path, error))
    return true;
  g_prefix_error (error, "%s: ", output->node);
  return false;
}

static bool
names_file (const KgNode *node)
{
  const KgNodeType *type = kg_node_get_type (node);

  return type != NULL && type->role == KG_ROLE_FILE_OUTPUT && !kg_node_get_bypass (node);
}

static bool
check_file_nodes (KgGraph *graph, GError **error)
{
  for (guint i = 0; i < kg_graph_get_n_nodes (graph); i++) {
    if (names_file (kg_graph_get_node (graph, i)))
      return true;
  }
  kg_set_error (error, KG_ERROR_UNKNOWN_NAME,
                "no node of the graph names a file to write: name one with -o, or add a render/file node");
  return false;
}

/* Each node for itself: one that cannot be rendered does not stop the others. */
static bool
plan_file_nodes (KgGraph *graph, KgEvaluator *evaluator, const KgRenderOptions *options, const KgRenderRange *range,
                 GPtrArray *outputs, GPtrArray *refusals, GError **error)
{
  for (guint i = 0; i < kg_graph_get_n_nodes (graph); i++) {
    KgNode *node = kg_graph_get_node (graph, i);
    KgRenderOutput *output;
    GError *refusal = NULL;

    if (!names_file (node))
      continue;
    output = g_new0 (KgRenderOutput, 1);
    if (plan_file_node (evaluator, node, options, range, output, &refusal)) {
      g_ptr_array_add (outputs, output);
    } else {
      free_output (output);
      g_ptr_array_add (refusals, refusal);
    }
  }
  return outputs->len + refusals->len > 0 || check_file_nodes (graph, error);
}

static KgRenderRange
get_range (KgGraph *graph, const KgRenderOptions *options)
{
  const KgFrames frames = kg_graph_get_frames (graph);

  return options->range != NULL ? *options->range
                                : (KgRenderRange){ .first = (int64_t) ceil (frames.start),
                                                   .last = (int64_t) floor (frames.end),
                                                   .step = 1 };
}

bool
kg_render_check_options (KgGraph *graph, const KgRenderOptions *options, GError **error)
{
  const KgRenderRange range = get_range (graph, options);
  KgNode *node;
  guint slot;

  return options->path != NULL ? check_target (graph, options, &range, &node, &slot, error)
                               : check_file_nodes (graph, error);
}

/* Frames that follow each other, so that simulations go through few others; sizes differ by one at most. */
static void
take_shard (KgRenderRange *range, guint shard, guint shards)
{
  const guint64 n = kg_render_count_frames (range), from = n * (shard - 1) / shards, to = n * shard / shards;

  if (range->frames != NULL) {
    range->frames += from;
    range->n_frames = (guint) (to - from);
  } else {
    const int64_t first = range->first;

    range->first = first + (int64_t) from * range->step;
    range->last = first + ((int64_t) to - 1) * range->step;
  }
}

static bool
take_shards (const KgRenderOptions *options, GPtrArray *outputs, GError **error)
{
  for (guint i = outputs->len; i-- > 0;) {
    KgRenderOutput *output = (KgRenderOutput *) g_ptr_array_index (outputs, i);

    if (output->path != NULL && kg_movie_path_is_movie (output->path)) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE,
                    "%s: the parts of a movie cannot be joined: render numbered images (name.%%04d.png) in parts",
                    output->path);
      return false;
    }
    take_shard (&output->range, options->shard, options->shards);
    /* More parts than frames. */
    if (kg_render_count_frames (&output->range) == 0)
      g_ptr_array_remove_index (outputs, i);
  }
  return true;
}

GPtrArray *
kg_render_plan (KgGraph *graph, const KgRenderOptions *options, GPtrArray *refusals, GError **error)
{
  const KgRenderRange range = get_range (graph, options);
  g_autoptr (GPtrArray) outputs = g_ptr_array_new_with_free_func (free_output);

  if (!kg_render_check_range (&range, error))
    return NULL;
  if (options->path != NULL) {
    if (!plan_target (graph, options, &range, outputs, error))
      return NULL;
  } else {
    g_autoptr (KgEvaluator) evaluator = kg_evaluator_new (graph, options->cache);

    if (!plan_file_nodes (graph, evaluator, options, &range, outputs, refusals, error))
      return NULL;
  }
  return options->shards == 0 || take_shards (options, outputs, error) ? g_steal_pointer (&outputs) : NULL;
}

/* What feeds a target. */

typedef struct {
  GHashTable *seen;
  GPtrArray *found; /* KgNode: visited */
  GPtrArray *stack; /* KgNode: to visit */
  bool images;      /* follow only images, not what an image is drawn with */
  bool nearest;     /* not beyond images that have a size */
} Walk;

static void
push (Walk *walk, KgNode *node)
{
  if (node != NULL && g_hash_table_add (walk->seen, node))
    g_ptr_array_add (walk->stack, node);
}

static bool
has_integer_input (const KgNode *node, const char *name)
{
  const int slot = kg_node_find_slot (node, name);

  return slot >= 0 && kg_node_get_slot (node, (guint) slot)->role == KG_SLOT_INPUT &&
         kg_node_get_slot (node, (guint) slot)->kind == KG_INTEGER;
}

static bool
has_size (const KgNode *node)
{
  bool image = false;

  for (guint i = 0; i < kg_node_get_n_slots (node); i++) {
    const KgSlot *slot = kg_node_get_slot (node, i);

    image |= slot->role == KG_SLOT_OUTPUT && slot->kind == KG_IMAGE;
  }
  return image && has_integer_input (node, "width") && has_integer_input (node, "height");
}

/* Whether the size is its own, and not that of another image. */
static bool
has_own_size (const KgNode *node)
{
  const int like = kg_node_find_slot (node, "like");

  return has_size (node) && (like < 0 || kg_node_get_slot (node, (guint) like)->kind != KG_IMAGE ||
                             kg_node_get_n_links (node, (guint) like) == 0);
}

static bool
has_role (const KgNode *node, KgRole role)
{
  const KgNodeType *type = kg_node_get_type (node);

  return type != NULL && type->role == role;
}

static void
push_output (Walk *walk, KgNode *node, guint output)
{
  KgGraph *inside = kg_node_get_graph (node);

  push (walk, node);
  if (walk->images && inside != NULL && !kg_node_get_bypass (node) && !(walk->nearest && has_own_size (node)))
    push (walk, kg_graph_find (inside, kg_node_get_slot (node, output)->name));
}

/* What is linked to an input.  An image may come through nodes that pass on any kind; inside of a sub-graph the kind may be open. */
static void
push_links (Walk *walk, const KgNode *node, guint slot)
{
  for (guint item = 0; item < kg_node_get_n_links (node, slot); item++) {
    KgNode *from = NULL;
    guint output;

    if (kg_node_get_link (node, slot, item, &from, &output) && from != NULL &&
        (!walk->images || kg_node_get_slot_kind (from, output) == KG_IMAGE ||
         kg_node_get_slot_kind (from, output) == KG_ANY))
      push_output (walk, from, output);
  }
}

static void
push_sources (Walk *walk, KgNode *node)
{
  KgGraph *inside = kg_node_get_graph (node);
  KgNode *owner = kg_graph_get_owner (kg_node_get_parent (node));

  /* Of a sub-graph only what makes the output that is read, see push_output, and what that reads. */
  for (guint i = 0; i < kg_node_get_n_slots (node) && !(walk->images && inside != NULL && !kg_node_get_bypass (node));
       i++)
    push_links (walk, node, i);
  if (walk->images && owner != NULL && has_role (node, KG_ROLE_INTERFACE_INPUT)) {
    const int slot = kg_node_find_slot (owner, kg_node_get_name (node));

    if (slot >= 0)
      push_links (walk, owner, (guint) slot);
  }
  if (walk->images)
    return;
  for (guint i = 0; inside != NULL && i < kg_graph_get_n_nodes (inside); i++)
    push (walk, kg_graph_get_node (inside, i));
  push (walk, owner);
}

/* (element-type KgNode) (transfer container) The target and what feeds it, or only the images among what feeds its output. */
static GPtrArray *
find_nodes (KgNode *target, bool images, bool nearest, guint output)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  g_autoptr (GPtrArray) stack = g_ptr_array_new ();
  Walk walk = { seen, g_ptr_array_new (), stack, images, nearest };

  push_output (&walk, target, output);
  while (stack->len > 0) {
    KgNode *node = g_ptr_array_steal_index (stack, stack->len - 1);

    g_ptr_array_add (walk.found, node);
    if (!nearest || !has_own_size (node))
      push_sources (&walk, node);
  }
  return walk.found;
}

/* (element-type KgNode) (transfer container) Those of its images that have a size.  Images on surfaces and in fields keep theirs:
 * they are not part of the picture, and another ratio of their sides would be another pattern. */
static GPtrArray *
find_sized_nodes (KgNode *target, guint output, bool nearest)
{
  g_autoptr (GPtrArray) nodes = find_nodes (target, true, nearest, output);
  GPtrArray *sized = g_ptr_array_new ();

  for (guint i = 0; i < nodes->len; i++)
    if (has_own_size (nodes->pdata[i]))
      g_ptr_array_add (sized, nodes->pdata[i]);
  return sized;
}

/* Files that are read. */

static KgHash
hash_file (const char *folder, const char *text, int64_t frame, KgHash hash)
{
  g_autofree char *expanded = kg_render_expand_path (text, frame);
  g_autofree char *path = kg_regular_file_dup_path (folder, expanded);

  return kg_regular_file_hash (path, kg_hash_text (hash, path));
}

static bool
is_numbered (const char *text)
{
  g_autofree char *zero = kg_render_expand_path (text, 0), *one = kg_render_expand_path (text, 1);

  return !g_str_equal (zero, one);
}

/* Whether a file has a numbered name for some frame: the frame at the place of its number. */
static bool
is_of_series (const char *name, const char *pattern)
{
  Conversion conversion = { .width = -1 };
  const char *number = strchr (pattern, '%');
  g_autofree char *before = NULL, *start = NULL, *own = NULL;

  while (number != NULL && read_conversion (number, &conversion) && conversion.width < 0)
    number = strchr (number + conversion.length, '%');
  before = number != NULL ? g_strndup (pattern, (gsize) (number - pattern)) : g_strdup (pattern);
  start = kg_render_expand_path (before, 0);
  if (!g_str_has_prefix (name, start))
    return false;
  own = kg_render_expand_path (pattern, g_ascii_strtoll (name + strlen (start), NULL, 10));
  return g_str_equal (own, name);
}

/* Any of them may be read, whatever the frame: those that there are. */
static KgHash
hash_series (const char *folder, const char *text, KgHash hash)
{
  g_autofree char *path = kg_regular_file_dup_path (folder, text), *around = g_path_get_dirname (path);
  g_autofree char *pattern = g_path_get_basename (path), *real = kg_render_expand_path (around, 0);
  g_autoptr (GPtrArray) files = kg_regular_file_list (real, NULL, NULL);

  /* Folders of which each is for another frame are not searched: nothing counts as up to date. */
  if (is_numbered (around))
    return kg_hash_uint (hash, (uint64_t) g_get_real_time ());
  hash = kg_hash_text (hash, path);
  for (guint i = 0; i < files->len; i++) {
    const char *file = (const char *) g_ptr_array_index (files, i);
    g_autofree char *name = g_path_get_basename (file);

    if (is_of_series (name, pattern))
      hash = kg_regular_file_hash (file, kg_hash_text (hash, file));
  }
  return hash;
}

/* Whether the nodes read a numbered file at most for the frame that they are evaluated at: none asks for other times, and the
 * number is the frame. */
static bool
read_own_frame (GPtrArray *nodes)
{
  for (guint i = 0; i < nodes->len; i++) {
    KgNode *node = nodes->pdata[i];
    const KgNodeType *type = kg_node_get_type (node);
    bool reads = false, driven = false;

    for (guint k = 0; k < kg_node_get_n_slots (node); k++) {
      const KgSlot *slot = kg_node_get_slot (node, k);

      reads = reads || slot->path;
      driven = driven || (slot->driver != KG_DRIVER_NONE && kg_node_get_source (node, k)->kind != KG_SOURCE_DEFAULT);
    }
    if (type == NULL || type->advance != NULL || (reads ? driven : type->demand != NULL))
      return false;
  }
  return true;
}

/* frame: of files that are not numbered, and of those that are if nodes read no others; NULL: of all the other numbered ones. */
static KgHash
hash_files (KgNode *target, const int64_t *frame)
{
  const char *folder = kg_graph_get_folder (kg_graph_get_root (kg_node_get_parent (target)));
  g_autoptr (GPtrArray) nodes = find_nodes (target, false, false, 0);
  const bool own = read_own_frame (nodes);
  KgHash hash = kg_hash_begin (KG_HASH_RENDERED_FILES, 0);

  for (guint i = 0; i < nodes->len; i++) {
    KgNode *node = nodes->pdata[i];

    for (guint k = 0; k < kg_node_get_n_slots (node); k++) {
      const KgSource *source = kg_node_get_slot (node, k)->path ? kg_node_get_source (node, k) : NULL;
      bool series;

      if (source == NULL || source->kind != KG_SOURCE_CONSTANT || source->constant.kind != KG_TEXT)
        continue;
      series = !own && is_numbered (source->constant.text);
      if (series && frame == NULL)
        hash = hash_series (folder, source->constant.text, hash);
      else if (!series && frame != NULL)
        hash = hash_file (folder, source->constant.text, *frame, hash);
    }
  }
  return hash;
}

KgHash
kg_render_hash_files (KgNode *target, int64_t frame)
{
  return hash_files (target, &frame);
}

KgHash
kg_render_hash_series (KgNode *target)
{
  return hash_files (target, NULL);
}

/* Sizes. */

static bool
set_integer (KgNode *node, const char *name, double value, GError **error)
{
  g_auto (KgValue) constant = kg_value_integer (MAX (1, (int64_t) (value + 0.5)));

  return kg_graph_set_constant (kg_node_get_parent (node), node, name, &constant, error);
}

/* What the nodes say now: width and height of each, in sizes; in *largest the larger of those nearest to the target: what they
 * are made of may be larger than the picture. */
static bool
read_sizes (KgGraph *graph, GPtrArray *nodes, GPtrArray *nearest, double *sizes, guint *largest, GError **error)
{
  g_autoptr (KgEvaluator) evaluator = kg_evaluator_new (graph, NULL);

  *largest = G_MAXUINT;
  for (guint i = 0; i < nodes->len; i++) {
    const char *const names[2] = { "width", "height" };

    for (guint side = 0; side < 2; side++) {
      g_auto (KgValue) value = KG_VALUE_INIT;

      if (!read_slot (evaluator, nodes->pdata[i], names[side], KG_INTEGER, &value, error))
        return false;
      sizes[2 * i + side] = (double) MAX (value.integer, 1);
    }
    if (g_ptr_array_find (nearest, nodes->pdata[i], NULL) &&
        (*largest == G_MAXUINT || sizes[2 * i] * sizes[2 * i + 1] > sizes[2 * *largest] * sizes[2 * *largest + 1]))
      *largest = i;
  }
  return true;
}

/* Nodes that are named when their pixels are not scaled. */
#define MOST_NAMED 4

/* Whether a node has a number of pixels, such as a radius, which is not the size of what it makes.  What is computed may follow
 * that size by itself. */
static bool
counts_pixels (KgNode *node)
{
  const bool sized = has_size (node);

  for (guint i = 0; i < kg_node_get_n_slots (node); i++) {
    const KgSlot *slot = kg_node_get_slot (node, i);
    g_auto (KgValue) value = KG_VALUE_INIT;
    KgSourceKind kind;
    double x = 0;

    if (slot->role != KG_SLOT_INPUT || slot->unit != KG_PIXELS || slot->fixed ||
        (sized && (g_str_equal (slot->name, "width") || g_str_equal (slot->name, "height"))))
      continue;
    kind = kg_node_get_source (node, i)->kind;
    if (kind == KG_SOURCE_EXPRESSION || kind == KG_SOURCE_LINK)
      continue;
    if (kind != KG_SOURCE_DEFAULT)
      return true;
    if (!kg_slot_get_default (slot, &value))
      continue;
    if (value.kind == KG_VECTOR ? kg_vector_length (value.vector) > 0
                                : kg_value_get_component (&value, NULL, &x) && x != 0)
      return true;
  }
  return false;
}

/* (transfer full) (nullable) */
static char *
dup_unscaled (KgNode *target)
{
  g_autoptr (GPtrArray) nodes = find_nodes (target, false, false, 0);
  g_autoptr (GString) names = g_string_new (NULL);
  guint n = 0;

  for (guint i = 0; i < nodes->len; i++)
    if (kg_node_get_type (nodes->pdata[i]) != NULL && !kg_node_get_bypass (nodes->pdata[i]) &&
        counts_pixels (nodes->pdata[i]) && n++ < MOST_NAMED) {
      g_autofree char *path = kg_node_dup_path (nodes->pdata[i]);

      g_string_append_printf (names, "%s%s", n > 1 ? ", " : "", path);
    }
  if (n > MOST_NAMED)
    g_string_append (names, " …");
  return n > 0 ? g_string_free (g_steal_pointer (&names), FALSE) : NULL;
}

bool
kg_render_set_size (KgGraph *graph, const KgRenderOutput *output, int width, int height, char **kept, GError **error)
{
  g_autoptr (GPtrArray) nodes = NULL, nearest = NULL;
  g_autofree double *sizes = NULL;
  KgNode *target;
  guint slot, largest;

  *kept = NULL;
  kg_render_find_target (graph, output, &target, &slot);
  nodes = find_sized_nodes (target, slot, false);
  nearest = find_sized_nodes (target, slot, true);
  if (nodes->len == 0) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "no node upstream of %s has a width and a height in pixels: the size cannot be changed",
                  output->node);
    return false;
  }
  sizes = g_new0 (double, 2 * (gsize) nodes->len);
  if (!read_sizes (graph, nodes, nearest, sizes, &largest, error))
    return false;
  for (guint i = 0; i < nodes->len; i++) {
    if (!set_integer (nodes->pdata[i], "width", sizes[2 * i] / sizes[2 * largest] * width, error) ||
        !set_integer (nodes->pdata[i], "height", sizes[2 * i + 1] / sizes[2 * largest + 1] * height, error))
      return false;
  }
  if (sizes[2 * largest] != width || sizes[2 * largest + 1] != height)
    *kept = dup_unscaled (target);
  return true;
}
