import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { configError } from '#contract/errors.ts';
import { MODEL_TYPES } from '#contract/model-types.ts';
import { SIMILARITIES } from '#contract/sentence.ts';
import { SPARSE_ACTIVATIONS, SPARSE_POOLINGS, type SparseSettings } from '#contract/sparse.ts';
import { isOneOf } from '#core/values/is-one-of.ts';
import { writeVocabularyLogits } from '../architectures/write-graph.ts';
import { appendSparsePooling, SPARSE_OUTPUT } from '../onnx/append-sparse-pooling.ts';
import {
  findNamed,
  outputError,
  type OutputRequest,
  type OutputSource,
  PER_TEXT,
  type SelectedOutput,
  TEXT_VECTORS,
  unnamedOutputs,
} from '../onnx/select-output.ts';
import type { BuildType, ReadModel, ReadModelRequest } from './build-type.ts';
import { compareTextVectors } from './compare.ts';
import { clue } from './evidence.ts';
import { readModelConfig } from './model-config.ts';
import type { GraphRules } from './prepared-graph.ts';
import { readJsonObject } from './read-json.ts';
import { findQueryWeights, QUERY_WEIGHT_FILES, readQueryWeights } from './query-weights.ts';
import { readRoutes, ROUTER_FILE } from './routes.ts';
import { readModules, readSentenceDefaults } from './sentence-files.ts';
import { moduleClass, modulePath } from './sentence-layers.ts';

const SPLADE_NAME = /(?:^|[^a-z])splade(?![a-z])/i;

/** A model of the SPLADE family, which returns weights for words of its vocabulary. */
export const sparseEmbeddingBuild: BuildType<'sparse_embedding'> = {
  guess: async ({ folder, modules, name, repository = name }) => {
    const files = [...(modules.includes('Router') ? [ROUTER_FILE] : []), ...QUERY_WEIGHT_FILES];
    const stating = await Promise.all(files.map((file) => statesSparse(folder, file)));
    const found = files.find((_, at) => stating[at]);
    return [
      ...clue('file', modules.includes('SpladePooling'), 'modules.json has a SpladePooling module'),
      ...clue('file', found !== undefined, `it has ${found}`),
      // Older models have no modules.json, and the class of a masked language model.
      ...clue('name', SPLADE_NAME.test(repository), `${repository} is a SPLADE model by its name`),
    ];
  },
  read,
};

/** Whether a file of this name is in the folder, and is one of a sparse model. */
async function statesSparse(folder: string, name: string): Promise<boolean> {
  const path = join(folder, name);
  if (!existsSync(path)) return false;
  return name !== ROUTER_FILE || (await readFile(path, 'utf8')).includes('SpladePooling');
}

async function read({ files, name }: ReadModelRequest): Promise<ReadModel<'sparse_embedding'>> {
  const modelConfig = await readModelConfig(files);
  // Of the sentence settings, only length and letter case apply.
  const { maxLength, lowerCase, prompts, defaultPromptName } = await readSentenceDefaults(files);
  const prompt = prompts[defaultPromptName ?? ''];
  const listed = (await readModules(files.folder)) ?? [];
  const routes = await readRoutes(files.folder, listed);
  const settings = await readSparseSettings(files.folder, routes?.document ?? listed, name);
  const source = await findQueryWeights(files.folder, routes);
  return {
    modelConfig,
    tokenizer: { maxLength, lowerCase },
    problems: prompt
      ? [
          `The model was saved with the default prompt ${JSON.stringify(prompt)}, which sparse_embedding models do not apply automatically. Prepend it to each text that needs it.`,
        ]
      : [],
    withTokenizer: async (tokenizer) => {
      const layers = source && (await readQueryWeights(source, files, tokenizer));
      return {
        write: writeVocabularyLogits,
        rules: poolingRules(settings, files.weights),
        withGraph: ({ width }) => ({
          compare: compareTextVectors(width),
          layers,
          facts: ({ signature }) => ({
            modelType: 'sparse_embedding',
            sparse: {
              ...settings,
              ...(signature.output === SPARSE_OUTPUT ? {} : { pooling: 'none' }),
              ...(layers ? { queries: 'table' } : {}),
            },
          }),
        }),
      };
    },
  };
}

