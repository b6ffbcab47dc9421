import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ownVersion } from '../adapters/own-files.ts';
import { hasLabels } from '../../runtime/contract/model-types.ts';
import { isSafetensors } from '../packaging/architectures/safetensors-files.ts';
import { type GraphPurpose, writeGraph } from '../packaging/architectures/write-graph.ts';
import { attentionHeads } from '../packaging/model/attention-heads.ts';
import { checkExpansion } from '../packaging/model/check-expansion.ts';
import { checkFiniteOutput } from '../packaging/model/check-finite-output.ts';
import { entityWindows } from '../packaging/model/entity-windows.ts';
import { findLicense } from '../packaging/model/find-license.ts';
import { readLabels, scoreFunctionOf } from '../packaging/model/labels.ts';
import { readLayerWeights } from '../packaging/model/layer-weights.ts';
import { locateModelFiles, type ModelFiles } from '../packaging/model/locate-files.ts';
import { type ModelOrigin, modelOrigin } from '../packaging/model/model-origin.ts';
import { reportPooling } from '../packaging/model/sentence-family.ts';
import { findMaskToken } from '../packaging/model/mask-token.ts';
import { prepareGraph } from '../packaging/model/prepare-graph.ts';
import type { GraphRequest } from '../packaging/model/rewrite-graph.ts';
import { specialIds } from '../packaging/model/special-ids.ts';
import { unused } from '../packaging/model/token-outputs-source.ts';
import { readDocuments } from '../packaging/model/model-documents.ts';
import type { PreparedModel } from '../packaging/model/prepared-model.ts';
import { type PreparedTokenizer, prepareTokenizer } from '../packaging/model/prepare-tokenizer.ts';
import { prepareTransform } from '../packaging/model/prepare-transform.ts';
import { layersOf, sentenceSettings, vectorsOf } from '../packaging/model/sentence-settings.ts';
import { readProjection } from '../packaging/model/projection.ts';
import {
  longestText,
  type MultiVectorSource,
  multiVectorSettings,
} from '../packaging/model/multi-vector-settings.ts';
import { ineffectiveOptions } from '../packaging/model/tokenizer-options.ts';
import { windowSettings } from '../packaging/model/window-settings.ts';
import { tryTransform } from '../packaging/model/try-transform.ts';
import { outputSize } from '../../runtime/core/model/output-size.ts';
import { batchingText } from '../../runtime/core/model/batching-text.ts';
import { planManifest } from '../packaging/plan.ts';
import type { ModelSourceFacts } from '../../runtime/contract/manifest.ts';
import type { Reporter } from '../packaging/reporter.ts';
import type { BuildConfig } from '../config/build-config.ts';
import { quantizeIfWanted } from './quantize-if-wanted.ts';
import { readTypeSources } from '../packaging/model/type-sources.ts';

