import type { CenterCrop, ImageRecipe, ImageSize, ResizeTarget } from '#contract/image-recipe.ts';
import { configError } from '#contract/errors.ts';
import { isOneOf } from '#core/values/is-one-of.ts';
import { roundHalfToEven } from '#core/images/round-half-to-even.ts';
import { IMAGENET_MEAN, IMAGENET_STD } from './processor-classes.ts';
import { ProcessorFields } from './processor-fields.ts';

/** What is done with images whose aspect ratio differs from the model's. */
const CROP_MODES = ['center', 'squash', 'border'] as const;

/**
 * Converts `pretrained_cfg` of a timm model to the steps of timm's transform for evaluation. It resizes with Pillow, and
 * computes the values with torch.
 */
export function timmRecipe(config: Readonly<Record<string, unknown>>): ImageRecipe {
  const fields = new ProcessorFields('pretrained_cfg of config.json', 'timm models', config);
  const size = inputSize(config['input_size'] ?? [3, 224, 224]);
  const share = config['crop_pct'] === 0 ? DEFAULT_SHARE : fields.positive('crop_pct', DEFAULT_SHARE);
  const scaled = { height: Math.floor(size.height / share), width: Math.floor(size.width / share) };
  const mode = config['crop_mode'] ?? 'center';
  if (!isOneOf(CROP_MODES, mode)) {
    throw configError(
      `\`crop_mode\` in pretrained_cfg of config.json must be one of ${CROP_MODES.join(', ')}, not ${JSON.stringify(mode)}.`,
    );
  }
  const mean = fields.perChannel('mean', IMAGENET_MEAN);
  const background = mean.map((value) => roundHalfToEven(255 * value));
  const [red = 0, green = 0, blue = 0] = mode === 'border' ? background : [];
  const crop: CenterCrop = { ...size, rounding: 'torchvision', fill: [red, green, blue] };
  return {
    alpha: 'discard',
    resize: { to: resizeTarget(mode, scaled), filter: fields.filter('interpolation', 'bicubic') },
    crop,
    values: [
      { kind: 'divide', by: 255 },
      { kind: 'normalize', mean, std: fields.divisors('std', IMAGENET_STD) },
    ],
    channels: 'rgb',
    size,
  };
}

const DEFAULT_SHARE = 0.875;

function resizeTarget(mode: (typeof CROP_MODES)[number], scaled: ImageSize): ResizeTarget {
  if (mode === 'squash') return { kind: 'exact', ...scaled };
  if (mode === 'border') return { kind: 'fit', ...scaled };
  return scaled.height === scaled.width
    ? { kind: 'shortest_edge', size: scaled.height }
    : { kind: 'cover', ...scaled };
}

function inputSize(value: unknown): ImageSize {
  const isSize = (each: unknown): each is number =>
    typeof each === 'number' && Number.isSafeInteger(each) && each > 0 && each <= 16_384;
  if (Array.isArray(value) && value.length === 3) {
    const [channels, height, width]: unknown[] = value;
    if (channels === 3 && isSize(height) && isSize(width)) return { height, width };
  }
  throw configError(
    '`input_size` in pretrained_cfg of config.json must be a list of 3 (the channels), the height and the width, not ' +
      `${JSON.stringify(value)}.`,
  );
}
