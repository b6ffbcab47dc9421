import type { Context } from 'hono';
import { Type } from 'typebox';
import { AppError } from '#contract/errors.ts';
import { rfc3339 } from '#core/time/rfc3339.ts';
import { readablePieces } from '#serve/http/fetch-exchange.ts';
import { answerOf } from '#serve/http/openapi/describe.ts';
import { wordOf } from '#serve/http/query.ts';
import type { Route } from '#serve/http/route.ts';
import { oneOf } from '#serve/http/schemas.ts';
import type { GatewayContext } from '../context.ts';
import { followWorkflowLogs, jobLog, LOG_SEPARATOR } from '../evaluation/workflows/workflow-logs.ts';
import type { WorkflowDetails } from '../evaluation/workflows/workflow.ts';
import { noExperiment } from '../evaluation/workflows/workflows.ts';
import { eventText } from '../providers/streams/stream.ts';
import { EVENT_STREAM, KEEP_ALIVE } from './completions/routes.ts';
import { modelCheckFor, callerOf, viewOf } from './guards.ts';
import { pageOfList, SEARCH_PARAMETERS, pageOf, searchOf } from './http/lists.ts';
import { API, type HttpParts } from './http/parts.ts';
import { ROWS, ROWS_FORMAT, rowsAnswer } from './job-rows.ts';
import { retryIn, workflowIn } from './workflow-request.ts';
import {
  deletedWorkflowView,
  workflowDetailsView,
  workflowView,
  createResultsAddress,
  createWorkflowView,
} from './workflow-views.ts';
import {
  logs,
  newWorkflow,
  resultUrl,
  retryRequest,
  workflow,
  workflowChanges,
  workflowDetails,
  workflowList,
} from './workflows-schemas.ts';

/**
 * Streams log lines as they are written. The last event contains the workflow's final status, or the error
 * that ended the stream, e.g. because the caller's credential has expired.
 */
function followAnswer(
  c: Context,
  readWorkflow: () => Promise<WorkflowDetails>,
  { jobs, kernel, clock }: Pick<GatewayContext, 'jobs' | 'kernel' | 'clock'>,
): Response {
  const stop = new AbortController();
  // The stream is closed on shutdown, which must not wait for a workflow to end.
  void kernel.lifecycle.changed(stop.signal).then(
    () => stop.abort(),
    () => undefined,
  );
  const events = eventsOf(readWorkflow, jobs, stop);
  const stream = readablePieces(
    {
      next: () => events.next(),
      async cancel() {
        stop.abort();
        await events.return();
      },
    },
    KEEP_ALIVE,
    clock,
  );
  return c.body(stream, 200, { 'Content-Type': EVENT_STREAM, 'Cache-Control': 'no-cache' });
}

async function* eventsOf(
  readWorkflow: () => Promise<WorkflowDetails>,
  { queue }: Pick<GatewayContext['jobs'], 'queue'>,
  stop: AbortController,
): AsyncGenerator<Uint8Array, void> {
  try {
    for await (const { jobId, line } of followWorkflowLogs(queue, readWorkflow, stop.signal)) {
      const { at, level, text } = line;
      yield Buffer.from(eventText({ job_id: jobId, timestamp: rfc3339(at), level, message: text }));
    }
    if (stop.signal.aborted) return;
    const { status, error } = await readWorkflow();
    yield Buffer.from(eventText({ status, error }, 'end'));
  } catch (thrown) {
    const { code, message, reason } = AppError.from(thrown);
    if (code === 'InternalError') throw thrown;
    yield Buffer.from(eventText({ error: { code: reason ?? code, message } }, 'error'));
  } finally {
    stop.abort();
  }
}

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

type RoutesContext = Pick<
  GatewayContext,
  'jobs' | 'experiments' | 'workflows' | 'state' | 'clock' | 'kernel'
>;