/** The model's pooling is added to a graph that does not pool itself. */
const poolingRules = (settings: SparseSettings, file: string): GraphRules => ({
  canBePooled: true,
  chooseOutput: choosePooled,
  extend({ proto, graph, output, inputs, fixedShape }) {
    if (output.shape.length <= SPARSE_OUTPUT.shape.length) return {};
    if (fixedShape?.tokens !== undefined && !inputs.includes('attention_mask'))
      throw configError(
        `${file} has fixed-length inputs and no attention_mask, so its vectors would contain padding. Export the model with an attention_mask, or with dynamic axes.`,
      );
    appendSparsePooling(proto, graph, output.name, settings);
    return { output: SPARSE_OUTPUT };
  },
});

/** Token logits, or vectors that the graph has pooled itself. @internal Exported for tests only. */
export function choosePooled(graph: OutputSource, request: OutputRequest): SelectedOutput {
  const { output: name, shape } = MODEL_TYPES.sparse_embedding;
  const outputs = graph.output;
  const pooled = findNamed(outputs, ['sparse_embedding', ...TEXT_VECTORS]);
  if (pooled !== undefined) return { name: pooled, shape: PER_TEXT };
  const logits = findNamed(outputs, [name]);
  if (logits !== undefined) return { name: logits, shape };
  const [ofTokens, ofTexts] = [
    unnamedOutputs(outputs, shape.length),
    unnamedOutputs(outputs, PER_TEXT.length),
  ];
  const [token, text] = [ofTokens[0], ofTexts[0]];
  if (token !== undefined && ofTokens.length === 1) return { name: token, shape };
  if (text !== undefined && ofTokens.length === 0 && ofTexts.length === 1)
    return { name: text, shape: PER_TEXT };
  throw outputError(
    'Model must return logits of tokens (batch_size, sequence_length, vocabulary_size) for model_type sparse_embedding',
    graph,
    request,
    [...ofTokens, ...ofTexts],
    'Choose the right model_type, or export the model with its masked-LM head (`--task fill-mask`).',
  );
}

/** The modules that a sparse_embedding model can contain. */
const MODULES: ReadonlySet<string> = new Set(['Transformer', 'MLMTransformer', 'SpladePooling']);
const SETTINGS_FILE = 'config_sentence_transformers.json';

/**
 * Reads how sentence-transformers saved a model; without its files, the settings of the SPLADE
 * papers apply.
 */
async function readSparseSettings(
  folder: string,
  modules: readonly unknown[],
  name: string,
): Promise<SparseSettings> {
  const other = modules.map(moduleClass).find((name) => !MODULES.has(name));
  if (other !== undefined) {
    throw configError(
      `modules.json of ${folder} has the module ${other}, but a sparse_embedding model can only have MLMTransformer and SpladePooling. Choose another model, or another \`model_type\`.`,
    );
  }
  const pooling = modules.find((module) => moduleClass(module) === 'SpladePooling');
  const file = join(modulePath(pooling), 'config.json');
  const saved = pooling === undefined ? {} : await readObject(folder, file);
  const { similarity_fn_name: similarity } = await readObject(folder, SETTINGS_FILE);
  return {
    pooling: choose('pooling_strategy', saved['pooling_strategy'], POOLINGS, 'max', file),
    activation: choose(
      'activation_function',
      saved['activation_function'],
      SPARSE_ACTIVATIONS,
      pooling === undefined ? usualActivation(name) : 'relu',
      file,
    ),
    // The library's default for sparse vectors.
    similarity: choose('similarity_fn_name', similarity, SIMILARITIES, 'dot', SETTINGS_FILE),
  };
}

/**
 * The third version of OpenSearch's models has another logarithm, which only their model card
 * states.
 */
const usualActivation = (name: string): SparseSettings['activation'] =>
  /opensearch-neural-sparse-encoding-doc-v3/.test(name) ? 'log1p_relu' : 'relu';

const POOLINGS = SPARSE_POOLINGS.filter((pooling) => pooling !== 'none');

async function readObject(folder: string, name: string): Promise<Readonly<Record<string, unknown>>> {
  const path = join(folder, name);
  return existsSync(path) ? await readJsonObject<Record<string, unknown>>(path) : {};
}

function choose<T extends string>(
  key: string,
  value: unknown,
  allowed: readonly T[],
  otherwise: T,
  file: string,
): T {
  if (value === undefined || value === null) return otherwise;
  if (isOneOf(allowed, value)) return value;
  throw configError(
    `${file}: \`${key}\` is ${JSON.stringify(value)}, but it must be one of ${allowed.join(', ')}.`,
  );
}
