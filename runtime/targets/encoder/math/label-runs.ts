import type { ImageSize } from '#contract/image-recipe.ts';

/**
 * The label of each pixel of an image, as runs of pixels with the same label. The pixels are ordered by
 * column and, in a column, from the top, as in the run-length masks of COCO.
 */
export interface LabelRuns {
  readonly size: ImageSize;
  readonly labels: readonly number[];
  readonly lengths: readonly number[];
}

/** The scores of each label for each cell of a map: labels x height x width. */
export interface ScoreMap {
  readonly scores: Float32Array;
  readonly labels: number;
  readonly grid: ImageSize;
}

/**
 * Enlarges the scores to the size of an image, linearly between the centers of cells, and chooses the label
 * with the highest score for each pixel, as `post_process_semantic_segmentation` of transformers does.
 *
 * The enlarged scores are never stored, because they can have gigabytes. Between four neighboring cells,
 * only labels count whose highest score at these cells reaches the lowest one of another label. In a column
 * of pixels between them, scores are linear, so a label that is the highest at both ends is the highest
 * everywhere in between.
 */
export function labelRuns({ scores, labels, grid }: ScoreMap, size: ImageSize): LabelRuns {
  const cells = byCell(scores, labels, grid.height * grid.width);
  const rows = spansOf(grid.height, size.height);
  const runs = new RunWriter();
  const lines = new ScoreLines(cells, labels);
  for (const across of spansOf(grid.width, size.width)) {
    const squares = rows.map((down): Square => {
      const [upper, lower] = [down.first * grid.width, down.second * grid.width];
      const corners: Corners = [
        (upper + across.first) * labels,
        (upper + across.second) * labels,
        (lower + across.first) * labels,
        (lower + across.second) * labels,
      ];
      return { down, corners, candidates: candidatesOf(cells, corners, labels) };
    });
    for (const weight of across.weights) {
      for (const square of squares) {
        const { down, candidates } = square;
        const [only] = candidates;
        if (candidates.length === 1 && only !== undefined) {
          runs.add(only, down.weights.length);
        } else {
          lines.moveTo(square, weight);
          addColumn(runs, lines, down.weights);
        }
      }
    }
  }
  return { size, ...runs.finish() };
}

/** Pixels between the centers of the same two cells, in one direction. */
interface Span {
  readonly first: number;
  readonly second: number;
  /** The weight of the second cell for each pixel. */
  readonly weights: readonly number[];
}

/** The positions of the scores of four neighboring cells: upper left, upper right, lower left and lower right. */
type Corners = readonly [number, number, number, number];

/** The pixels between four cells, and the labels that can have the highest score there. */
interface Square {
  readonly down: Span;
  readonly corners: Corners;
  readonly candidates: readonly number[];
}

/** The spans of a side. Beyond the outer centers, the score of the outer cell counts. */
function spansOf(cells: number, pixels: number): Span[] {
  const spans: (Span & { readonly weights: number[] })[] = [];
  // torch computes positions in float32.
  const scale = Math.fround(cells / pixels);
  for (let pixel = 0; pixel < pixels; pixel += 1) {
    const position = Math.max(Math.fround(Math.fround(scale * (pixel + 0.5)) - 0.5), 0);
    const first = Math.min(Math.trunc(position), cells - 1);
    const second = Math.min(first + 1, cells - 1);
    const weight = second === first ? 0 : position - first;
    const last = spans.at(-1);
    if (last?.first === first) last.weights.push(weight);
    else spans.push({ first, second, weights: [weight] });
  }
  return spans;
}

/** Moves the labels to the last axis, so that the scores of a cell are next to each other. */
function byCell(scores: Float32Array, labels: number, cells: number): Float32Array {
  const result = new Float32Array(scores.length);
  for (let label = 0; label < labels; label += 1) {
    const start = label * cells;
    for (let cell = 0; cell < cells; cell += 1) result[cell * labels + label] = scores[start + cell] ?? 0;
  }
  return result;
}

