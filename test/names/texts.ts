import { TEXTS } from '../models/texts.ts';
import type { NamedModel } from './shape.ts';

const MASKED = [
  'My name is Anna and I live [MASK] in London.',
  'The quick brown fox [MASK] jumps over the dog.',
  '[MASK] Übergrößen überprüfen, naïve façades 🙂',
] as const;
const CONTEXTS = [
  'Anna lives in Berlin, and the weather there is good.',
  'My name is Anna Schmidt and I live at 12 Baker Street in London.',
  'Übergrößenträger überprüfen naïve façades. Anna 🙂 lives there.',
] as const;
const PROTEINS = ['MKTAYIAKQRQISFVK[MASK]HFSRQ', 'MK[MASK]AYI'] as const;

/**
 * Texts without characters that the normalization rules in the sentencepiece models of the encoders
 * change, because transformers 5 ignores these rules, and with fewer words than gliner truncates.
 */
const ENTITY_TEXTS = TEXTS.prose
  .filter((text) => text.normalize('NFKC') === text)
  .map((text) => text.split(' ').slice(0, 300).join(' '));

/** The texts for a model. Models with masks get texts with `[MASK]`, in place of their own word for it. */
export function textsFor({ task, base }: NamedModel): readonly string[] {
  if (task === 'masked') return base === 'esm' ? PROTEINS : MASKED;
  if (task === 'gliner') return ENTITY_TEXTS;
  return task === 'answers' ? CONTEXTS : TEXTS.prose;
}