/** `/api/v1/workflows`: runs of one model on an experiment's dataset. */
export function workflowRoutes(
  context: RoutesContext,
  { guards, route, absoluteUrl }: HttpParts,
): readonly Route[] {
  const { jobs, experiments, workflows, state } = context;
  const resultsAddress = createResultsAddress(jobs.artifacts, absoluteUrl);
  const detailsOf = createWorkflowView(resultsAddress);

  return [
    route({
      method: 'post',
      path: `${API}/workflows/`,
      guard: guards.evaluation,
      ...SHARED,
      id: 'createWorkflow',
      summary: 'Create a workflow: run a model on an experiment’s dataset and score its outputs.',
      description:
        'A workflow has two jobs: the first runs the model, the second compares its outputs with the ground truth. The model is checked when the workflow is created, and a workflow that cannot succeed is rejected.',
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
      errors: [400],
      run: async (c, body) => {
        const experiment = await experiments
          .get(viewOf(c).viewer, body.experiment_id ?? '')
          .catch((error: unknown) => {
            throw error instanceof AppError && error.code === 'NotFoundError'
              ? noExperiment(body.name)
              : error;
          });
        const assertModelAllowed = await modelCheckFor(state, callerOf(c));
        const { teamId, keyId } = viewOf(c);
        const workflow = await workflows.create({
          experiment,
          request: workflowIn(body),
          teamId,
          keyId,
          assertModelAllowed,
        });
        return workflowView(workflow);
      },
    }),
    route({
      method: 'get',
      path: `${API}/workflows/`,
      guard: guards.evaluation,
      ...SHARED,
      id: 'listWorkflows',
      summary: 'List workflows, newest first.',
      ...pageOfList({
        schema: workflowList,
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
      run: async (c) => {
        const status = wordOf(c, 'status', ['any', 'created', 'running', 'succeeded', 'failed'], 'any');
        const filter = {
          experimentId: c.req.query('experiment_id') || undefined,
          status: status === 'any' ? undefined : status,
          ...searchOf(c),
        };
        const { total, items } = await workflows.list(viewOf(c).viewer, filter, pageOf(c));
        return { total, items: await Promise.all(items.map((one) => detailsOf(c, one))) };
      },
    }),
    route({
      method: 'get',
      path: `${API}/workflows/:id`,
      guard: guards.evaluation,
      ...SHARED,
      id: 'getWorkflow',
      summary: 'Get a workflow with its jobs and metrics.',
      parameters: [WORKFLOW_ID],
      answer: WORKFLOW_ANSWER,
      run: async (c) => await detailsOf(c, await workflows.get(viewOf(c).viewer, c.req.param('id'))),
    }),
    route({
      method: 'patch',
      path: `${API}/workflows/:id`,
      guard: guards.evaluation,
      ...SHARED,
      id: 'updateWorkflow',
      summary: 'Change the name, the description or the tags of a workflow.',
      parameters: [WORKFLOW_ID],
      request: { schema: workflowChanges, examples: { name: { name: 'small, first try' } } },
      answer: WORKFLOW_ANSWER,
      run: async (c, changes) =>
        await detailsOf(c, await workflows.change(viewOf(c).viewer, c.req.param('id'), changes)),
    }),
    route({
      method: 'get',
      path: `${API}/workflows/:id/logs`,
      guard: guards.evaluation,
      ...SHARED,
      id: 'getWorkflowLogs',
      summary: 'Get the logs of all jobs of a workflow, oldest first.',
      parameters: [
        WORKFLOW_ID,
        {
          name: 'follow',
          in: 'query',
          description: 'Stream lines as server-sent events until the workflow is finished.',
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
      run: async (c) => {
        const { viewer } = viewOf(c);
        const id = c.req.param('id');
        const workflow = await workflows.get(viewer, id);
        if (wordOf(c, 'follow', ['false', 'true'], 'false') === 'true') {
          const read = async (): Promise<WorkflowDetails> => {
            await guards.evaluationAgain(c);
            return await workflows.get(viewOf(c).viewer, id);
          };
          return followAnswer(c, read, context);
        }
        const logs = await Promise.all(workflow.jobs.toReversed().map((job) => jobLog(jobs.queue, job.id)));
        return { logs: logs.join(LOG_SEPARATOR) };
      },
    }),
    route({
      method: 'get',
      path: `${API}/workflows/:id/result/download`,
      guard: guards.evaluation,
      ...SHARED,
      id: 'downloadWorkflowResult',
      summary: 'Get a URL to download the results of a workflow that has succeeded.',
      parameters: [WORKFLOW_ID],
      answer: answerOf('The URL.', resultUrl, RESULT),
      errors: [409],
      run: async (c) => {
        const workflow = await workflows.get(viewOf(c).viewer, c.req.param('id'));
        if (workflow.status !== 'succeeded') throw notAvailable(workflow.id, workflow.status);
        return await resultsAddress(c, workflow);
      },
    }),
    route({
      method: 'post',
      path: `${API}/workflows/:id/cancel`,
      isRepeatable: true,
      guard: guards.evaluation,
      ...SHARED,
      id: 'cancelWorkflow',
      summary: 'Stop a workflow. Its status becomes `failed`.',
      parameters: [WORKFLOW_ID],
      answer: WORKFLOW_ANSWER,
      errors: [409],
      run: async (c) =>
        workflowDetailsView(await workflows.cancel(viewOf(c).viewer, c.req.param('id')), null),
    }),
    route({
      method: 'post',
      path: `${API}/workflows/:id/retry`,
      guard: guards.evaluation,
      ...SHARED,
      id: 'retryWorkflow',
      summary: 'Retry a workflow that has failed or has failed rows.',
      description:
        'Existing responses are kept. The model retries failed rows, then processes the remaining rows. The body can change some settings.',
      parameters: [WORKFLOW_ID],
      request: {
        schema: retryRequest,
        optional: true,
        examples: { slower: { batch_size: 4, max_error_rate: 0.05 } },
      },
      answer: WORKFLOW_ANSWER,
      errors: [409],
      run: async (c, body) =>
        workflowDetailsView(await workflows.retry(viewOf(c), c.req.param('id'), retryIn(body)), null),
    }),
    route({
      method: 'get',
      path: `${API}/workflows/:id/rows`,
      guard: guards.evaluation,
      ...SHARED,
      ...ROWS,
      id: 'getWorkflowRows',
      summary: 'Get the rows that the model has processed so far.',
      parameters: [WORKFLOW_ID, ROWS_FORMAT],
      run: async (c) => {
        const workflow = await workflows.get(viewOf(c).viewer, c.req.param('id'));
        const job = workflow.jobs.find(({ spec }) => spec.type !== 'evaluation');
        if (!job) throw new AppError('NotFoundError', `Workflow ${workflow.id} has no rows.`);
        return await rowsAnswer(c, jobs, job);
      },
    }),
    route({
      method: 'delete',
      path: `${API}/workflows/:id`,
      guard: guards.evaluation,
      ...SHARED,
      id: 'deleteWorkflow',
      summary: 'Delete a workflow and all its results.',
      parameters: [
        WORKFLOW_ID,
        {
          name: 'force',
          in: 'query',
          description:
            'Delete the workflow even if it is running, which stops it, or if an experiment uses its outputs.',
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
      errors: [400, 409, 422],
      run: async (c) => {
        const force = wordOf(c, 'force', ['false', 'true'], 'false') === 'true';
        return deletedWorkflowView(await workflows.delete(viewOf(c).viewer, c.req.param('id'), force));
      },
    }),
  ];
}

const notAvailable = (id: string, status: string): AppError =>
  new AppError(
    'ConflictError',
    `The results of workflow ${id} are not available: its status is ${status}, not succeeded.`,
    { reason: 'results_not_available' },
  );
