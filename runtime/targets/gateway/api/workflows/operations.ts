import { Type } from 'typebox';
import { answerOf } from '#serve/http/openapi/describe.ts';
import type { Operation } from '#serve/http/openapi/operation.ts';
import { oneOf } from '#serve/http/schemas.ts';
import { API } from '../http/parts.ts';
import { pageOfList, SEARCH_PARAMETERS } from '../http/lists.ts';
import {
  logs,
  newWorkflow,
  resultUrl,
  retryRequest,
  workflow,
  workflowChanges,
  workflowDetails,
  workflows,
} from './schemas.ts';
import { KEY_ERRORS, LAB_BODY_ERRORS } from '../http/operations.ts';
import { ROWS, ROWS_FORMAT } from './rows-operation.ts';

const ID = '0d1f7c2e5b6a4c3d8e9f0a1b2c3d4e5f';
const RESULT = `http://127.0.0.1:8000${API}/artifacts/${ID}.json?expires=1767225600&sig=abc`;
const CREATED = {
  id: ID,
  workflow_id: ID,
  experiment_id: '7f0c0a8b3d0c4b7e9d0f0c7f3a1c2e55',
  model: 'small',
  name: 'small',
  description: '',
  system_prompt: 'Classify the text of the user.',
  tags: ['release'],
  status: 'created',
  created_at: '2026-01-01T00:00:00Z',
  updated_at: null,
};
export const WORKFLOW_DETAILS = {
  ...CREATED,
  status: 'succeeded',
  updated_at: '2026-01-01T00:01:00Z',
  provider: 'openai',
  error: null,
  jobs: [],
  metrics: { accuracy: 0.91 },
  parameters: {},
  artifacts_download_url: RESULT,
};

const SHARED = { tag: 'Workflows' } as const;
const WORKFLOW_ID = { name: 'workflow_id', description: 'Workflow id.', example: ID };
const WORKFLOW_ANSWER = answerOf('The workflow.', workflowDetails, WORKFLOW_DETAILS);

