import { DEVICES } from '#contract/devices.ts';
import { configError } from '#contract/errors.ts';
import { MODEL_TYPE_NAMES } from '#contract/model-types.ts';
import { DEFAULT_IMAGE_LIMITS } from '#core/images/read-image-size.ts';
import { isOneOf } from '#core/values/is-one-of.ts';
import type { ServingOptions } from '../engine/serving-engine.ts';
import type { OpenOptions } from './types.ts';

/** How to read each option. The readers throw for invalid values. */
const READERS: { readonly [Name in keyof Required<OpenOptions>]: (value: unknown, name: string) => unknown } =
  {
    type: oneOf(MODEL_TYPE_NAMES),
    workers: count,
    threads: count,
    maxBatchTokens: count,
    maxInputChars: count,
    maxWindows: count,
    maxImageBytes: count,
    maxImagePixels: count,
    onOverflow: oneOf(['truncate', 'error']),
    resultCache: (value, name) => (value === 0 ? 0 : count(value, name)),
    device: oneOf(DEVICES),
    cacheDir: text,
    variant: text,
    offline: boolean,
    verbose: boolean,
    signal: () => {},
  };

/** Rejects unknown options and invalid values, because a mistyped option would be ignored silently. */
export function checkOptions(options: object): asserts options is OpenOptions {
  for (const [name, value] of Object.entries(options)) {
    if (!Object.hasOwn(READERS, name)) {
      throw configError(
        `open has no option ${JSON.stringify(name)}. Options: ${Object.keys(READERS).join(', ')}.`,
      );
    }
    if (value !== undefined) READERS[name as keyof OpenOptions](value, name);
  }
}

/** The options of the engine. Defaults are those of a server, but callers of this process have no queue to protect. */
export const engineOptions = ({
  workers,
  threads,
  maxBatchTokens,
  maxInputChars = 200_000,
  maxWindows = 256,
  maxImageBytes = DEFAULT_IMAGE_LIMITS.bytes,
  maxImagePixels = DEFAULT_IMAGE_LIMITS.pixels,
  onOverflow = 'truncate',
  resultCache = 0,
  device,
  cacheDir,
}: OpenOptions): ServingOptions => ({
  workers,
  threads,
  device,
  cacheDir,
  awaitsDevice: true,
  limits: {
    maxBatchTokens,
    maxInputChars,
    maxWindows,
    images: { bytes: maxImageBytes, pixels: maxImagePixels },
    onOverflow,
    maxCacheBytes: resultCache,
    maxClientBatch: Infinity,
    maxQueue: Infinity,
  },
});

function oneOf(words: readonly string[]) {
  return (value: unknown, name: string): void => {
    if (!isOneOf(words, value)) throw invalid(name, value, words.join(', '));
  };
}

function count(value: unknown, name: string): void {
  if (!Number.isSafeInteger(value) || Number(value) < 1) throw invalid(name, value, 'a positive integer');
}

function text(value: unknown, name: string): void {
  if (typeof value !== 'string' || value === '') throw invalid(name, value, 'a string');
}

function boolean(value: unknown, name: string): void {
  if (typeof value !== 'boolean') throw invalid(name, value, 'true or false');
}

const invalid = (name: string, value: unknown, rule: string): Error =>
  configError(`Invalid ${name}: ${shown(value)}. Valid values: ${rule}.`);

const shown = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? JSON.stringify(value) : typeof value;
