import { lookup } from '#core/values/lookup.ts';
import { detr } from './encoders/detr.ts';
import { yolos } from './encoders/yolos.ts';
import type { Value } from './graph-writer.ts';
import type { ImageGraph } from './image-graph.ts';

/** A model that finds objects in images. */
export interface DetectorArchitecture {
  readonly input: 'pixels with objects';
  /** Prefixes of weight names. */
  readonly prefixes: readonly string[];
  /** Writes the whole model; returns the logits and the box of each query, images x queries x values. */
  readonly detections: (g: ImageGraph) => Value;
}

/** Models that find objects, by `model_type` in config.json. */
export const DETECTORS = lookup<DetectorArchitecture>({
  detr: { input: 'pixels with objects', prefixes: ['model.'], detections: detr },
  yolos: { input: 'pixels with objects', prefixes: ['vit.'], detections: yolos },
});
