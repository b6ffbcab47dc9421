import { Type } from 'typebox';
import { answerOf } from '#serve/http/openapi/describe.ts';
import type { Operation } from '#serve/http/openapi/operation.ts';
import { API } from '../http/parts.ts';
import { pageOfList, SEARCH_PARAMETERS } from '../http/lists.ts';
import { experiment, experimentChanges, experiments, newExperiment } from './schemas.ts';
import { KEY_ERRORS, LAB_BODY_ERRORS } from '../http/operations.ts';
import { WORKFLOW_DETAILS } from '../workflows/operations.ts';

const ID = '7f0c0a8b3d0c4b7e9d0f0c7f3a1c2e55';
const CREATED = {
  id: ID,
  experiment_id: ID,
  name: 'reviews',
  description: '',
  created_at: '2026-01-01T00:00:00Z',
  max_samples: -1,
  task_definition: { task: 'text-classification' },
  dataset: 'b7f0c0a8-3d0c-4b7e-9d0f-0c7f3a1c2e55',
  tags: ['release'],
  updated_at: null,
  workflows: null,
};
const EXPERIMENT = { ...CREATED, workflows: [WORKFLOW_DETAILS] };

const SHARED = { tag: 'Experiments' } as const;
export const EXPERIMENT_ID = { name: 'experiment_id', description: 'Experiment id.', example: ID };

const LIST = pageOfList({
  schema: experiments,
  example: { total: 1, items: [EXPERIMENT] },
  parameters: SEARCH_PARAMETERS,
});

export const EXPERIMENT_OPERATIONS: readonly Operation[] = [
  {
    ...SHARED,
    method: 'post',
    path: `${API}/experiments/`,
    id: 'createExperiment',
    summary: 'Create an experiment: a dataset and a task that models are compared on.',
    description: 'The dataset must exist and have the columns that the task requires.',
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
    errors: [...LAB_BODY_ERRORS, ...KEY_ERRORS],
  },
  {
    ...SHARED,
    path: `${API}/experiments/`,
    id: 'listExperiments',
    summary: 'List experiments with their workflows, newest first.',
    ...LIST,
  },
  {
    ...SHARED,
    path: `${API}/experiments/all`,
    id: 'listAllExperiments',
    summary: 'List experiments, under the path that clients of Lumigator use.',
    ...LIST,
  },
  {
    ...SHARED,
    method: 'get',
    path: `${API}/experiments/{experiment_id}`,
    id: 'getExperiment',
    summary: 'Get an experiment with its workflows.',
    parameters: [EXPERIMENT_ID],
    answer: answerOf('The experiment.', experiment, EXPERIMENT),
    errors: KEY_ERRORS,
  },
  {
    ...SHARED,
    method: 'patch',
    path: `${API}/experiments/{experiment_id}`,
    id: 'updateExperiment',
    summary: 'Change the name, the description or the tags of an experiment.',
    parameters: [EXPERIMENT_ID],
    request: { schema: experimentChanges, examples: { tags: { tags: ['release'] } } },
    answer: answerOf('The experiment.', experiment, EXPERIMENT),
    errors: [...LAB_BODY_ERRORS, 409, ...KEY_ERRORS],
  },
  {
    ...SHARED,
    method: 'delete',
    path: `${API}/experiments/{experiment_id}`,
    id: 'deleteExperiment',
    summary: 'Delete an experiment and all its workflows. Running ones are stopped.',
    parameters: [EXPERIMENT_ID],
    answer: answerOf('The experiment is deleted.', Type.Null(), null),
    errors: KEY_ERRORS,
  },
];
