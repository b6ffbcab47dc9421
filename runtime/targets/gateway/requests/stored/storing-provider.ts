import { AppError, inputError } from '#contract/errors.ts';
import type { Caller } from '../../accounts/identity/identity.ts';
import { canUseProvider } from '../../accounts/identity/spender.ts';
import type { PolicedObjects, PolicedProvider, Router, Target } from '../routing/routing.ts';

export type StoringProvider = PolicedProvider & { readonly objects: PolicedObjects };

interface Choice {
  readonly caller: Caller;
  /** The provider that the request names. */
  readonly named: string | undefined;
  /** Model strings of the request. */
  readonly models: readonly string[];
}

/**
 * The provider that stores a new file: the one that the request names, or the one of its models, or the only one that stores files and
 * that the key can use. Throws an InputError if there is no such provider, and a ForbiddenError if the key has no model of it.
 */
export function storingProvider(router: Router, { caller, named, models }: Choice): StoringProvider {
  const usable = router.storing.filter((provider) => canUse(caller, provider));
  const names = (list: readonly PolicedProvider[]): string =>
    list.map(({ name }) => name).join(', ') || 'none';
  if (named !== undefined) {
    const found = router.provider(named);
    if (!found?.objects)
      throw wrong(`Provider '${shown(named)}' stores no files. Use one of: ${names(usable)}.`);
    if (!canUse(caller, found))
      throw new AppError('ForbiddenError', `Provider '${found.name}' is not allowed for this API key`, {
        reason: 'model_not_allowed',
      });
    return required(found);
  }
  const ofModels = new Set(
    models.flatMap((model) => targetsOf(router, model).map(({ provider }) => provider)),
  );
  const candidates = ofModels.size > 0 ? usable.filter((provider) => ofModels.has(provider)) : usable;
  const [only] = candidates;
  if (only && candidates.length === 1) return required(only);
  throw wrong(
    candidates.length === 0
      ? 'No provider that this API key can use stores files.'
      : `The gateway has several providers that store files: ${names(candidates)}. Name one in the header X-Gateway-Provider.`,
  );
}

/** The targets of a model string; none if it is invalid, because a batch can have the provider's own names. */
export function targetsOf(router: Router, model: string): readonly Target[] {
  try {
    return router.resolve(model).targets;
  } catch {
    return [];
  }
}

/** Whether a caller can use any model of a provider. */
const canUse = (caller: Caller, { name }: Pick<PolicedProvider, 'name'>): boolean =>
  caller.kind === 'master' || canUseProvider(caller, name);

function required(provider: PolicedProvider): StoringProvider {
  const { objects } = provider;
  if (!objects) throw inputError(`Provider '${provider.name}' stores no files.`);
  return { ...provider, objects };
}

const shown = (name: string): string => name.slice(0, 100);
const wrong = (message: string): AppError =>
  new AppError('MalformedError', message, { reason: 'unsupported' });
