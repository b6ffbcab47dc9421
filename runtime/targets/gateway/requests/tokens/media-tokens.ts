import type { FormFile } from '#serve/http/form.ts';
import { imageSize } from '../../shared/image-size.ts';
import type { ImageSize } from '#contract/image-recipe.ts';
import type { MediaPart } from '../guardrails/input-parts.ts';

/** The vendor whose rules for counting images, documents and audio apply to a model. */
export type MediaRules = 'openai' | 'anthropic' | 'gemini';

interface Image {
  readonly size: ImageSize | undefined;
  readonly detail: unknown;
}

/**
 * An image's tokens according to the published rules of the model's vendor; for an image of unknown size,
 * the maximum.
 * @internal Exported for tests only.
 */
export function imageTokens(model: string, media: MediaRules, { size, detail }: Image): number {
  if (media === 'anthropic') return anthropicTokens(size);
  if (media === 'gemini') return geminiTokens(size);
  return openAiTokens(model, size, detail);
}

/** @see https://docs.anthropic.com/en/docs/build-with-claude/vision */
function anthropicTokens(size: ImageSize | undefined): number {
  if (!size) return ANTHROPIC_MAX;
  const scale = Math.min(1, ANTHROPIC_EDGE / Math.max(size.width, size.height));
  return Math.min(ANTHROPIC_MAX, Math.ceil((size.width * scale * size.height * scale) / 750));
}

const ANTHROPIC_EDGE = 1568;

const ANTHROPIC_MAX = 1600;

/** @see https://ai.google.dev/gemini-api/docs/image-understanding */
function geminiTokens(size: ImageSize | undefined): number {
  if (!size) return GEMINI_TILE * 6;
  const { width, height } = size;
  if (width <= 384 && height <= 384) return GEMINI_TILE;
  const unit = Math.max(256, Math.min(768, Math.floor(Math.min(width, height) / 1.5)));
  return GEMINI_TILE * Math.ceil(width / unit) * Math.ceil(height / unit);
}

const GEMINI_TILE = 258;

/** Tokens per image and per tile of 512 pixels, or a factor for patches of 32 pixels. */
type OpenAiRule = { readonly base: number; readonly tile: number } | { readonly factor: number };

/** @see https://platform.openai.com/docs/guides/images-vision#calculating-costs */
const OPENAI_RULES: readonly (readonly [RegExp, OpenAiRule])[] = [
  [/gpt-(4\.1|5)-mini/, { factor: 1.62 }],
  [/gpt-(4\.1|5)-nano/, { factor: 2.46 }],
  [/o4-mini/, { factor: 1.72 }],
  [/gpt-4o-mini/, { base: 2833, tile: 5667 }],
  [/gpt-5/, { base: 70, tile: 140 }],
  [/\bo[13]/, { base: 75, tile: 150 }],
  [/computer-use/, { base: 65, tile: 129 }],
];

const GPT_4O: OpenAiRule = { base: 85, tile: 170 };

function openAiTokens(model: string, size: ImageSize | undefined, detail: unknown): number {
  const rule = OPENAI_RULES.find(([pattern]) => pattern.test(model))?.[1] ?? GPT_4O;
  if ('factor' in rule) return Math.ceil(patches(size) * rule.factor);
  return detail === 'low' ? rule.base : rule.base + rule.tile * tiles(size);
}

const MAX_PATCHES = 1536;

const patches = (size: ImageSize | undefined): number =>
  size ? Math.min(MAX_PATCHES, Math.ceil(size.width / 32) * Math.ceil(size.height / 32)) : MAX_PATCHES;

/**
 * Number of tiles after the image is scaled down so that it fits into a square of 2048 pixels and its
 * shorter side has at most 768 pixels.
 */
function tiles(size: ImageSize | undefined): number {
  if (!size) return MAX_TILES;
  const fit = Math.min(1, 2048 / Math.max(size.width, size.height));
  const scale = Math.min(fit, 768 / Math.min(size.width, size.height));
  return Math.ceil((size.width * scale) / 512) * Math.ceil((size.height * scale) / 512);
}

const MAX_TILES = 8;

/**
 * Tokens per page. Gemini uses a fixed number. Anthropic and OpenAI bill the text and an image of the page:
 * 1500 to 3000 tokens in total at Anthropic; at OpenAI, 765 tokens plus about 650 for the text.
 */
const PAGE: Readonly<Record<MediaRules, number>> = {
  gemini: GEMINI_TILE,
  anthropic: 3000,
  openai: 1415,
};

