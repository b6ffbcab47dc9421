import { PIXEL_INPUT } from '#contract/manifest.ts';
import { rowOf } from '#core/model/raw-output.ts';
import type { OnnxTools } from '../../adapters/onnxruntime.ts';
import { RunMeter } from './run-meter.ts';
import type { RunTask, TryTask } from '../../adapters/onnxruntime-task.ts';

export type Ids = readonly number[];

/** Inputs of one type, such as texts or images, and how they are passed to a graph. */
export interface Samples<Sample> {
  /** What to set `calibration` to, for messages. */
  readonly ownSamples: string;
  /** Returns a run of a batch, without the graph and its output. */
  readonly runOf: (batch: readonly Sample[]) => Omit<TryTask, 'kind' | 'graph' | 'output'>;
  /** Number of positions of a sample in outputs with one row per position. */
  readonly lengthOf: (sample: Sample) => number;
  /** Creates batches without padding, because hidden states of padding would distort the statistics. */
  readonly evenBatches: (samples: readonly Sample[]) => Sample[][];
}

/** Samples that are the token ids of texts. */
export const textSamples = (inputs: Omit<RunTask, 'graph' | 'images'>): Samples<Ids> => ({
  ownSamples: 'a file with texts like yours',
  runOf: (ids) => ({ ...inputs, ids }),
  lengthOf: (ids) => ids.length,
  evenBatches: (texts) => (inputs.fixedShape ? texts.map((ids) => [ids]) : evenBatches(texts)),
});

/** Samples that are the pixels of images: channels x height x width, all of the same size. */
export const imageSamples = (folder: string, size: readonly number[]): Samples<Float32Array> => ({
  ownSamples: 'a folder with images like yours',
  runOf: (images) => {
    const values = new Float32Array(images.length * size.reduce((product, axis) => product * axis, 1));
    for (const [at, image] of images.entries()) values.set(image, at * image.length);
    return {
      folder,
      inputs: [PIXEL_INPUT],
      padId: 0,
      ids: [],
      images: { values, dims: [images.length, ...size] },
    };
  },
  lengthOf: () => Infinity,
  evenBatches: batchesOf,
});

/** Runs samples through graphs. */
export class Trial<Sample> {
  readonly #runtime: OnnxTools;
  readonly #samples: Samples<Sample>;
  readonly #meter: RunMeter;

  constructor(runtime: OnnxTools, samples: Samples<Sample>, meter = new RunMeter()) {
    this.#runtime = runtime;
    this.#samples = samples;
    this.#meter = meter;
  }

  /** Returns the output for each sample when it is run alone. */
  async alone(graph: string, output: string, samples: readonly Sample[]): Promise<Float32Array[]> {
    const results: Float32Array[] = [];
    for (const sample of samples) {
      const raw = await this.#runtime.tryOut({ ...this.#samples.runOf([sample]), graph, output });
      results.push(rowOf(raw, 0, this.#samples.lengthOf(sample)));
      this.#meter.complete(1);
    }
    return results;
  }

  /** Returns the total CPU time in milliseconds of running each sample alone, as in a server. */
  async processorTime(graph: string, output: string, samples: readonly Sample[]): Promise<number> {
    let total = 0;
    for (const sample of samples) {
      const task = { ...this.#samples.runOf([sample]), graph, output, prepack: true };
      total += (await this.#runtime.tryOut(task)).processorMs;
      this.#meter.complete(1);
    }
    return total;
  }

  /** Returns the output for a batch. */
  async together(graph: string, output: string, batch: readonly Sample[]): Promise<Float32Array> {
    const { data } = await this.#runtime.tryOut({ ...this.#samples.runOf(batch), graph, output });
    this.#meter.complete(batch.length);
    return data;
  }
}

/**
 * Batches of texts with the same length. Texts are sorted by length and shortened to the shortest
 * text in their batch. The last token is kept, because it is special.
 */
const evenBatches = (texts: readonly Ids[]): Ids[][] =>
  batchesOf(texts.toSorted((a, b) => a.length - b.length)).map((batch) => {
    const shortest = batch[0]?.length ?? 0;
    return batch.map((ids) =>
      ids.length === shortest ? ids : [...ids.slice(0, shortest - 1), ...ids.slice(-1)],
    );
  });

const batchesOf = <Sample>(samples: readonly Sample[]): Sample[][] =>
  Array.from({ length: Math.ceil(samples.length / BATCH) }, (_, at) =>
    samples.slice(at * BATCH, (at + 1) * BATCH),
  );

const BATCH = 8;
