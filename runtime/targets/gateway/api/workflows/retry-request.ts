import type { Static } from 'typebox';
import { inputError } from '#contract/errors.ts';
import { inMember } from '../../evaluation/workflows/member-errors.ts';
import type { RetryChanges } from '../../evaluation/workflows/retry-changes.ts';
import { retryRequest } from './schemas.ts';

/** Throws an InputError for members that a retry cannot change. */
export function retryIn(body: Static<typeof retryRequest>): RetryChanges {
  const changeable = Object.keys(retryRequest.properties);
  for (const name of Object.keys(body)) {
    if (changeable.includes(name)) continue;
    const shown = JSON.stringify(name.slice(0, 100));
    inMember(name, () => {
      throw inputError(
        `A retry cannot change ${shown}, because answered rows keep their answers. Change only ${changeable.join(', ')}, or create a new workflow or job.`,
      );
    });
  }
  return {
    batchSize: body.batch_size ?? undefined,
    maxConcurrency: body.max_concurrency ?? undefined,
    maxErrorRate: body.max_error_rate ?? undefined,
    timeoutSec: body.job_timeout_sec ?? undefined,
    secretName: body.secret_key_name ?? undefined,
  };
}
