import type { FixedShape } from '#contract/fixed-shape.ts';
import { rowOf } from '#core/model/raw-output.ts';
import type { OnnxTools } from '../../adapters/onnxruntime.ts';

export type Ids = readonly number[];

/** How texts are passed to a graph. */
export interface TrialInputs {
  /** The folder with the graph's weights. */
  readonly folder: string;
  readonly inputs: readonly string[];
  readonly padId: number;
  readonly fixedShape: FixedShape | undefined;
  readonly firstPosition: number | undefined;
}

/** Runs token ids through graphs. */
export class Trial {
  readonly #runtime: OnnxTools;
  readonly #inputs: TrialInputs;

  constructor(runtime: OnnxTools, inputs: TrialInputs) {
    this.#runtime = runtime;
    this.#inputs = inputs;
  }

  /** Returns the output for each text when it is run alone. */
  async alone(graph: string, output: string, texts: readonly Ids[]): Promise<Float32Array[]> {
    const results: Float32Array[] = [];
    for (const ids of texts) {
      const raw = await this.#runtime.tryOut({ ...this.#inputs, graph, output, ids: [ids] });
      results.push(rowOf(raw, 0, ids.length));
    }
    return results;
  }

  /** Returns the total CPU time in milliseconds of running each text alone, as in a server. */
  async processorTime(graph: string, output: string, texts: readonly Ids[]): Promise<number> {
    let total = 0;
    for (const ids of texts) {
      const task = { ...this.#inputs, graph, output, ids: [ids], prepack: true };
      total += (await this.#runtime.tryOut(task)).processorMs;
    }
    return total;
  }

  /** Returns the output for a batch. */
  async together(graph: string, output: string, batch: readonly Ids[]): Promise<Float32Array> {
    const { data } = await this.#runtime.tryOut({ ...this.#inputs, graph, output, ids: batch });
    return data;
  }
}

/**
 * Creates batches without padding, because the hidden states of padding would distort the
 * statistics. Texts are sorted by length and shortened to the shortest text in their batch. The
 * last token is kept, because it is special.
 */
export function evenBatches(texts: readonly Ids[], fixedShape: FixedShape | undefined): Ids[][] {
  if (fixedShape) return texts.map((ids) => [ids]);
  const sorted = texts.toSorted((a, b) => a.length - b.length);
  return Array.from({ length: Math.ceil(sorted.length / BATCH) }, (_, at) => {
    const batch = sorted.slice(at * BATCH, (at + 1) * BATCH);
    const shortest = batch[0]?.length ?? 0;
    return batch.map((ids) =>
      ids.length === shortest ? ids : [...ids.slice(0, shortest - 1), ...ids.slice(-1)],
    );
  });
}

const BATCH = 8;
