import { parseModel } from '../shared/model-string.ts';

export interface ModelLabels {
  readonly provider: string;
  readonly model: string;
}

export const OTHER = 'other';

/** Maximum number of models without a price, because clients can request any name. */
const MAX_UNPRICED = 100;
const MAX_MODELS = 1000;

/**
 * Returns a function that maps a model to its labels. Clients choose the names of models, and some providers accept any name, so
 * only models with a price and a limited number of others get labels of their own.
 */
export function createModelLabels(): (key: string | undefined, hasPrice: boolean) => ModelLabels {
  const known = new Map<string, ModelLabels>();
  let unpriced = 0;
  return (key, hasPrice) => {
    if (key === undefined) return { provider: OTHER, model: OTHER };
    const before = known.get(key);
    if (before) return before;
    const name = parseModel(key);
    const provider = name?.provider ?? OTHER;
    if (!name || known.size >= MAX_MODELS || (!hasPrice && unpriced >= MAX_UNPRICED)) {
      return { provider, model: OTHER };
    }
    if (!hasPrice) unpriced += 1;
    known.set(key, name);
    return name;
  };
}
