/** Path prefix of datasets, experiments, workflows and jobs. */
export const API = '/api/v1';
