import { AppError, inputError } from '../../../contract/errors.ts';
import { codePoints } from '../../../core/code-points.ts';
import type { EngineInput, EngineLimits } from './api.ts';

/** Refuses, before any work, what a request may not ask for. */
export function checkInputs(inputs: readonly EngineInput[], limits: EngineLimits, maxTokenId: number): void {
  if (inputs.length === 0 || inputs.some(isEmpty)) throw inputError('Cannot tokenize empty string');
  checkSizes(inputs, limits);
  for (const [index, input] of inputs.entries()) {
    if ('ids' in input) checkIds(input.ids, index, maxTokenId);
  }
}

/** Refuses what would take too long to tokenise. */
export function checkSizes(inputs: readonly EngineInput[], limits: EngineLimits): void {
  if (inputs.length > limits.maxClientBatch) {
    throw inputError(
      `The request has ${inputs.length} inputs; at most ${limits.maxClientBatch} are taken at once (--max-client-batch). Send several requests.`,
    );
  }
  for (const [index, input] of inputs.entries()) {
    if ('text' in input) checkLength(`${input.text}${input.pair ?? ''}`, index, limits.maxInputChars);
  }
}

/** Refuses a request for which there is no room among those that wait. One alone always has room, however large. */
export function checkRoom(inputs: number, waiting: number, { maxQueue }: EngineLimits): void {
  if (waiting === 0 || waiting + inputs <= maxQueue) return;
  throw new AppError(
    'OverloadedError',
    `The model is busy: ${waiting} inputs wait and at most ${maxQueue} may (--max-queue). Try again in a second.`,
  );
}

const isEmpty = (input: EngineInput): boolean =>
  'ids' in input ? input.ids.length === 0 : input.text === '' || input.pair === '';

function checkLength(text: string, index: number, most: number): void {
  // UTF-16 units are never fewer than code points, so most texts need no counting.
  if (text.length <= most) return;
  const characters = codePoints(text);
  if (characters <= most) return;
  throw inputError(
    `Input ${index} has ${characters} characters; at most ${most} are taken (--max-input-chars). Split it.`,
  );
}

function checkIds(ids: readonly number[], index: number, maxTokenId: number): void {
  const bad = ids.find((id) => !Number.isInteger(id) || id < 0 || id > maxTokenId);
  if (bad === undefined) return;
  throw inputError(`Input ${index} has the token id ${bad}; this model's go from 0 to ${maxTokenId}.`);
}
