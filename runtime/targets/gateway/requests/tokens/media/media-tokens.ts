import type { ModelFamily } from '../model-family.ts';
import { documentPages } from './document-pages.ts';
import { imageSize } from './image-size.ts';
import { GEMINI_TILE, imageTokens } from './image-tokens.ts';
import type { MediaPart } from './media-parts.ts';
import { audioSeconds } from './audio-seconds.ts';

/**
 * Tokens of a page. Gemini has a number; Anthropic and OpenAI bill the text and an image of the page: 1500 to 3000 tokens, and 765 and
 * about 650 of text.
 */
const PAGE: Readonly<Record<ModelFamily['media'], number>> = {
  gemini: GEMINI_TILE,
  anthropic: 3000,
  openai: 1415,
};
/** Tokens of a second of audio, as Google and OpenAI publish them. Anthropic takes none. */
const SECOND: Readonly<Record<ModelFamily['media'], number>> = { gemini: 32, anthropic: 32, openai: 10 };
/** A file that the gateway cannot see. */
const UNSEEN_PAGES = 10;
const UNSEEN_SECONDS = 60;

/** The tokens of a part by the published rules of the model's vendor. */
export function mediaTokens(
  model: string,
  media: ModelFamily['media'],
  { kind, base64, detail }: MediaPart,
): number {
  if (kind === 'image')
    return imageTokens(model, media, { size: base64 === undefined ? undefined : imageSize(base64), detail });
  if (kind === 'document') return PAGE[media] * (base64 === undefined ? UNSEEN_PAGES : documentPages(base64));
  return Math.round(SECOND[media] * (base64 === undefined ? UNSEEN_SECONDS : audioSeconds(base64)));
}
