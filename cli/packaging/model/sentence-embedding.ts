import { ADAPTER_INPUT } from '#contract/manifest.ts';
import { MODEL_TYPES } from '#contract/model-types.ts';
import type { SentenceSettings } from '#contract/sentence.ts';
import type { ValueInfoProto } from '#gen/onnx/v1/onnx_pb.ts';
import { withAdapters } from '../architectures/adapted-graph.ts';
import { writeHiddenStates } from '../architectures/write-graph.ts';
import {
  findNamed,
  isFloatOutput,
  outputError,
  type OutputRequest,
  type OutputSource,
  PER_TEXT,
  rankOf,
  type SelectedOutput,
  TEXT_VECTORS,
  TOKEN_VECTORS,
  unnamedOutputs,
} from '../onnx/select-output.ts';
import { addTokenOutputs, exportedOutputs } from '../onnx/token-outputs.ts';
import type { Reporter } from '../reporter.ts';
import type { BuildType, FinishedModel, ReadModel, ReadModelRequest } from './build-type.ts';
import { compareTextVectors } from './compare.ts';
import { clue, outputClue } from './evidence.ts';
import { readLayerWeights } from './layer-weights.ts';
import type { ModelFiles } from './locate-files.ts';
import { type ModelConfig, readModelConfig } from './model-config.ts';
import { findFamily, type ModelFamilySource, type FoundFamily } from './pooling-families.ts';
import { isTableEvidence, tableTokenizer } from '../tables/table-settings.ts';
import type { GraphRules, PreparedGraph } from './prepared-graph.ts';
import type { PreparedTokenizer } from './prepare-tokenizer.ts';
import { hasSentenceFiles, readSentenceDefaults, type SentenceDefaults } from './sentence-files.ts';
import {
  layerSettings,
  readsFirstToken,
  sentenceConfig,
  sentenceSettings,
  type SentenceSource,
  type VectorsOf,
  vectorsKind,
} from './sentence-settings.ts';
import { readTasks } from './tasks.ts';
import {
  findTokenOutputs,
  HEAD_FILES,
  headFilesIn,
  M3_FAMILY,
  specialIds,
  type TokenOutputsSource,
  unused,
} from './token-outputs.ts';

/** Build rules for models that return one vector per text, as in sentence-transformers. */
export const sentenceEmbeddingBuild: BuildType<'sentence_embedding'> = {
  guess(evidence) {
    const { folder, name, repository = name, config, modules, outputs } = evidence;
    const family = findFamily({ names: [repository], config })?.name;
    const hasHeads = headFilesIn(folder).length === HEAD_FILES.length;
    return [
      ...clue('file', modules.includes('Pooling'), 'modules.json has a Pooling module'),
      ...clue('file', isTableEvidence(evidence), 'it is a static model: a table with one vector per token'),
      ...clue('file', hasHeads, `it has ${HEAD_FILES.join(' and ')}`),
      ...clue(
        'output',
        exportedOutputs({ output: outputs }) !== undefined,
        'the graph returns dense, sparse and multi-vector outputs',
      ),
      ...outputClue(evidence, 'sentence_embedding'),
      ...clue('name', family !== undefined, `the model belongs to the ${family} family`),
    ];
  },
  read,
};

async function read({ config, files, name }: ReadModelRequest): Promise<ReadModel<'sentence_embedding'>> {
  const modelConfig = await readModelConfig(files);
  const tokenOutputs = await findTokenOutputs(config, files, modelConfig.hidden_size);
  const family = { names: [name], config: modelConfig };
  const { source: found, origin } = await findSource(config, files, family, tokenOutputs.heads !== undefined);
  const tasks = readTasks(modelConfig, files, found.config.task, config.file);
  const source = { ...found, tasks };
  return {
    modelConfig,
    tokenizer: { ...source.defaults, ...(files.isTable ? await tableTokenizer(files) : {}) },
    problems: tokenOutputs.problems,
    withTokenizer: (tokenizer) => ({
      write: tasks ? withAdapters(tasks.choice, writeHiddenStates) : writeHiddenStates,
      rules: {
        ...outputRules(source, tokenOutputs),
        otherInputs: tasks?.choice === 'by text' ? [ADAPTER_INPUT] : [],
      },
      withGraph: (graph) => finish({ source, origin, tokenOutputs, files, tokenizer }, graph),
    }),
  };
}

