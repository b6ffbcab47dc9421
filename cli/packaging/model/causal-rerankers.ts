import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PairPrompt } from '#contract/pair-prompt.ts';
import { isObject } from '#core/json/is-object.ts';
import type { TextFrame } from '../tokenizer/frame-texts.ts';
import { findIn } from './locate-files.ts';
import { findLicense, readDocuments } from './model-documents.ts';
import { jsonIn } from './model-listing.ts';
import { moduleClass, modulePath } from './sentence-layers.ts';

/**
 * A published family of rerankers that are generative models: they compare the logits of two words
 * after a prompt with a query and a document.
 */
interface RerankerFamily {
  readonly name: string;
  /** `model_type` in config.json. */
  readonly modelType: string;
  /** Matches the names of the family's models. */
  readonly pattern: RegExp;
  readonly prompt: PairPrompt;
  readonly frame: TextFrame;
  /** The words whose logits are compared. Without a second word, the score is the logit of the first one. */
  readonly words: { readonly relevant: string; readonly irrelevant?: string };
}

/**
 * Prompts as in the code that each family's authors publish: the Transformers example of
 * QwenLM/Qwen3-Embedding, the library mixedbread-ai/mxbai-rerank, and the example with a maximum of
 * 1024 tokens in FlagOpen/FlagEmbedding.
 */
const FAMILIES: readonly RerankerFamily[] = [
  {
    name: 'Qwen3-Reranker',
    modelType: 'qwen3',
    pattern: /qwen3-reranker/i,
    prompt: {
      first:
        '<Instruct>: Given a web search query, retrieve relevant passages that answer the query\n<Query>: {query}\n<Document>: {document}',
      instructed: '<Instruct>: {instruction}\n<Query>: {query}\n<Document>: {document}',
    },
    frame: {
      before: [
        '<|im_start|>system\nJudge whether the Document meets the requirements based on the Query and the Instruct provided. Note that the answer can only be "yes" or "no".<|im_end|>\n<|im_start|>user\n',
      ],
      after: ['<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n'],
      maxTokens: 8192,
      uncounted: [],
    },
    words: { relevant: 'yes', irrelevant: 'no' },
  },
  {
    name: 'mxbai-rerank v2',
    modelType: 'qwen2',
    pattern: /mxbai-rerank-(?:base|large)-v2/i,
    prompt: {
      first: 'query: {query}',
      instructed: 'instruction: {instruction}\nquery: {query}',
      second: 'document: {document}',
    },
    frame: {
      before: [
        '<|im_start|>system\nYou are Qwen, created by Alibaba Cloud. You are a helpful assistant.<|im_end|>\n<|im_start|>user\n',
      ],
      between: '\n',
      after: [
        '\n',
        'You are a search relevance expert who evaluates how well documents match search queries. For each query-document pair, carefully analyze the semantic relationship between them, then provide your binary relevance judgment (0 for not relevant, 1 for relevant).\nRelevance:',
        '<|im_end|>\n<|im_start|>assistant\n',
      ],
      maxTokens: 8192,
      uncounted: ['before', 'after'],
    },
    words: { relevant: '1', irrelevant: '0' },
  },
  {
    name: 'bge-reranker-v2-gemma',
    modelType: 'gemma',
    pattern: /bge-reranker-v2-gemma/i,
    prompt: { first: 'A: {query}', second: 'B: {document}' },
    frame: {
      before: ['<bos>'],
      between: '\n',
      after: [
        '\n',
        "Given a query A and a passage B, determine whether the passage contains an answer to the query by providing a prediction of either 'Yes' or 'No'.",
      ],
      maxTokens: 1024,
      uncounted: ['after'],
    },
    words: { relevant: 'Yes' },
  },
];

/** Names of the families, for messages. */
export const RERANKER_FAMILIES: readonly string[] = FAMILIES.map(({ name }) => name);

export interface CausalReranker extends Pick<RerankerFamily, 'name' | 'prompt' | 'frame' | 'words'> {
  /** The evidence for the family, for messages. */
  readonly because: string;
  /** Ids of the words, if the folder states them. */
  readonly ids: { readonly relevant?: number; readonly irrelevant?: number };
}

interface RerankerSource {
  readonly folder: string;
  /** Names of the model's repository and folder. */
  readonly names: readonly string[];
  /** The content of config.json. */
  readonly config: unknown;
}

/**
 * Finds the family of a generative reranker: by its name, by the base models that its card names,
 * or by the prompt in its chat template, if sentence-transformers saved it with a LogitScore module.
 */
export async function findCausalReranker(source: RerankerSource): Promise<CausalReranker | undefined> {
  const config = isObject(source.config) ? source.config : {};
  const [architecture] = [config['architectures']].flat();
  if (typeof architecture !== 'string' || !architecture.endsWith('ForCausalLM')) return undefined;
  const families = FAMILIES.filter(({ modelType }) => modelType === config['model_type']);
  if (families.length === 0) return undefined;
  const score = logitScore(source.folder);
  for (const family of families) {
    const because = await reasonFor(family, source, score !== undefined);
    if (because !== undefined) return { ...family, because, ids: score ?? {} };
  }
  return undefined;
}

async function reasonFor(
  { name, pattern, frame }: RerankerFamily,
  { folder, names }: RerankerSource,
  hasScore: boolean,
): Promise<string | undefined> {
  const named = names.find((one) => pattern.test(one));
  if (named !== undefined) return `the model belongs to the ${name} family`;
  if (hasScore && chatTemplate(folder).includes(instructionIn(frame)))
    return `modules.json has a LogitScore module, and the chat template has the prompt of ${name}`;
  const { facts } = findLicense(undefined, await readDocuments(folder));
  if (facts?.baseModels?.some((base) => pattern.test(base)) === true)
    return `its model card names a base model of the ${name} family`;
  return undefined;
}

/** The longest line of the prompt. Families with the same chat markers differ in this line. */
const instructionIn = ({ before, after }: TextFrame): string =>
  [...before, ...after]
    .flatMap((text) => text.split(/\n|<\|[^|]*\|>/))
    .reduce((longest, line) => (line.length > longest.length ? line : longest), '');

function chatTemplate(folder: string): string {
  const inConfig = jsonIn(join(folder, 'tokenizer_config.json'));
  const stated = isObject(inConfig) ? inConfig['chat_template'] : undefined;
  const file = findIn(folder, 'chat_template.jinja');
  return `${typeof stated === 'string' ? stated : ''}${file === undefined ? '' : readFileSync(file, 'utf8')}`;
}

/** The ids in the settings of the LogitScore module; undefined if the folder has no such module. */
function logitScore(folder: string): CausalReranker['ids'] | undefined {
  const modules = jsonIn(join(folder, 'modules.json'));
  const module: unknown = Array.isArray(modules)
    ? modules.find((one) => moduleClass(one) === 'LogitScore')
    : undefined;
  if (module === undefined) return undefined;
  const settings = jsonIn(join(folder, modulePath(module), 'config.json'));
  const id = (name: string): number | undefined => {
    const value = isObject(settings) ? settings[name] : undefined;
    return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
  };
  const [relevant, irrelevant] = [id('true_token_id'), id('false_token_id')];
  return {
    ...(relevant === undefined ? {} : { relevant }),
    ...(irrelevant === undefined ? {} : { irrelevant }),
  };
}
