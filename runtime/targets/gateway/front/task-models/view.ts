import type { Static } from 'typebox';
import type { ModelEntry } from '../../ask/providers/provider.ts';
import type { TaskDefinition } from '../../lab/work/work.ts';
import { TASKS } from '../../lab/work/tasks/index.ts';
import type { taskModel } from './schemas.ts';

type TaskName = TaskDefinition['task'];

export const TASK_NAMES = Object.keys(TASKS) as readonly TaskName[];

/** `provider` and `model` are what a workflow takes. */
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
      ? `An encoder of this gateway${modelType === undefined ? '; its type decides which of the tasks it does' : `, of type ${modelType}`}.`
      : provider === 'gateway'
        ? 'A name of this gateway for several models.'
        : `A model of ${provider}.`,
    requirements: [],
    tasks: tasksOf(entry).map((name) => ({ [name]: {} })),
  };
}

export const tasksOf = ({ id, modelType }: ModelEntry): readonly TaskName[] =>
  TASK_NAMES.filter((name) => {
    const { hasChat, modelTypes } = TASKS[name];
    if (!isEncoder(id)) return hasChat;
    return OF_ENCODERS.has(name) && (modelType === undefined || modelTypes.includes(modelType));
  });

/** Through the gateway encoders classify texts or embed them; token by token they answer only at their own address. */
const OF_ENCODERS: ReadonlySet<TaskName> = new Set(['text-classification', 'feature-extraction']);

const isEncoder = (id: string): boolean => id.startsWith('encoder:');
