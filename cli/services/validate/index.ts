import { resolve } from 'node:path';
import type { ModelType } from '#contract/model-types.ts';
import { userCacheDir } from '../../adapters/user-folders.ts';
import { withWorkFolder } from '../../adapters/work-folder.ts';
import type { Reporter } from '../../packaging/reporter.ts';
import { argumentWord } from '../text.ts';
import { prepareModel } from '../prepare-model.ts';
import { type ConfigSource, readBuildConfig } from '../read-config.ts';
import type { ValidateResult } from './result.ts';

const nextCommand = (
  source: ConfigSource,
  { variant, modelType }: Pick<ValidateRequest, 'variant' | 'modelType'>,
): string =>
  [
    'encoderfile build',
    typeof source === 'string' ? `-f ${argumentWord(source)}` : argumentWord(source.folder),
    ...(modelType === undefined ? [] : [`--model-type ${modelType}`]),
    ...(variant === undefined ? [] : [`--variant ${argumentWord(variant)}`]),
  ].join(' ');

interface ValidateRequest {
  readonly source: ConfigSource;
  readonly variant: string | undefined;
  readonly modelType: ModelType | undefined;
  readonly offline: boolean;
  readonly cacheDir: string | undefined;
}

/** `encoderfile validate`: runs all checks of a build on a model, and removes all files that it writes. */
export async function validate(
  { source, variant, modelType, offline, cacheDir }: ValidateRequest,
  report: Reporter,
): Promise<ValidateResult> {
  const config = await readBuildConfig(source, { report, variant, modelType, offline });
  const chosen = cacheDir ?? config.cacheDir;
  const folder = chosen === undefined ? userCacheDir() : resolve(chosen);
  return await withWorkFolder(folder, async (work) => {
    const { files, tokenizer, manifest } = await prepareModel(config, work, report);
    return {
      config: typeof source === 'string' ? source : source.folder,
      next: nextCommand(source, { variant, modelType }),
      files,
      ...(tokenizer
        ? {
            tokenizerOrigin: tokenizer.origin,
            vocabularySize: tokenizer.tokenizer.vocabularySize,
          }
        : {}),
      manifest,
    };
  });
}
