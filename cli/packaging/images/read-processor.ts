import { join } from 'node:path';
import type { DetectionSettings } from '#contract/detection.ts';
import { configError } from '#contract/errors.ts';
import type { ImageRecipe } from '#contract/image-recipe.ts';
import { isObject } from '#core/json/is-object.ts';
import { errorCode } from '#core/values/error-code.ts';
import { textOrUndefined } from '#core/values/text-or-undefined.ts';
import { readJsonObject } from '../model/read-json.ts';
import { PROCESSOR_NAMES, PROCESSOR_OF_MODEL, processorClass } from './processor-classes.ts';
import { ProcessorFields } from './processor-fields.ts';
import { processorRecipe } from './processor-recipe.ts';
import { timmRecipe } from './timm-recipe.ts';

/** How a model's images are prepared, and which class of the library does the same. */
export interface ImageProcessor {
  /** For example `ViTImageProcessor`, or `timm`. */
  readonly name: string;
  /**
   * Whether the model's files name a processor that resizes with torchvision. The recipe is that of the processor
   * that resizes with Pillow, whose pixels can differ by 1 of 255.
   */
  readonly asksForFast: boolean;
  readonly recipe: ImageRecipe;
  /** How the class finds objects; undefined if it does not. */
  readonly detection?: DetectionSettings | undefined;
}

type JsonObject = Readonly<Record<string, unknown>>;

/**
 * The parsed files that can describe a model's processor; undefined for files that do not exist.
 *
 * @internal Exported for tests only.
 */
export interface ProcessorFiles {
  readonly preprocessor: JsonObject | undefined;
  readonly processor: JsonObject | undefined;
  readonly config: JsonObject | undefined;
}

const PREPROCESSOR = 'preprocessor_config.json';
const PROCESSOR = 'processor_config.json';
const CONFIG = 'config.json';

/** Reads how a model's images are prepared from the files in its folder. */
export async function readImageProcessor(folder: string): Promise<ImageProcessor> {
  const [preprocessor, processor, config] = await Promise.all(
    [PREPROCESSOR, PROCESSOR, CONFIG].map((name) => readIfExists(join(folder, name))),
  );
  return imageProcessor({ preprocessor, processor, config });
}

async function readIfExists(path: string): Promise<JsonObject | undefined> {
  try {
    return await readJsonObject<JsonObject>(path);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Finds out how a model's images are prepared. @internal Exported for tests only. */
export function imageProcessor({ preprocessor, processor, config }: ProcessorFiles): ImageProcessor {
  const nested = processor?.['image_processor'];
  const file = preprocessor === undefined ? PROCESSOR : PREPROCESSOR;
  const values = preprocessor ?? (isObject(nested) ? nested : undefined);
  if (values !== undefined) return transformersProcessor(file, values, config);
  const timm = config?.['pretrained_cfg'];
  if (isObject(timm)) return { name: 'timm', asksForFast: false, recipe: timmRecipe(timm) };
  throw configError(
    `The model has no ${PREPROCESSOR}, which states how images are resized and normalized. Add it to the model folder.`,
  );
}

function transformersProcessor(
  file: string,
  values: JsonObject,
  config: JsonObject | undefined,
): ImageProcessor {
  const stated =
    textOrUndefined(values['image_processor_type']) ?? textOrUndefined(values['feature_extractor_type']);
  const name = stated === undefined ? nameForModel(file, config) : baseName(stated);
  const type = processorClass(name);
  if (type === undefined) {
    throw configError(
      `${file} names ${stated ?? name}, which is not one of the supported image processors: ` +
        `${PROCESSOR_NAMES.map((each) => `${each}ImageProcessor`).join(', ')}.`,
    );
  }
  const fullName = `${name}ImageProcessor`;
  return {
    name: fullName,
    asksForFast: stated?.endsWith('Fast') === true,
    recipe: processorRecipe(new ProcessorFields(file, fullName, values), type),
    detection: type.detection,
  };
}

/** The name of a class without the suffixes of its versions. Feature extractors are older processors. */
const baseName = (name: string): string =>
  name.replace(/(?:ImageProcessor(?:Fast|Pil)?|FeatureExtractor)$/, '');

function nameForModel(file: string, config: JsonObject | undefined): string {
  const modelType = textOrUndefined(config?.['model_type']);
  const name = modelType === undefined ? undefined : PROCESSOR_OF_MODEL[modelType];
  if (name !== undefined) return name;
  throw configError(
    `${file} does not state \`image_processor_type\`, and the model type ${JSON.stringify(modelType ?? null)} has no known ` +
      'processor. Add the field, for example "ViTImageProcessor".',
  );
}
