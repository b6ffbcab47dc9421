import { QUEUE_DEFAULTS, type QueueSettings } from '../../accounts/ledger/waiting/queue-settings.ts';
import {
  IDEMPOTENCY_DEFAULTS,
  type IdempotencySettings,
} from '../../accounts/idempotency/idempotency-settings.ts';
import type { Clock } from '#platform/clock.ts';
import type { ModelsConfig } from './models-config.ts';
import { createModelCache } from '../cache/model-cache.ts';
import { createGuardrails } from '../guardrails/guardrails.ts';
import type { EncoderProgram, Provider, ProviderInstance } from '../../providers/adapters/provider.ts';
import { abTestsOf } from '../routing/ab-tests.ts';
import { createRouter, providerKey, ROUTING_POLICY } from '../routing/router.ts';
import { createTargetStates, type TargetEvent, type TargetState } from '../routing/target-states.ts';
import type { CurrentModels, ModelSet } from './model-set.ts';
import type { Router } from '../routing/routing.ts';
import type { KeyState } from '../../providers/adapters/keys/key-state.ts';
import { isDeepStrictEqual } from 'node:util';
import { fileState } from '#platform/file-state.ts';
import type { ToolSettings } from '../../shared/tool-settings.ts';

interface ModelsOptions {
  readonly open: (config: ProviderInstance | EncoderProgram) => Provider;
  readonly clock: Clock;
  readonly random: () => number;
  /** Number of threads that serve requests. Each has its share of the retries per second. Default: 1. */
  readonly threads?: number | undefined;
  /** Called with everything about targets that other threads need to know. */
  readonly onTargetEvent?: ((event: TargetEvent) => void) | undefined;
}

export interface Models extends CurrentModels {
  /**
   * Applies a new configuration to new requests. Unchanged providers stay open, along with their breakers
   * and processes; removed providers are closed when their last request has ended. If the function throws,
   * nothing has changed.
   */
  replace(config: ModelsConfig): void;
  /** Applies what another thread has learned about a target. */
  learn(event: TargetEvent): void;
  /** The current settings of requests with an `Idempotency-Key`. */
  readonly idempotency: () => IdempotencySettings;
  /** Limits of queues. */
  readonly queue: () => QueueSettings;
  /** The tools that the gateway runs; undefined if there are none. */
  readonly tools: () => ToolSettings | undefined;
  close(): Promise<void>;
}

interface Generation {
  readonly set: ModelSet;
  readonly giveBack: () => void;
  holders: number;
  isReplaced: boolean;
}

export function createModels(first: ModelsConfig, options: ModelsOptions): Models {
  const { open, clock, random, threads = 1, onTargetEvent } = options;
  const pool = createProviderPool(open);
  let config = first;
  const states = createTargetStates(() => {
    const { breaker, retryBudget } = { ...ROUTING_POLICY, ...config.routing };
    return { breaker, retryBudget: { ...retryBudget, perSecond: retryBudget.perSecond / threads } };
  }, onTargetEvent);

  const generationOf = (next: ModelsConfig): Generation => {
    const { providers, opened, giveBack } = pool.take(next.providers);
    const { aliases, affinity, routing: policy, guardrails, requirePricing, allowUnpriced } = next;
    const { requests, prompts, assumedOutputTokens, tools, cache } = next;
    const router = createRouter({ providers, aliases, clock, random, policy, states });
    const guards = createGuardrails({
      ...guardrails,
      classifier: (name) => router.classifier(name),
      clock,
    });
    let isolated: Router | undefined;
    const renewed = new Set(opened.map(providerKey));
    states.forget((target) => renewed.has(target) || renewed.has(target.slice(0, target.indexOf(':'))));
    return {
      set: {
        router,
        isolatedRouter: () => (isolated ??= createRouter({ providers, clock, random, policy })),
        affinity,
        abTests: abTestsOf(aliases),
        guardrails: guards,
        requirePricing,
        allowUnpriced,
        requests,
        prompts,
        assumedOutputTokens,
        tools,
        cache: cache && createModelCache(cache, next.providers, [guards.digest, requests]),
      },
      giveBack() {
        giveBack();
        void guards.close();
      },
      holders: 0,
      isReplaced: false,
    };
  };
  const release = (generation: Generation): void => {
    generation.holders -= 1;
    if (generation.isReplaced && generation.holders === 0) generation.giveBack();
  };
  let current = generationOf(first);
  return {
    hold() {
      const generation = current;
      generation.holders += 1;
      let isHeld = true;
      return {
        set: generation.set,
        release() {
          if (isHeld) release(generation);
          isHeld = false;
        },
      };
    },
    replace(next) {
      const before = current;
      current = generationOf(next);
      config = next;
      before.isReplaced = true;
      if (before.holders === 0) before.giveBack();
    },
    learn(event) {
      states.apply(event);
      if (event.kind === 'key') current.set.router.provider(event.provider)?.keys?.apply(event);
    },
    idempotency: () => config.idempotency ?? IDEMPOTENCY_DEFAULTS,
    queue: () => config.queue ?? QUEUE_DEFAULTS,
    tools: () => config.tools,
    async close() {
      await current.set.guardrails.close();
      await pool.close();
    },
  };
}

