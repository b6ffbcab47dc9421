import { combiningMarks } from './combining-marks.ts';
import type { SentencePieceFamily } from './family.ts';
import type { Component } from './tokenizer-file.ts';

export interface NormalizerOptions {
  readonly do_lower_case?: unknown;
  readonly keep_accents?: unknown;
  readonly remove_space?: unknown;
}

/**
 * The normalizer of a family: its own steps, the compiled rules of the model, and white space as sentencepiece reduces it. The
 * steps are those of the slow tokenizers, with which models without tokenizer.json were trained.
 */
export function sentencePieceNormalizer(
  family: SentencePieceFamily,
  rules: Uint8Array,
  options: NormalizerOptions,
): Component {
  const compiled = rules.length === 0 ? [] : [{ type: 'Precompiled', precompiled_charsmap: base64(rules) }];
  const lowers = typeof options.do_lower_case === 'boolean' ? options.do_lower_case : family.lowerCase;
  const keeps = typeof options.keep_accents === 'boolean' ? options.keep_accents : family.keepAccents;
  const lowercase = lowers ? [{ type: 'Lowercase' }] : [];
  const accents = keeps ? [] : withoutAccents();
  const whiteSpace = options.remove_space === false ? [] : [WHITE_SPACE];
  const strip = { type: 'Strip', strip_left: false, strip_right: true };
  const steps: Record<SentencePieceFamily['normalizer'], readonly Component[]> = {
    model: [...compiled, strip, spaces('▁')],
    'lower-case': [...lowercase, ...compiled, strip, spaces(' ')],
    quotes: [...whiteSpace, ...QUOTES, ...accents, ...lowercase, ...compiled, strip, spaces(' ')],
  };
  return { type: 'Sequence', normalizers: steps[family.normalizer] };
}

/** Removes marks such as accents, but not the vowels of Indic scripts. The rest is composed again, for example Hangul. */
const withoutAccents = (): readonly Component[] => [
  { type: 'NFKD' },
  replace({ Regex: combiningMarks() }, ''),
  { type: 'NFC' },
];

const replace = (pattern: Readonly<Record<string, string>>, content: string): Component => ({
  type: 'Replace',
  pattern,
  content,
});
const spaces = (content: string): Component => replace({ Regex: ' {2,}' }, content);
/** White space that Python splits texts at. */
const WHITE_SPACE = replace({ Regex: String.raw`[\s\x1c-\x1f]+` }, ' ');
/** Quotation marks as TeX writes them. */
const QUOTES = [replace({ String: '``' }, '"'), replace({ String: "''" }, '"')];

/** Without Node's Buffer, because this folder is pure. */
function base64(bytes: Uint8Array): string {
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary);
}
