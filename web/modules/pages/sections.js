// A page of sections alone.

import { startSections } from '../page/sections.js';

startSections();
