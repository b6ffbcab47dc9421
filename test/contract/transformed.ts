/** Models that are also built with a transform that reproduces the result of the model without a transform. */
const MODELS = new Set(['sentiment', 'ner', 'embedder', 'sentence']);

/** The same model with its transform, if it has one: both must pass the same tests. */
export const transformed = (model: string): string => (MODELS.has(model) ? `${model}-transformed` : model);
