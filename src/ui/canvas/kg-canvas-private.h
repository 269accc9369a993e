/* kg-canvas-private: what kg-canvas.c (the widget), kg-canvas-items.c (nodes, links and their places), kg-canvas-add.c
 * (nodes that come), kg-canvas-actions.c (actions), kg-canvas-draw.c (drawing), kg-canvas-draw-node.c (a node), kg-canvas-tools.c (mouse),
 * kg-canvas-frames.c (sizes of frames), kg-canvas-keys.c (keyboard), kg-canvas-menu.c and kg-canvas-access.c (screen
 * readers) share.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-canvas-colors.h"
#include "kg-canvas.h"
#include "kg-kind-color.h"
#include "kg-node-layout.h"

G_BEGIN_DECLS

typedef struct _KgItem KgItem;

/* A link as its reader knows it: the places of its ends in the layouts of both. */
typedef struct {
  const KgItem *from;
  guint start, end;
  KgKind kind;
} KgLink;

/* A name as it is drawn at the size of the screen. */
typedef struct {
  cairo_surface_t *surface; /* (nullable) */
  guint key;                /* what was drawn */
  double scale;
} KgLabel;

/* A node as the canvas knows it. */
struct _KgItem {
  KgNode *node;
  KgNodeLayout layout;
  bool stale, expanded, thumbnail, is_note;
  bool in_hand; /* is being moved */
  guint n_links;
  KgLink *links;
  /* How it looks, computed again when the stamp of the canvas has changed. */
  guint look_stamp;
  guint look_key; /* what its image shows, as one number */
  KgTint tint;    /* of the head */
  bool displayed;
  bool outdated;              /* an instance, and there is a newer definition */
  const KgNodeReport *report; /* (nullable) */
  cairo_surface_t *image;     /* (nullable) */
  guint image_key;            /* what was drawn, and how large */
  double image_scale;
  KgLabel label, cut; /* the name, for when the node is too small to be read; no wider than the node */
  guint seen;         /* the last frame it was in */
};

typedef enum {
  KG_TOOL_NONE,
  KG_TOOL_PAN,
  KG_TOOL_MOVE,
  KG_TOOL_BOX,
  KG_TOOL_LINK,
  KG_TOOL_CUT,
  KG_TOOL_OVERVIEW,
  KG_TOOL_RESIZE,
  KG_TOOL_PICK /* with the keyboard: one of several slots or links */
} KgTool;

/* What the keyboard chooses between, and what for. */
typedef enum {
  KG_PICK_NONE,
  KG_PICK_START,  /* a slot that a link begins at */
  KG_PICK_TARGET, /* where it goes (TOOL_LINK) */
  KG_PICK_UNLINK, /* a link to take away */
  KG_PICK_DOT     /* a link to put a dot into */
} KgPick;

/* Edges of a frame that are moved. */
typedef enum { KG_EDGE_LEFT = 1, KG_EDGE_RIGHT = 2, KG_EDGE_TOP = 4, KG_EDGE_BOTTOM = 8 } KgEdges;

/* One end of a link. */
typedef struct {
  KgNode *node; /* NULL: none */
  guint slot, item;
  bool is_output;
} KgEnd;

