// The flame graph as a page of its own.

import { startFlameGraphs } from '../flame/graph.js';

startFlameGraphs();
