import { configError } from '#contract/errors.ts';
import type { ModelGuess } from './guess-model-type.ts';

/**
 * Refuses a model that generates text, whose files do not state that it is used for vectors: a build of its layers would return something
 * else than the model does. `shown` is the model for messages.
 */
export function refuseGenerator({ generator }: ModelGuess, shown: string): void {
  if (generator === undefined) return;
  throw configError(
    `config.json of ${shown} names ${generator}, which generates text: chat models, and rerankers that compare the logits of two words, cannot be built. ` +
      'Choose a model with a classification head for reranking, or pass --model-type sentence_embedding for vectors of its layers.',
  );
}
