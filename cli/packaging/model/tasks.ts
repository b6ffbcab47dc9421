import { configError } from '#contract/errors.ts';
import { isObject } from '#core/json/is-object.ts';
import type { AdapterChoice } from '../architectures/adapted-graph.ts';
import { isStoredWeights } from '../architectures/weight-files.ts';
import { taskNames } from '../architectures/task-names.ts';
import type { ModelFiles } from './locate-files.ts';
import type { ModelConfig } from './model-config.ts';

/** The tasks of a model that has an adapter for each of them. */
export interface ModelTasks {
  /** The adapter that the build adds to the weights; `by text` if each request selects one. */
  readonly choice: AdapterChoice;
  /** The tasks that requests can select, with the index of their adapter and their prompt in config.json. */
  readonly tasks: readonly ModelTask[];
}

interface ModelTask {
  readonly name: string;
  readonly adapter: number;
  readonly instruction: string;
}

/**
 * Reads the tasks of a model, of which `wanted` is the field `task` in the config; undefined if the
 * model has no adapters.
 */
export function readTasks(
  config: ModelConfig,
  { weights, folder }: Pick<ModelFiles, 'weights' | 'folder'>,
  wanted: string | undefined,
  file: string,
): ModelTasks | undefined {
  const names = isStoredWeights(weights) ? taskNames(config) : [];
  if (wanted === undefined && names.length === 0) return undefined;
  const index = wanted === undefined ? undefined : names.indexOf(wanted);
  if (index === -1) {
    throw configError(
      names.length === 0
        ? `${file}: \`task\` requires a model with an adapter for each task (\`lora_adaptations\` in config.json) and safetensors weights, but ${folder} has none. Remove \`task\`.`
        : `${file}: \`task\` is ${JSON.stringify(wanted)}, but it must be one of ${names.join(', ')}.`,
    );
  }
  const instructions = isObject(config.task_instructions) ? config.task_instructions : {};
  const tasks = names.map((name, adapter) => {
    const instruction = Object.hasOwn(instructions, name) ? instructions[name] : '';
    return { name, adapter, instruction: typeof instruction === 'string' ? instruction : '' };
  });
  return {
    choice: index ?? 'by text',
    tasks: tasks.filter(({ adapter }) => index === undefined || adapter === index),
  };
}
