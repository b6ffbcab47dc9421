import type { TokenizerJson } from './tokenizer-settings.ts';

/** Adds lower-casing to a tokenizer, as sentence-transformers does for models with `do_lower_case`. */
export function withLowerCase<Json extends TokenizerJson>(json: Json): Json {
  const { normalizer } = json;
  if (lowers(normalizer)) return json;
  const first = { type: 'Lowercase' };
  return { ...json, normalizer: normalizer ? { type: 'Sequence', normalizers: [first, normalizer] } : first };
}

function lowers(normalizer: TokenizerJson['normalizer']): boolean {
  if (!normalizer) return false;
  return (
    normalizer.type === 'Lowercase' ||
    normalizer.lowercase === true ||
    (normalizer.normalizers ?? []).some((part) => lowers(part))
  );
}
