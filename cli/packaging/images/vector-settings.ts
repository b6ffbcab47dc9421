import { configError } from '#contract/errors.ts';
import type { Pooling, SentenceSettings } from '#contract/sentence.ts';
import { pooledWidth } from '#core/model/vector-width.ts';
import type { BuildConfig } from '../../config/build-config.ts';

/** The settings for one vector per image, or per text in the same space. `width` is the size of the output's last axis. */
export function vectorSettings(
  { file, typeFields }: Pick<BuildConfig, 'file' | 'typeFields'>,
  pooling: Pooling,
  width: number,
): SentenceSettings {
  const { normalize = false, dimensions, similarity_fn_name: similarity } = typeFields;
  const full = pooledWidth(pooling, width);
  if (dimensions !== undefined && dimensions > full) {
    throw configError(`${file}: \`dimensions\` is ${dimensions}, but the model's vectors have only ${full}.`);
  }
  return {
    pooling,
    includePrompt: true,
    normalize,
    ...(dimensions === undefined ? {} : { dimensions }),
    ...(similarity === undefined || similarity === 'cosine' ? {} : { similarity }),
    prompts: {},
  };
}
