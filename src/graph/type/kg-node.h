/* kg-node: all that a file of a node type includes of the core.
 *
 * A node is a job: a struct whose fields are its inputs and outputs, a table with one row for each field, and
 * one line that declares the type.  The evaluator fills the inputs (from a constant, keys, an expression or a
 * link: the node never knows), calls evaluate, and takes the outputs.  Adding the file to its family's folder
 * is all that registering takes.  src/nodes/motion/ease.c is the commented example.
 *
 * What a node may rely on when evaluate runs:
 *  - no input is NULL (unless .optional), no number is NaN, infinite or outside its range;
 *  - angles (.unit = KG_DEGREES) arrive in radians and leave in radians; the surface shows degrees;
 *  - a const pointer is lent; a pointer without const is given: the node has a reference of its own and
 *    kg_geometry_make_writable (&n->mesh) copies only if someone else holds it.  What is left in a given field
 *    is released by the evaluator;
 *  - a KG_ANY field holds a lent value on the way in; an output is set with kg_value_copy;
 *  - state fields are always given (no const);
 *  - outputs are the evaluator's as soon as they are set, also when evaluate fails.  Small outputs start as
 *    their zero, heavy ones as NULL (a NULL that is left is published as an empty value of its kind);
 *  - evaluate is a function of its inputs (and of ctx->time only when .time is KG_TIME_READS): the same inputs
 *    give the same bits.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-memo-store.h"
#include "kg-progress.h"
#include "kg-value.h"

G_BEGIN_DECLS

typedef struct _KgContext KgContext;
typedef struct _KgDemand KgDemand;
typedef struct _KgNodeType KgNodeType;
typedef struct _KgSlot KgSlot;

/* Where the result of an evaluation depends on the time for which it is requested. */
typedef enum {
  KG_TIME_PASSES,  /* as far as the inputs do */
  KG_TIME_READS,   /* also by itself: it reads ctx->time or ctx->frame */
  KG_TIME_FREEZES, /* not at all: demand asks for its inputs at times that do not depend on ctx->time */
} KgTimeUse;

/* What the core does with nodes of the type beyond calling them. */
typedef enum {
  KG_ROLE_PLAIN,
  KG_ROLE_SUBNET,           /* holds a graph; its slots are the interface nodes inside */
  KG_ROLE_INTERFACE_INPUT,  /* stands inside for an input of the node that holds the graph */
  KG_ROLE_INTERFACE_OUTPUT, /* stands inside for an output */
  KG_ROLE_FILE_OUTPUT,      /* names a file to render: slots image, path, first, last; sound, if any */
  KG_ROLE_ANNOTATION,       /* never evaluated: a note on the canvas */
  KG_ROLE_REROUTE,          /* a bend in a link: a dot on the canvas */
  KG_ROLE_FILE_INPUT,       /* reads a file that is dropped on the canvas, see KgNodeType.reads: slot path */
  KG_ROLE_CAMERA,           /* where a scene is seen from: slots position, target, scene */
  KG_ROLE_FREEHAND,         /* what a line drawn by hand becomes: slots points, basis, closed */
  KG_ROLE_SOUND_OUTPUT,     /* what is heard of the graph, and written into its movies: slot sound */
  KG_ROLE_CONSTANT,         /* holds one value: an input "value" and an output of its kind */
  KG_ROLE_SKELETON_DRAWING, /* draws a skeleton as geometry: slots skeleton, style, geometry */
  KG_ROLE_SCENE_OBJECT,     /* places geometry in a scene: slots geometry, shading, scene */
  KG_ROLE_RENDERING,        /* draws scenes as an image: slots scenes, width, height, image */
} KgRole;