function candidatesOf(cells: Float32Array, [a, b, c, d]: Corners, labels: number): number[] {
  let reached = -Infinity;
  for (let label = 0; label < labels; label += 1) {
    const lowest = Math.min(
      cells[a + label] ?? 0,
      cells[b + label] ?? 0,
      cells[c + label] ?? 0,
      cells[d + label] ?? 0,
    );
    if (lowest > reached) reached = lowest;
  }
  const candidates: number[] = [];
  for (let label = 0; label < labels; label += 1) {
    if (
      (cells[a + label] ?? 0) >= reached ||
      (cells[b + label] ?? 0) >= reached ||
      (cells[c + label] ?? 0) >= reached ||
      (cells[d + label] ?? 0) >= reached
    ) {
      candidates.push(label);
    }
  }
  return candidates;
}

/** The scores of candidates in a column of pixels between four cells, which are linear. */
class ScoreLines {
  readonly #cells: Float32Array;
  readonly #labels: Uint32Array;
  /** For each label, the score at the upper cells and at the lower cells. */
  readonly #ends: Float64Array;
  #count = 0;

  constructor(cells: Float32Array, labels: number) {
    this.#cells = cells;
    this.#labels = new Uint32Array(labels);
    this.#ends = new Float64Array(labels * 2);
  }

  /** Moves to a column. `weight` is that of the right cells. Only labels that can be the highest are kept. */
  moveTo({ corners: [a, b, c, d], candidates }: Square, weight: number): void {
    const [cells, ends, labels] = [this.#cells, this.#ends, this.#labels];
    const other = 1 - weight;
    let reached = -Infinity;
    for (let at = 0; at < candidates.length; at += 1) {
      const label = candidates[at] ?? 0;
      const upper = (cells[a + label] ?? 0) * other + (cells[b + label] ?? 0) * weight;
      const lower = (cells[c + label] ?? 0) * other + (cells[d + label] ?? 0) * weight;
      ends[2 * at] = upper;
      ends[2 * at + 1] = lower;
      const lowest = upper < lower ? upper : lower;
      if (lowest > reached) reached = lowest;
    }
    let count = 0;
    for (let at = 0; at < candidates.length; at += 1) {
      const [upper = 0, lower = 0] = [ends[2 * at], ends[2 * at + 1]];
      if (upper < reached && lower < reached) continue;
      ends[2 * count] = upper;
      ends[2 * count + 1] = lower;
      labels[count] = candidates[at] ?? 0;
      count += 1;
    }
    this.#count = count;
  }

  /** The label with the highest score. If scores are equal, it is the first one. */
  best(weight: number): number {
    const ends = this.#ends;
    const other = 1 - weight;
    let best = 0;
    let highest = -Infinity;
    for (let at = 0; at < this.#count; at += 1) {
      const score = (ends[2 * at] ?? 0) * other + (ends[2 * at + 1] ?? 0) * weight;
      if (score > highest) {
        highest = score;
        best = at;
      }
    }
    return this.#labels[best] ?? 0;
  }
}

function addColumn(runs: RunWriter, lines: ScoreLines, weights: readonly number[]): void {
  const best = (at: number): number => lines.best(weights[at] ?? 0);
  /** Adds the pixels after `from`, up to `to`. */
  const addBetween = (from: number, fromLabel: number, to: number, toLabel: number): void => {
    if (fromLabel === toLabel || to === from + 1) {
      if (to > from + 1) runs.add(fromLabel, to - from - 1);
      runs.add(toLabel, 1);
      return;
    }
    const middle = (from + to) >> 1;
    const label = best(middle);
    addBetween(from, fromLabel, middle, label);
    addBetween(middle, label, to, toLabel);
  };
  const last = weights.length - 1;
  const first = best(0);
  runs.add(first, 1);
  if (last > 0) addBetween(0, first, last, best(last));
}

/** Collects runs, and joins neighboring runs with the same label. */
class RunWriter {
  readonly #labels: number[] = [];
  readonly #lengths: number[] = [];
  #label = -1;
  #length = 0;

  add(label: number, length: number): void {
    if (label === this.#label) {
      this.#length += length;
      return;
    }
    this.#flush();
    this.#label = label;
    this.#length = length;
  }

  finish(): Pick<LabelRuns, 'labels' | 'lengths'> {
    this.#flush();
    return { labels: this.#labels, lengths: this.#lengths };
  }

  #flush(): void {
    if (this.#length === 0) return;
    this.#labels.push(this.#label);
    this.#lengths.push(this.#length);
  }
}
