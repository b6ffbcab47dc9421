import { configError } from '../../../contract/errors.ts';
import type { Manifest } from '../../../contract/manifest.ts';
import type { ModelType } from '../../../contract/model-types.ts';
import type { Invocation } from '../../../serve/cli/command.ts';
import { wholeNumber } from '../../../serve/cli/values.ts';
import { planVector } from '../../../core/vector-plan.ts';
import type { PrintOptions } from '../tasks/task.ts';

/** The flags about vectors: for which model types they are, and what those are called in a message. */
const FLAGS: Readonly<Record<string, { readonly types: readonly ModelType[]; readonly called: string }>> = {
  normalize: { types: ['embedding', 'sentence_embedding'], called: 'embedding' },
  pooling: { types: ['embedding'], called: 'embedding' },
  dimensions: { types: ['sentence_embedding'], called: 'sentence_embedding' },
  'prompt-name': { types: ['sentence_embedding'], called: 'sentence_embedding' },
};

/** How `infer` prints, from its flags and the model's own settings. */
export function printOptions(invocation: Invocation, manifest: Manifest): PrintOptions {
  const { modelType, width } = manifest;
  for (const [flag, { types, called }] of Object.entries(FLAGS)) {
    if (invocation.value(flag) === undefined || types.includes(modelType)) continue;
    throw configError(`--${flag} is for ${called} models; this one is of type ${modelType}. Leave it out.`);
  }
  const normalize = invocation.value('normalize');
  const wishes = {
    normalize: normalize === undefined ? undefined : normalize === 'true',
    dimensions: wholeNumber(invocation, 'dimensions', { least: 1, most: width }),
    promptName: invocation.value('prompt-name'),
  };
  const { options, prompt } = planVector(manifest, wishes, '--prompt-name');
  return { ...options, prompt, pooling: invocation.value('pooling') === 'none' ? 'none' : 'mean' };
}
