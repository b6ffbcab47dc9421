/** @import { Section } from '../start-app.js' */
import { showExperiment } from './experiment-page.js';
import { showExperiments } from './list-page.js';
import { showNewExperiment } from './new-page.js';

/**
 * The pages of experiments.
 * @type {readonly Section[]}
 */
export const EXPERIMENT_SECTIONS = [
  { path: 'experiments', name: 'Experiments', group: 'Usage', show: showExperiments },
  { path: 'experiments/new', title: 'New experiment', show: showNewExperiment },
  { path: 'experiments/:id', title: 'Experiment', show: showExperiment },
];
