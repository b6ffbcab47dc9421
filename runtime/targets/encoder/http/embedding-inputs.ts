import { inputError } from '#contract/errors.ts';
import type { Manifest } from '#contract/manifest.ts';
import { planVector, type VectorPlan } from '#core/model/vector-plan.ts';
import type { EngineInput } from '../engine/serving.ts';
import type { EmbeddingsRequest } from '../schemas/openai.ts';

type Input = EmbeddingsRequest['input'];

/** The inputs of a request for vectors: a text, token ids, or a list of either. */
export function embeddingInputs(input: Input): EngineInput[] {
  if (typeof input === 'string') return [{ text: input }];
  if (isTokenIds(input)) return [{ ids: input }];
  return input.map((element) => (typeof element === 'string' ? { text: element } : { ids: element }));
}

const isTokenIds = (input: Exclude<Input, string>): input is number[] => typeof input[0] === 'number';

interface VectorWishes {
  readonly normalize?: boolean | null | undefined;
  readonly dimensions?: number | null | undefined;
  readonly prompt_name?: string | null | undefined;
}

/** These APIs L2-normalize vectors by default, whatever the model's other routes do. */
export function planEmbeddings(
  inputs: readonly EngineInput[],
  { normalize, dimensions, prompt_name: promptName }: VectorWishes,
  manifest: Manifest,
): VectorPlan {
  const wishes = { normalize: normalize ?? true, dimensions };
  if (inputs.every((input) => 'text' in input)) return planVector(manifest, { ...wishes, promptName });
  if (promptName) {
    throw inputError(
      'prompt_name requires text inputs, but the input is token ids. Prepend the token ids of the prompt instead.',
    );
  }
  return planVector(manifest, { ...wishes, promptName: '' });
}