/** Checks a model and prepares it, with files in `folder`: the first part of `build`, and all of `validate`. */
export async function prepareModel(
  config: BuildConfig,
  folder: string,
  report: Reporter,
): Promise<PreparedModel> {
  const check = report.step('Checking the model files');
  const transform = await prepareTransform(config);
  const files = locateModelFiles(config.model, config.modelType);
  const origin = modelOrigin(config.model.kind === 'folder' ? config.model.folder : files.folder);
  const sources = await readTypeSources(config, files, origin.repository ?? origin.name);
  const { modelConfig, gliner, sentence, pooling, sparse, tokenOutputs, vectorsByToken } = sources;
  const prepared = await prepareTokenizer(files, modelConfig, {
    ...sources.tokenizerDefaults,
    chosenLength: config.maxLength,
    usualLength: config.modelType === 'question_answering' ? QUESTION_LENGTH : undefined,
    truncationSide: config.tokenizer.truncation_side,
  });
  const tokenizer = vectorsByToken ? withLongest(prepared, vectorsByToken) : prepared;
  const mask = config.modelType === 'fill_mask' ? await findMaskToken(files, tokenizer.tokenizer) : undefined;
  const {
    license,
    facts: card,
    ...documents
  } = findLicense(config.license, await readDocuments(files.folder));
  check.done(`${tokenizer.tokenizer.vocabularySize} tokens, maximum length ${tokenizer.settings.maxLength}`);
  for (const problem of [
    ...ineffectiveOptions(config.tokenizer),
    ...(sparse?.problems ?? []),
    ...tokenOutputs.problems,
    ...documents.problems,
  ])
    report.warn(problem);

  const optimize = report.step('Optimizing and running the model');
  const request: GraphRequest = {
    modelType: config.modelType,
    vectorsOf: sentence ? vectorsOf(sentence) : [],
    output: config.output,
    inputs: config.inputs,
    entities: gliner && {
      settings: gliner.settings,
      windows: entityWindows(config, gliner.settings),
    },
    isLengthChosen: config.maxLength !== undefined,
    family: modelConfig.model_type,
    keepsIntegers: config.keepsIntegers,
    sparse: sparse?.settings,
    projection: vectorsByToken && (await readProjection(files)),
    maskId: mask?.id,
    tokenOutputs: tokenOutputs.areKept ? { heads: tokenOutputs.heads } : undefined,
    file: files.weights,
    graph: await graphOf(files, { modelType: config.modelType, maskId: mask?.id }, folder),
  };
  const original = await prepareGraph(request, tokenizer, folder);
  const id2label = readLabels(
    modelConfig,
    config.modelType,
    original.width,
    files.modelConfig ?? files.folder,
  );
  const { inputs, output } = original.signature;
  const size = outputSize({ width: original.width, ...(gliner ? { entities: gliner.settings } : {}) });
  optimize.done(`${output.name}, ${size}, ${original.precision}; ${batchingText(original)}`);

  // A transform of vectors can replace the model output, but logits are part of each result.
  if (!transform || hasLabels(config.modelType)) checkFiniteOutput(original, files.weights);
  if (transform && config.validateTransform) {
    const attempt = report.step('Testing the transform');
    await tryTransform(transform, config.modelType, original, report.print);
    attempt.done(transform.name);
  }

  if (tokenOutputs.heads && !original.tokenOutputs)
    report.warn(unused(`\`${output.name}\` of ${files.weights} has one vector per text`));
  const { width, fixedShape, firstPosition } = original;
  const scoreFunction = scoreFunctionOf(modelConfig, config.modelType, width);
  const vectors = sentence && (await sentenceSettings(sentence, { ...output, width }, tokenizer));
  const layers =
    sentence && vectors?.layers
      ? await readLayerWeights(files.folder, layersOf(sentence, output.shape))
      : undefined;
  const multiVector =
    vectorsByToken &&
    (await multiVectorSettings(vectorsByToken, tokenizer, { maxLength: original.maxLength, inputs }));
  if (multiVector) checkExpansion(multiVector, modelConfig, files.weights);
  if (sentence && vectors && pooling) reportPooling(vectors, sentence, pooling, report);
  const { graph, quantization } = await quantizeIfWanted(
    config,
    { request, tokenizer, original },
    { modelType: config.modelType, width, pooling: vectors?.pooling, scoreFunction },
    folder,
    report,
  );
  const { precision, batching } = graph;
  const facts = {
    source: sourceOf(files.graph, origin),
    inputs,
    output: output.name,
    sentence: vectors,
    sparse: sparse && { ...sparse.settings, ...(graph.pools ? {} : { pooling: 'none' as const }) },
    multiVector,
    tokenOutputs: graph.tokenOutputs && {
      ...graph.tokenOutputs,
      sparse: {
        ...graph.tokenOutputs.sparse,
        skipped: await specialIds(files, tokenizer.tokenizer),
      },
    },
    mask,
    width,
    precision,
    batching,
    fixedShape,
    firstPosition,
    quantization,
    attentionHeads: attentionHeads(modelConfig),
    windows: gliner
      ? entityWindows(config, gliner.settings)
      : await windowSettings(config, tokenizer.tokenizer, graph.maxLength),
    entities: gliner?.settings,
    id2label,
    scoreFunction,
    tokenizer: {
      ...tokenizer.settings,
      maxLength: graph.maxLength,
      // The sentence about a label, and a question, must be read as a whole.
      ...(config.modelType === 'zero_shot_classification' ? { truncatedText: 'first' as const } : {}),
      ...(config.modelType === 'question_answering' ? { truncatedText: 'second' as const } : {}),
    },
    graphChanges: graph.changes.length > 0 ? graph.changes : undefined,
    transform,
    license,
    card,
  };
  return {
    files,
    tokenizer,
    graph,
    transform: transform?.source,
    layers,
    licenseText: documents.licenseText,
    cardText: documents.cardText,
    manifest: planManifest(config, facts, ownVersion()),
  };
}

/** Queries and documents have maximum lengths of their own, so the model need not read longer texts. */
const withLongest = (tokenizer: PreparedTokenizer, source: MultiVectorSource): PreparedTokenizer => {
  const { settings } = tokenizer;
  return { ...tokenizer, settings: { ...settings, maxLength: longestText(source, settings.maxLength) } };
};

/** The default of transformers' question answering pipeline: answers in longer texts are found in windows of this length. */
const QUESTION_LENGTH = 384;

/** The ONNX graph of a model, which is written to `folder` if the model has only safetensors. */
async function graphOf(
  { weights, modelConfig }: ModelFiles,
  purpose: GraphPurpose,
  folder: string,
): Promise<string> {
  if (!isSafetensors(weights) || modelConfig === undefined) return weights;
  const written = join(folder, 'written');
  await mkdir(written);
  return await writeGraph({ weights, config: modelConfig }, purpose, written);
}

const sourceOf = (
  graph: string | undefined,
  { repository, revision }: ModelOrigin,
): ModelSourceFacts | undefined =>
  graph === undefined
    ? undefined
    : {
        graph,
        ...(repository === undefined ? {} : { repository }),
        ...(revision === undefined ? {} : { revision }),
      };
