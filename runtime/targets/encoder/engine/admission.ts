import { AppError, inputError } from '#contract/errors.ts';
import { codePoints } from '#core/text/code-points.ts';
import type { EngineInput, EngineLimits } from './serving.ts';

/** Rejects invalid inputs before any work is done. */
export function checkInputs(
  inputs: readonly EngineInput[],
  limits: EngineLimits,
  maxTokenId: number,
  group = 1,
): void {
  if (inputs.length === 0 || inputs.some(isEmpty)) throw inputError('Cannot tokenize empty string');
  checkSizes(inputs, limits, group);
  for (const [index, input] of inputs.entries()) {
    if ('ids' in input) checkIds(input.ids, index, maxTokenId);
  }
}

/** Rejects inputs that would take too long to tokenize. */
export function checkSizes(inputs: readonly EngineInput[], limits: EngineLimits, group = 1): void {
  if (inputs.length > limits.maxClientBatch) {
    throw inputError(
      `Too many inputs: the request has ${inputs.length}, the maximum is ${limits.maxClientBatch} (--max-client-batch). Send several requests.`,
    );
  }
  for (const [index, input] of inputs.entries()) {
    if ('text' in input) {
      checkLength(`${input.text}${input.pair ?? ''}`, Math.floor(index / group), limits.maxInputChars);
    }
  }
}

/**
 * Rejects a request if the queue has no room for it. A request is always accepted when the queue is empty, however large it is.
 */
export function checkRoom(inputs: number, waiting: number, { maxQueue }: EngineLimits): void {
  if (waiting === 0 || waiting + inputs <= maxQueue) return;
  throw new AppError(
    'OverloadedError',
    `The model is overloaded: ${waiting} inputs are queued, the maximum is ${maxQueue} (--max-queue). Retry in a second.`,
  );
}

const isEmpty = (input: EngineInput): boolean =>
  'ids' in input ? input.ids.length === 0 : input.text === '' || input.pair === '';

function checkLength(text: string, index: number, maxCharacters: number): void {
  // A text never has more code points than UTF-16 units, so most texts need no counting.
  if (text.length <= maxCharacters) return;
  const characters = codePoints(text);
  if (characters <= maxCharacters) return;
  throw inputError(
    `Input ${index} is too long: ${characters} characters, the maximum is ${maxCharacters} (--max-input-chars). Split it.`,
  );
}

function checkIds(ids: readonly number[], index: number, maxTokenId: number): void {
  const bad = ids.find((id) => !Number.isInteger(id) || id < 0 || id > maxTokenId);
  if (bad === undefined) return;
  throw inputError(
    `Input ${index} has an invalid token id ${bad}. Token ids of this model range from 0 to ${maxTokenId}.`,
  );
}
