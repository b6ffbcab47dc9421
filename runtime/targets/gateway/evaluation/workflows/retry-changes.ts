import { inputError } from '#contract/errors.ts';
import type { Backend, InferenceSpec } from '../work/work.ts';
import { inMember } from './member-errors.ts';

/** Settings that a retry can change. Stored responses stay comparable with new ones regardless. */
export interface RetryChanges {
  readonly batchSize?: number | undefined;
  /** Maximum number of concurrent requests to the evaluated language model. */
  readonly maxConcurrency?: number | undefined;
  readonly maxErrorRate?: number | undefined;
  readonly timeoutSec?: number | undefined;
  /** The evaluated model's secret. */
  readonly secretName?: string | undefined;
}

type Paced = Pick<InferenceSpec, 'batchSize' | 'maxErrorRate'>;

export const changePace = <Spec extends Paced>(spec: Spec, changes: RetryChanges): Spec => ({
  ...spec,
  batchSize: changes.batchSize ?? spec.batchSize,
  maxErrorRate: changes.maxErrorRate ?? spec.maxErrorRate,
});

/** Throws an InputError for a secret that the model does not use. */
export const changeInference = (spec: InferenceSpec, changes: RetryChanges): InferenceSpec => ({
  ...changePace(spec, changes),
  maxConcurrency: changes.maxConcurrency ?? spec.maxConcurrency,
  backend: withSecret(spec.backend, changes.secretName),
});

function withSecret(backend: Backend, secretName: string | undefined): Backend {
  if (secretName === undefined) return backend;
  if ('secretName' in backend) return { ...backend, secretName };
  return inMember('secret_key_name', () => {
    throw inputError(
      '`secret_key_name` requires a model with a `base_url`, but this model has none. Remove `secret_key_name`.',
    );
  });
}
