import { configError } from '#contract/errors.ts';
import type { WindowSettings } from '#contract/manifest.ts';
import type { BuildConfig } from '../../config/build-config.ts';
import type { PreparedTokenizer } from './prepare-tokenizer.ts';

/** Determines the windows of long texts. Every window must contain tokens that the previous one does not. */
export async function windowSettings(
  { windows }: Pick<BuildConfig, 'windows'>,
  tokenizer: Pick<PreparedTokenizer['tokenizer'], 'encode'>,
  maxLength: number,
): Promise<WindowSettings | undefined> {
  if (!windows) return undefined;
  const [empty = []] = await tokenizer.encode(['']);
  const room = maxLength - empty.length;
  if (room < 1) {
    throw configError(
      `\`max_length\` is ${maxLength}, but \`long_texts: windows\` needs at least ${empty.length + 1}, because ${empty.length} tokens of each window are special tokens. Increase \`max_length\`.`,
    );
  }
  const stride = windows.stride ?? Math.min(Math.floor(maxLength / DEFAULT_PARTS), room - 1);
  if (stride < room) return { stride };
  throw configError(
    `\`stride\` is ${stride}, but must be at most ${room - 1}: windows have ${maxLength} tokens, and ${empty.length} of them are special tokens. Decrease \`stride\` or increase \`max_length\`.`,
  );
}

const DEFAULT_PARTS = 8;
