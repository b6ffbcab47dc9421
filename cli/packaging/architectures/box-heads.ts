import { configError } from '#contract/errors.ts';
import { int } from '#core/onnx/attributes.ts';
import type { Value } from './graph-writer.ts';
import type { ImageGraph } from './image-graph.ts';

/** Linear layers with an activation between them, as the heads of detectors have. Input and output are rows. */
export function headLayers(g: ImageGraph, rows: Value, name: string): Value {
  let result = g.linear(rows, `${name}.layers.0`);
  for (let at = 1; g.hasWeight(`${name}.layers.${at}.weight`); at += 1) {
    result = g.linear(g.writer.op('Relu', [result]), `${name}.layers.${at}`);
  }
  return result;
}

/** Logits and boxes of the rows of a graph, images x queries x values. */
export function joinedBoxes(g: ImageGraph, rows: Value, logits: Value): Value {
  const boxes = g.writer.op('Sigmoid', [headLayers(g, rows, 'bbox_predictor')]);
  return g.byText(g.writer.op('Concat', [logits, boxes], int('axis', -1)));
}

/** Rejects weights whose number of rows differs from config.json. */
export function requireRows(g: ImageGraph, name: string, rows: number, width: number, key: string): void {
  const { shape } = g.weights.get(name);
  const count = shape.reduce((product, size) => product * size, 1) / width;
  if (shape.at(-1) === width && count === rows) return;
  throw configError(
    `${name} has the shape [${shape.join(', ')}], but ${key} in config.json require ${rows} x ${width} values. Use the config.json that belongs to the weights.`,
  );
}
