// Sizes of a timeline's parts, in pixels.

export const RULER = 24;
export const THREAD = 18;
export const LANE = 18;
export const BETWEEN = 10;
