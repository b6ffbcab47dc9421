import type { Guardrails } from '../guardrails/guardrail.ts';
import type { Router } from '../routing/routing.ts';

/** What the configuration says of models, ready to be used. */
export interface ModelSet {
  readonly router: Router;
  readonly guardrails: Guardrails;
  readonly requirePricing: boolean;
  readonly allowUnpriced: boolean;
  readonly assumedOutputTokens: number;
}

/** A set that stays open until whoever holds it lets go. */
export interface HeldModels {
  readonly set: ModelSet;
  /** May be called more than once. */
  readonly release: () => void;
}

/** The set of now. A reload replaces it; requests and streams go on with the one that they began with. */
export interface CurrentModels {
  hold(): HeldModels;
}
