// Pages with a flame graph of two sides: comparisons and explanations of a difference.

import { startSections } from '../page/sections.js';
import { startUnionGraphs } from '../union/zoom.js';

startSections();
startUnionGraphs();
