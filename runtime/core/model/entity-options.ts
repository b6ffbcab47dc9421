import type { EntitySettings } from '#contract/entity-settings.ts';
import { inputError } from '#contract/errors.ts';

/** The entity options of a request, combined with the defaults. */
export interface EntityOptions {
  /** Types of the entities to find, without duplicates. */
  readonly labels: readonly string[];
  /** Minimum score (exclusive). */
  readonly threshold: number;
  /** Whether entities must not overlap at all. If false, an entity can be nested in another one. */
  readonly flat: boolean;
  /** Whether several entities of different types can consist of the same words. */
  readonly multiLabel: boolean;
}

/** A request's entity options; undefined and null mean the default. */
export interface EntityRequest {
  readonly labels?: readonly string[] | null | undefined;
  readonly threshold?: number | null | undefined;
  readonly flatNer?: boolean | null | undefined;
  readonly multiLabel?: boolean | null | undefined;
}

export const DEFAULT_THRESHOLD = 0.5;

/**
 * Combines a request's options with the defaults, and rejects invalid ones. Undefined for models of
 * other types. `label` is the name of the option for messages.
 */
export function planEntities(
  { entities }: { readonly entities?: EntitySettings | undefined },
  { labels, threshold, flatNer, multiLabel }: EntityRequest,
  option: 'labels' | '--labels' = 'labels',
): EntityOptions | undefined {
  if (!entities) return undefined;
  const different = [...new Set(labels)];
  if (different.length === 0) {
    throw inputError(
      `${option} is missing: this model only finds the entity types named in the request. Add at least one type, for example person.`,
    );
  }
  for (const label of different) {
    if (label.trim() === '') throw inputError(`${option} contains an empty type. Remove it.`);
    const { typeToken = [], separatorToken = [] } = entities;
    const token = [typeToken, separatorToken].flat().find((special) => label.includes(special));
    if (token !== undefined) {
      throw inputError(
        `${option} contains ${JSON.stringify(label.slice(0, 100))}, but ${token} separates the types of this model. Remove it from the type.`,
      );
    }
  }
  const minimum = threshold ?? DEFAULT_THRESHOLD;
  if (!(minimum >= 0 && minimum <= 1)) {
    throw inputError(`threshold is ${minimum}, but must be a number from 0 to 1.`);
  }
  return { labels: different, threshold: minimum, flat: flatNer ?? true, multiLabel: multiLabel ?? false };
}
