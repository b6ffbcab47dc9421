import { inputError } from '#contract/errors.ts';
import type { BackendModel } from '../backends/backend.ts';
import type { EvaluatedTask } from './task.ts';

/** Throws an InputError if a model cannot do the task. Models that do not report their type are only found out by the first call. */
export function checkModel(
  { modelTypes, hasChat }: EvaluatedTask,
  { name, modelType, chat, tag }: BackendModel,
): void {
  const types = modelTypes.join(' or ');
  if (modelType !== undefined && !modelTypes.includes(modelType)) {
    const required = modelTypes.length === 0 ? 'a generative model' : `a model of type ${types}`;
    throw inputError(`${name} is a model of type ${modelType}; this task requires ${required}.`);
  }
  if (modelType === undefined && !chat && modelTypes.length === 0) {
    throw inputError(`${name} is not a generative model; this task requires one.`);
  }
  if (modelType === undefined && modelTypes.includes('token_classification') && !hasChat && !tag) {
    throw inputError(`${name} cannot label tokens. Use an encoder of type ${types}, by URL or as a file.`);
  }
}