typedef enum {
  KG_UNIT_NONE,
  KG_DEGREES, /* radians inside */
  KG_METRES,
  KG_SECONDS,
  KG_FRAMES,
  KG_HERTZ,
  KG_METRES_PER_SECOND,
  KG_METRES_PER_SECOND2,
  KG_KILOGRAMS,
  KG_KILOGRAMS_PER_METRE,
  KG_PIXELS,
  KG_PERCENT, /* shown as per cent, 0..1 inside and in files */
  KG_N_UNITS
} KgUnit;

/* What feeds an input without a source, when a constant would be of no use. */
typedef enum {
  KG_DRIVER_NONE,
  KG_DRIVER_TIME,  /* seconds since the first frame */
  KG_DRIVER_FRAME, /* frame number */
  KG_DRIVER_PHASE, /* 0 at the first frame of the graph, 1 at the last */
} KgDriver;

typedef struct {
  const char *nick;  /* stable: what files say */
  const char *label; /* N_() */
} KgChoice;

/* A table of choices has each entry at the place of its value, and ends:
 *   enum { HOW_FAST, HOW_SLOW, N_HOWS };
 *   static const KgChoice hows[] = {
 *     [HOW_FAST] = { "fast", label },
 *     [HOW_SLOW] = { "slow", label },
 *     KG_CHOICES_END,
 *   };
 *   KG_CHOICES_MATCH (hows, N_HOWS);
 * A table that does not fit its enumeration does not compile; one with a hole fails in tests/nodes/generic.c.  Files say
 * nicks, but expressions, links and kineo --set also count by number: add at the end. */
#define KG_CHOICES_END                                                                                                 \
  {                                                                                                                    \
    NULL, ""                                                                                                           \
  }
