import { inputError } from '#contract/errors.ts';
import { lateChunkingProblem, tokensOfParts } from '#core/model/late-chunking.ts';
import type { VectorPlan } from '#core/model/vector-plan.ts';
import { codePoints } from '#core/text/code-points.ts';
import { checkCount } from '../engine/input-limits.ts';
import type { EngineInput, EngineRequest, ServingEngine } from '../engine/serving.ts';
import type { VectorFormat } from '../json/vector-writer.ts';

/**
 * The run for inputs that are parts of one text, as in Jina's API: the model reads the whole text
 * once, and the vector of each part is the mean of the vectors of its tokens. The parts are joined
 * without separators, so that they can be cut anywhere.
 */
export async function lateChunks(
  engine: ServingEngine,
  inputs: readonly EngineInput[],
  { options, prompt }: VectorPlan,
  format: VectorFormat,
): Promise<Pick<EngineRequest, 'inputs' | 'view' | 'prompt'>> {
  const { manifest, limits } = engine;
  if (engine.stage === 'fast') {
    throw inputError(
      'late_chunking requires stage "exact", because the static form has no vectors of tokens in their context. Remove one of them.',
    );
  }
  const problem = lateChunkingProblem(manifest);
  if (problem !== undefined) throw inputError(problem);
  checkCount(inputs.length, limits);
  const parts = inputs.map((input) => ('text' in input ? input.text : refuseIds()));
  const [text] = await engine.tokenize([prompt.text + parts.join('')], true);
  if (!text) throw new Error('tokenized without result');
  const { maxLength } = manifest.tokenizer;
  if (text.truncated || text.windows) {
    throw inputError(
      `The inputs are too long for late_chunking: together they have more than ${maxLength} tokens, this model's maximum. Send fewer parts per request.`,
    );
  }
  const ranges = tokensOfParts(text, parts.map(codePoints), codePoints(prompt.text));
  const view = { kind: 'chunks', format, ranges, ...options } as const;
  // The token ids already contain the prompt.
  return { inputs: [{ ids: [...text.ids] }], view, prompt: { ...prompt, text: '' } };
}

function refuseIds(): never {
  throw inputError(
    'late_chunking requires text inputs, but the input contains token ids. Send the texts of the parts.',
  );
}
