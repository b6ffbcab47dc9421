import type { ModelFamily } from '../model-family.ts';
import type { ImageSize } from './image-size.ts';

interface Image {
  readonly size: ImageSize | undefined;
  readonly detail: unknown;
}

/** The tokens of an image by the published rules of its vendor; of an image whose size is not known, the most that it can have. */
export function imageTokens(model: string, media: ModelFamily['media'], { size, detail }: Image): number {
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
export const GEMINI_TILE = 258;

/** Tokens of an image and of each tile of 512 pixels, or a factor for patches of 32 pixels. */
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

/** Tiles after the image was fitted into a square of 2048 pixels and its shorter side to 768. */
function tiles(size: ImageSize | undefined): number {
  if (!size) return MAX_TILES;
  const fit = Math.min(1, 2048 / Math.max(size.width, size.height));
  const scale = Math.min(fit, 768 / Math.min(size.width, size.height));
  return Math.ceil((size.width * scale) / 512) * Math.ceil((size.height * scale) / 512);
}
const MAX_TILES = 8;
