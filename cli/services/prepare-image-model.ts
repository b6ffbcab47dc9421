import { PIXEL_INPUT } from '#contract/manifest.ts';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { configError } from '#contract/errors.ts';
import type { ImageModelType } from '#contract/model-types.ts';
import type { Quantization } from '#contract/quantization.ts';
import { accuracyText, batchingText } from '#core/model/manifest-facts.ts';
import { type StartedOnnxRuntime, withOnnxRuntime } from '../adapters/onnxruntime.ts';
import { ownVersion } from '../adapters/own-files.ts';
import type { BuildConfig } from '../config/build-config.ts';
import { isStoredWeights } from '../packaging/architectures/weight-files.ts';
import { writeGraph } from '../packaging/architectures/write-graph.ts';
import type { ImageBuildType, ReadImageModel } from '../packaging/images/image-build-type.ts';
import { locateImageFiles } from '../packaging/images/locate-image-files.ts';
import { prepareImageGraph, type RunImageGraph } from '../packaging/images/prepare-image-graph.ts';
import { readImageProcessor } from '../packaging/images/read-processor.ts';
import { IMAGE_BUILD_TYPES } from '../packaging/model/build-types.ts';
import { attentionHeads, type ModelConfig } from '../packaging/model/model-config.ts';
import { findLicense, readDocuments } from '../packaging/model/model-documents.ts';
import { modelOrigin } from '../packaging/model/model-listing.ts';
import { optimizeGraph } from '../packaging/model/optimize-graph.ts';
import type { PreparedModel } from '../packaging/model/prepared-graph.ts';
import { readJsonObject } from '../packaging/model/read-json.ts';
import { planManifest } from '../packaging/plan.ts';
import type { Reporter } from '../packaging/reporter.ts';
import { sourceOf } from './source-of.ts';

/** Checks and prepares a model that reads images, and writes intermediate files to `folder`. */
export async function prepareImageModel(
  config: BuildConfig & { readonly modelType: ImageModelType },
  folder: string,
  report: Reporter,
  runtime?: StartedOnnxRuntime,
): Promise<PreparedModel> {
  refuseTextSettings(config);
  const type: ImageBuildType = IMAGE_BUILD_TYPES[config.modelType];
  const check = report.step('Checking the model files');
  const files = locateImageFiles(config.model, type.settingsFile);
  const origin = modelOrigin(config.model.kind === 'folder' ? config.model.folder : files.folder);
  const modelConfig: ModelConfig & Readonly<Record<string, unknown>> =
    files.modelConfig === undefined ? {} : await readJsonObject(files.modelConfig);
  const { name: processor, asksForFast, recipe } = await readImageProcessor(files.folder);
  const { size } = recipe;
  if (!size) {
    throw configError(
      `${files.folder} gives each image another size, which is not supported. Choose a model whose images all have the same size.`,
    );
  }
  const documents = await readDocuments(files.folder);
  const { license, facts: card, licenseText, cardText, problems } = findLicense(config.license, documents);
  const read: ReadImageModel = { config, files, modelConfig, images: { recipe: { ...recipe, size } } };
  check.done(`images of ${size.height} x ${size.width} pixels`);
  for (const problem of problems) report.warn(problem);
  if (asksForFast) {
    report.print(
      `The model's settings name ${processor}Fast. Images are resized as ${processor} does; its pixels can differ by 1 of 255.`,
    );
  }

  const step = report.step('Optimizing and running the model');
  const original = await withOnnxRuntime(async (started) => {
    const source = await graphOf(read, type, folder);
    const request = { file: files.weights, graph: source, keepsIntegers: config.keepsIntegers };
    const optimized = await optimizeGraph(started, request, folder);
    const outputs = type.outputs(read);
    return await prepareImageGraph(
      started,
      { file: files.weights, size, chosen: config.output, outputs },
      optimized,
    );
  }, runtime);
  const { output, width, scores } = original;
  step.done(`${output.name}, ${width} values, ${original.precision}; ${batchingText(original)}`);
  if (scores !== undefined)
    report.print(`The graph ends in ${scores}, so its output is used as scores without a score function.`);
  const { graph, quantization } = await quantizeIfWanted(read, original, type, folder, report);
  const { precision, batching, positions } = graph;
  const manifest = planManifest(
    config,
    {
      source: sourceOf(files.graph, origin),
      inputs: [PIXEL_INPUT],
      output: output.name,
      width,
      precision,
      batching,
      fixedShape: undefined,
      firstPosition: undefined,
      quantization,
      attentionHeads: attentionHeads(modelConfig),
      windows: undefined,
      ofType: type.facts({ ...read, output, width, scores }),
      tokenizer: positionsOnly(positions),
      graphChanges: undefined,
      transform: undefined,
      license,
      card,
    },
    ownVersion(),
  );
  return {
    files,
    tokenizer: undefined,
    labelTokenizer: undefined,
    graph,
    transform: undefined,
    layers: undefined,
    staticTable: undefined,
    licenseText,
    cardText,
    manifest,
  };
}

/** Quantizes a model if the config requests it. */
async function quantizeIfWanted(
  read: ReadImageModel,
  original: RunImageGraph,
  type: ImageBuildType,
  folder: string,
  report: Reporter,
): Promise<{ readonly graph: RunImageGraph; readonly quantization: Quantization | undefined }> {
  const { quantize: settings } = read.config;
  if (settings.form === 'none') return { graph: original, quantization: undefined };
  const step = report.step('Quantizing the model');
  const { quantizeImageGraph } = await import('../packaging/images/quantize-image-graph.ts');
  const compare = type.compare({ ...read, ...original });
  const request = { file: read.files.weights, recipe: read.images.recipe, compare, settings };
  const result = await quantizeImageGraph(original, request, folder);
  if ('reason' in result) {
    step.done('not quantized');
    report.warn(`The model stays in float32: ${result.reason}`);
    return { graph: original, quantization: undefined };
  }
  step.done(accuracyText(result.quantization.accuracy, 'images'));
  return result;
}

/** Models that read images have no tokens, but a number of positions for each image. */
const positionsOnly = (maxLength: number) =>
  ({ maxLength, truncationSide: 'right', padId: 0, vocabularySize: 0, marksSubwords: false }) as const;

/** Rejects settings that have no effect on images. */
function refuseTextSettings(config: BuildConfig): void {
  const { file, modelType, transform, distill, maxLength, windows, inputs } = config;
  const field = Object.entries({
    transform: transform !== undefined,
    distill: distill.form !== 'none',
    max_length: maxLength !== undefined,
    long_texts: windows !== undefined,
    inputs: Object.keys(inputs).length > 0,
    tokenizer: Object.keys(config.tokenizer).length > 0,
  }).find(([, isSet]) => isSet)?.[0];
  if (field === undefined) return;
  throw configError(
    `${file}: \`${field}\` is not supported for model_type ${modelType}, which reads images. Remove it.`,
  );
}

/** The path of the model's ONNX graph, which is written to `folder` if the model only has weights. */
async function graphOf(read: ReadImageModel, type: ImageBuildType, folder: string): Promise<string> {
  const { files, images } = read;
  const { weights } = files;
  if (!isStoredWeights(weights) || files.modelConfig === undefined) return weights;
  const written = join(folder, 'written');
  await mkdir(written);
  const write = type.write(read, images.recipe.size);
  return await writeGraph({ weights, config: files.modelConfig }, write, written);
}
