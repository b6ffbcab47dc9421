import type { GatewayState } from '../../gateway-state.ts';
import type { ModelSet } from '../models/model-set.ts';
import { remember } from '#core/limits/remember.ts';
import type { Resolved, Target } from '../routing/routing.ts';
import type { Endpoint } from './completion.ts';
import type { EndpointRules } from './endpoints/endpoint.ts';
import { type PriceList, pricesOf } from './estimate.ts';

/**
 * What is determined once for all requests to one model at one endpoint: its targets, what cached responses
 * depend on, and prices. It is valid for one model set; its prices are valid for one database revision and
 * the period in which they apply. What depends on the key is also determined once: `Identity` keeps the
 * spender and the ledger keeps its accounts until the database changes.
 */
export interface RequestPlan {
  /** The model's targets. An alias's targets are drawn for each request. */
  readonly resolve: (isStream: boolean) => Resolved;
  /**
   * The targets' prices; only a promise if the database must be queried. Throws a PaymentRequiredError if one
   * has no price and prices are required.
   */
  readonly prices: (
    targets: readonly Target[],
    time: number,
    variant?: string,
  ) => PriceList | Promise<PriceList>;
  /** Which models respond, and where: what a cached response depends on, as text. */
  readonly origins: (resolved: Resolved) => string;
}

export interface RequestPlans {
  /** A model's plan, and its targets for a request. Throws a MalformedError for an unknown model. */
  open(
    set: ModelSet,
    request: { readonly endpoint: Endpoint; readonly rules: EndpointRules; readonly model: string },
    isStream: boolean,
  ): { readonly plan: RequestPlan; readonly resolved: Resolved };
}

/** Maximum number of plans per endpoint: model names come from clients. */
const MAX_PLANS = 1000;

type Plans = Map<string, RequestPlan>;
type PriceState = Pick<GatewayState, 'prices' | 'priceMaps'>;

export function createPlans(state: PriceState): RequestPlans {
  const known = new WeakMap<ModelSet, Map<Endpoint, Plans>>();
  return {
    open(set, { endpoint, rules, model }, isStream) {
      const ofSet = known.get(set) ?? new Map<Endpoint, Plans>();
      const found = ofSet.get(endpoint)?.get(model);
      if (found) return { plan: found, resolved: found.resolve(isStream) };
      const plan = createPlan(state, set, rules, model);
      const resolved = plan.resolve(isStream);
      const plans: Plans = ofSet.get(endpoint) ?? new Map();
      remember(plans, model, plan, MAX_PLANS);
      known.set(set, ofSet.set(endpoint, plans));
      return { plan, resolved };
    },
  };
}

/** Prices, with the time and revision for which they apply. */
interface Priced {
  readonly list: PriceList;
  readonly revision: number;
  readonly from: number;
  readonly until: number;
}

function createPlan(
  state: PriceState,
  { router, cache, requirePricing: required }: ModelSet,
  { isAudio }: EndpointRules,
  model: string,
): RequestPlan {
  let only: Resolved | undefined;
  let origins: string | undefined;
  let priced: Priced | undefined;

  const readPrices = async (targets: readonly Target[], time: number): Promise<PriceList> => {
    // The revision is read before the prices, so that old prices are never kept under a newer revision.
    const revision = await state.prices.revision();
    const list = await pricesOf(state, targets, time, { required, isAudio });
    let [from, until] = [-Infinity, Infinity];
    for (const name of targets.flatMap(({ key, otherKeys }) => [key, ...otherKeys])) {
      const period = await state.prices.period(name, time);
      [from, until] = [Math.max(from, period.from), Math.min(until, period.until)];
    }
    priced = { list, revision, from, until };
    return list;
  };

  return {
    resolve(isStream) {
      if (only) return only;
      const resolved = router.resolve(model, isStream);
      if (resolved.alias === undefined) only = resolved;
      return resolved;
    },
    prices(targets, time, variant) {
      if (variant !== undefined) return pricesOf(state, targets, time, { required, isAudio, variant });
      const isCurrent =
        priced !== undefined &&
        priced.revision === state.prices.revision() &&
        priced.from <= time &&
        time < priced.until;
      if (!priced || !isCurrent) return readPrices(targets, time);
      const { list } = priced;
      // An alias always has the same targets, in a different order.
      return only ? list : new Map(targets.map(({ key }) => [key, list.get(key)]));
    },
    origins: ({ targets, primaries }) =>
      (origins ??= JSON.stringify(
        targets
          .slice(0, primaries)
          .map(({ key, provider }) => `${key} ${cache?.origin(provider) ?? ''}`)
          .toSorted(),
      )),
  };
}
