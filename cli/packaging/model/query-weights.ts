import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { configError } from '#contract/errors.ts';
import { findNotFinite } from '#core/numbers/finite.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import { isObject } from '#core/json/is-object.ts';
import { withFileSource } from '#platform/file-source.ts';
import { readStored } from '../architectures/find-weights.ts';
import { MODULE_WEIGHTS_TEXT, weightFileIn } from '../architectures/weight-files.ts';
import { layerFloats } from './layer-weights.ts';
import type { ModelFiles } from './locate-files.ts';
import type { PreparedTokenizer } from './prepare-tokenizer.ts';
import { readJsonObject } from './read-json.ts';
import type { Routes } from './routes.ts';
import { moduleClass } from './sentence-layers.ts';

/** Files in which OpenSearch publishes a weight for each token of queries, in order of preference. */
export const QUERY_WEIGHT_FILES = ['idf.json', 'query_token_weights.txt'] as const;

/** Where the weights of queries are. */
export interface QuerySource {
  /** A file with texts of tokens and their weights, or with a tensor. */
  readonly file: string;
  /** Folder of the module with its own tokenizer, which must be that of documents. */
  readonly folder?: string;
}

/**
 * Finds the weights of the tokens of queries; undefined if the model runs on queries as it does on
 * documents.
 */
export async function findQueryWeights(
  folder: string,
  routes: Routes | undefined,
): Promise<QuerySource | undefined> {
  if (!routes) {
    const name = QUERY_WEIGHT_FILES.find((one) => existsSync(join(folder, one)));
    return name === undefined ? undefined : { file: join(folder, name) };
  }
  const { query, document } = routes;
  if (query.map(({ path }) => path).join() === document.map(({ path }) => path).join()) return undefined;
  const [module, ...others] = query;
  if (module === undefined || others.length > 0 || moduleClass(module) !== 'SparseStaticEmbedding') {
    throw configError(
      `The route for queries has the modules ${query.map(moduleClass).join(', ')}, but for a model with different modules for documents it must be a single SparseStaticEmbedding. Choose another model.`,
    );
  }
  const own = join(folder, module.path);
  const config = existsSync(join(own, 'config.json'))
    ? await readJsonObject<Readonly<Record<string, unknown>>>(join(own, 'config.json'))
    : {};
  const stated = config['path'];
  const file =
    typeof stated === 'string' && stated.endsWith('.json')
      ? [own, folder].map((one) => join(one, basename(stated))).find((path) => existsSync(path))
      : weightFileIn(own);
  if (file !== undefined) return { file, folder: own };
  throw configError(
    `${module.path} has no ${typeof stated === 'string' ? basename(stated) : MODULE_WEIGHTS_TEXT} with the weights of queries. Download the model files again.`,
  );
}

/** Reads the weight of each token of queries as float32, for the section `layers`. */
export async function readQueryWeights(
  source: QuerySource,
  { tokenizer }: Pick<ModelFiles, 'tokenizer'>,
  prepared: PreparedTokenizer,
): Promise<Uint8Array> {
  if (source.folder !== undefined) {
    const used = tokenizer.endsWith('tokenizer.json') ? await readFile(tokenizer, 'utf8') : prepared.json;
    await requireSameTokenizer(source.folder, used);
  }
  const { file } = source;
  const weights = new Float32Array(prepared.settings.vocabularySize);
  if (/\.(?:json|txt)$/.test(file)) {
    const entries = file.endsWith('.json')
      ? Object.entries(await readJsonObject<Record<string, unknown>>(file))
      : linesOf(await readFile(file, 'utf8'));
    for (const [token, weight] of entries) {
      // As in sentence-transformers, the weight of a text that is not a token is that of the unknown token.
      const id = prepared.tokenizer.idOf(token) ?? prepared.settings.unknown?.id;
      if (typeof weight !== 'number')
        throw configError(`${file}: the weight of ${JSON.stringify(token.slice(0, 100))} must be a number.`);
      if (id !== undefined) weights[id] = weight;
    }
  } else {
    weights.set((await readTensor(file)).subarray(0, weights.length));
  }
  const bad = findNotFinite(weights);
  if (bad === undefined) return new Uint8Array(weights.buffer);
  throw configError(
    `${file} contains the weight ${weights[bad]} for token ${bad}, but weights must be finite numbers. Download it again.`,
  );
}

/** Each line has a token and its weight, separated by a tab. */
const linesOf = (text: string): [string, number][] =>
  text
    .split(/\r?\n/)
    .filter((line) => line !== '')
    .map((line) => {
      const at = line.lastIndexOf('\t');
      return [
        line.slice(0, at),
        at < 1 || line.slice(at).trim() === '' ? Number.NaN : Number(line.slice(at)),
      ];
    });

const readTensor = (file: string): Promise<Float32Array> =>
  withFileSource(file, (source) => {
    const tensor = readStored(source).get('weight');
    if (tensor?.shape.length === 1) return layerFloats(source, tensor);
    throw configError(`${file} must have a tensor \`weight\` with one axis. Download it again.`);
  });

/** The parts of tokenizer.json that determine the tokens of a text. */
const PARTS = ['normalizer', 'pre_tokenizer', 'model', 'added_tokens'] as const;

async function requireSameTokenizer(folder: string, json: string): Promise<void> {
  const path = join(folder, 'tokenizer.json');
  if (!existsSync(path)) return;
  const own = await readJsonObject<Record<string, unknown>>(path);
  const used: unknown = parseJsonText(json);
  const part = PARTS.find(
    (name) => !isObject(used) || JSON.stringify(own[name]) !== JSON.stringify(used[name]),
  );
  if (part === undefined) return;
  throw configError(
    `${path} has another \`${part}\` than the tokenizer of documents, but queries and documents must have the same tokens. Choose another model.`,
  );
}
