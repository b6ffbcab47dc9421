import type { RateLimits } from '../../accounts/identity/identity.ts';
import { orDash } from './texts.ts';

/** The limits of a user or a key. */
export const limitRecord = ({ rpm, tpm, maxParallel }: RateLimits): Record<string, string> => ({
  'requests per minute': orDash(rpm),
  'tokens per minute': orDash(tpm),
  'requests at once': orDash(maxParallel),
});
