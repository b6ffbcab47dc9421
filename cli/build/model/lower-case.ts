import type { TokenizerJson } from './tokenizer-settings.ts';

/** A tokenizer that lower-cases texts first, as sentence-transformers makes it of models that say `do_lower_case`. */
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
