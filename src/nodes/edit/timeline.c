/* edit/timeline: clips of several images, placed on tracks over the frames of the graph.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "clip_rows.h"
#include "edit/edit_list.h"
#include "edit/slate.h"
#include "image/layers.h"

typedef struct {
  KgList images;
  const KgTable *clips;
  const char *names;
  double softness;
  int64_t width;
  int64_t height;
  KgImage *image;
  KgTable *shown;
  double end;
} Timeline;

enum { SHOWN_CLIP, SHOWN_SOURCE, SHOWN_TRACK, SHOWN_FRAME, SHOWN_SHARE, N_SHOWN };

static const char *const shown_columns[N_SHOWN] = {
  [SHOWN_CLIP] = "clip",   [SHOWN_SOURCE] = "source", [SHOWN_TRACK] = "track",
  [SHOWN_FRAME] = "frame", [SHOWN_SHARE] = "share",
};

static double
timeline_to_time (const KgContext *ctx, double frame)
{
  return (frame - ctx->start) / ctx->rate;
}

/* Frames are whole in the record: between two, the earlier one is shown. */
static guint
timeline_find (const ClipList *list, const KgContext *ctx, ClipShown *shown)
{
  return clips_find (list->clips, list->n, floor (ctx->frame + 1e-6), shown);
}

static bool
timeline_demand (const Timeline *n, const KgContext *ctx, KgDemand *demand, GError **error)
{
  const guint items = kg_demand_get_n_items (demand, offsetof (Timeline, images));
  g_auto (ClipList) list = { .clips = NULL };
  g_autofree ClipShown *shown = NULL;
  guint count, asked = 0;
  bool seen = false;

  if (!clip_list_read (n->clips, ctx->start, &list, error)) {
    g_prefix_error (error, "clips: ");
    return false;
  }
  shown = g_new (ClipShown, list.n + 1);
  count = timeline_find (&list, ctx, shown);
  for (guint i = 0; i < count; i++) {
    const guint source = list.clips[shown[i].clip].source;

    /* A source that is missing is asked for as well: its list is empty. */
    if (source == CLIP_BLACK)
      continue;
    kg_demand_item_at (demand, offsetof (Timeline, images), source - 1, timeline_to_time (ctx, shown[i].frame));
    asked++;
    seen = seen || source <= items;
  }
  if (asked >= KG_DEMAND_MAX) {
    kg_set_error (error, KG_ERROR_LIMIT, "%u clips are seen at once: at most %d are possible on all tracks together",
                  asked, KG_DEMAND_MAX - 1);
    return false;
  }
  /* Gaps, black and slates have the size and the shape of the pixels of the first image. */
  if (!seen && items > 0)
    kg_demand_item_at (demand, offsetof (Timeline, images), 0,
                       timeline_to_time (ctx, list.n > 0 && list.clips[0].source == 1 ? list.clips[0].in : ctx->start));
  else if (asked == 0)
    kg_demand_none (demand, offsetof (Timeline, images));
  return true;
}

/* (transfer full) (nullable) An image that no source gives: black, or the slate of a missing source. */
static KgImage *
timeline_make_slate (const Timeline *n, const KgContext *ctx, guint source, int width, int height, double aspect,
                     GError **error)
{
  g_autoptr (KgImage) image = kg_image_new (width, height, false, error);
  g_autofree char *name = NULL, *text = NULL;
  float *pixels;

  if (image == NULL)
    return NULL;
  kg_image_set_pixel_aspect (image, aspect);
  if (source == CLIP_BLACK) {
    pixels = kg_image_edit_pixels (image);
    for (size_t i = 0; i < (size_t) width * (size_t) height; i++)
      pixels[4 * i + 3] = 1;
    return g_steal_pointer (&image);
  }
  name = edit_reels_dup_name (n->names, source);
  text = name != NULL ? g_strdup (name) : g_strdup_printf ("%u", source);
  kg_context_warn (ctx, "source %u%s%s%s is missing: link one more image, or change the clips", source,
                   name != NULL ? " (" : "", name != NULL ? name : "", name != NULL ? ")" : "");
  return slate_draw (image, text, error) ? g_steal_pointer (&image) : NULL;
}

