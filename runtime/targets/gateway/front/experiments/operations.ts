import { Type } from 'typebox';
import { answerOf } from '../../../../serve/http/openapi/describe.ts';
import type { Operation } from '../../../../serve/http/openapi/operation.ts';
import { BODY_ERRORS } from '../../../../serve/http/openapi/statuses.ts';
import { API } from '../http/api-path.ts';
import { PAGE_PARAMETERS } from '../http/page.ts';
import { experiment, experiments, newExperiment } from './schemas.ts';
import { KEY_ERRORS } from '../http/operations.ts';
import { WORKFLOW_DETAILS } from '../workflows/operations.ts';

const ID = '7f0c0a8b3d0c4b7e9d0f0c7f3a1c2e55';
const CREATED = {
  id: ID,
  name: 'reviews',
  description: '',
  created_at: '2026-01-01T00:00:00Z',
  max_samples: -1,
  task_definition: { task: 'text-classification' },
  dataset: 'b7f0c0a8-3d0c-4b7e-9d0f-0c7f3a1c2e55',
  updated_at: null,
  workflows: null,
};
const EXPERIMENT = { ...CREATED, workflows: [WORKFLOW_DETAILS] };

const SHARED = { tag: 'Experiments' } as const;
export const EXPERIMENT_ID = { name: 'experiment_id', description: 'The experiment’s id.', example: ID };

export const EXPERIMENT_OPERATIONS: readonly Operation[] = [
  {
    ...SHARED,
    method: 'post',
    path: `${API}/experiments/`,
    id: 'createExperiment',
    summary: 'Makes an experiment: what models are to be compared at.',
    description: 'The dataset has to be there, and to be one that the task can do something with.',
    request: {
      schema: newExperiment,
      examples: {
        classification: {
          name: 'reviews',
          dataset: CREATED.dataset,
          task_definition: { task: 'text-classification' },
        },
        translation: {
          name: 'manual',
          dataset: CREATED.dataset,
          max_samples: 100,
          task_definition: { task: 'translation', source_language: 'English', target_language: 'German' },
        },
      },
    },
    answer: answerOf('The experiment.', experiment, CREATED),
    statuses: [201],
    errors: [...BODY_ERRORS, ...KEY_ERRORS],
  },
  {
    ...SHARED,
    method: 'get',
    path: `${API}/experiments/`,
    id: 'listExperiments',
    summary: 'Experiments with their workflows, the newest first.',
    parameters: PAGE_PARAMETERS,
    answer: answerOf('A part of the list.', experiments, { total: 1, items: [EXPERIMENT] }),
    errors: [422, ...KEY_ERRORS],
  },
  {
    ...SHARED,
    method: 'get',
    path: `${API}/experiments/{experiment_id}`,
    id: 'getExperiment',
    summary: 'An experiment with its workflows.',
    parameters: [EXPERIMENT_ID],
    answer: answerOf('The experiment.', experiment, EXPERIMENT),
    errors: KEY_ERRORS,
  },
  {
    ...SHARED,
    method: 'delete',
    path: `${API}/experiments/{experiment_id}`,
    id: 'deleteExperiment',
    summary: 'Deletes an experiment and all its workflows; what runs is stopped.',
    parameters: [EXPERIMENT_ID],
    answer: answerOf('It is gone.', Type.Null(), null),
    errors: KEY_ERRORS,
  },
];
