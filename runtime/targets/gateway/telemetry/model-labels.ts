import { parseModel } from '../shared/model-string.ts';

export interface ModelLabels {
  readonly provider: string;
  readonly model: string;
}

export const OTHER = 'other';

/** Of models that have no price: nobody has said that there are such. */
const MOST_UNPRICED = 100;
const MOST = 1000;

/**
 * Names of models come from callers as well, and some providers take any. Those with a price were named by whoever runs the
 * gateway; of the rest only the first so many have a name in the metrics.
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
    if (!name || known.size >= MOST || (!hasPrice && unpriced >= MOST_UNPRICED)) {
      return { provider, model: OTHER };
    }
    if (!hasPrice) unpriced += 1;
    known.set(key, name);
    return name;
  };
}
