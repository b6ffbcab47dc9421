import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { shortestFloat32 } from '#core/numbers/float32.ts';
import { finiteOutput } from '../math/inference.ts';
import { labelRuns } from '../math/label-runs.ts';
import { MASK_FORMATS, segmentsOf } from '../math/masks.ts';
import { pngMasks } from './png-masks.ts';
import type { Task } from './task.ts';

export interface ImageSegmentationResult {
  readonly segments: readonly FoundSegment[];
}

/** A label that was found in an image. */
interface FoundSegment {
  readonly label: string;
  /** Labels of pixels have no score; transformers returns null, too. */
  readonly score: null;
  /** Number of pixels. */
  readonly area: number;
  /** Share of the image, from 0 to 1. */
  readonly share: number;
  /** Height and width of the image, and the numbers of pixels outside and inside. */
  readonly mask?: { readonly size: readonly [number, number]; readonly counts: readonly number[] };
  /** A PNG file in base64. */
  readonly png?: string;
}

export const imageSegmentationTask: Task<ImageSegmentationResult> = {
  details: false,
  printedAs: 'predictions',
  flags: {
    mask: {
      value: 'format',
      help: 'Image segmentation models: the form of masks, run-length as in COCO or PNG in base64',
      choices: MASK_FORMATS,
      defaultText: 'rle',
    },
  },
  printOptions: (flags) => ({ mask: MASK_FORMATS.find((format) => format === flags.text('mask')) }),

  result({ values, shape, imageSize: size }, manifest, { mask = 'rle' }) {
    const [labels = 0, height = 0, width = 0] = shape ?? [];
    if (!size) throw new Error('the model does not read images');
    const scores = finiteOutput(values, manifest);
    const segments = segmentsOf(labelRuns({ scores, labels, grid: { height, width } }, size));
    const pngs = mask === 'png' ? pngMasks(segments, size) : undefined;
    return {
      segments: segments.map(({ label, area, counts }, at) => ({
        label: manifest.id2label?.[label] ?? String(label),
        score: null,
        area,
        share: shortestFloat32(area / (size.height * size.width)),
        ...(mask === 'rle' ? { mask: { size: [size.height, size.width] as const, counts } } : {}),
        ...(pngs ? { png: pngs[at]?.toString('base64') ?? '' } : {}),
      })),
    };
  },

  proto({ segments }) {
    const writer = new BinaryWriter();
    for (const { label, area, share, mask, png } of segments) {
      writer.tag(1, WireType.LengthDelimited).fork();
      if (label !== '') writer.tag(1, WireType.LengthDelimited).string(label);
      writer.tag(3, WireType.Varint).uint32(area);
      writer.tag(4, WireType.Bit32).float(share);
      if (mask) {
        writer.tag(5, WireType.LengthDelimited).fork();
        writeCounts(writer, 1, mask.size);
        writeCounts(writer, 2, mask.counts);
        writer.join();
      }
      if (png !== undefined) writer.tag(6, WireType.LengthDelimited).bytes(Buffer.from(png, 'base64'));
      writer.join();
    }
    return writer.finish();
  },

  printed: (inference, { manifest }, options) => imageSegmentationTask.result(inference, manifest, options),
};

function writeCounts(writer: BinaryWriter, field: number, counts: readonly number[]): void {
  writer.tag(field, WireType.LengthDelimited).fork();
  for (const count of counts) writer.uint32(count);
  writer.join();
}