#define KG_CHOICES_MATCH(table, n)                                                                                     \
  _Static_assert(G_N_ELEMENTS (table) == (size_t) (n) + 1, #table " does not have one entry for each of " #n)

typedef enum { KG_SLOT_INPUT, KG_SLOT_OUTPUT, KG_SLOT_STATE } KgSlotRole;

/* The handle of an input in the viewport. */
typedef enum {
  KG_HANDLE_BY_KIND,   /* a vector in metres: a place; a transform: all of it; else nothing */
  KG_HANDLE_NONE,      /* in metres, but no place */
  KG_HANDLE_PLACE,     /* a vector: a point of the world */
  KG_HANDLE_STEP,      /* a vector: from the anchor */
  KG_HANDLE_SIZE,      /* a vector: from side to side, with the anchor in the middle */
  KG_HANDLE_TURN,      /* angles about x, then y, then z, or a rotation: rings around the anchor */
  KG_HANDLE_SCALE,     /* a vector of factors: along the axes of the anchor */
  KG_HANDLE_TRANSFORM, /* a transform: moved, turned and scaled */
  KG_HANDLE_POINTS,    /* a text: a point a row, joined by lines; when: every third is one, those between its handles */
  KG_HANDLE_TANGENTS,  /* a text: what row i of the anchor is left with; when: typed as handles, not as derivatives */
  KG_HANDLE_INCOMING,  /* the same, reached with */
  KG_HANDLE_MOVES,     /* a text: rows i j k dx dy dz, of a lattice that the node makes (techniques/deform/lattice.h) */
  KG_HANDLE_ROW_VALUES, /* a text: row i belongs to row i of the anchor */
  KG_HANDLE_JOINS,      /* a text: rows begin with numbers of points, which count on from those of the geometry that the
                           node takes to the rows of the anchor; two are joined by a rod, three are a hinge, more are
                           around a body */
  KG_HANDLE_JOIN_VALUES, /* a text: a number for each rod of the anchor, and then for each body */
  KG_HANDLE_PARTS,   /* a text: rows "primitive: points", of what the node makes and of the geometry at the anchor */
  KG_HANDLE_GRAB,    /* a vector: where a point of the result is held; the anchor says which */
  KG_HANDLE_OUTLINE, /* a table: closed outlines in the pixels of an image, right and up from its centre: x, y, feather,
                        in_x, in_y, out_x, out_y (from the point), shape.  when: they are polygons, and not smooth; factor
                        scales, turn turns them about the centre of the image, and the anchor is where they are moved to
                        then */
  KG_HANDLE_BODIES, /* a table: bodies in metres with the columns x, y, z, a, b, c (half their extents), rx, ry, rz; the anchor
                        has the extents of rows that lack theirs: without b and c they are those along x */
  KG_HANDLE_LINES, /* a table: lines of two images, whose centre is the origin and whose height is 2: the ends of each, eight
                       numbers; factor: how much of the second image is to be seen, 0 to 1 */
} KgHandleKind;

typedef struct {
  KgHandleKind kind;
  const char *anchor;        /* the input it starts from, or an output that gives the place */
  const char *when;          /* "basis=bezier", as shown_when; see the kinds */
  const char *unless;        /* a condition under which it has none */
  const char *factor;        /* tangents, outlines: an input that multiplies what is typed */
  const char *turn;          /* outlines: an input that turns them */
  const char *unless_linked; /* an input that takes its place where it is linked */
  const char *columns;       /* row values: inputs with what missing rows have, separated by blanks */
  const char *attribute;     /* tangents: of the geometry that the node makes, where the rows are missing */
  guint n_points;            /* joins: at most how many numbers of a row are points; the rest is ignored */
  const char *on;            /* grab: a boolean input, whether the point is held */
} KgViewHandle;

/* One row: everything the program knows of a field. */
struct _KgSlot {
  const char *name;         /* as in files and expressions: the name of the field */
  const char *label, *help; /* N_() */
  KgKind kind;
  KgSlotRole role;
  bool owned;     /* the node is given a reference */
  bool list;      /* the field is a KgList of kind */
  bool optional;  /* may be NULL (heavy kinds), empty (lists) */
  bool fixed;     /* only a constant makes sense: a path, a mode that changes what is read */
  bool early;     /* read before demand is asked */
  bool multiline; /* text: offer an editor of several lines */
  bool path;      /* text: names a file; relative to the graph's folder */
  bool remark;    /* text for people: results do not depend on it */
  bool
      pending; /* image: may come with operations to be done (kg_image_set_pending), which the node adds to or completes */
  bool whole;    /* image: all of it counts, even where only a part of the result is wanted: see KgNodeReach */
  size_t offset; /* of the field in the job */
  KgUnit unit;
  KgDriver driver;
  double def;                   /* number, integer, boolean, choice (index) */
  double def_v[4];              /* vector, colour, rotation */
  const char *def_text;         /* text; table: its rows, as kg_table_parse reads them */
  const char *manual;           /* the page docs/NAME.md that describes what is written in it, or read from it */
  double min, max;              /* hard range; no limit where both are 0 (use INFINITY for one-sided ranges) */
  double soft_min, soft_max;    /* of the slider; the hard range where both are 0 */
  const KgChoice *choices;      /* ends with KG_CHOICES_END */
  const KgTableColumn *columns; /* table: ends with KG_TABLE_COLUMNS_END; the field holds exactly these.  NULL: any */
  const char *group;            /* N_(), heading in the inspector */
  const char *like;             /* KG_ANY outputs: the input whose kind it takes */
  const char *shown_when; /* "shape=sine|cubic": the inspector shows it only while that holds, see kg-condition.h */
  KgViewHandle handle;    /* in the viewport */
  bool draft;             /* number: what is dragged may be shown with a larger one meanwhile, for it is faster then */
  /* Of a state that is a geometry: attributes that the node reads without looking, "points memory int 16; whole report int 16".
   * A state in a file is used only if it has them; the ranges of states that are numbers hold for it, too.  A size of * is
   * any: the node looks itself.  "": it reads none without looking. */
  const char *keeps;
};

/* How much of a node's work is done, 0 to 1. Called now and then on the evaluating thread (or one of its kernels'). */
typedef void (*KgProgress) (const char *node, double done, gpointer data);

/* What an evaluation may ask about itself. */
struct _KgContext {
  double time;        /* seconds since the graph's first frame */
  double frame;       /* start + time * rate */
  double rate;        /* frames per second */
  double start, end;  /* first and last frame of the graph; the last one only for types with .reads_end, else NAN */
  const char *folder; /* (nullable) of the graph's file: relative paths start here */
  const char *const *permitted; /* (nullable) what may be read besides it: see kg_context_dup_path */
  struct _KgContextPrivate *private_data;
};

/* True once the result is no longer needed: return false soon (the error is made for you). */
bool kg_context_is_cancelled (const KgContext *ctx);
/* done in 0..1; any thread; cheap. */
void kg_context_progress (const KgContext *ctx, double done);
/* Both for a technique, which knows no context: valid as long as ctx. */
KgProgressMonitor kg_context_get_progress_monitor (const KgContext *ctx);
/* Whether the result is read once, by an input that takes images with operations pending, and is not kept: then they can be
 * added up and done in one pass over memory, see image_apply_later. */
bool kg_context_may_leave_pending (const KgContext *ctx);
/* Pixels along a side for one of the result as it is meant, up to 1: smaller images are made where they are only looked at.  Numbers
 * in pixels (.unit = KG_PIXELS) are scaled for the node already; what is left are images from files, and pixels in tables. */
double kg_context_get_proxy (const KgContext *ctx);
/* Which part of its whole result a node with .region makes: false where that is all of it. */
bool kg_context_get_part (const KgContext *ctx, KgImagePart *part);
/* Which part of its whole the image of an input is (image: what it holds; all of it where no part is made).  In .find_size only the size of
 * the whole, with NULL: 0 where nothing is linked. */
KgImagePart kg_context_get_image_part (const KgContext *ctx, size_t field, const KgImage *image);
/* In evaluate, where a part is made: it cannot be, after all.  What it returns is forgotten, and all of the result is made. */
void kg_context_refuse_part (const KgContext *ctx);
/* A usable value was substituted: shown on the node, which does not fail. */
void kg_context_warn (const KgContext *ctx, const char *format, ...) G_GNUC_PRINTF (2, 3);
/* The same, in one of two forms: for one thing, or for another number n of them. */
void kg_context_warn_plural (const KgContext *ctx, gulong n, const char *one, const char *many, ...)
    G_GNUC_PRINTF (3, 5) G_GNUC_PRINTF (4, 5);
/* The same with what a technique found worth a warning.  warning: (transfer full) (nullable) */
void kg_context_take_warning (const KgContext *ctx, GError *warning);
/* (transfer full) (nullable) The file that an input names.  NULL and KG_ERROR_REFUSED when the graph may not read it: every
 * node that reads files asks here for all of them. */
char *kg_context_dup_path (const KgContext *ctx, const char *path, GError **error);
/* (transfer full) The folders where files may be that such a file names. */
char **kg_context_dup_permitted (const KgContext *ctx);
/* Zeroed scratch memory that lives until evaluate returns.  Fails (NULL, *error) when memory runs out. */
void *kg_context_scratch (const KgContext *ctx, size_t bytes, GError **error);

/* A table worth keeping between evaluations (arc lengths, a factorised matrix), found by key: hash in
 * everything it depends on (kg_value fingerprints of inputs, parameters) and a constant of your own.
 * build is called when it is missing, and returns the object's bytes; NULL and *error when it cannot.
 * The result lives until evaluate returns, and is shared between threads: read only. */
typedef void *(*KgMemoBuild) (gpointer data, size_t *bytes, GError **error);
const void *kg_context_memo (const KgContext *ctx, KgHash key, KgMemoBuild build, gpointer data, GDestroyNotify destroy,
                             GError **error);
/* For a technique with many memos, which knows no context: valid as long as ctx. */
KgMemoStore kg_context_get_memo_store (const KgContext *ctx);
/* (nullable) The type of the node: for functions that several types share. */
const KgNodeType *kg_context_get_type (const KgContext *ctx);
/* The fingerprint of the value that fills the input at this field offset. */
KgHash kg_context_get_fingerprint (const KgContext *ctx, size_t field);

/* In demand: which of the inputs that are not .early the node wants, and when.  Without a call an input is
 * read once, at ctx->time.  field: offsetof. */
void kg_demand_none (KgDemand *demand, size_t field);
/* Adds one sample (the first call replaces the default); at most KG_DEMAND_MAX of one input. */
#define KG_DEMAND_MAX 4096
void kg_demand_at (KgDemand *demand, size_t field, double time);
/* List inputs: only this item (may be called for several; the list then holds just those). */
void kg_demand_item (KgDemand *demand, size_t field, guint item);
/* List inputs: one item at a time of its own, as one sample more, whose list holds just that item (nothing where it has no
 * value).  For the same input not together with kg_demand_item. */
void kg_demand_item_at (KgDemand *demand, size_t field, guint item, double time);
guint kg_demand_get_n_items (const KgDemand *demand, size_t field);

/* In evaluate: the samples that demand requested, in its order.  The field itself holds the first; declare it
 * lent (const), for a given one takes the first sample away.  Lists: kg_context_get_list, of each sample. */
guint kg_context_get_n_samples (const KgContext *ctx, size_t field);
const KgValue *kg_context_get_sample (const KgContext *ctx, size_t field, guint sample);
KgList kg_context_get_list (const KgContext *ctx, size_t field, guint sample);

/* Called with the job (a pointer to the node's struct). */
typedef bool (*KgNodeCall) (void *job, const KgContext *ctx, GError **error);
typedef bool (*KgNodeDemand) (const void *job, const KgContext *ctx, KgDemand *demand, GError **error);
typedef bool (*KgNodeAdvance) (void *job, const KgContext *ctx, double dt, GError **error);
/* Of an operation on images of one size: from how far around, in pixels, a pixel of its results depends on those of its inputs; so a
 * part of the result is made from that part of them and a margin.  The part is like an image of its own, but that its edges are no
 * edges: what is within reach of them is cut off.  Negative where a pixel depends on others as well (all of them; where it is in
 * the image).  Called with the job filled but for its images. */
typedef double (*KgNodeReach) (const void *job);
/* Of those whose pixels depend on nothing but the pixels at the same place: 0. */
double kg_reach_none (const void *job);
/* Of an operation whose pixels depend on where they are: which part of the image of an input the part of the result
 * (kg_context_get_part) is made of.  needed comes in as that same part, of an image that is as large as the input's; false: all of it.
 * Asked for each input, the last first, with the job filled but for what is not there yet or given to the node (images of later
 * inputs that are lent are there).  evaluate then makes just that part, with the same bits as in the whole. */
typedef bool (*KgNodeRegion) (const void *job, const KgContext *ctx, size_t field, KgImagePart *needed);
/* How large its result is, where that is not the size of its first image: with the job filled but for images, whose sizes
 * kg_context_get_image_part knows. */
typedef void (*KgNodeSize) (const void *job, const KgContext *ctx, int *width, int *height);
/* Rewrites the "inputs" object of a file written by an older version of the type.  A value that is taken over by
 * kg_json_ref is found in the file again when it turns out to be wrong. */
typedef bool (*KgNodeMigrate) (KgJson *inputs, guint version, GError **error);

/* What a type that is made of nodes is part of, counted: tables of types and nodes keep it.  The model's KgPreset begins
 * with one. */
typedef struct _KgDefinition KgDefinition;
struct _KgDefinition {
  gatomicrefcount refs;
  void (*free) (KgDefinition *definition);
};

struct _KgNodeType {
  const char *id;           /* "family/name" */
  const char *label, *help; /* N_(); the help is one or more paragraphs, the first sentence a summary */
  guint version;            /* of the declaration and of the results: part of every fingerprint */
  const char *since;
  const char *tags;    /* N_(), search words separated by blanks */
  const char *formula; /* what it computes, in mathematical notation, a line each: the same in every language */
  const char *source;  /* where it is published: author, title or year, section; several separated by "; " */
  size_t size;         /* of the job */
  const KgSlot *slots;
  guint n_slots;
  KgNodeCall evaluate;
  KgNodeDemand demand;
  /* Simulations.  A KG_STATE field is kept from frame to frame.  start sets it at the graph's first frame;
   * advance moves it from ctx->time - dt to ctx->time (dt > 0 seconds: one frame, or the part of a frame that
   * was requested); evaluate makes the outputs from it. */
  KgNodeCall start;
  KgNodeAdvance advance;
  KgNodeMigrate migrate;
  KgNodeReach reach;    /* (nullable) parts of its results cannot be made alone, unless there is */
  KgNodeRegion region;  /* (nullable) */
  KgNodeSize find_size; /* (nullable) of types with .region */
  KgTimeUse time;
  bool reads_end; /* it reads ctx->end, which other nodes do not have: a new last frame changes nothing for them */
  KgRole role;
  const char *reads; /* of KG_ROLE_FILE_INPUT: ends of names, MIME types and patterns of these, blanks between */
  const KgDefinition *definition; /* (nullable) of types that are made of nodes, which it holds: see kg-preset.h */
};

/* 1: the field is a value, or lent; 2: the node is given a reference it may use up; 0: wrong C type. */
#define KG_IS_NUMBER(x) _Generic((x), double : 1, default : 0)
#define KG_IS_INTEGER(x) _Generic((x), int64_t : 1, default : 0)
#define KG_IS_BOOLEAN(x) _Generic((x), bool : 1, default : 0)
#define KG_IS_TEXT(x) _Generic((x), const char * : 1, char * : 2, default : 0)
#define KG_IS_CHOICE(x) _Generic((x), int : 1, default : 0)
#define KG_IS_VECTOR(x) _Generic((x), KgVector : 1, default : 0)
#define KG_IS_COLOR(x) _Generic((x), KgColor : 1, default : 0)
#define KG_IS_ROTATION(x) _Generic((x), KgRotation : 1, default : 0)
#define KG_IS_TRANSFORM(x) _Generic((x), KgTransform : 1, default : 0)
#define KG_IS_MOTION(x) _Generic((x), const KgMotion * : 1, KgMotion * : 2, default : 0)
#define KG_IS_GEOMETRY(x) _Generic((x), const KgGeometry * : 1, KgGeometry * : 2, default : 0)
#define KG_IS_SKELETON(x) _Generic((x), const KgSkeleton * : 1, KgSkeleton * : 2, default : 0)
#define KG_IS_FIELD(x) _Generic((x), const KgField * : 1, KgField * : 2, default : 0)
#define KG_IS_IMAGE(x) _Generic((x), const KgImage * : 1, KgImage * : 2, default : 0)
#define KG_IS_SCENE(x) _Generic((x), const KgScene * : 1, KgScene * : 2, default : 0)
#define KG_IS_TABLE(x) _Generic((x), const KgTable * : 1, KgTable * : 2, default : 0)
#define KG_IS_SOUND(x) _Generic((x), const KgSound * : 1, KgSound * : 2, default : 0)
#define KG_IS_ANY(x) _Generic((x), KgValue : 1, default : 0)
#define KG_IS_LIST(x) _Generic((x), KgList : 1, default : 0)

#define KG__FIELD(T, m) (((T *) 0)->m)
#define KG__CHECK(T, m, KIND)                                                                                          \
  (0 * sizeof (struct {                                                                                                \
     _Static_assert(KG_IS_##KIND (KG__FIELD (T, m)) != 0, #T "." #m " is not a C type of " #KIND);                     \
     char c;                                                                                                           \
   }))
#define KG__SLOT(T, m, KIND, CHECK, ROLE, ...)                                                                         \
  {                                                                                                                    \
    .name = #m, .kind = KG_##KIND, .role = ROLE, .owned = KG_IS_##CHECK (KG__FIELD (T, m)) == 2,                       \
    .offset = offsetof (T, m) + KG__CHECK (T, m, CHECK), __VA_ARGS__                                                   \
  }

/* One row each.  After the three words: designated initialisers of KgSlot in any order. */
#define KG_INPUT(T, m, KIND, ...) KG__SLOT (T, m, KIND, KIND, KG_SLOT_INPUT, __VA_ARGS__)
#define KG_INPUTS(T, m, KIND, ...) KG__SLOT (T, m, KIND, LIST, KG_SLOT_INPUT, .list = true, __VA_ARGS__)
#define KG_OUTPUT(T, m, KIND, ...) KG__SLOT (T, m, KIND, KIND, KG_SLOT_OUTPUT, __VA_ARGS__)
#define KG_STATE(T, m, KIND, ...) KG__SLOT (T, m, KIND, KIND, KG_SLOT_STATE, __VA_ARGS__)

#define KG__THUNK(name_, T)                                                                                            \
  static bool name_##_call_evaluate (void *job, const KgContext *ctx, GError **error)                                  \
  {                                                                                                                    \
    return name_##_evaluate ((T *) job, ctx, error);                                                                   \
  }
#define KG__DECLARE(family, name_, T, ...)                                                                             \
  extern const KgNodeType kg_node_##family##_##name_;                                                                  \
  const KgNodeType kg_node_##family##_##name_ = { .id = #family "/" #name_,                                            \
                                                  .size = sizeof (T),                                                  \
                                                  .slots = name_##_slots,                                              \
                                                  .n_slots = G_N_ELEMENTS (name_##_slots),                             \
                                                  .evaluate = name_##_call_evaluate,                                   \
                                                  __VA_ARGS__ }

/* Declares the node type family/name from the struct T, the table name_slots and
 *   static bool name_evaluate (T *n, const KgContext *ctx, GError **error); */
#define KG_NODE(family, name_, T, ...)                                                                                 \
  KG__THUNK (name_, T)                                                                                                 \
  KG__DECLARE (family, name_, T, __VA_ARGS__)

/* The same with
 *   static bool name_demand (const T *n, const KgContext *ctx, KgDemand *demand, GError **error); */
#define KG_NODE_WITH_DEMAND(family, name_, T, ...)                                                                     \
  KG__THUNK (name_, T)                                                                                                 \
  static bool name_##_call_demand (const void *job, const KgContext *ctx, KgDemand *demand, GError **error)            \
  {                                                                                                                    \
    return name_##_demand ((const T *) job, ctx, demand, error);                                                       \
  }                                                                                                                    \
  KG__DECLARE (family, name_, T, .demand = name_##_call_demand, __VA_ARGS__)

/* The same with
 *   static bool name_start (T *n, const KgContext *ctx, GError **error);
 *   static bool name_advance (T *n, const KgContext *ctx, double dt, GError **error); */
#define KG_SIMULATION(family, name_, T, ...)                                                                           \
  KG__THUNK (name_, T)                                                                                                 \
  static bool name_##_call_start (void *job, const KgContext *ctx, GError **error)                                     \
  {                                                                                                                    \
    return name_##_start ((T *) job, ctx, error);                                                                      \
  }                                                                                                                    \
  static bool name_##_call_advance (void *job, const KgContext *ctx, double dt, GError **error)                        \
  {                                                                                                                    \
    return name_##_advance ((T *) job, ctx, dt, error);                                                                \
  }                                                                                                                    \
  KG__DECLARE (family, name_, T, .start = name_##_call_start, .advance = name_##_call_advance, __VA_ARGS__)

G_END_DECLS
