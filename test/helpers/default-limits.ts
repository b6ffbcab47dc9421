import { DEFAULT_IMAGE_LIMITS } from '#core/images/read-image-size.ts';
import type { EngineLimits } from '#encoder/engine/serving.ts';

/** The default limits of `serve`. */
export const DEFAULT_LIMITS: EngineLimits = {
  maxClientBatch: 2048,
  maxQueue: 8192,
  maxInputChars: 200_000,
  maxWindows: 256,
  images: DEFAULT_IMAGE_LIMITS,
  maxBatchTokens: undefined,
  maxCacheBytes: 0,
  onOverflow: 'truncate',
};
