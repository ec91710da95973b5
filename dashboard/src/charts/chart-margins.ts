// The margins of every plot, in pixels. Fixed and not measured: the charts of a page share one time axis, and what is
// under the pointer is placed with them.

export const AXIS_WIDTH = 56;
export const RIGHT_MARGIN = 8;
/** Where the names of the lines stand, in a chart that is at least so wide. */
export const LABEL_MARGIN = 112;
export const LABELLED_WIDTH = 480;
