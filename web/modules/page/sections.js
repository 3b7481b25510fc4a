// What all pages of sections do.

import { makeTablesSortable } from '../table/sort.js';
import { openBranchesByButton, printAllBranches } from './branches.js';
import { markReadSection } from './reading.js';

export function startSections() {
  makeTablesSortable();
  openBranchesByButton();
  printAllBranches();
  markReadSection();
}