struct _KgCanvas {
  GtkWidget parent_instance;
  KgDocument *document;
  KgWorker *worker;
  GHashTable *items; /* KgNode -> KgItem */
  GPtrArray *order;  /* KgItem in drawing order: notes first */
  bool order_stale, items_stale, links_stale;
  double x, y, zoom; /* graph coordinates of the upper left corner; pixels a unit */
  bool fit_wanted;   /* once there is a size */
  bool heat, overview;
  /* The pointer, in widget coordinates. */
  double pointer_x, pointer_y;
  KgEnd hover_slot;
  KgNode *hover_node;
  /* What is being done. */
  KgTool tool;
  double start_x, start_y; /* of the drag, widget coordinates */
  double drag_x, drag_y;   /* where it is now */
  double view_x, view_y;   /* at its start */
  bool space_held;
  bool group_open;         /* TOOL_MOVE or TOOL_RESIZE has begun a group of edits */
  GArray *origins;         /* TOOL_MOVE: KgPlacement, where the nodes were */
  GPtrArray *before;       /* TOOL_BOX: selection when it began */
  KgEnd link;              /* TOOL_LINK: the end that stays */
  KgEnd detached;          /* TOOL_LINK: the input that the link was taken from */
  KgEnd insert;            /* TOOL_MOVE: the link that the node would go into */
  GArray *cut;             /* TOOL_CUT: x, y pairs in graph coordinates */
  double guide_x, guide_y; /* lines shown while snapping; NAN: none */
  KgNode *resized;         /* TOOL_RESIZE: the frame, */
  KgEdges edges;           /* its edges in hand, */
  KgRect resized_from;     /* and what it was */
  KgPick pick;
  GArray *picks; /* KgEnd; of links the input that reads */
  guint picked;  /* which of them */
  guint64 nudge; /* the step that a run of nudges made; 0: none */
  GtkWidget *add_popover, *find_popover, *menu, *rename_popover;
  double add_x, add_y; /* where a new node goes, graph coordinates */
  KgEnd add_end;       /* what it will be linked to */
  char *followed_from; /* (nullable) name of the node that the keyboard followed a link from, */
  bool followed_upstream;
  /* Drawing: two surfaces in turn, as the display may still read the one before. */
  cairo_surface_t *frames[2];
  guint frame;        /* counts frames */
  guint look_stamp;   /* moves on when nodes may look different */
  KgResultSet *shown; /* (nullable) the reports that items hold */
  bool dark;
  double drawn_scale;  /* of the last frame: whether one is zooming */
  gint64 images_until; /* when this frame has spent enough time on images */
  /* For screen readers. */
  GHashTable *access; /* (nullable) KgNode, only compared -> its widget */
  guint access_source, access_key, access_waits;
  guint selection_stamp;        /* moves on with the selection */
  bool images_made, unfinished; /* unfinished: some nodes are not as sharp yet as they should be */
};

/* kg-canvas.c */
void kg_canvas_show_message (KgCanvas *self, const char *format, ...) G_GNUC_PRINTF (2, 3);
void kg_canvas_show_error (KgCanvas *self, const GError *error);
/* The view follows to a node that is not wholly in it. */
void kg_canvas_reveal (KgCanvas *self, KgNode *node);
void kg_canvas_zoom_at (KgCanvas *self, double wx, double wy, double factor);
/* Where the overview is, widget coordinates, and the part of the graph in it. */
bool kg_canvas_get_overview (KgCanvas *self, KgRect *place, KgRect *all);

/* kg-canvas-items.c */
KgGraph *kg_canvas_graph (KgCanvas *self);
KgItem *kg_canvas_get_item (KgCanvas *self, KgNode *node);
GPtrArray *kg_canvas_get_order (KgCanvas *self);
/* (nullable) What is known of the node since the last evaluation. */
const KgNodeReport *kg_canvas_get_report (KgCanvas *self, KgNode *node);
/* The nodes of the whole graph, to go to one. */
void kg_canvas_open_find (KgCanvas *self);
bool kg_canvas_is_displayed (KgCanvas *self, KgNode *node);
/* The node is laid out again, and its links are found again, before the next frame. */
void kg_canvas_mark_stale (KgCanvas *self, KgNode *node);
void kg_canvas_mark_links_stale (KgCanvas *self);
void kg_canvas_item_free (gpointer item);
/* The first output that can be drawn; -1. */
int kg_canvas_find_image (const KgNode *node);
/* Whether a node begins with a thumbnail. */
bool kg_canvas_starts_with_thumbnail (const KgNode *node);
/* For a position in the widget. */
void kg_canvas_to_graph (KgCanvas *self, double wx, double wy, double *x, double *y);
/* The topmost node at a place (graph coordinates); its slot when one is within reach. */
KgNode *kg_canvas_pick (KgCanvas *self, double x, double y, KgEnd *end);
/* The link nearest to a place, within reach (graph units). */
bool kg_canvas_pick_link (KgCanvas *self, double x, double y, double reach, KgEnd *end);
/* Points of the cubic of a link. */
void kg_canvas_get_link_curve (const KgItem *item, const KgLink *link, double points[8]);
bool kg_canvas_get_curve (KgCanvas *self, KgNode *to, const KgSlotPlace *place, double points[8], KgKind *kind);
/* How many sources an input has: items of a list, else one; outputs none. */
guint kg_canvas_count_items (const KgNode *node, guint slot);
bool kg_canvas_ends_fit (KgCanvas *self, const KgEnd *a, const KgEnd *b);

/* kg-canvas-add.c */
/* (nullable) A node of the type that has the role: one that the program cannot be without. */
KgNode *kg_canvas_add_role (KgCanvas *self, KgRole role, double x, double y, GError **error);
/* Opens the search; end (nullable): what the new node is linked to. */
void kg_canvas_open_search (KgCanvas *self, double wx, double wy, const KgEnd *end);

