import type { EngineLimits } from '#encoder/engine/serving.ts';

/** The default limits of `serve`. */
export const DEFAULT_LIMITS: EngineLimits = {
  maxClientBatch: 2048,
  maxQueue: 8192,
  maxInputChars: 200_000,
  maxWindows: 256,
  maxBatchTokens: undefined,
  maxCacheBytes: 0,
  onOverflow: 'truncate',
};
