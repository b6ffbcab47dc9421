import { Type, type Static } from 'typebox';
import { AppError } from '#contract/errors.ts';
import { isOneOf } from '#core/values/is-one-of.ts';
import { keysOf } from '#core/values/keys.ts';
import { answerOf } from '#serve/http/openapi/describe.ts';
import type { Route } from '#serve/http/route.ts';
import { anyObject, closed } from '#serve/http/schemas.ts';
import type { GatewayContext } from '../context.ts';
import { EVALUATED_TASKS } from '../evaluation/work/tasks/index.ts';
import { GATEWAY_CALLS } from '../evaluation/work/tasks/task.ts';
import type { TaskDefinition } from '../evaluation/work/work.ts';
import type { ModelEntry } from '../providers/adapters/provider.ts';
import { callerOf } from './guards.ts';
import { pageSchema } from './http/fields.ts';
import { API, type HttpParts } from './http/parts.ts';
import { models, createModelList } from './models.ts';
import { modelView } from './views/models.ts';

const taskModel = closed('TaskModel', {
  display_name: Type.String(),
  model: Type.String({ description: 'Value for the field of the same name in a workflow.' }),
  provider: Type.String({ description: 'Value for the field of the same name in a workflow.' }),
  website_url: Type.String({ description: 'Always empty, because providers do not report it.' }),
  description: Type.String(),
  requirements: Type.Array(Type.String(), { description: 'Always empty, because the gateway has the keys.' }),
  tasks: Type.Array(
    anyObject('An object whose key is the name of a task and whose value is an empty object.'),
  ),
});

/**
 * The list for workflows. The list in the OpenAI API's format, which Otari clients read, is in other
 * members.
 */
export const taskModels = closed('TaskModels', {
  ...pageSchema('TaskModelPage', taskModel).properties,
  ...Type.Partial(models).properties,
});

/** `/api/v1/models`: the models that workflows can use. */
export function taskModelRoutes(context: GatewayContext, { guards, route }: HttpParts): readonly Route[] {
  const modelsOf = createModelList(context);

  return [
    route({
      method: 'get',
      path: `${API}/models/`,
      guard: guards.evaluation,
      id: 'listTaskModels',
      tag: 'Workflows',
      summary: 'List this gateway’s models that the caller’s workflows can use.',
      description: 'Workflows can also use other encoders, by URL or file path.',
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
      errors: [400],
      run: async (c) => {
        const requested = (c.req.queries('tasks') ?? []).flatMap((names) => names.split(','));
        const tasks = new Set(
          requested.map((name) => name.trim().toLowerCase()).filter((name) => name !== ''),
        );
        checkTasks(tasks);
        const all = await modelsOf(callerOf(c));
        const items = all
          .filter((entry) => tasks.size === 0 || tasksOf(entry).some((name) => tasks.has(name)))
          .map(taskModelView);
        // Otari clients omit the trailing slash and read the list in OpenAI's format.
        const isOtari = requested.length === 0 && !new URL(c.req.url).pathname.endsWith('/');
        const list = isOtari ? { object: 'list' as const, data: all.map((entry) => modelView(entry)) } : {};
        return { total: items.length, items, ...list };
      },
    }),
  ];
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

type TaskName = TaskDefinition['task'];

const TASK_NAMES = keysOf(EVALUATED_TASKS);

/** `provider` and `model` contain the values that a workflow requires. */
function taskModelView(entry: ModelEntry): Static<typeof taskModel> {
  const { id, modelType } = entry;
  const colon = id.indexOf(':');
  const provider = colon === -1 ? 'gateway' : id.slice(0, colon);
  const model = id.slice(colon + 1);
  return {
    display_name: id,
    model,
    provider,
    website_url: '',
    description: isEncoder(id)
      ? `An encoder of this gateway${modelType === undefined ? '; its type determines which of the tasks it supports' : `, of type ${modelType}`}.`
      : provider === 'gateway'
        ? 'An alias of this gateway.'
        : `A model of ${provider}.`,
    requirements: [],
    tasks: tasksOf(entry).map((name) => ({ [name]: {} })),
  };
}

const tasksOf = ({ id, modelType }: ModelEntry): readonly TaskName[] =>
  TASK_NAMES.filter((name) => {
    const { hasChat, modelTypes, call } = EVALUATED_TASKS[name];
    if (!isEncoder(id)) return hasChat;
    // Other calls are only available at the encoder's own address.
    return GATEWAY_CALLS.has(call) && (modelType === undefined || modelTypes.includes(modelType));
  });

const isEncoder = (id: string): boolean => id.startsWith('encoder:');
