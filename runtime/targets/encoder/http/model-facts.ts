import type { Static } from 'typebox';
import type { Manifest } from '../../../contract/manifest.ts';
import { omitUndefined } from '../../../core/json/omit-undefined.ts';
import type { modelMetadata } from '../schemas/model.ts';

/** The response of `GET /model`. */
export function modelFacts({
  name,
  version,
  modelType,
  id2label,
  scoreFunction,
  sentence,
  width,
  license,
}: Manifest): Static<typeof modelMetadata> {
  return {
    model_id: name,
    model_type: modelType,
    version,
    // Integer keys of an object are always in numeric order.
    ...(id2label ? { id2label: { ...id2label } } : {}),
    // Softmax is omitted, so that the response for most models has only the members of the contract.
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
    ...(license
      ? omitUndefined({ license: license.id, license_name: license.name, license_link: license.link })
      : {}),
  };
}
