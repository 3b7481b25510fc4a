// The report: its graphs are drawn once the rest stands.

import { startFlameGraphs } from '../flame/graph.js';
import { afterFirstPaint, writePaintTimes } from '../page/paint_times.js';
import { startSections } from '../page/sections.js';
import { startTimelines } from '../timeline/timeline.js';

startSections();
afterFirstPaint(() => {
  startTimelines();
  startFlameGraphs();
  writePaintTimes();
});
