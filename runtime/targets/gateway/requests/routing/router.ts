import { AppError } from '#contract/errors.ts';
import { BREAKER_POLICY } from './target-breakers.ts';
import { RETRY_POLICY } from '../../shared/retry-plan.ts';
import {
  RETRY_BUDGET_POLICY,
  createTargetStates,
  type TargetStates,
  type SpeedKind,
  type TargetLoads,
} from './target-states.ts';
import type { Clock } from '#platform/clock.ts';
import type {
  FailedAnswer,
  ModelEntry,
  Provider,
  StreamedAnswer,
  WholeAnswer,
} from '../../providers/adapters/provider.ts';
import { failure } from '../../providers/adapters/failure.ts';
import type { Alias, Resolved, Router, RoutingPolicy, Target, WeightedTarget } from './routing.ts';
import { createAttempts } from './attempt-targets.ts';
import { parseModel } from '../../shared/model-string.ts';
import type { Strategy } from './strategies.ts';

interface RouterOptions {
  readonly providers: readonly Provider[];
  readonly aliases?: readonly Alias[] | undefined;
  readonly clock: Clock;
  readonly random: () => number;
  readonly policy?: Partial<RoutingPolicy> | undefined;
  /** States of targets to continue with. Default: none. */
  readonly states?: TargetStates | undefined;
}

/** What applies if the configuration sets nothing else. */
export const ROUTING_POLICY: RoutingPolicy = {
  retry: RETRY_POLICY,
  breaker: BREAKER_POLICY,
  retryBudget: RETRY_BUDGET_POLICY,
};

export function createRouter({
  providers,
  aliases = [],
  clock,
  random,
  policy,
  states: known,
}: RouterOptions): Router {
  const rules: RoutingPolicy = { ...ROUTING_POLICY, ...policy };
  const states = known ?? createTargetStates(() => rules);
  const isMeasured = aliases.some(({ strategy = 'weighted' }) => MEASURED.has(strategy));
  const attempt = createAttempts({ states, policy: rules, clock, random, isMeasured });
  const byName = new Map(providers.map((provider) => [providerKey(provider), provider]));
  const byAlias = new Map(aliases.map((alias) => [alias.name, alias]));

  const targetOf = (text: string): Target => {
    const name = parseModel(text);
    const provider = name && findProvider(name.provider, name.model);
    if (!name || !provider) throw unknownModel(text);
    const [model, ...others] = provider.modelNames?.(name.model) ?? [name.model];
    const keyOf = (one: string): string => `${name.provider}:${one}`;
    const { listedAs } = provider;
    return { provider, model, key: keyOf(model), otherKeys: others.map(keyOf), listedAs };
  };
  const findProvider = (name: string, model: string): Provider | undefined =>
    byName.get(name === ENCODER ? `${ENCODER}:${model}` : name);
  const named = <Call extends object>(call: Call, model: string, { alias }: Resolved) =>
    alias === undefined ? { ...call, model } : { ...call, model, showModel: alias };

  return {
    resolve(model, isStream = false): Resolved {
      const alias = byAlias.get(model);
      if (!alias) return { targets: [targetOf(model)], primaries: 1, strategy: 'weighted', alias: undefined };
      const { strategy = 'weighted', fallbacks = [] } = alias;
      const drawn = orderTargets(alias.targets, random).map(({ model: name, weight = 1 }) => ({
        ...targetOf(name),
        weight,
      }));
      // Targets with weight 0 are drawn last.
      const primaries = drawn.filter(({ weight }) => weight > 0).length || drawn.length;
      const kind = isStream ? 'stream' : 'whole';
      const sorted = sortTargets(drawn.slice(0, primaries), strategy, {
        loads: states.loads,
        kind,
        now: clock.now(),
        random,
      });
      const targets = [...sorted, ...drawn.slice(primaries), ...fallbacks.map(targetOf)];
      return { targets, primaries, strategy, alias: model };
    },
    chat: (resolved, call, options) =>
      attempt<WholeAnswer | StreamedAnswer>(
        resolved,
        call.signal,
        ({ provider, model }, hasFallback) => provider.chat({ ...named(call, model, resolved), hasFallback }),
        options,
      ),
    embed: (resolved, call, options) =>
      attempt<WholeAnswer>(
        resolved,
        call.signal,
        ({ provider, model }) => provider.embed(named(call, model, resolved)),
        options,
      ),
    relay: (resolved, call, options) =>
      attempt<WholeAnswer | StreamedAnswer>(
        resolved,
        call.signal,
        ({ provider, model }) => provider.relay(named(call, model, resolved)),
        options,
      ),
    classify: (resolved, call, options) =>
      attempt(
        resolved,
        call.signal,
        async ({ provider }) => (await provider.classify?.(call)) ?? cannotClassify(provider),
        options,
      ),
    async models(signal) {
      const lists = await Promise.all(providers.map((provider) => modelsOf(provider, signal)));
      const names = aliases.map(({ name }) => ({ id: name, created: 0, ownedBy: 'gateway' }));
      return [...names, ...lists.flat()];
    },
    classifier(name) {
      return byName.get(`${ENCODER}:${name}`);
    },
    states: () => states.list(clock.now()),
    provider: (name) => byName.get(name.toLowerCase()),
    storing: providers.filter(({ objects }) => objects),
  };
}