async function findSource(
  { file, typeFields, transform }: ReadModelRequest['config'],
  files: ModelFiles,
  familySource: ModelFamilySource & { readonly config: ModelConfig },
  hasHeads: boolean,
): Promise<{ readonly source: SentenceSource; readonly origin: PoolingOrigin }> {
  const stated = await readSentenceDefaults(files);
  // model2vec follows its own setting, and older versions of it write no modules.json.
  const normalizes = files.isTable ? familySource.config.normalize : undefined;
  const saved = typeof normalizes === 'boolean' ? { ...stated, normalize: normalizes } : stated;
  const family = findFamily(familySource) ?? (hasHeads ? M3_FAMILY : undefined);
  const origin = hasSentenceFiles(files) ? 'files' : (family ?? 'assumed');
  const defaults = typeof origin === 'string' ? saved : withFamily(saved, origin);
  return {
    source: {
      file,
      config: sentenceConfig(typeFields),
      defaults,
      transforms: transform !== undefined,
      isTable: files.isTable,
      hasHeads,
    },
    origin,
  };
}

const outputRules = (source: SentenceSource, { areKept, heads }: TokenOutputsSource): GraphRules => ({
  canBePooled: true,
  readsFirstRow: ({ shape }) => readsFirstToken(source, shape),
  chooseOutput: (graph, request) => chooseVectors(graph, request, vectorsKind(source)),
  keptOutputs(graph) {
    const kept = areKept ? exportedOutputs(graph) : undefined;
    return kept ? [kept.sparse, kept.multiVector] : [];
  },
  extend({ graph, output }) {
    const exported = areKept ? exportedOutputs(graph) : undefined;
    if (exported || !heads || output.shape.length < PER_TOKEN.length) return { tokenOutputs: exported };
    return {
      tokenOutputs: addTokenOutputs(graph, output.name, heads),
      changes: ['Added outputs with a weight and a vector for each token'],
    };
  },
});

interface SentenceModel {
  readonly source: SentenceSource;
  readonly origin: PoolingOrigin;
  readonly tokenOutputs: TokenOutputsSource;
  readonly files: ModelFiles;
  readonly tokenizer: PreparedTokenizer;
}

async function finish(
  { source, origin, tokenOutputs: { heads }, files, tokenizer }: SentenceModel,
  { signature: { output }, width, tokenOutputs, table }: PreparedGraph,
): Promise<FinishedModel<'sentence_embedding'>> {
  const settings = await sentenceSettings(source, { ...output, width }, tokenizer);
  const sentence = { ...settings, ...(table ? { table } : {}) };
  return {
    compare: compareTextVectors(width, sentence.pooling),
    layers: sentence.layers && (await readLayerWeights(files.folder, layerSettings(source, output.shape))),
    report(report) {
      if (heads && !tokenOutputs)
        report.warn(unused(`\`${output.name}\` of ${files.weights} has one vector per text`));
      reportPooling(sentence, source, origin, report);
    },
    async facts(graph) {
      if (!graph.tokenOutputs) return { modelType: 'sentence_embedding', sentence };
      const { sparse, multiVector } = graph.tokenOutputs;
      const skipped = await specialIds(files, tokenizer.tokenizer);
      return {
        modelType: 'sentence_embedding',
        sentence,
        tokenOutputs: { sparse: { ...sparse, skipped }, multiVector },
      };
    },
  };
}

/**
 * The source of a pooling mode: the files of sentence-transformers, a known model family, or an
 * assumption.
 */
type PoolingOrigin = 'files' | FoundFamily | 'assumed';

/** Adds the settings of a published family for models without sentence-transformers files. */
function withFamily(defaults: SentenceDefaults, family: FoundFamily): SentenceDefaults {
  const { pooling, normalize, prompts } = family;
  const hasPrompts = Object.keys(defaults.prompts).length > 0;
  return { ...defaults, pooling, normalize, prompts: hasPrompts ? defaults.prompts : prompts };
}

