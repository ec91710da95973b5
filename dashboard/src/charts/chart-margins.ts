// The margins of every plot, in pixels. Fixed, because all charts share one time axis and place their tooltip
// by it.

export const AXIS_WIDTH = 56;
export const RIGHT_MARGIN = 8;
/** Space for the line labels, in charts that are wide enough for them. */
export const LABEL_MARGIN = 112;
export const LABELLED_WIDTH = 480;
