/**
 * The stages in which a model with a static form can compute vectors: `exact` is the model itself, `fast`
 * is its static form.
 */
export const STAGES = ['exact', 'fast'] as const;
export type Stage = (typeof STAGES)[number];
