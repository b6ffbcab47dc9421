import type { Static } from 'typebox';
import type { ModelEntry } from '../../providers/api.ts';
import type { TaskDefinition } from '../../work/api.ts';
import { TASKS } from '../../work/tasks/index.ts';
import type { taskModel } from '../schemas/task-models.ts';

type TaskName = TaskDefinition['task'];

export const TASK_NAMES = Object.keys(TASKS) as readonly TaskName[];

/** `provider` and `model` are what a workflow takes. */
export function taskModelView({ id }: Pick<ModelEntry, 'id'>): Static<typeof taskModel> {
  const colon = id.indexOf(':');
  const provider = colon === -1 ? 'gateway' : id.slice(0, colon);
  const model = id.slice(colon + 1);
  return {
    display_name: id,
    model,
    provider,
    website_url: '',
    description: isEncoder(id)
      ? 'An encoder of this gateway; which of the tasks it does is decided by its type.'
      : provider === 'gateway'
        ? 'A name of this gateway for several models.'
        : `A model of ${provider}.`,
    requirements: [],
    tasks: tasksOf(id).map((name) => ({ [name]: {} })),
  };
}

/** Through the gateway encoders classify texts or embed them; token by token they answer only at their own address. */
export const tasksOf = (id: string): readonly TaskName[] =>
  TASK_NAMES.filter((name) =>
    isEncoder(id) ? name === 'text-classification' || name === 'feature-extraction' : TASKS[name].hasChat,
  );

const isEncoder = (id: string): boolean => id.startsWith('encoder:');