export const WORKFLOW_OPERATIONS: readonly Operation[] = [
  {
    ...SHARED,
    method: 'post',
    path: `${API}/workflows/`,
    id: 'createWorkflow',
    summary: 'Create a workflow: run a model on the dataset of an experiment and score its answers.',
    description:
      'A workflow has two jobs: the model answers, then its answers are compared with the ground truth. The model is checked first, so that a workflow that cannot succeed is refused.',
    request: {
      schema: newWorkflow,
      examples: {
        encoder: {
          name: 'large encoder',
          experiment_id: CREATED.experiment_id,
          provider: 'encoder',
          model: 'sentiment',
          base_url: 'http://127.0.0.1:8080',
          batch_size: 32,
        },
        model: {
          name: 'small',
          experiment_id: CREATED.experiment_id,
          provider: 'openai',
          model: 'gpt-5-mini',
          metrics: ['accuracy', 'f1_macro'],
        },
      },
    },
    answer: answerOf('The workflow. It starts automatically.', workflow, CREATED),
    statuses: [201],
    errors: [400, ...LAB_BODY_ERRORS, ...KEY_ERRORS],
  },
  {
    ...SHARED,
    path: `${API}/workflows/`,
    id: 'listWorkflows',
    summary: 'List workflows, newest first.',
    ...pageOfList({
      schema: workflows,
      example: { total: 1, items: [WORKFLOW_DETAILS] },
      parameters: [
        {
          name: 'experiment_id',
          in: 'query',
          description: 'Only workflows of this experiment.',
          example: CREATED.experiment_id,
        },
        {
          name: 'status',
          in: 'query',
          description: 'Only workflows with this status.',
          example: 'running',
          schema: oneOf(['any', 'created', 'running', 'succeeded', 'failed']),
        },
        ...SEARCH_PARAMETERS,
      ],
    }),
  },
  {
    ...SHARED,
    method: 'get',
    path: `${API}/workflows/{workflow_id}`,
    id: 'getWorkflow',
    summary: 'Get a workflow with its jobs and metrics.',
    parameters: [WORKFLOW_ID],
    answer: WORKFLOW_ANSWER,
    errors: KEY_ERRORS,
  },
  {
    ...SHARED,
    method: 'patch',
    path: `${API}/workflows/{workflow_id}`,
    id: 'updateWorkflow',
    summary: 'Change the name, the description or the tags of a workflow.',
    parameters: [WORKFLOW_ID],
    request: { schema: workflowChanges, examples: { name: { name: 'small, first try' } } },
    answer: WORKFLOW_ANSWER,
    errors: [...LAB_BODY_ERRORS, ...KEY_ERRORS],
  },
  {
    ...SHARED,
    method: 'get',
    path: `${API}/workflows/{workflow_id}/logs`,
    id: 'getWorkflowLogs',
    summary: 'Get the logs of all jobs of a workflow, oldest first.',
    parameters: [
      WORKFLOW_ID,
      {
        name: 'follow',
        in: 'query',
        description: 'Stream lines as server-sent events until the workflow has ended.',
        example: 'true',
        schema: oneOf(['false', 'true'], { default: 'false' }),
      },
    ],
    answer: answerOf('The logs.', logs, { logs: '2026-01-01T00:00:00Z INFO The model is ready.' }),
    otherAnswers: [
      {
        mediaType: 'text/event-stream',
        schema: Type.String(),
        examples: { end: 'event: end\ndata: {"status":"succeeded","error":null}\n\n' },
      },
    ],
    errors: [422, ...KEY_ERRORS],
  },
  {
    ...SHARED,
    method: 'get',
    path: `${API}/workflows/{workflow_id}/result/download`,
    id: 'downloadWorkflowResult',
    summary: 'Get a URL to download the results of a workflow that has succeeded.',
    parameters: [WORKFLOW_ID],
    answer: answerOf('The URL.', resultUrl, RESULT),
    errors: [409, ...KEY_ERRORS],
  },
  {
    ...SHARED,
    method: 'post',
    path: `${API}/workflows/{workflow_id}/cancel`,
    id: 'cancelWorkflow',
    summary: 'Stop a workflow. Its status becomes `failed`.',
    parameters: [WORKFLOW_ID],
    answer: WORKFLOW_ANSWER,
    errors: [409, ...KEY_ERRORS],
  },
  {
    ...SHARED,
    method: 'post',
    path: `${API}/workflows/{workflow_id}/retry`,
    id: 'retryWorkflow',
    summary: 'Retry a workflow that has failed or has failed rows.',
    description:
      'Answered rows keep their answers: the model repeats failed rows, then answers the remaining ones. The body can change some settings.',
    parameters: [WORKFLOW_ID],
    request: {
      schema: retryRequest,
      optional: true,
      examples: { slower: { batch_size: 4, max_error_rate: 0.05 } },
    },
    answer: WORKFLOW_ANSWER,
    errors: [...LAB_BODY_ERRORS, 409, ...KEY_ERRORS],
  },
  {
    ...SHARED,
    ...ROWS,
    method: 'get',
    path: `${API}/workflows/{workflow_id}/rows`,
    id: 'getWorkflowRows',
    summary: 'Get the rows that the model has answered so far.',
    parameters: [WORKFLOW_ID, ROWS_FORMAT],
    errors: [422, ...KEY_ERRORS],
  },
  {
    ...SHARED,
    method: 'delete',
    path: `${API}/workflows/{workflow_id}`,
    id: 'deleteWorkflow',
    summary: 'Delete a workflow and all its results.',
    parameters: [
      WORKFLOW_ID,
      {
        name: 'force',
        in: 'query',
        description: 'Delete it even if it is running, which stops it, or if an experiment uses its answers.',
        example: 'true',
        schema: oneOf(['false', 'true'], { default: 'false' }),
      },
    ],
    answer: answerOf('The deleted workflow.', workflowDetails, {
      ...WORKFLOW_DETAILS,
      jobs: null,
      metrics: null,
      parameters: null,
      artifacts_download_url: null,
    }),
    errors: [400, 409, 422, ...KEY_ERRORS],
  },
];
