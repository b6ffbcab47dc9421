import type { RateLimits } from '../../accounts/identity/identity.ts';
import { orDash } from './format-values.ts';

/** Lines with the rate limits of a user or a key. */
export const limitRecord = ({ rpm, tpm, maxParallel }: RateLimits): Record<string, string> => ({
  'requests per minute': orDash(rpm),
  'tokens per minute': orDash(tpm),
  'concurrent requests': orDash(maxParallel),
});
