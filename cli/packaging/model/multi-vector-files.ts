import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { configError } from '#contract/errors.ts';
import type { TextRole } from '#contract/multi-vector.ts';
import { isObject } from '#core/json/is-object.ts';
import { memberOf } from '#core/values/member-of.ts';
import { withFileSource } from '#platform/file-source.ts';
import { findWeights, readStored } from '../architectures/find-weights.ts';
import { isStoredWeights, MODULE_WEIGHTS_TEXT, weightFileIn } from '../architectures/weight-files.ts';
import type { ProjectionLayer } from '../onnx/append-projection.ts';
import { readTensors, tensorsOf } from './layer-weights.ts';
import type { ModelFiles } from './locate-files.ts';
import { readJsonObject, readJsonList } from './read-json.ts';
import { denseOf, moduleClass, modulePath } from './sentence-layers.ts';

type Folder = Pick<ModelFiles, 'folder'>;

/** Written by Stanford's colbert-ai. */
const ARTIFACT = 'artifact.metadata';
/** Written by PyLate, and by its export to ONNX. */
const PYLATE_FILES = ['config_sentence_transformers.json', 'onnx_config.json'] as const;

/** Returns the name of the file that identifies the model in a folder as a ColBERT model. */
export async function findColbertFile(folder: string): Promise<string | undefined> {
  for (const name of PYLATE_FILES) {
    if (memberOf(await readObject(folder, name), 'model_type') === 'ColBERT') return name;
  }
  const modules = await readModules(folder);
  if (modules.some((module) => String(memberOf(module, 'type')).startsWith('pylate.'))) return 'modules.json';
  return existsSync(join(folder, ARTIFACT)) ? ARTIFACT : undefined;
}

/** Reads the settings that PyLate or colbert-ai saved in the model folder. */
export async function readMultiVectorDefaults({ folder }: Folder): Promise<MultiVectorDefaults> {
  const artifact = await readObject(folder, ARTIFACT);
  const modules = await readModules(folder);
  const [saved, exported] = await Promise.all(PYLATE_FILES.map((name) => readObject(folder, name)));
  if (artifact && modules.length === 0) return stanfordDefaults(artifact);
  return pylateDefaults({ ...exported, ...saved });
}

const readObject = async (folder: string, name: string): Promise<Record<string, unknown> | undefined> => {
  const path = join(folder, name);
  return existsSync(path) ? await readJsonObject<Record<string, unknown>>(path) : undefined;
};

/** The entries of modules.json; empty if there is no such file. */
async function readModules(folder: string): Promise<Record<string, unknown>[]> {
  const path = join(folder, 'modules.json');
  return existsSync(path) ? (await readJsonList(path)).filter(isObject) : [];
}

/** The settings for queries and documents that were saved with a ColBERT model. */
export interface MultiVectorDefaults {
  readonly prefixes: Readonly<Record<TextRole, string>>;
  readonly lengths: Readonly<Record<TextRole, number>>;
  readonly expandsQueries: boolean;
  readonly attendsToExpansion: boolean;
  readonly skipped:
    | { readonly kind: 'tokens'; readonly tokens: readonly string[] }
    /** The first token of each of these texts, as in colbert-ai. */
    | { readonly kind: 'texts'; readonly texts: readonly string[] };
}

type Fields = Readonly<Record<string, unknown>>;

/** Python's `string.punctuation`. */
const PUNCTUATION = '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~'.split('');