type ProviderConfig = ProviderInstance | EncoderProgram;

/** Open providers, each shared by all model sets that configure it identically. */
interface ProviderPool {
  /**
   * Returns the providers in a configuration, opening those that are not open yet. If opening one throws,
   * nothing has changed.
   */
  take(configs: readonly ProviderConfig[]): TakenProviders;
  /**
   * Closes all providers, including those in use. Resolves when they and all previously released providers
   * are closed.
   */
  close(): Promise<void>;
}

interface TakenProviders {
  readonly providers: readonly Provider[];
  /** The providers opened by this call. */
  readonly opened: readonly Provider[];
  /**
   * Releases the providers and closes each one that is not in use elsewhere. Must be called exactly once.
   */
  readonly giveBack: () => void;
}

interface Shared {
  readonly config: ProviderConfig;
  /**
   * Identifies the version of the executable file: if the file is replaced, the entry becomes a different
   * provider.
   */
  readonly program: string | undefined;
  readonly provider: Provider;
  takers: number;
}

function createProviderPool(open: (config: ProviderConfig) => Provider): ProviderPool {
  const all = new Set<Shared>();
  const closing = new Set<Promise<void>>();

  const close = (shared: Shared): void => {
    all.delete(shared);
    const closed = shared.provider.close().finally(() => closing.delete(closed));
    closing.add(closed);
  };
  const giveBack = (shared: Shared): void => {
    shared.takers -= 1;
    if (shared.takers === 0) close(shared);
  };
  return {
    take(configs) {
      const taken: Shared[] = [];
      const opened: Provider[] = [];
      try {
        for (const config of configs) {
          const program = 'path' in config ? fileState(config.path) : undefined;
          let shared = [...all].find(
            (one) => one.program === program && isDeepStrictEqual(one.config, config),
          );
          if (!shared) {
            shared = { config, program, provider: open(config), takers: 0 };
            all.add(shared);
            opened.push(shared.provider);
          }
          shared.takers += 1;
          taken.push(shared);
        }
      } catch (error) {
        taken.forEach(giveBack);
        throw error;
      }
      return {
        providers: taken.map(({ provider }) => provider),
        opened,
        giveBack: () => taken.forEach(giveBack),
      };
    },
    async close() {
      for (const shared of all) close(shared);
      await Promise.all(closing);
    },
  };
}

/** The name that model permissions refer to: an alias, or `provider:model`. Undefined for an unknown model. */
export function permissionOf(models: CurrentModels, model: string): string | undefined {
  const held = models.hold();
  try {
    const { alias, targets } = held.set.router.resolve(model);
    return alias ?? targets[0]?.key;
  } catch {
    return undefined;
  } finally {
    held.release();
  }
}

/** The states of the keys of providers that have several, in this thread. */
export function keyStatesOf(models: CurrentModels, now: number): readonly KeyState[] {
  const held = models.hold();
  try {
    return held.set.router.keys(now);
  } finally {
    held.release();
  }
}

/** The states of the targets that this thread has called. */
export function targetStatesOf(models: CurrentModels): readonly TargetState[] {
  const held = models.hold();
  try {
    return held.set.router.states();
  } finally {
    held.release();
  }
}