/**
 * Reports a pooling mode that is not stated in the model's files. Results depend on the pooling
 * mode, so it is never chosen silently.
 */
function reportPooling(
  { pooling: modes, normalize }: SentenceSettings,
  { config, file, transforms }: SentenceSource,
  origin: PoolingOrigin,
  report: Reporter,
): void {
  const pooling = [modes].flat().join(' and ');
  if (origin === 'files' || config.pooling !== undefined || transforms || pooling === 'none') return;
  if (origin !== 'assumed') {
    report.print(
      `Pooling: ${pooling}${normalize ? ', L2-normalized' : ''} (${origin.name} family, ${origin.from})`,
    );
    return;
  }
  report.warn(
    `Pooling is assumed to be ${pooling}${normalize ? ', L2-normalized' : ', not normalized'}: the model has no 1_Pooling/config.json, and its name does not match a known model family. ` +
      `Set \`pooling\` and \`normalize\` in ${file} as described in the model card.`,
  );
}

const { shape: PER_TOKEN } = MODEL_TYPES.sentence_embedding;

/**
 * Chooses the output with text vectors or the one with token vectors; other outputs have other
 * purposes.
 * @internal Exported for tests only.
 */
export function chooseVectors(
  graph: OutputSource,
  request: OutputRequest,
  vectorsOf: VectorsOf,
): SelectedOutput {
  const { sparse, multiVector } = exportedOutputs(graph) ?? {};
  const outputs = graph.output.filter(({ name }) => name !== sparse && name !== multiVector);
  const tokens = unnamedOutputs(outputs, PER_TOKEN.length);
  const ofToken = findNamed(outputs, TOKEN_VECTORS) ?? (tokens.length === 1 ? tokens[0] : undefined);
  const texts = outputs.filter((output) => rankOf(output) === PER_TEXT.length && isFloatOutput(output));
  // BERT's pooler output is a tanh of the first token, trained for another task. It is only used as
  // a text's vector if the graph has no other suitable output.
  const vectors = texts.filter(
    ({ name }) => tokens.length + Number(ofToken !== undefined) === 0 || !isPooler(graph, name),
  );
  const ofText =
    findNamed(outputs, TEXT_VECTORS) ?? (vectorsOf.includes('token') ? onlyOne(vectors) : onlyOne(texts));
  const certain =
    findNamed(outputs, TEXT_VECTORS) !== undefined || vectorsOf[0] === 'token' || ofToken === undefined;

  const found = vectorsOf
    .map((what) =>
      what === 'text' ? { name: ofText, shape: PER_TEXT } : { name: ofToken, shape: PER_TOKEN },
    )
    .filter(({ name }) => name !== undefined);
  const [first] = found;
  if (first?.name !== undefined && (certain || found.length === 1)) return { ...first, name: first.name };
  const choices = [...tokens, ...vectors.map(({ name }) => name)];
  throw outputError(rule(vectorsOf), graph, request, choices, wayOut(vectorsOf));
}

const onlyOne = (outputs: readonly ValueInfoProto[]): string | undefined =>
  outputs.length === 1 ? outputs[0]?.name : undefined;

/** Detects a pooler by its name, or by the operator that computes it. */
function isPooler({ node }: OutputSource, name: string): boolean {
  return (
    name === 'pooler_output' || node.some(({ opType, output }) => opType === 'Tanh' && output.includes(name))
  );
}

function rule(vectorsOf: VectorsOf): string {
  if (!vectorsOf.includes('token')) {
    return '`pooling: none` requires the output sentence_embedding, or a single output with two axes';
  }
  return vectorsOf.includes('text')
    ? 'Model must return last_hidden_state, token_embeddings or sentence_embedding for model_type sentence_embedding'
    : '`pooling` requires the output last_hidden_state or token_embeddings for model_type sentence_embedding';
}

function wayOut(vectorsOf: VectorsOf): string {
  return vectorsOf.length > 1
    ? 'Choose the right model_type, or export the model for this task.'
    : 'Remove `pooling`, or export the model with that output.';
}
