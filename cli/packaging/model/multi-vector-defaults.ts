import { configError } from '#contract/errors.ts';
import type { TextRole } from '#contract/multi-vector.ts';
import { isObject } from '#core/json/is-object.ts';

/** Settings for queries and documents that a ColBERT model was saved with. */
export interface MultiVectorDefaults {
  readonly prefixes: Readonly<Record<TextRole, string>>;
  readonly lengths: Readonly<Record<TextRole, number>>;
  readonly expandsQueries: boolean;
  readonly attendsToExpansion: boolean;
  readonly skipped:
    | { readonly kind: 'tokens'; readonly tokens: readonly string[] }
    /** The first token of each text, as colbert-ai finds it. */
    | { readonly kind: 'texts'; readonly texts: readonly string[] };
}

type Fields = Readonly<Record<string, unknown>>;

/** `string.punctuation` of Python. */
const PUNCTUATION = '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~'.split('');

/** The settings of PyLate, whose files can leave each of them out. */
export function pylateDefaults(fields: Fields): MultiVectorDefaults {
  refusePrompt(fields);
  const words = fields['skiplist_words'];
  const expandsQueries = fields['do_query_expansion'] !== false;
  return {
    prefixes: {
      query: text(fields['query_prefix']) ?? '[Q] ',
      document: text(fields['document_prefix']) ?? '[D] ',
    },
    lengths: { query: size(fields['query_length']) ?? 32, document: size(fields['document_length']) ?? 180 },
    expandsQueries,
    attendsToExpansion: expandsQueries && fields['attend_to_expansion_tokens'] === true,
    skipped: {
      kind: 'tokens',
      tokens: Array.isArray(words) ? words.filter((word) => typeof word === 'string') : PUNCTUATION,
    },
  };
}

/** The settings of colbert-ai. */
export function stanfordDefaults(fields: Fields): MultiVectorDefaults {
  for (const [key, supported] of [
    ['similarity', 'cosine'],
    ['interaction', 'colbert'],
  ] as const) {
    const value = fields[key] ?? supported;
    if (value !== supported) {
      throw configError(
        `artifact.metadata: \`${key}\` is ${JSON.stringify(value)}, but only ${supported} is supported. Choose another model.`,
      );
    }
  }
  return {
    prefixes: {
      query: text(fields['query_token_id']) ?? '[unused0]',
      document: text(fields['doc_token_id']) ?? '[unused1]',
    },
    lengths: { query: size(fields['query_maxlen']) ?? 32, document: size(fields['doc_maxlen']) ?? 220 },
    expandsQueries: true,
    attendsToExpansion: fields['attend_to_mask_tokens'] === true,
    skipped: { kind: 'texts', texts: fields['mask_punctuation'] === false ? [] : PUNCTUATION },
  };
}

/** PyLate puts the default prompt before queries and documents alike; no known model has one. */
function refusePrompt({ prompts, default_prompt_name: name }: Fields): void {
  const prompt = isObject(prompts) && typeof name === 'string' ? prompts[name] : undefined;
  if (typeof prompt !== 'string' || prompt === '') return;
  throw configError(
    `config_sentence_transformers.json: \`default_prompt_name\` is ${JSON.stringify(name)}, but multi_vector models cannot have prompts. Remove it, and put the prompt before the texts of requests.`,
  );
}

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
const size = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : undefined;
