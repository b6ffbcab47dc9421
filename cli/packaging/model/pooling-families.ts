import type { Pooling } from '#contract/sentence.ts';
import { isObject } from '#core/json/is-object.ts';
import { trimEndOf } from '#core/text/trim-text.ts';

/** How a published family of models computes its vectors. */
interface PoolingFamily {
  readonly name: string;
  readonly pooling: Pooling;
  readonly normalize: boolean;
  /** Prompts that its authors publish; requests choose one by name. */
  readonly prompts: Readonly<Record<string, string>>;
}

export interface FoundFamily extends PoolingFamily {
  /** The evidence for the family, for messages: `from the name bge-small-en-v1.5`. */
  readonly from: string;
}

/** A model's names, most reliable first, and its config.json. */
export interface ModelFamilySource {
  readonly names: readonly string[];
  readonly config: unknown;
}

/** Finds a model's family by the model's names, or by the name of the model that it was trained from. */
export function findFamily({ names, config }: ModelFamilySource): FoundFamily | undefined {
  const fields = isObject(config) ? config : {};
  for (const name of names) {
    const found = familyOf(name);
    if (found) return { ...found, from: `from the name ${name}` };
  }
  const base = fields['_name_or_path'];
  const found = typeof base === 'string' ? familyOf(base) : undefined;
  return found && { ...found, from: '_name_or_path in config.json' };
}

/** Finds the family of a model name. The name can follow an organization and `/`, `_` or `--`. */
function familyOf(name: string): PoolingFamily | undefined {
  const text = trimEndOf(name.toLowerCase(), '/\\').replaceAll(/[/\\_]|--/g, ' ');
  return OTHER.test(text) ? undefined : FAMILIES.find(({ pattern }) => pattern.test(text))?.family;
}

/**
 * Names that can match a family, but belong to models that do not encode single texts or that pool
 * differently.
 */
const OTHER =
  /reranker|ranker|colbert|splade|gemma|mistral|qwen|-icl|\bclip\b|bge-code|jina-embeddings-v4|-ance-|mxbai-embed-xsmall/;

const SEARCH = 'Represent this sentence for searching relevant passages: ';
const E5_PROMPTS = { query: 'query: ', passage: 'passage: ' };
const NOMIC_PROMPTS = {
  query: 'search_query: ',
  document: 'search_document: ',
  classification: 'classification: ',
  clustering: 'clustering: ',
};

const family = (
  name: string,
  pooling: Pooling,
  normalize: boolean,
  prompts: Readonly<Record<string, string>> = {},
): PoolingFamily => ({ name, pooling, normalize, prompts });

/**
 * The first matching pattern is used, so exceptions precede their family. `normalize` is true if
 * the authors' modules.json contains a Normalize module, so that a model returns the same vectors
 * with and without that file.
 */
const FAMILIES: readonly { readonly pattern: RegExp; readonly family: PoolingFamily }[] = [
  { pattern: /(?:^| )bge-m3/, family: family('bge-m3', 'cls', true) },
  {
    pattern: /(?:^| )bge-(?:small|base|large)-zh/,
    family: family('bge', 'cls', true, { query: '为这个句子生成表示以用于检索相关文章：' }),
  },
  {
    pattern: /(?:^| )bge-(?:small|base|large|micro)/,
    family: family('bge', 'cls', true, { query: SEARCH }),
  },
  {
    pattern: /(?:^| )multilingual-e5-[a-z]+-instruct/,
    family: family('e5-instruct', 'mean', true),
  },
  {
    pattern: /(?:^| )(?:multilingual-)?e5-(?:small|base|large)/,
    family: family('e5', 'mean', true, E5_PROMPTS),
  },
  { pattern: /(?:^| )gte-multilingual/, family: family('gte-multilingual', 'cls', true) },
  { pattern: /(?:^| )gte-modernbert/, family: family('gte-modernbert', 'cls', false) },
  { pattern: /(?:^| )gte-[a-z-]+-v1\.5/, family: family('gte v1.5', 'cls', false) },
  { pattern: /(?:^| )gte-(?:small|base|large)-zh/, family: family('gte-zh', 'cls', true) },
  { pattern: /(?:^| )gte-(?:tiny|small|base|large)/, family: family('gte', 'mean', true) },
  {
    pattern: /(?:^| )nomic-embed-text-v1\.5/,
    family: family('nomic-embed v1.5', 'mean', false, NOMIC_PROMPTS),
  },
  { pattern: /(?:^| )nomic-embed-text/, family: family('nomic-embed', 'mean', true, NOMIC_PROMPTS) },
  { pattern: /(?:^| )uae-large/, family: family('UAE', 'cls', false, { query: SEARCH }) },
  {
    pattern: /(?:^| )mxbai-embed/,
    family: family('mxbai-embed', 'cls', false, { query: SEARCH }),
  },
  {
    pattern: /(?:^| )snowflake-arctic-embed-[a-z]+-v2/,
    family: family('snowflake-arctic-embed v2', 'cls', true, { query: 'query: ' }),
  },
  {
    pattern: /(?:^| )snowflake-arctic-embed/,
    family: family('snowflake-arctic-embed', 'cls', true, { query: SEARCH }),
  },
  { pattern: /(?:^| )jina-embeddings-v2/, family: family('jina-embeddings-v2', 'mean', false) },
  { pattern: /(?:^| )jina-embeddings-v3/, family: family('jina-embeddings-v3', 'mean', true) },
  { pattern: /(?:^| )all-(?:minilm|mpnet|distilroberta|roberta)/, family: family('all-*', 'mean', true) },
  { pattern: /(?:^| )multi-qa-[a-z0-9-]+-dot/, family: family('multi-qa dot', 'cls', false) },
  { pattern: /(?:^| )multi-qa-[a-z0-9-]+-cos/, family: family('multi-qa cos', 'mean', true) },
  { pattern: /(?:^| )paraphrase-/, family: family('paraphrase', 'mean', false) },
  { pattern: /(?:^| )msmarco-[a-z-]*tas-b/, family: family('msmarco tas-b', 'cls', false) },
  { pattern: /(?:^| )msmarco-[a-z0-9-]+-cos/, family: family('msmarco cos', 'mean', true) },
  {
    pattern: /(?:^| )msmarco-(?:distilbert|minilm|roberta|distilroberta)/,
    family: family('msmarco', 'mean', false),
  },
  { pattern: /(?:^| )granite-embedding-[a-z0-9-]+-r2/, family: family('granite-embedding r2', 'cls', false) },
];
