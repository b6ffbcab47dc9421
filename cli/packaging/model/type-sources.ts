import type { BuildConfig } from '../../config/build-config.ts';
import { fillerTokens } from './filler-tokens.ts';
import { type GlinerConfig, readGlinerConfig, unlimitedLength } from './gliner-config.ts';
import type { ModelConfig } from './labels.ts';
import type { ModelFiles } from './locate-files.ts';
import { readMultiVectorDefaults } from './multi-vector-files.ts';
import type { MultiVectorSource } from './multi-vector-settings.ts';
import { type FamilySource, findFamily } from './pooling-families.ts';
import { readJson } from './read-json.ts';
import { type PoolingOrigin, withFamily } from './sentence-family.ts';
import { hasSentenceFiles, readSentenceDefaults } from './sentence-files.ts';
import type { SentenceSource } from './sentence-settings.ts';
import { readSparseSettings } from './sparse-settings.ts';
import { M3_FAMILY, tokenOutputsSource } from './token-outputs-source.ts';
import type { TokenizerConfig } from './tokenizer-settings.ts';

/**
 * Reads config.json, or the file in its place, and the settings that only models of one type have. `name` is the repository of the model or its
 * folder.
 */
export async function readTypeSources(config: BuildConfig, files: ModelFiles, name: string) {
  const gliner = await glinerConfigOf(files, config.modelType);
  const modelConfig = gliner?.encoder ?? (await modelConfigOf(files));
  const familySource = { names: [name], config: modelConfig };
  const tokenOutputs = await tokenOutputsSource(config, files, modelConfig.hidden_size);
  const hasHeads = tokenOutputs.heads !== undefined;
  const [sentence, pooling] = (await sentenceSource(config, files, familySource, hasHeads)) ?? [];
  const sparse = config.modelType === 'sparse_embedding' ? await sparseSource(files) : undefined;
  return {
    modelConfig,
    gliner,
    sentence,
    pooling,
    sparse,
    tokenOutputs,
    vectorsByToken: await multiVectorSource(config, files),
    tokenizerDefaults: {
      ...(sentence ?? sparse)?.defaults,
      ...(gliner ? { maxLength: await unlimitedLengthOf(gliner, files) } : {}),
    },
  };
}

const modelConfigOf = async ({ modelConfig }: ModelFiles): Promise<ModelConfig> =>
  modelConfig === undefined ? {} : await readJson<ModelConfig>(modelConfig);

const glinerConfigOf = async (
  { modelConfig }: ModelFiles,
  modelType: BuildConfig['modelType'],
): Promise<GlinerConfig | undefined> =>
  modelType === 'zero_shot_ner' && modelConfig !== undefined
    ? await readGlinerConfig(modelConfig)
    : undefined;

const unlimitedLengthOf = async (
  gliner: GlinerConfig,
  { tokenizerConfig }: ModelFiles,
): Promise<number | undefined> =>
  unlimitedLength(
    gliner,
    tokenizerConfig === undefined ? {} : await readJson<TokenizerConfig>(tokenizerConfig),
  );

/** The settings of a sparse_embedding model. Of those for sentences, only length and letter case apply. */
async function sparseSource(files: ModelFiles) {
  const { maxLength, lowerCase, prompts, defaultPromptName } = await readSentenceDefaults(files);
  const prompt = prompts[defaultPromptName ?? ''];
  return {
    settings: await readSparseSettings(files.folder),
    defaults: { maxLength, lowerCase },
    problems: prompt
      ? [
          `The model was saved with the default prompt ${JSON.stringify(prompt)}, which is not put before texts of a sparse_embedding model. Put it before each text that needs it.`,
        ]
      : [],
  };
}

async function multiVectorSource(
  { file, multiVector: config }: BuildConfig,
  files: ModelFiles,
): Promise<MultiVectorSource | undefined> {
  if (!config) return undefined;
  return {
    file,
    config,
    defaults: await readMultiVectorDefaults(files),
    fillers: await fillerTokens(files.tokenizerConfig),
  };
}

async function sentenceSource(
  { file, sentence, transform }: BuildConfig,
  files: ModelFiles,
  familySource: FamilySource,
  hasHeads: boolean,
): Promise<[source: SentenceSource, pooling: PoolingOrigin] | undefined> {
  if (!sentence) return undefined;
  const saved = await readSentenceDefaults(files);
  const family = findFamily(familySource) ?? (hasHeads ? M3_FAMILY : undefined);
  const origin = hasSentenceFiles(files) ? 'files' : (family ?? 'assumed');
  const defaults = typeof origin === 'string' ? saved : withFamily(saved, origin);
  return [{ file, config: sentence, defaults, transforms: transform !== undefined, hasHeads }, origin];
}
