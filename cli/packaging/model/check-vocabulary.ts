import { configError } from '#contract/errors.ts';
import { isMapping } from '#core/yaml/describe.ts';
import type { LoadedTokenizer } from '../../adapters/tokenizers.ts';
import type { TokenizerJson } from './tokenizer-settings.ts';

/** Words of the vocabulary that are tried. */
const MAX_WORDS = 200;
/** Fewer words say nothing about a vocabulary. */
const MIN_WORDS = 5;
const MAX_UNKNOWN_SHARE = 0.5;

/**
 * Refuses a tokenizer that does not know its own words, for example one that lower-cases texts although its vocabulary is in upper case:
 * every text would be a row of unknown tokens. `origin` names the files of the tokenizer.
 */
export async function checkVocabulary(
  tokenizer: LoadedTokenizer,
  { model, normalizer }: TokenizerJson,
  origin: string,
): Promise<void> {
  const fields: unknown = model;
  if (!isMapping(fields) || !WHOLE_WORDS.has(String(fields['type']))) return;
  const { vocab, unk_token: unknown } = fields;
  const unknownId = typeof unknown === 'string' ? tokenizer.idOf(unknown) : undefined;
  if (!isMapping(vocab) || unknownId === undefined) return;
  const words = Object.keys(vocab).filter((word) => /^\p{L}+$/u.test(word));
  if (words.length < MIN_WORDS) return;
  const tried = words.filter((_, at) => at % Math.ceil(words.length / MAX_WORDS) === 0);
  const rows = await tokenizer.encode(tried);
  const share = rows.filter((ids) => ids.includes(unknownId)).length / rows.length;
  if (share < MAX_UNKNOWN_SHARE) return;
  const isLowered = isMapping(normalizer) && normalizer['lowercase'] === true;
  const wayOut =
    isLowered && tried.some((word) => word !== word.toLowerCase())
      ? 'It lower-cases texts, but its words have upper case: write `{"do_lower_case": false}` to tokenizer_config.json in the folder of the model.'
      : 'Copy all files of the tokenizer from the source of the model.';
  throw configError(
    `The tokenizer ${origin} turns ${Math.round(share * 100)}% of the words of its own vocabulary into ${String(unknown)}. ${wayOut}`,
  );
}

/** Models of tokenizers that have an unknown token for a whole word. */
const WHOLE_WORDS: ReadonlySet<string> = new Set(['WordPiece', 'WordLevel']);
