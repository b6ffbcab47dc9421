import { inputError } from '#contract/errors.ts';
import { codePoints } from '#core/text/code-points.ts';
import type { EngineInput, EngineLimits, EngineRequest } from './serving.ts';

/** The index of an input in the caller's request, if the inputs are those of the caller. */
export const ITSELF = (input: number): number => input;

/** Rejects inputs that would take too long to tokenize. */
export function checkSizes(
  inputs: readonly EngineInput[],
  limits: EngineLimits,
  { indexOf = ITSELF, counted = inputs.length }: Pick<EngineRequest, 'indexOf' | 'counted'> = {},
): void {
  checkCount(counted, limits);
  for (const [index, input] of inputs.entries()) {
    if ('text' in input) {
      checkLength(`${input.text}${input.pair ?? ''}`, indexOf(index), limits.maxInputChars);
    }
  }
}

/** Rejects a request with too many inputs. */
export function checkCount(inputs: number, { maxClientBatch }: Pick<EngineLimits, 'maxClientBatch'>): void {
  if (inputs <= maxClientBatch) return;
  throw inputError(
    `Too many inputs: the request has ${inputs}, but the maximum is ${maxClientBatch} (--max-client-batch). Split it into several requests.`,
  );
}

function checkLength(text: string, index: number, maxCharacters: number): void {
  // A text never has more code points than UTF-16 code units, so the code points of most texts do
  // not have to be counted.
  if (text.length <= maxCharacters) return;
  const characters = codePoints(text);
  if (characters <= maxCharacters) return;
  throw inputError(
    `Input ${index} is too long: it has ${characters} characters, but the maximum is ${maxCharacters} (--max-input-chars). Split it into shorter inputs.`,
  );
}
