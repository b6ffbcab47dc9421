import type { ModelEntry } from '../../providers/adapters/provider.ts';

/** A model as Gemini's API lists it. */
export const geminiModelView = ({ id }: ModelEntry) => ({
  name: `models/${id}`,
  displayName: id,
  supportedGenerationMethods: ['generateContent', 'countTokens'],
});
