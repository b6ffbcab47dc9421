import { AppError } from '#contract/errors.ts';
import type { Secrets } from '../secrets.ts';
import type { NamedModel } from './workflow.ts';
import type { Owner } from '../../shared/owner.ts';

/** Throws a MalformedError, as the reference API does, for a secret that is not set. */
export async function checkSecrets(
  secrets: Pick<Secrets, 'has'>,
  owner: Owner | null,
  models: readonly (Pick<NamedModel, 'secretName'> | null)[],
  before = '',
): Promise<void> {
  for (const secret of models.map((model) => model?.secretName ?? null)) {
    if (secret === null || (await secrets.has(owner, secret))) continue;
    throw new AppError('MalformedError', `${before}Requested secret key '${secret}' is not configured.`, {
      reason: 'secret_not_configured',
    });
  }
}
