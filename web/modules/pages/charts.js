// Pages with charts of dots: rooflines, histories and measured workloads.

import { describeNearestDots } from '../chart/nearest.js';
import { startSections } from '../page/sections.js';

startSections();
describeNearestDots();
