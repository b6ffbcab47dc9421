/** Where datasets, experiments, workflows and what belongs to them are. */
export const API = '/api/v1';
