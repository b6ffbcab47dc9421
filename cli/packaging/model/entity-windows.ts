import { configError } from '#contract/errors.ts';
import type { EntitySettings } from '#contract/entity-settings.ts';
import type { WindowSettings } from '#contract/manifest.ts';
import type { BuildConfig } from '../../config/build-config.ts';

/**
 * Resolves the windows of texts with more words than the model reads. By default, windows share twice as many words as an entity can have, so
 * that each entity is whole in one of them.
 */
export function entityWindows(
  { windows }: Pick<BuildConfig, 'windows'>,
  { maxWords, maxWidth }: EntitySettings,
): WindowSettings {
  const usual = Math.max(Math.floor(maxWords / DEFAULT_PARTS), maxWidth * 2);
  const stride = windows?.stride ?? Math.min(usual, maxWords - 1);
  if (stride < maxWords) return { stride };
  throw configError(
    `\`stride\` is ${stride}, but must be at most ${maxWords - 1}: windows have ${maxWords} words. Set a smaller \`stride\`.`,
  );
}

const DEFAULT_PARTS = 8;
