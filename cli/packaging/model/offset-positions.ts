/** RoBERTa and its relatives start positions after the padding id, so that many rows of their position table are not for tokens. */
export const startsAfterPadding = (modelType: unknown): boolean => FAMILIES.has(String(modelType));

const FAMILIES = new Set(['roberta', 'xlm-roberta', 'camembert', 'mpnet', 'longformer']);