/** Strategies that need to know how targets answer. */
const MEASURED = new Set<Strategy>(['fastest', 'least_busy']);

/** The models of a provider; none if it is unavailable, so that the others are still listed. */
async function modelsOf(provider: Provider, signal: AbortSignal): Promise<ModelEntry[]> {
  const models = await provider.models(signal);
  if ('kind' in models) return [];
  return models.map((model) => ({ ...model, id: modelString(provider, model.id) }));
}

/** Name of the provider of all encoder executables in model strings. */
const ENCODER = 'encoder';

const modelString = ({ type, name }: Provider, model: string): string =>
  type === ENCODER ? `${ENCODER}:${name}` : `${name}:${model}`;

/** The part of a model string that identifies a provider. */
export const providerKey = (provider: Provider): string =>
  provider.type === ENCODER ? modelString(provider, provider.name) : provider.name;

const cannotClassify = ({ name }: Pick<Provider, 'name'>): FailedAnswer =>
  failure('unsupported', {
    text: `Provider \`${name}\` cannot classify text. Use a model \`encoder:<name>\`.`,
  });

function unknownModel(text: string): AppError {
  const message = `Unknown or unsupported model '${text.slice(0, 200)}'. Use the format 'provider:model' with a configured provider.`;
  const details = [{ location: 'body.model', message }];
  return new AppError('MalformedError', message, { reason: 'model_not_found', details });
}

/** Returns all targets in random order, drawn one after the other by weight. @internal Exported for tests only. */
export function orderTargets(targets: readonly WeightedTarget[], random: () => number): WeightedTarget[] {
  const left = [...targets];
  const order: WeightedTarget[] = [];
  while (left.length > 0) {
    const [drawn] = left.splice(
      draw(
        left.map(({ weight = 1 }) => weight),
        random,
      ),
      1,
    );
    if (drawn) order.push(drawn);
  }
  return order;
}

function draw(weights: readonly number[], random: () => number): number {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  let point = random() * total;
  for (const [index, weight] of weights.entries()) {
    point -= weight;
    if (point < 0) return index;
  }
  // Only targets with weight 0 are left.
  return 0;
}

/** A target of an alias, with its weight. */
interface Choice {
  readonly key: string;
  readonly weight: number;
}

interface SortParts {
  readonly loads: TargetLoads;
  readonly kind: SpeedKind;
  readonly now: number;
  readonly random: () => number;
}

/** Share of requests that can try another target than the fastest one, so that a target that has become faster is noticed. */
const TRIAL_SHARE = 0.05;

/** Sorts targets by a strategy. They come in random order by weight, which decides between equal ones. */
function sortTargets<Target extends Choice>(
  targets: readonly Target[],
  strategy: Strategy,
  parts: SortParts,
): readonly Target[] {
  if (strategy === 'fastest') return fastestFirst(targets, parts);
  if (strategy !== 'least_busy') return targets;
  const loadOf = ({ key, weight }: Choice): number => (parts.loads.running(key) + 1) / weight;
  return targets.toSorted((one, other) => loadOf(one) - loadOf(other));
}

function fastestFirst<Target extends Choice>(
  targets: readonly Target[],
  { loads, kind, now, random }: SortParts,
): readonly Target[] {
  const speedOf = ({ key }: Choice): number | undefined => loads.speed(key, kind);
  const sorted = targets.toSorted(
    (one, other) => (speedOf(one) ?? Infinity) - (speedOf(other) ?? Infinity) || 0,
  );
  const [fastest] = sorted;
  const isMeasured = targets.every((target) => speedOf(target) !== undefined);
  // A target without a measurement is tried immediately, but not by all requests until its first answer.
  const due = targets.filter((target) => target !== fastest && (isMeasured || speedOf(target) === undefined));
  const mayTry = !isMeasured || random() < TRIAL_SHARE;
  const tried = mayTry ? due.find(({ key }) => loads.takeTrial(key, now)) : undefined;
  return tried ? [tried, ...sorted.filter((target) => target !== tried)] : sorted;
}

/**
 * Sorts the targets of an alias whose strategy is `cheapest` by their cost for a request. Those without a price come last, and equal
 * ones stay in their random order.
 */
export function cheapestFirst(resolved: Resolved, costOf: (target: Target) => bigint | undefined): Resolved {
  const { strategy, targets, primaries } = resolved;
  if (strategy !== 'cheapest') return resolved;
  const costs = new Map(targets.map((target) => [target, costOf(target)]));
  const compare = (one: Target, other: Target): number => {
    const [cost, than] = [costs.get(one), costs.get(other)];
    if (cost === undefined || than === undefined)
      return Number(cost === undefined) - Number(than === undefined);
    return cost < than ? -1 : Number(cost > than);
  };
  return {
    ...resolved,
    targets: [...targets.slice(0, primaries).toSorted(compare), ...targets.slice(primaries)],
  };
}
