import { inputError } from '../../../../../contract/errors.ts';
import type { Model } from '../backends/backend.ts';
import type { Task } from './task.ts';

/** Throws an InputError if a model can never do the task. Of models that do not tell what they are, it is only known later. */
export function checkModel({ modelTypes, hasChat }: Task, { name, modelType, chat, tag }: Model): void {
  const types = modelTypes.join(' or ');
  if (modelType !== undefined && !modelTypes.includes(modelType)) {
    const way = modelTypes.length === 0 ? 'language models only' : `models of type ${types}`;
    throw inputError(`${name} is a model of type ${modelType}; this task is for ${way}.`);
  }
  if (modelType === undefined && !chat && modelTypes.length === 0) {
    throw inputError(`${name} writes no texts; this task is for language models.`);
  }
  if (modelType === undefined && modelTypes.includes('token_classification') && !hasChat && !tag) {
    throw inputError(
      `${name} cannot label tokens; take an encoder of type ${types} by its address or as a file.`,
    );
  }
}