typedef struct {
  KgImage *image; /* (owned) */
  const Clip *clip;
  double frame, share;
  guint number; /* of the clip, from 1 */
} Layer;

static void
clear_layer (gpointer data)
{
  g_clear_pointer (&((Layer *) data)->image, kg_image_unref);
}

/* Fetches the images in the order of demand, and the size of the result. */
static bool
timeline_fetch (const Timeline *n, const KgContext *ctx, const ClipList *list, GArray *layers, int *width, int *height,
                double *aspect, GError **error)
{
  const guint samples = kg_context_get_n_samples (ctx, offsetof (Timeline, images));
  g_autofree ClipShown *shown = g_new (ClipShown, list->n + 1);
  const guint count = timeline_find (list, ctx, shown);
  int widest = 0, highest = 0;
  guint sample = 0;

  for (guint i = 0; i < samples; i++) {
    const KgList item = kg_context_get_list (ctx, offsetof (Timeline, images), i);

    if (item.n == 0)
      continue;
    if (widest == 0)
      *aspect = kg_image_get_pixel_aspect (item.items[0].image);
    widest = MAX (widest, kg_image_get_width (item.items[0].image));
    highest = MAX (highest, kg_image_get_height (item.items[0].image));
  }
  *width = n->width > 0 ? (int) n->width : MAX (widest, 1);
  *height = n->height > 0 ? (int) n->height : MAX (highest, 1);
  for (guint i = 0; i < count; i++) {
    const Clip *clip = &list->clips[shown[i].clip];
    Layer layer = { NULL, clip, shown[i].frame, shown[i].share, shown[i].clip + 1 };

    if (clip->source != CLIP_BLACK && sample < samples) {
      const KgList item = kg_context_get_list (ctx, offsetof (Timeline, images), sample++);

      layer.image = item.n > 0 ? kg_image_ref (item.items[0].image) : NULL;
    }
    if (layer.image == NULL)
      layer.image = timeline_make_slate (n, ctx, clip->source, *width, *height, *aspect, error);
    if (layer.image == NULL)
      return false;
    g_array_append_val (layers, layer);
  }
  return true;
}

/* Lays what a track shows over what the tracks below it show.  layers: of the track, in the order in which they come in. */
static bool
timeline_add_track (const Timeline *n, const Layer *layers, guint count, KgImage **image, const KgContext *ctx,
                    GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const int width = kg_image_get_width (*image), height = kg_image_get_height (*image);
  g_autoptr (KgImage) track = kg_image_ref (layers[0].image);
  ImageSource source;

  for (guint i = 1; i < count; i++) {
    g_autoptr (KgImage) mixed = kg_image_new (width, height, false, error);

    if (mixed == NULL)
      return false;
    kg_image_set_pixel_aspect (mixed, kg_image_get_pixel_aspect (*image));
    if (!transition_mix (track, layers[i].image, layers[i].clip->transition, layers[i].share, n->softness, mixed,
                         &monitor))
      return false;
    kg_image_unref (track);
    track = g_steal_pointer (&mixed);
  }
  source = image_source (track, *image, 0, 0);
  return layer_over (image, &source, 1, NAN, &monitor);
}

static bool
timeline_list (Timeline *n, const GArray *layers, GError **error)
{
  n->shown = kg_table_new (N_SHOWN, shown_columns, layers->len, error);
  for (guint i = 0; n->shown != NULL && i < layers->len; i++) {
    const Layer *layer = &g_array_index (layers, Layer, i);
    double *row = kg_table_edit (n->shown) + (size_t) i * N_SHOWN;

    row[SHOWN_CLIP] = layer->number;
    row[SHOWN_SOURCE] = layer->clip->source;
    row[SHOWN_TRACK] = layer->clip->track;
    row[SHOWN_FRAME] = layer->frame;
    row[SHOWN_SHARE] = layer->share;
  }
  return n->shown != NULL;
}

