/** Models that are also built with a transform that makes of the output what is made of it without one. */
const MODELS = new Set(['sentiment', 'ner', 'embedder', 'sentence']);

/** The same model with its transform, where it has one: what holds for the one holds for the other. */
export const transformed = (model: string): string => (MODELS.has(model) ? `${model}-transformed` : model);
