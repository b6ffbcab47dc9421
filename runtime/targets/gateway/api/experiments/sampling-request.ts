import type { Static } from 'typebox';
import { inputError } from '#contract/errors.ts';
import type { Sampling } from '../../evaluation/experiments/sample/sample-dataset.ts';
import { inMember } from '../../evaluation/workflows/member-errors.ts';
import type { newExperiment } from './schemas.ts';

type Body = Pick<Static<typeof newExperiment>, 'max_samples' | 'sampling' | 'seed'>;

/** Returns how rows are chosen; undefined for the first ones. Throws an InputError for a sample without a size. */
export function samplingIn({ max_samples: size, sampling: method, seed }: Body): Sampling | undefined {
  if (method === undefined || method === null || method === 'first') return undefined;
  if (size !== undefined && size !== null && size > 0) return { method, seed: seed ?? 0 };
  return inMember('sampling', () => {
    throw inputError(
      `\`sampling: ${method}\` requires the number of rows in \`max_samples\`. Set it to at least 1.`,
    );
  });
}
