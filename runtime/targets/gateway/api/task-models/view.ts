import type { Static } from 'typebox';
import type { ModelEntry } from '../../providers/adapters/provider.ts';
import type { TaskDefinition } from '../../evaluation/work/work.ts';
import { TASKS } from '../../evaluation/work/tasks/index.ts';
import type { taskModel } from './schemas.ts';
import { keysOf } from '#core/values/keys.ts';

type TaskName = TaskDefinition['task'];

export const TASK_NAMES = keysOf(TASKS);

/** `provider` and `model` have the values that a workflow requires. */
export function taskModelView(entry: ModelEntry): Static<typeof taskModel> {
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

export const tasksOf = ({ id, modelType }: ModelEntry): readonly TaskName[] =>
  TASK_NAMES.filter((name) => {
    const { hasChat, modelTypes } = TASKS[name];
    if (!isEncoder(id)) return hasChat;
    return ENCODER_TASKS.has(name) && (modelType === undefined || modelTypes.includes(modelType));
  });

/** Tasks of encoders behind the gateway. Token classification is only available at the encoder's own URL. */
const ENCODER_TASKS: ReadonlySet<TaskName> = new Set(['text-classification', 'feature-extraction']);

const isEncoder = (id: string): boolean => id.startsWith('encoder:');
