import { inputError } from '#contract/errors.ts';
import type { Model } from '../backends/backend.ts';
import type { Task } from './task.ts';

/** Throws an InputError if a model cannot do the task. Models that do not report their type are only found out by the first call. */
export function checkModel({ modelTypes, hasChat }: Task, { name, modelType, chat, tag }: Model): void {
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
