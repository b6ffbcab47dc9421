import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { DEFAULT_THRESHOLD } from '#contract/detection.ts';
import { shortestFloat32 } from '#core/numbers/float32.ts';
import { type Box, findObjects } from '../math/detections.ts';
import { finiteOutput } from '../math/inference.ts';
import type { Task } from './task.ts';

export interface ObjectDetectionResult {
  readonly objects: readonly FoundObject[];
}

interface FoundObject {
  readonly label: string;
  readonly score: number;
  readonly box: Box;
}

/** The boxes of a result are in pixels of the image as it was sent. */
export const objectDetectionTask: Task<ObjectDetectionResult> = {
  details: false,
  printedAs: 'predictions',
  sharedFlags: ['threshold', 'top-k'],
  printOptions: (flags) => ({ threshold: flags.share('threshold'), topK: flags.count('top-k') }),

  result({ values, imageSize }, manifest, { threshold, topK }) {
    const { detection, id2label, width } = manifest;
    if (!detection || !imageSize) throw new Error('the model does not find objects in images');
    const found = findObjects(finiteOutput(values, manifest), width, {
      settings: detection,
      image: imageSize,
      threshold: threshold ?? detection.threshold ?? DEFAULT_THRESHOLD,
      topK,
    });
    return {
      objects: found.map(({ label, score, box: { xmin, ymin, xmax, ymax } }) => ({
        label: id2label?.[label] ?? `LABEL_${label}`,
        score: shortestFloat32(score),
        box: {
          xmin: shortestFloat32(xmin),
          ymin: shortestFloat32(ymin),
          xmax: shortestFloat32(xmax),
          ymax: shortestFloat32(ymax),
        },
      })),
    };
  },

  proto({ objects }) {
    const writer = new BinaryWriter();
    for (const { label, score, box } of objects) {
      writer.tag(1, WireType.LengthDelimited).fork();
      writer.tag(1, WireType.LengthDelimited).string(label);
      writer.tag(2, WireType.Bit32).float(score);
      writer.tag(3, WireType.LengthDelimited).fork();
      for (const [at, value] of [box.xmin, box.ymin, box.xmax, box.ymax].entries()) {
        if (value !== 0) writer.tag(at + 1, WireType.Bit32).float(value);
      }
      writer.join();
      writer.join();
    }
    return writer.finish();
  },

  printed: (inference, { manifest }, options) => objectDetectionTask.result(inference, manifest, options),
};
