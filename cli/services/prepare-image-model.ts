import { PIXEL_INPUT } from '#contract/manifest.ts';
import { configError } from '#contract/errors.ts';
import type { ImageModelType } from '#contract/model-types.ts';
import type { Quantization } from '#contract/quantization.ts';
import { accuracyText, batchingText, imageSizeText } from '#core/model/manifest-facts.ts';
import { type StartedOnnxRuntime, withOnnxRuntime } from '../adapters/onnxruntime.ts';
import { ownVersion } from '../adapters/own-files.ts';
import type { BuildConfig } from '../config/build-config.ts';
import { buildImageGraph } from '../packaging/images/build-image-graph.ts';
import type { ImageBuildType, ReadImageModel } from '../packaging/images/image-build-type.ts';
import { locateImageFiles } from '../packaging/images/locate-image-files.ts';
import type { RunImageGraph } from '../packaging/images/prepare-image-graph.ts';
import { readImageSettings } from '../packaging/images/read-image-settings.ts';
import { IMAGE_BUILD_TYPES } from '../packaging/model/build-types.ts';
import { attentionHeads, type ModelConfig } from '../packaging/model/model-config.ts';
import { findLicense, readDocuments } from '../packaging/model/model-documents.ts';
import { modelOrigin } from '../packaging/model/model-listing.ts';
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
  const type: ImageBuildType = IMAGE_BUILD_TYPES[config.modelType];
  refuseOtherSettings(config, type);
  const check = report.step('Checking the model files');
  const files = locateImageFiles(config.model, type.settingsFile);
  const origin = modelOrigin(config.model.kind === 'folder' ? config.model.folder : files.folder);
  const modelConfig: ModelConfig & Readonly<Record<string, unknown>> =
    files.modelConfig === undefined ? {} : await readJsonObject(files.modelConfig);
  const { images, processor, note } = await readImageSettings(files.folder, type.readsAnySize);
  const { recipe } = images;
  const documents = await readDocuments(files.folder);
  const { license, facts: card, licenseText, cardText, problems } = findLicense(config.license, documents);
  const read: ReadImageModel = { config, files, modelConfig, images, processor };
  check.done(`images of ${imageSizeText(recipe)}`);
  for (const problem of problems) report.warn(problem);
  if (note !== undefined) report.print(note);

  const step = report.step('Optimizing and running the model');
  const source = {
    files,
    recipe,
    write: type.write(read, recipe.size),
    chosen: config.output,
    outputs: type.outputs(read),
    adapt: type.adaptGraph,
    keepsIntegers: config.keepsIntegers,
  };
  const original = await withOnnxRuntime((started) => buildImageGraph(started, source, folder), runtime);
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
      ofType: type.facts({
        ...read,
        images: { ...images, hasConvolutions: original.hasConvolutions },
        output,
        width,
        scores,
      }),
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
    imageGraphPath: undefined,
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
  const compare = type.compare?.({ ...read, ...original });
  if (!compare) throw new Error(`models of type ${read.config.modelType} cannot be quantized`);
  const request = { file: read.files.weights, recipe: read.images.recipe, compare, settings };
  const result = await quantizeImageGraph(original, request, folder, (done, planned) =>
    step.progress(done, planned, 'runs'),
  );
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

/** Rejects settings that have no effect on images, or on models of this type. */
function refuseOtherSettings(config: BuildConfig, { compare }: ImageBuildType): void {
  const { file, modelType, transform, quantize, distill, maxLength, windows, inputs } = config;
  const field = Object.entries({
    transform: transform !== undefined,
    quantize: quantize.form !== 'none' && !compare,
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
