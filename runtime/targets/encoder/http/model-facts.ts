import type { Static } from 'typebox';
import type { Manifest } from '../../../contract/manifest.ts';
import type { modelMetadata } from './schemas/model.ts';

/** What `GET /model` answers. */
export function modelFacts({
  name,
  modelType,
  id2label,
  scoreFunction,
  sentence,
  width,
}: Manifest): Static<typeof modelMetadata> {
  return {
    model_id: name,
    model_type: modelType,
    // An object's integer keys are in the order of their numbers, however it was made.
    ...(id2label ? { id2label: { ...id2label } } : {}),
    // Without it the function is softmax: the answer for most models is the contract's alone.
    ...(scoreFunction && scoreFunction !== 'softmax' ? { score_function: scoreFunction } : {}),
    ...(sentence
      ? {
          pooling: sentence.pooling,
          normalize: sentence.normalize,
          dimensions: sentence.dimensions ?? width,
          prompts: Object.fromEntries(Object.entries(sentence.prompts).map(([key, { text }]) => [key, text])),
          ...(sentence.defaultPrompt === undefined ? {} : { default_prompt_name: sentence.defaultPrompt }),
        }
      : {}),
  };
}
