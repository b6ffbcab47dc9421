import type { ModelCache } from '../cache/model-cache.ts';
import type { Guardrails } from '../guardrails/guardrail.ts';
import type { PromptPolicy, RequestPolicy } from '../../providers/shapes/policies.ts';
import type { AbTests } from '../routing/ab-tests.ts';
import type { AffinitySettings } from '../routing/affinity.ts';
import type { ToolSettings } from '../../shared/tool-settings.ts';
import type { Router } from '../routing/routing.ts';

/** Everything that the configuration defines for models, ready to use. */
export interface ModelSet {
  readonly router: Router;
  /**
   * A router over the same providers without aliases, whose breakers, retry budgets and speeds are separate, so that
   * its calls do not change how users' requests are routed.
   */
  readonly isolatedRouter: () => Router;
  /** Undefined if requests have no sessions. */
  readonly affinity?: AffinitySettings | undefined;
  /** Undefined if no alias has an A/B test. */
  readonly abTests?: AbTests | undefined;
  readonly guardrails: Guardrails;
  readonly requirePricing: boolean;
  readonly allowUnpriced: boolean;
  readonly requests: RequestPolicy;
  readonly prompts: PromptPolicy;
  readonly assumedOutputTokens: number;
  /** The MCP servers whose tools the gateway runs; undefined if there are none. */
  readonly tools?: ToolSettings | undefined;
  /** Undefined if responses are not cached. */
  readonly cache?: ModelCache | undefined;
}

/** A model set whose providers stay open until the set is released. */
export interface HeldModels {
  readonly set: ModelSet;
  /** Can be called more than once. */
  readonly release: () => void;
}

/**
 * The current model set. A reload replaces it, but requests and streams in flight keep using the set that
 * they started with.
 */
export interface CurrentModels {
  hold(): HeldModels;
}
