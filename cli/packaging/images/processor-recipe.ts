import type { CenterCrop, ImageRecipe, ImageSize, ResizeTarget, ValueStep } from '#contract/image-recipe.ts';
import type { ProcessorClass } from './processor-classes.ts';
import type { ProcessorFields, StatedSize } from './processor-fields.ts';

/** From this size on, ConvNeXt resizes images without cropping them. */
const SMALLEST_WITHOUT_CROP = 384;
const LONGEST_EDGE = 1333;

/** Converts the fields of a processor's file to the steps that its class would do. */
export function processorRecipe(fields: ProcessorFields, type: ProcessorClass): ImageRecipe {
  fields.refuse('use_square_size', (value) => value === true);
  fields.refuse('data_format', (value) => value !== 'channels_first');
  const pad = padSize(fields, type);
  const placed = type.hasCropPercentage ? percentageCrop(fields, type) : resizeAndCrop(fields, type);
  const to = placed.resize?.to;
  const size = pad ?? placed.crop ?? (to?.kind === 'exact' ? to : undefined);
  return {
    alpha: type.convertsToRgb && fields.flag('do_convert_rgb', true) ? 'white' : 'discard',
    ...placed,
    values: valueSteps(fields, type),
    channels: type.flipsChannels && fields.flag('do_flip_channel_order', true) ? 'bgr' : 'rgb',
    ...(pad && { pad }),
    ...(size && { size: { height: size.height, width: size.width } }),
  };
}

type Placed = Pick<ImageRecipe, 'resize' | 'crop'>;

function resizeAndCrop(fields: ProcessorFields, type: ProcessorClass): Placed {
  const to = fields.flag('do_resize', true) ? resizeTarget(fields, type) : undefined;
  const isCropped = type.crop !== undefined && fields.flag('do_center_crop', type.crop.isDefault);
  return {
    ...(to && { resize: { to, filter: fields.filter('resample', type.filter) } }),
    ...(isCropped && { crop: centerCrop(cropSize(fields, type)) }),
  };
}

function resizeTarget(fields: ProcessorFields, type: ProcessorClass): ResizeTarget {
  const size = fields.size('size', type.size);
  const multiple = type.detects?.multipleOf ?? 1;
  const edges = (shortest: number, longest: number): ResizeTarget => ({
    kind: 'edges',
    shortest,
    longest,
    ...(multiple > 1 && { multipleOf: multiple }),
  });
  switch (size.kind) {
    case 'exact':
    case 'within':
      return size;
    case 'shortest_edge':
      if (type.detects === undefined) return size;
      throw fields.wrongSize('size', 'a height and a width, or a shortest_edge and a longest_edge');
    case 'edges':
      if (type.detects !== undefined) return edges(size.shortest, size.longest);
      throw fields.wrongSize('size', 'a height and a width, or a shortest_edge without a longest_edge');
    case 'number':
    default:
      if (type.sizeNumber === 'square') return { kind: 'exact', height: size.size, width: size.size };
      if (type.sizeNumber === 'shortest_edge') return { kind: 'shortest_edge', size: size.size };
      if (type.sizeNumber === 'edges') return edges(size.size, fields.positive('max_size', LONGEST_EDGE));
      throw fields.wrongSize('size', 'a height and a width');
  }
}

function cropSize(fields: ProcessorFields, type: ProcessorClass): ImageSize {
  const size = fields.size('crop_size', type.crop?.size);
  return exactSize(size) ?? refuseSize(fields, 'crop_size');
}

/** The size of a rectangle; a single number is the side of a square. */
function exactSize(size: StatedSize): ImageSize | undefined {
  if (size.kind === 'number') return { height: size.size, width: size.size };
  return size.kind === 'exact' ? size : undefined;
}

function refuseSize(fields: ProcessorFields, name: string): never {
  throw fields.wrongSize(name, 'a number, or a height and a width');
}

const centerCrop = ({ height, width }: ImageSize): CenterCrop => ({
  height,
  width,
  rounding: 'transformers',
  fill: [0, 0, 0],
});

/** ConvNeXt: a larger size, of which `crop_pct` is cut out. */
function percentageCrop(fields: ProcessorFields, type: ProcessorClass): Placed {
  fields.refuse('do_center_crop', (value) => value === true);
  if (!fields.flag('do_resize', true)) return {};
  const filter = fields.filter('resample', type.filter);
  const size = fields.size('size', type.size);
  if (size.kind !== 'shortest_edge' && size.kind !== 'number') {
    throw fields.wrongSize('size', 'a number or a shortest_edge');
  }
  const square = { height: size.size, width: size.size };
  if (size.size >= SMALLEST_WITHOUT_CROP) return { resize: { to: { kind: 'exact', ...square }, filter } };
  const larger = Math.trunc(size.size / fields.positive('crop_pct', 224 / 256));
  return { resize: { to: { kind: 'shortest_edge', size: larger }, filter }, crop: centerCrop(square) };
}

function valueSteps(fields: ProcessorFields, type: ProcessorClass): ValueStep[] {
  const steps: ValueStep[] = [];
  if (fields.flag('do_rescale', true)) {
    const offset = type.hasOffset && fields.flag('rescale_offset', false) ? -1 : 0;
    steps.push({ kind: 'rescale', factor: fields.positive('rescale_factor', 1 / 255), offset });
  }
  if (type.normalize === undefined) return steps;
  const { isDefault, ...defaults } = type.normalize;
  const std = fields.divisors('image_std', defaults.std);
  if (fields.flag('do_normalize', isDefault)) {
    steps.push({ kind: 'normalize', mean: fields.perChannel('image_mean', defaults.mean), std });
  }
  if (type.hasOffset && fields.flag('include_top', true))
    steps.push({ kind: 'normalize', mean: [0, 0, 0], std });
  return steps;
}

/**
 * The size to which all images are padded. Without it, processors pad the images of a batch to the largest of them,
 * which changes nothing for one image.
 */
function padSize(fields: ProcessorFields, type: ProcessorClass): ImageSize | undefined {
  if (type.detects === undefined) {
    if (fields.has('pad_size')) fields.refuse('do_pad', (value) => value === true);
    return undefined;
  }
  const isPadded = fields.flag(
    'do_pad',
    fields.flag('pad_and_return_pixel_mask', type.sizeNumber === 'edges'),
  );
  if (!isPadded || !fields.has('pad_size')) return undefined;
  return exactSize(fields.size('pad_size', undefined)) ?? refuseSize(fields, 'pad_size');
}
