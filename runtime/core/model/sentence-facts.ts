import type { Manifest } from '../../contract/manifest.ts';
import type { Pooling } from '../../contract/sentence.ts';

/** Rows about vectors in tables about a sentence_embedding model; empty for other models. */
export function sentenceFacts({ sentence, width }: Pick<Manifest, 'sentence' | 'width'>): [string, string][] {
  if (!sentence) return [];
  const { pooling, normalize, dimensions = width, prompts, defaultPrompt } = sentence;
  const cut = dimensions < width ? `, truncated to ${dimensions} dimensions` : '';
  const names = Object.keys(prompts).map((name) => (name === defaultPrompt ? `${name} (default)` : name));
  return [
    ['Vector', `${FROM[pooling]}${cut}${normalize ? ', L2-normalized' : ''}`],
    ...(names.length > 0 ? [['Prompts', names.join(', ')] satisfies [string, string]] : []),
  ];
}

const FROM: Record<Pooling, string> = {
  mean: 'mean of all tokens',
  cls: 'first token (cls)',
  max: 'maximum over all tokens',
  last: 'last token',
  none: 'pooled by the model',
};
