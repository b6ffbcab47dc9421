import type { GatewayContext } from '../../context.ts';
import type { Caller } from '../../accounts/identity/identity.ts';
import { canUseModel } from '../../accounts/identity/spender.ts';
import type { ModelSet } from '../../requests/models/model-set.ts';
import type { ModelEntry } from '../../providers/adapters/provider.ts';
import { listAll } from '../../store/list-all.ts';

/** How long lists of providers are cached, because clients can request the list at any rate. */
const MAX_LIST_AGE_MS = 60_000;

/** Lists the models that a caller can use. */
export type ModelList = (caller: Caller) => Promise<readonly ModelEntry[]>;

export function createModelList({ state, models, clock }: GatewayContext): ModelList {
  const cache = new WeakMap<
    ModelSet,
    { readonly at: number; readonly list: Promise<readonly ModelEntry[]> }
  >();

  /** Lists of providers. The request is not aborted when the client disconnects, because later callers share its result. */
  const providerModels = (set: ModelSet): Promise<readonly ModelEntry[]> => {
    const before = cache.get(set);
    if (before && clock.now() - before.at < MAX_LIST_AGE_MS) return before.list;
    const list = set.router.models(new AbortController().signal);
    cache.set(set, { at: clock.now(), list });
    list.catch(() => cache.delete(set));
    return list;
  };

  return async (caller) => {
    const held = models.hold();
    try {
      const { set } = held;
      const listed = await providerModels(set);
      const names = new Set(listed.map(({ id }) => id));
      const priced = (await pricedModels(state)).filter(({ id }) => !names.has(id) && isServed(set, id));
      return [...listed, ...priced].filter(({ id }) => assertModelAllowed(caller, id));
    } finally {
      held.release();
    }
  };
}

/** Models with a price. Some providers have no list of models, or an incomplete one. */
async function pricedModels({ prices }: GatewayContext['state']): Promise<ModelEntry[]> {
  return (await listAll(prices)).map(({ modelKey, effectiveAt }) => {
    const [ownedBy = ''] = modelKey.split(':', 1);
    return { id: modelKey, created: Math.floor(effectiveAt / 1000), ownedBy };
  });
}

function isServed({ router }: ModelSet, model: string): boolean {
  try {
    return router.resolve(model).targets.length > 0;
  } catch {
    return false;
  }
}

const assertModelAllowed = (caller: Caller, model: string): boolean =>
  caller.kind === 'master' || canUseModel(caller, model);
