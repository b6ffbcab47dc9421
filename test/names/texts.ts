import { SHAPES } from '../helpers/golden-shapes.ts';
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
 * Texts without characters that normalization rules in sentencepiece models change, because
 * transformers 5 ignores the rules in spm.model.
 */
const NORMAL = TEXTS.prose.filter((text) => text.normalize('NFKC') === text);
/** These rules also replace several spaces. */
const SPACED = NORMAL.filter((text) => !/\s\s|[\t\n\r]/.test(text));
/** With fewer words than gliner truncates, which splits texts at spaces itself. */
const ENTITY_TEXTS = NORMAL.map((text) => text.split(' ').slice(0, 300).join(' '));

/** An image among texts starts with this. */
export const DATA_URL = 'data:image/png;base64,';

/** The texts for a model, or images in base64. Models with masks get texts with `[MASK]`, in place of their own word for it. */
export function textsFor({ task, base, tokenizer, slow }: NamedModel): readonly string[] {
  if (task === 'image') return SHAPES.map(({ base64 }) => base64);
  if (task === 'towers') return [...TEXTS.prose, ...SHAPES.map(({ base64 }) => `${DATA_URL}${base64}`)];
  if (task === 'masked') return base === 'esm' ? PROTEINS : MASKED;
  if (task === 'gliner') return ENTITY_TEXTS;
  if (task === 'answers') return CONTEXTS;
  return slow === true && tokenizer === 'deberta-v3' ? SPACED : TEXTS.prose;
}