/* kg-canvas-actions.c */
void kg_canvas_install_actions (GtkWidgetClass *class);
/* (nullable) The nearest node that way ("left", "right", "up", "down"), among those in a set (NULL: all). */
KgNode *kg_canvas_find_next (KgCanvas *self, KgNode *from, const char *way, GHashTable *among);
void kg_canvas_open_rename (KgCanvas *self, KgNode *node);

/* kg-canvas-draw.c */
void kg_canvas_draw (KgCanvas *self, cairo_t *cr, int width, int height);
/* Below this zoom text is left out, below the second the slots too. */
#define KG_TEXT_ZOOM 0.38
/* Below this zoom the names of nodes are written a second time, at the size of the screen. */
#define KG_NAME_ZOOM 0.75
#define KG_BOX_ZOOM 0.22

/* kg-canvas-draw-node.c; units of cr are those of the graph, wherever its matrix puts them. */
void kg_canvas_draw_node (KgCanvas *self, cairo_t *cr, const KgItem *item, const KgCanvasColors *colors);
void kg_canvas_draw_note (KgCanvas *self, cairo_t *cr, const KgItem *item, const KgCanvasColors *colors);
void kg_canvas_draw_slot (cairo_t *cr, const KgSlotPlace *place, KgKind kind, const KgCanvasColors *colors, bool list,
                          double alpha);
/* Adds a rectangle with round corners to the path. */
void kg_canvas_add_rounded (cairo_t *cr, double x, double y, double width, double height, double radius);
/* (transfer full) Letters stand where they belong at every zoom, and not on whole pixels, which would change the gaps between
 * them from one size to the next. */
PangoLayout *kg_canvas_create_layout (KgCanvas *self, const char *text);
/* One line in the middle of y; what is wider is cut. */
void kg_canvas_show_text (KgCanvas *self, cairo_t *cr, const char *text, double x, double y, double width, double size,
                          bool right, bool bold);
/* Looks up what the canvas shows of a node and makes one number of it, to see whether its image is still right. */
void kg_canvas_update_look (KgCanvas *self, KgItem *item);

/* kg-canvas-access.c */
/* After a frame: the widgets of nodes follow when the view rests. */
void kg_canvas_queue_access_update (KgCanvas *self);
/* Now. */
void kg_canvas_update_access (KgCanvas *self);
/* (nullable) What stands for a node; none for nodes out of view. */
GtkAccessible *kg_canvas_get_accessible (KgCanvas *self, KgNode *node);
void kg_canvas_allocate_access (KgCanvas *self);
void kg_canvas_clear_access (KgCanvas *self);

/* kg-canvas-tools.c */
#define KG_SNAP 10.0       /* graph units */
#define KG_GUIDE_REACH 6.0 /* pixels */

void kg_canvas_add_controllers (KgCanvas *self);
void kg_canvas_cancel_tool (KgCanvas *self);
/* Ends the tool and keeps what it did. */
void kg_canvas_finish_tool (KgCanvas *self);
/* Fills origins with the selected nodes, and with what lies on those that are frames. */
void kg_canvas_pick_up_selection (KgCanvas *self);
void kg_canvas_forget_node (KgCanvas *self, KgNode *node);
/* A dot into a link, with its middle at a place. */
void kg_canvas_add_dot (KgCanvas *self, const KgEnd *link, double x, double y);

/* kg-canvas-frames.c */
/* (nullable) The frame whose edge is at a place (graph coordinates), with no node above it. */
KgNode *kg_canvas_pick_edges (KgCanvas *self, double x, double y, KgEdges *edges);
const char *kg_canvas_get_cursor (KgEdges edges);
void kg_canvas_begin_resize (KgCanvas *self, KgNode *frame, KgEdges edges);
void kg_canvas_update_resize (KgCanvas *self, GdkModifierType state);
void kg_canvas_end_resize (KgCanvas *self);

/* kg-canvas-menu.c */
/* For a node (NULL: the ground), at a place of the widget. */
void kg_canvas_open_menu (KgCanvas *self, KgNode *node, double wx, double wy);

/* kg-canvas-keys.c */
void kg_canvas_nudge (KgCanvas *self, const char *way);
/* From the active node: an output, or an input. */
void kg_canvas_start_link (KgCanvas *self, bool is_output);
void kg_canvas_start_unlink (KgCanvas *self);
void kg_canvas_start_dot (KgCanvas *self);
/* False while nothing is chosen. */
bool kg_canvas_walk_pick (KgCanvas *self, const char *way);
bool kg_canvas_accept_pick (KgCanvas *self);
void kg_canvas_open_menu_by_key (KgCanvas *self);

G_END_DECLS
