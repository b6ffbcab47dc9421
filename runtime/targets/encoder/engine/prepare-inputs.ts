import { AppError, inputError } from '#contract/errors.ts';
import type { Manifest } from '#contract/manifest.ts';
import { readsImages } from '#contract/model-types.ts';
import { type AppliedPrompt, NO_PROMPT } from '#core/model/applied-prompt.ts';
import { joinPair } from '#core/model/pair-prompt.ts';
import { NO_IMAGE, readImage } from './image-input.ts';
import { checkCount, checkSizes, ITSELF } from './input-limits.ts';
import type { EngineInput, EngineLimits, EngineRequest, PreparedInput } from './serving.ts';

/** Returns the inputs of a request as the tokenizer gets them. Rejects invalid inputs. */
export function prepareInputs(
  { inputs, prompt = NO_PROMPT, instruction, indexOf = ITSELF, counted }: EngineRequest,
  manifest: Manifest,
  limits: EngineLimits,
): readonly PreparedInput[] {
  if (readsImages(manifest.modelType)) {
    if (inputs.length === 0) throw inputError(NO_IMAGE);
    checkCount(inputs.length, limits);
    return inputs.map((input, index) => readImage(input, `Input ${indexOf(index)}`, limits.images));
  }
  if (inputs.length === 0 || inputs.some(isEmpty)) throw inputError('Cannot tokenize empty string');
  // The prompt is read with each text, so it counts toward the limits.
  const readable = inputs.every(hasNoImage)
    ? inputs
    : inputs.map((input, index) =>
        hasNoImage(input) ? input : readImage(input, `Input ${indexOf(index)}`, limits.images),
      );
  const prepared = withPairPrompt(withPrompt(readable, prompt), manifest, instruction);
  checkSizes(prepared, limits, { indexOf, counted });
  const maxTokenId = manifest.tokenizer.vocabularySize - 1;
  for (const [index, input] of prepared.entries()) {
    if ('ids' in input) checkIds(input.ids, indexOf(index), maxTokenId);
  }
  return prepared;
}

/** Only models that also read images have other inputs. */
const hasNoImage = (input: EngineInput): input is PreparedInput => !('image' in input || 'imageUrl' in input);

/** Returns the inputs with a prompt before each text. Inputs that consist of token ids are not changed. */
function withPrompt(
  inputs: readonly PreparedInput[],
  { text: prompt }: AppliedPrompt,
): readonly PreparedInput[] {
  if (prompt === '') return inputs;
  return inputs.map((input) => ('text' in input ? { ...input, text: prompt + input.text } : input));
}

/**
 * Returns the inputs with each pair in the model's prompt, if the model is a generative model. A
 * single text is read as it is, so it can contain a pair in the form of the prompt.
 */
function withPairPrompt(
  inputs: readonly PreparedInput[],
  { pairPrompt }: Manifest,
  instruction: string | undefined,
): readonly PreparedInput[] {
  if (!pairPrompt) return inputs;
  return inputs.map((input, index) => {
    if ('text' in input && input.pair !== undefined)
      return joinPair(pairPrompt, { query: input.text, document: input.pair, instruction });
    if (instruction === undefined) return input;
    throw inputError(
      `instruction requires pairs of a query and a document, but input ${index} is a single text. Remove instruction, or write it in the text.`,
    );
  });
}

/**
 * Rejects a request that does not fit into the queue. When the queue is empty, a request of any
 * size is accepted.
 */
export function checkRoom(inputs: number, waiting: number, { maxQueue }: EngineLimits): void {
  if (waiting === 0 || waiting + inputs <= maxQueue) return;
  throw new AppError(
    'OverloadedError',
    `The model is overloaded: ${waiting} inputs are queued, and the maximum is ${maxQueue} (--max-queue). Retry in a second.`,
  );
}

function isEmpty(input: EngineInput): boolean {
  if ('text' in input) return input.text === '' || input.pair === '';
  return 'ids' in input && input.ids.length === 0;
}

function checkIds(ids: readonly number[], index: number, maxTokenId: number): void {
  const bad = ids.find((id) => !Number.isInteger(id) || id < 0 || id > maxTokenId);
  if (bad === undefined) return;
  throw inputError(
    `Input ${index} contains the invalid token id ${bad}. Token ids for this model range from 0 to ${maxTokenId}.`,
  );
}