/** Settings from PyLate's files, which can omit any setting. */
function pylateDefaults(fields: Fields): MultiVectorDefaults {
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

/** Settings from colbert-ai's file. */
function stanfordDefaults(fields: Fields): MultiVectorDefaults {
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

/** Rejects a default prompt, which PyLate prepends to both queries and documents. No known model has one. */
function refusePrompt({ prompts, default_prompt_name: name }: Fields): void {
  const prompt = isObject(prompts) && typeof name === 'string' ? prompts[name] : undefined;
  if (typeof prompt !== 'string' || prompt === '') return;
  throw configError(
    `config_sentence_transformers.json: \`default_prompt_name\` is ${JSON.stringify(name)}, but multi_vector models cannot have prompts. Remove it, and prepend the prompt to the request texts.`,
  );
}

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
const size = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : undefined;

/** Name of colbert-ai's projection matrix in the model's weights. */
const LINEAR = 'linear.weight';
/** Modules that do not change the token vectors, or that the runtime applies itself. */
const OTHER_MODULES: ReadonlySet<string> = new Set(['Transformer', 'Normalize', 'Dropout']);

/** Reads the layers that a ColBERT model applies to its hidden states; empty if its files contain none. */
export async function readProjection({
  folder,
  weights,
}: Pick<ModelFiles, 'folder' | 'weights'>): Promise<ProjectionLayer[]> {
  const modules = await readModules(folder);
  const other = modules.map(moduleClass).find((name) => name !== 'Dense' && !OTHER_MODULES.has(name));
  if (other !== undefined) {
    throw configError(
      `modules.json has the module ${other}, which model_type multi_vector does not support. Choose another model_type.`,
    );
  }
  const dense = modules.filter((module) => moduleClass(module) === 'Dense');
  const layers: ProjectionLayer[] = [];
  for (const module of dense) layers.push(await readDense(folder, modulePath(module)));
  return layers.length > 0 ? layers : await readLinear(folder, weights);
}

async function readDense(folder: string, path: string): Promise<ProjectionLayer> {
  const file = join(folder, path, 'config.json');
  if (!existsSync(file))
    throw configError(`modules.json has the module Dense, but ${path}/config.json is missing.`);
  const {
    module_input_name: _input,
    module_output_name: _output,
    use_residual: isResidual,
    ...config
  } = await readJsonObject<Record<string, unknown>>(file);
  const settings = denseOf(config, `${path}/config.json`);
  if (typeof settings === 'string') throw configError(`${settings}.`);
  const weights = weightFileIn(join(folder, path));
  if (weights === undefined) {
    throw configError(`${path} has no ${MODULE_WEIGHTS_TEXT}. Download the model files again.`);
  }
  const { inputs, outputs, activation } = settings;
  const hasMatrix = isResidual === true && inputs !== outputs;
  const tensors = [
    ...tensorsOf(settings),
    ...(hasMatrix ? [['residual.weight', [outputs, inputs]] as const] : []),
  ];
  const floats = (await withFileSource(weights, (source) => readTensors(source, tensors))).map(asFloats);
  const [matrix = new Float32Array()] = floats;
  return {
    inputs,
    outputs,
    matrix,
    bias: settings.bias ? floats[1] : undefined,
    activation,
    residual: isResidual === true ? (hasMatrix ? floats.at(-1) : 'input') : undefined,
  };
}

/**
 * Reads colbert-ai's projection matrix from the weights that the graph is written from, or from
 * those next to an exported graph.
 */
async function readLinear(folder: string, weights: string): Promise<ProjectionLayer[]> {
  const path = isStoredWeights(weights) ? weights : weightFileIn(folder);
  if (path === undefined) return [];
  const stored = (await findWeights(path)).get(LINEAR);
  if (stored?.shape.length !== 2) return [];
  const [outputs = 0, inputs = 0] = stored.shape;
  const [bytes] = await withFileSource(stored.file, (source) =>
    readStored(source).has(LINEAR) ? readTensors(source, [[LINEAR, stored.shape]]) : [],
  );
  if (!bytes) return [];
  return [
    {
      inputs,
      outputs,
      matrix: asFloats(bytes),
      bias: undefined,
      activation: 'identity',
      residual: undefined,
    },
  ];
}

const asFloats = (bytes: Uint8Array): Float32Array =>
  new Float32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / Float32Array.BYTES_PER_ELEMENT);