static bool
timeline_evaluate (Timeline *n, const KgContext *ctx, GError **error)
{
  g_auto (ClipList) list = { .clips = NULL };
  g_autoptr (GArray) layers = g_array_new (FALSE, FALSE, sizeof (Layer));
  double aspect = 1;
  int width, height;

  g_array_set_clear_func (layers, clear_layer);
  if (!clip_rows_read (n->clips, ctx, &list, error) ||
      !timeline_fetch (n, ctx, &list, layers, &width, &height, &aspect, error) || !timeline_list (n, layers, error))
    return false;
  n->end = clips_get_last_frame (list.clips, list.n, ctx->start);
  n->image = kg_image_new (width, height, false, error);
  if (n->image == NULL)
    return false;
  kg_image_set_pixel_aspect (n->image, aspect);
  for (guint from = 0, until; from < layers->len; from = until) {
    const Layer *first = &g_array_index (layers, Layer, from);

    for (until = from + 1; until < layers->len; until++)
      if (g_array_index (layers, Layer, until).clip->track != first->clip->track)
        break;
    if (!timeline_add_track (n, first, until - from, &n->image, ctx, error))
      return false;
  }
  return true;
}

static const KgSlot timeline_slots[] = {
  KG_INPUTS (Timeline, images, IMAGE, .label = N_ ("Images"), .optional = true,
             .help = N_ ("The sources of the clips. Only those that are seen are evaluated, at their own frames.")),
  KG_INPUT (Timeline, clips, TABLE, .label = N_ ("Clips"), .early = true, .columns = clip_columns, .def_text = "",
            .manual = "clips", .help = CLIP_ROWS_HELP),
  KG_INPUT (Timeline, names, TEXT, .label = N_ ("Names"), .multiline = true, .def_text = "",
            .help = N_ ("Names of the images, one per line. A missing source is shown as a slate with its name.")),
  KG_INPUT (Timeline, softness, NUMBER, .label = N_ ("Softness"), .unit = KG_PERCENT, .max = 1,
            .help = N_ ("Width of the edges of wipes and irises, as a fraction of the distance that they travel.")),
  KG_INPUT (
      Timeline, width, INTEGER, .label = N_ ("Width"), .early = true, .unit = KG_PIXELS, .max = KG_IMAGE_MAX_SIDE,
      .soft_max = 3840,
      .help = N_ (
          "Width of the image. 0: the width of the widest image that is seen. Set both if the sources differ in size: all frames of a movie must have the same size.")),
  KG_INPUT (Timeline, height, INTEGER, .label = N_ ("Height"), .early = true, .unit = KG_PIXELS,
            .max = KG_IMAGE_MAX_SIDE, .soft_max = 2160,
            .help = N_ ("Height of the image. 0: the height of the tallest image that is seen.")),
  KG_OUTPUT (Timeline, image, IMAGE, .label = N_ ("Image"),
             .help = N_ ("The movie: transparent where there is no clip.")),
  KG_OUTPUT (Timeline, shown, TABLE, .label = N_ ("Shown"),
             .help = N_ ("What is seen now, one clip per row: its row in Clips, source, track, frame of the source, "
                         "and the progress of its transition.")),
  KG_OUTPUT (Timeline, end, NUMBER, .label = N_ ("Last frame"), .unit = KG_FRAMES,
             .help = N_ ("The last frame with a clip.")),
};

KG_NODE_WITH_DEMAND (
    edit, timeline, Timeline, .label = N_ ("Timeline"), .version = 1, .since = "0.1", .time = KG_TIME_READS,
    .tags = N_ ("edit nonlinear editor sequence cut clips tracks montage animatic assemble story reel append clip"),
    .formula = "frame of the source = in + ((f − at) · speed mod (out − in));  w = (f − at + ½) / overlap",
    .source = "Parent, Computer Animation, 1.3.2",
    .help = N_ (
        "Edits a movie from several images, which may be movies, renderings or composites. A table places clips of them on tracks: cut short, repeated, faster, backwards or held, with transitions where they overlap. Rows without At and Track follow one another, so that an animatic needs just one row per panel."));