/** Tokens per second of audio, as published by Google and OpenAI. Anthropic does not support audio. */
const SECOND: Readonly<Record<MediaRules, number>> = { gemini: 32, anthropic: 32, openai: 10 };

/** Assumed size of a file that the gateway has no access to. */
const UNSEEN_PAGES = 10;

const UNSEEN_SECONDS = 60;

/**
 * The tokens of an image, document or audio recording, according to the published rules of the model's
 * vendor.
 */
export function mediaTokens(model: string, media: MediaRules, { kind, base64, detail }: MediaPart): number {
  if (kind === 'image')
    return imageTokens(model, media, { size: base64 === undefined ? undefined : imageSize(base64), detail });
  if (kind === 'document') return PAGE[media] * (base64 === undefined ? UNSEEN_PAGES : documentPages(base64));
  return Math.round(SECOND[media] * (base64 === undefined ? UNSEEN_SECONDS : audioSeconds(base64)));
}

/** Assumed bytes per page of documents whose number of pages cannot be read. */
const BYTES_PER_PAGE = 50_000;

/** Number of bytes searched at each end of the document; the pages in between are extrapolated. */
const SEARCHED = 1024 * 1024;

/** The number of pages in a base64 PDF, based on its page objects or its catalog. @internal Exported for tests only. */
export function documentPages(base64: string): number {
  const bytes = Math.ceil((base64.length * 3) / 4);
  // Base64 is split at a multiple of four, so that each part can be decoded.
  const half = Math.floor(SEARCHED / 3) * 4;
  const parts =
    base64.length <= 2 * half
      ? [base64]
      : [base64.slice(0, half), base64.slice(-(half + (base64.length % 4)))];
  const text = parts.map((part) => Buffer.from(part, 'base64').toString('latin1')).join('\n');
  if (!text.startsWith('%PDF')) return Math.ceil(bytes / BYTES_PER_PAGE);
  const share = parts.length === 1 ? 1 : text.length / bytes;
  const objects = Math.round((text.match(/\/Type\s{0,100}\/Page\b/g) ?? []).length / share);
  // If the page objects are compressed, the number of pages may still be readable in the first object of a
  // linearized file or in the root of the page tree.
  return Math.max(objects, countIn(text)) || Math.ceil(bytes / BYTES_PER_PAGE);
}

/** The keys that contain the number of pages. */
const COUNT = { linear: /\/N\s{1,100}(\d{1,9})/, root: /\/Count\s{1,100}(\d{1,9})/ };

/** Number of characters in which the end of a dictionary and the number of pages are searched. */
const MAX_DICTIONARY = 1024;

/** The largest number of pages in a dictionary; 0 if there is none. */
function countIn(text: string): number {
  const counted = /\/(Linearized|Type\s{0,100}\/Pages)\b/g;
  let most = 0;
  for (let found = counted.exec(text); found !== null; found = counted.exec(text)) {
    const [dictionary = ''] = text.slice(counted.lastIndex, counted.lastIndex + MAX_DICTIONARY).split('>', 1);
    const [, pages = '0'] = (found[1] === 'Linearized' ? COUNT.linear : COUNT.root).exec(dictionary) ?? [];
    most = Math.max(most, Number(pages));
    counted.lastIndex += dictionary.length;
  }
  return most;
}

/**
 * Assumed rate of compressed audio, 128 kbit/s. Speech often has a lower rate, so its length is more likely
 * to be underestimated than overestimated.
 */
const COMPRESSED_BYTES_PER_SECOND = 16_000;

/**
 * The length of base64 audio: read from the header for WAV, estimated from the size for compressed formats.
 */
const audioSeconds = (base64: string): number =>
  lengthOfAudio(Buffer.from(base64.slice(0, 64), 'base64'), (base64.length * 3) / 4);

/** The length of a file of this size that starts with `head`. */
function lengthOfAudio(head: Buffer, bytes: number): number {
  const isWav =
    head.length >= 32 &&
    head.toString('latin1', 0, 4) === 'RIFF' &&
    head.toString('latin1', 8, 12) === 'WAVE';
  const rate = isWav ? head.readUInt32LE(28) : 0;
  return bytes / (rate > 0 ? rate : COMPRESSED_BYTES_PER_SECOND);
}

/** The length of an audio file. */
export const lengthOfFile = ({ pieces, bytes }: Pick<FormFile, 'pieces' | 'bytes'>): number => {
  const [first = new Uint8Array()] = pieces;
  return lengthOfAudio(Buffer.from(first.subarray(0, 64)), bytes);
};
