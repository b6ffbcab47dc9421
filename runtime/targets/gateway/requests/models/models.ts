import type { Clock } from '#platform/clock.ts';
import type { ModelsConfig } from './models-config.ts';
import { createModelCache } from '../cache/model-cache.ts';
import { createGuardrails } from '../guardrails/guardrails.ts';
import type { EncoderProgram, Provider, ProviderInstance } from '../../providers/adapters/provider.ts';
import { createRouter, providerKey, ROUTING_POLICY } from '../routing/router.ts';
import { createTargetStates } from '../routing/target-states.ts';
import type { CurrentModels, ModelSet } from './model-set.ts';
import { createProviderPool } from './provider-pool.ts';

export interface ModelsOptions {
  readonly open: (config: ProviderInstance | EncoderProgram) => Provider;
  readonly clock: Clock;
  readonly random: () => number;
}

export interface Models extends CurrentModels {
  /**
   * Applies a new configuration to new requests. Unchanged providers stay open, with their breakers and processes; removed ones are
   * closed when their last request has ended. If it throws, nothing has changed.
   */
  replace(config: ModelsConfig): void;
  close(): Promise<void>;
}

interface Generation {
  readonly set: ModelSet;
  readonly giveBack: () => void;
  holders: number;
  isReplaced: boolean;
}

export function createModels(first: ModelsConfig, { open, clock, random }: ModelsOptions): Models {
  const pool = createProviderPool(open);
  let config = first;
  const states = createTargetStates(() => ({ ...ROUTING_POLICY, ...config.routing }));

  const generationOf = (next: ModelsConfig): Generation => {
    const { providers, opened, giveBack } = pool.take(next.providers);
    const { aliases, routing: policy, guardrails, requirePricing, allowUnpriced } = next;
    const { requests, prompts, assumedOutputTokens, cache } = next;
    const router = createRouter({ providers, aliases, clock, random, policy, states });
    const guards = createGuardrails({
      ...guardrails,
      classifier: (name) => router.classifier(name),
      clock,
    });
    const renewed = new Set(opened.map(providerKey));
    states.forget((target) => renewed.has(target) || renewed.has(target.slice(0, target.indexOf(':'))));
    return {
      set: {
        router,
        guardrails: guards,
        requirePricing,
        allowUnpriced,
        requests,
        prompts,
        assumedOutputTokens,
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
    async close() {
      await current.set.guardrails.close();
      await pool.close();
    },
  };
}
