import { resolve } from 'node:path';
import { defaultCacheDir } from '../../adapters/user-folders.ts';
import { withWorkFolder } from '../../adapters/work-folder.ts';
import type { Reporter } from '../../packaging/reporter.ts';
import { prepareModel } from '../prepare-model.ts';
import { readConfig } from '../read-config.ts';
import type { ValidateResult } from './result.ts';

/** `encoderfile validate`: runs all checks of a build on a model, and leaves nothing on disk. */
export async function validate(
  configFile: string,
  cacheDir: string | undefined,
  report: Reporter,
): Promise<ValidateResult> {
  const config = await readConfig(configFile);
  const folder = resolve(cacheDir ?? config.cacheDir ?? defaultCacheDir());
  return await withWorkFolder(folder, async (work) => {
    const { files, tokenizer, manifest } = await prepareModel(config, work, report);
    return {
      config: configFile,
      files,
      tokenizerOrigin: tokenizer.origin,
      vocabularySize: tokenizer.tokenizer.vocabularySize,
      manifest,
    };
  });
}
