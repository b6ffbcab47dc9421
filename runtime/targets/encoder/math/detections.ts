import { BOX_VALUES, type DetectionSettings } from '#contract/detection.ts';
import type { ImageSize } from '#contract/image-recipe.ts';
import { sigmoid, softmax } from '#core/numbers/softmax.ts';
import { greatestItems } from './greatest.ts';

/** The corners of an object, in pixels of the image. */
export interface Box {
  readonly xmin: number;
  readonly ymin: number;
  readonly xmax: number;
  readonly ymax: number;
}

export interface Detection {
  /** Index of the label. */
  readonly label: number;
  readonly score: number;
  readonly box: Box;
}

interface DetectionRequest {
  readonly settings: DetectionSettings;
  /** Size of the image to which boxes are scaled. */
  readonly image: ImageSize;
  /** Only objects with a higher score are returned. */
  readonly threshold: number;
  /** Maximum number of objects. Default: all. */
  readonly topK?: number | undefined;
}

/**
 * The objects in an image, highest score first, as `post_process_object_detection` of transformers computes them.
 * `values` contains the logits and the box of each query, and `width` is their number.
 */
export function findObjects(
  values: Float32Array,
  width: number,
  { settings, image, threshold, topK = Infinity }: DetectionRequest,
): Detection[] {
  const queries = values.length / width;
  const candidates = settings.scores === 'softmax' ? fromQueries(values, width) : fromPairs(values, width);
  // transformers compares scores in 32 bits.
  const minimum = Math.fround(threshold);
  const { scores } = candidates;
  const above: number[] = [];
  for (const [at, score] of scores.entries()) if (score > minimum) above.push(at);
  const limit = settings.scores === 'softmax' ? queries : (settings.candidates ?? queries);
  return greatestItems(above, (at) => scores[at] ?? 0, Math.min(topK, limit)).map((at) => {
    const { query, label } = candidates.placeOf(at);
    const start = (query + 1) * width - BOX_VALUES;
    return { label, score: scores[at] ?? 0, box: boxOf(values.subarray(start, start + BOX_VALUES), image) };
  });
}

interface Candidates {
  readonly scores: Float32Array;
  /** The query and the label of a score. */
  readonly placeOf: (at: number) => { readonly query: number; readonly label: number };
}

/** One candidate for each query: its best label, apart from the last logit. */
function fromQueries(values: Float32Array, width: number): Candidates {
  const queries = values.length / width;
  const scores = new Float32Array(queries);
  const labels = new Uint32Array(queries);
  for (let query = 0; query < queries; query += 1) {
    const shares = softmax(values.subarray(query * width, (query + 1) * width - BOX_VALUES)).subarray(0, -1);
    for (const [label, share] of shares.entries()) {
      if (share <= (scores[query] ?? 0)) continue;
      scores[query] = share;
      labels[query] = label;
    }
  }
  return { scores, placeOf: (query) => ({ query, label: labels[query] ?? 0 }) };
}

/** One candidate for each pair of a query and a label. */
function fromPairs(values: Float32Array, width: number): Candidates {
  const labels = width - BOX_VALUES;
  const queries = values.length / width;
  const scores = new Float32Array(queries * labels);
  for (let query = 0; query < queries; query += 1) {
    scores.set(sigmoid(values.subarray(query * width, query * width + labels)), query * labels);
  }
  return { scores, placeOf: (at) => ({ query: Math.floor(at / labels), label: at % labels }) };
}

/** Converts center and size to corners, in 32 bits as transformers does. */
function boxOf([x = 0, y = 0, width = 0, height = 0]: Float32Array, image: ImageSize): Box {
  const halfWidth = Math.fround(0.5 * width);
  const halfHeight = Math.fround(0.5 * height);
  const scaled = (corner: number, side: number): number => Math.fround(Math.fround(corner) * side);
  return {
    xmin: scaled(x - halfWidth, image.width),
    ymin: scaled(y - halfHeight, image.height),
    xmax: scaled(x + halfWidth, image.width),
    ymax: scaled(y + halfHeight, image.height),
  };
}
