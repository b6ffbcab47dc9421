import { AppError } from '#contract/errors.ts';
import { answerOf } from '#serve/http/openapi/describe.ts';
import type { Operation } from '#serve/http/openapi/operation.ts';
import type { GatewayContext } from '../../context.ts';
import { API, type GatewayRoutes, type HttpParts, newRoutes } from '../http/parts.ts';
import { createModelList } from '../models/model-list.ts';
import { taskModels } from './schemas.ts';
import { callerOf } from '../sign-in/sign-in.ts';
import { TASK_NAMES, taskModelView, tasksOf } from './view.ts';
import { KEY_ERRORS } from '../http/operations.ts';
import { modelView } from '../views/models.ts';
import { isOneOf } from '#core/values/is-one-of.ts';

/** `/api/v1/models`: the models that workflows can use. */
export function taskModelRoutes(
  context: GatewayContext,
  { labGuard }: Pick<HttpParts, 'labGuard'>,
): GatewayRoutes {
  const modelsOf = createModelList(context);
  const routes = newRoutes();

  routes.get(`${API}/models`, labGuard, async (c) => {
    const requested = (c.req.queries('tasks') ?? []).flatMap((names) => names.split(','));
    const tasks = new Set(requested.map((name) => name.trim().toLowerCase()).filter((name) => name !== ''));
    checkTasks(tasks);
    const all = await modelsOf(callerOf(c));
    const items = all
      .filter((entry) => tasks.size === 0 || tasksOf(entry).some((name) => tasks.has(name)))
      .map(taskModelView);
    // Clients of Otari ask without a slash at the end, and read OpenAI's list.
    const isOtari = requested.length === 0 && !new URL(c.req.url).pathname.endsWith('/');
    const list = isOtari ? { object: 'list', data: all.map((entry) => modelView(entry)) } : {};
    return c.json({ total: items.length, items, ...list });
  });

  return { routes, operations: [LIST] };
}

/** Throws a MalformedError, because the reference implementation returns 400. */
function checkTasks(tasks: ReadonlySet<string>): void {
  const unknown = [...tasks].filter((name) => !isOneOf(TASK_NAMES, name));
  if (unknown.length === 0) return;
  const shown = unknown.map((name) => name.slice(0, 100)).join(', ');
  throw new AppError(
    'MalformedError',
    `Unsupported task(s): ${shown}. Choose from: ${TASK_NAMES.join(', ')}`,
    { reason: 'unsupported_task' },
  );
}

const LIST: Operation = {
  method: 'get',
  path: `${API}/models/`,
  id: 'listTaskModels',
  tag: 'Workflows',
  summary: 'List the models of this gateway that workflows of the caller can use.',
  description: 'Workflows can also use other encoders, by URL or by file.',
  parameters: [
    {
      name: 'tasks',
      isList: true,
      in: 'query',
      description: 'Only models for one of these tasks: `tasks=a,b` or `tasks=a&tasks=b`.',
      example: 'summarization',
    },
  ],
  answer: answerOf('The models.', taskModels, {
    total: 1,
    items: [
      {
        display_name: 'openai:gpt-5-mini',
        model: 'gpt-5-mini',
        provider: 'openai',
        website_url: '',
        description: 'A model of openai.',
        requirements: [],
        tasks: [{ summarization: {} }, { translation: {} }],
      },
    ],
    object: 'list',
    data: [{ id: 'openai:gpt-5-mini', object: 'model', created: 1_754_000_000, owned_by: 'openai' }],
  }),
  errors: [400, ...KEY_ERRORS],
};
