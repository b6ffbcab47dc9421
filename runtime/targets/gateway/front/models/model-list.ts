import { matchesAny } from '../../../../core/text/name-pattern.ts';
import type { GatewayContext } from '../../context.ts';
import type { Caller } from '../../accounts/identity/identity.ts';
import type { ModelSet } from '../../ask/models/model-set.ts';
import type { ModelEntry } from '../../ask/providers/provider.ts';
import { everyPage } from '../../store/every-page.ts';

/** Whoever may ask for models may ask often; their providers are asked once in so long. */
const ASK_AGAIN_MS = 60_000;

/** The models that this caller may use. */
export type ModelList = (caller: Caller) => Promise<readonly ModelEntry[]>;

export function createModelList({ state, models, clock }: GatewayContext): ModelList {
  const known = new WeakMap<
    ModelSet,
    { readonly at: number; readonly list: Promise<readonly ModelEntry[]> }
  >();

  /** What providers tell; it may be of use to the next one who asks, so nobody's leaving ends it. */
  const told = (set: ModelSet): Promise<readonly ModelEntry[]> => {
    const before = known.get(set);
    if (before && clock.now() - before.at < ASK_AGAIN_MS) return before.list;
    const list = set.router.models(new AbortController().signal);
    known.set(set, { at: clock.now(), list });
    list.catch(() => known.delete(set));
    return list;
  };

  return async (caller) => {
    const held = models.hold();
    try {
      const { set } = held;
      const listed = await told(set);
      const names = new Set(listed.map(({ id }) => id));
      const priced = (await pricedModels(state)).filter(({ id }) => !names.has(id) && isServed(set, id));
      return [...listed, ...priced].filter(({ id }) => mayUse(caller, id));
    } finally {
      held.release();
    }
  };
}

/** Some providers tell no list, and some leave models out of it. */
async function pricedModels({ prices }: GatewayContext['state']): Promise<ModelEntry[]> {
  return (await everyPage(prices)).map(({ modelKey, effectiveAt }) => {
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

const mayUse = (caller: Caller, model: string): boolean =>
  caller.kind === 'master' ||
  caller.key.allowedModels === null ||
  matchesAny(caller.key.allowedModels, model);
