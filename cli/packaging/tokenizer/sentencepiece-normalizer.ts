import type { SentencePieceFamily } from './family.ts';
import type { Component } from './tokenizer-file.ts';

export interface NormalizerOptions {
  readonly do_lower_case?: unknown;
  readonly keep_accents?: unknown;
}

/** The normalizer of a family: its own steps, and the compiled rules of the model. */
export function sentencePieceNormalizer(
  family: SentencePieceFamily,
  rules: Uint8Array,
  options: NormalizerOptions,
): Component {
  const compiled = rules.length === 0 ? [] : [{ type: 'Precompiled', precompiled_charsmap: base64(rules) }];
  const lowers = typeof options.do_lower_case === 'boolean' ? options.do_lower_case : family.lowerCase;
  const keeps = typeof options.keep_accents === 'boolean' ? options.keep_accents : family.keepAccents;
  const lowercase = lowers ? [{ type: 'Lowercase' }] : [];
  const accents = keeps ? [] : [{ type: 'NFKD' }, { type: 'StripAccents' }];
  const steps: Record<SentencePieceFamily['normalizer'], readonly Component[]> = {
    spaces: [...compiled, { type: 'Strip', strip_left: false, strip_right: true }, spaces('▁')],
    strip: [...lowercase, { type: 'Strip', strip_left: true, strip_right: true }, ...compiled, spaces(' ')],
    quotes: [...QUOTES, ...accents, ...lowercase, ...compiled, spaces(' ')],
    'quotes-last': [...QUOTES, spaces(' '), ...accents, ...lowercase, ...compiled],
  };
  return { type: 'Sequence', normalizers: steps[family.normalizer] };
}

const replace = (pattern: Readonly<Record<string, string>>, content: string): Component => ({
  type: 'Replace',
  pattern,
  content,
});
const spaces = (content: string): Component => replace({ Regex: ' {2,}' }, content);
/** Quotation marks as TeX writes them. */
const QUOTES = [replace({ String: '``' }, '"'), replace({ String: "''" }, '"')];

const CHUNK = 0x8000;

/** Without Node's Buffer, because this folder is pure. */
function base64(bytes: Uint8Array): string {
  let binary = '';
  for (let at = 0; at < bytes.length; at += CHUNK) {
    binary += String.fromCharCode(...bytes.subarray(at, at + CHUNK));
  }
  return btoa(binary);
}
