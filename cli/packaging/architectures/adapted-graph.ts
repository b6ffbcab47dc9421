import { configError } from '#contract/errors.ts';
import { ADAPTER_INPUT } from '#contract/manifest.ts';
import { int, ints } from '#core/onnx/attributes.ts';
import { EncoderGraph } from './encoder-graph.ts';
import type { Value } from './graph-writer.ts';
import type { WriteOutput } from './write-graph.ts';

/** The adapter of a graph: the one with this index, or the one that each text selects. */
export type AdapterChoice = number | 'by text';

/** Writes the adapters of tasks (LoRA) into a graph. */
export const withAdapters =
  (choice: AdapterChoice, write: WriteOutput): WriteOutput =>
  (g, architecture) =>
    write(new AdaptedGraph(g, choice), architecture);

/**
 * A graph whose linear layers and tables have an adapter for each task: the product of two narrow
 * matrices, which is added to the weight. PyTorch gives such weights other names.
 *
 * The adapter of one task is added to the weights, which ONNX Runtime does during the build. If each
 * text selects its adapter, the narrow products of all tasks are computed as one, and those of other
 * tasks are multiplied by 0: with 5 tasks of rank 4, this is a product with 20 rows, and texts with
 * different tasks can share a run.
 */
class AdaptedGraph extends EncoderGraph {
  readonly #choice: AdapterChoice;
  readonly #tasks: number;
  readonly #rank: number;
  readonly #scale: number;
  override readonly hasAdapters = true;

  constructor({ weights, config, writer }: EncoderGraph, choice: AdapterChoice) {
    super(weights, config, writer);
    const names = config.value('lora_adaptations');
    this.#choice = choice;
    this.#tasks = Array.isArray(names) ? names.length : 0;
    this.#rank = config.size('lora_rank', 4);
    this.#scale = config.number('lora_alpha', 1) / this.#rank;
  }

  override hasWeight(name: string): boolean {
    return super.hasWeight(name) || this.#adapterOf(name) !== undefined;
  }

  override weight(name: string): Value {
    const adapter = this.#adapterOf(name);
    if (adapter === undefined) return super.weight(name);
    const original = super.weight(adapter.original);
    if (this.#choice === 'by text') return original;
    const { writer } = this;
    const index = writer.integer(this.#choice);
    return writer.once(`${name} with its adapter`, () => {
      const [up, down] = [adapter.up, adapter.down].map((all) =>
        writer.op('Gather', [super.weight(all), index]),
      ) as [Value, Value];
      const product = writer.op('MatMul', [up, down]);
      return this.add(original, this.multiply(product, writer.float(this.#scale)));
    });
  }

  override linear(rows: Value, name: string): Value {
    const { writer } = this;
    const result = super.linear(rows, name);
    const adapter = this.#choice === 'by text' ? this.#adapterOf(`${name}.weight`) : undefined;
    if (adapter === undefined) return result;
    const narrow = writer.op('Gemm', [rows, this.#stacked(adapter.down, adapter.columns)], int('transB', 1));
    const up = writer.op('Transpose', [super.weight(adapter.up)], ints('perm', [0, 2, 1]));
    const ups = writer.op('Reshape', [up, writer.integers([-1, adapter.rows])]);
    return this.add(result, writer.op('MatMul', [this.multiply(narrow, this.#selection), ups]));
  }

  override lookUp(table: string, ids: Value): Value {
    const { writer } = this;
    const result = super.lookUp(table, ids);
    const adapter = this.#choice === 'by text' ? this.#adapterOf(`${table}.weight`) : undefined;
    if (adapter === undefined) return result;
    const byRow = writer.op('Transpose', [super.weight(adapter.up)], ints('perm', [1, 0, 2]));
    const ups = writer.op('Reshape', [byRow, writer.integers([0, -1])]);
    const narrow = this.multiply(writer.op('Gather', [ups, ids]), this.byText(this.#selection));
    return this.add(result, writer.op('MatMul', [narrow, this.#stacked(adapter.down, adapter.columns)]));
  }

  /** The scale for the narrow values of each text's task, and 0 for those of other tasks; one row per token. */
  get #selection(): Value {
    const { writer } = this;
    return writer.once('selection of adapters', () => {
      const wanted = writer.op('Reshape', [writer.input(ADAPTER_INPUT), writer.integers([-1, 1])]);
      const columns = Array.from({ length: this.#tasks * this.#rank }, (_, at) =>
        Math.floor(at / this.#rank),
      );
      const isOfTask = writer.op('Equal', [wanted, writer.integers(columns)]);
      return writer.op('Where', [isOfTask, writer.float(this.#scale), writer.float(0)]);
    });
  }

  /** A matrix of each task, tasks x rank x columns, as one matrix. */
  #stacked(name: string, columns: number): Value {
    return this.writer.op('Reshape', [super.weight(name), this.writer.integers([-1, columns])]);
  }

  /** The narrow matrices of a weight; undefined if it has no adapters. */
  #adapterOf(weight: string): Adapter | undefined {
    const name = weight.replace(/weight$/, 'parametrizations.weight');
    const original = `${name}.original`;
    if (!this.weights.has(original)) return undefined;
    const { shape } = this.weights.get(original);
    const [rows = 0, columns = 0] = shape;
    // In linear layers, A is applied first. In tables, A has a row for each id.
    const [a, b] = [`${name}.0.lora_A`, `${name}.0.lora_B`];
    for (const [down, up] of [
      [a, b],
      [b, a],
    ] as const) {
      const isDown = isEqual(this.weights.get(down).shape, [this.#tasks, this.#rank, columns]);
      if (isDown && isEqual(this.weights.get(up).shape, [this.#tasks, rows, this.#rank]))
        return { original, down, up, rows, columns };
    }
    const shapes = [original, a, b].map((one) => `${one} [${this.weights.get(one).shape.join(', ')}]`);
    throw configError(
      `The shapes of the adapters do not match \`lora_adaptations\` (${this.#tasks} tasks) and \`lora_rank\` (${this.#rank}) in config.json: ${shapes.join(', ')}. Use the config.json that belongs to the weights.`,
    );
  }
}

/** Names and size of a weight and of its adapters. */
interface Adapter {
  readonly original: string;
  /** The matrix that is applied first: tasks x rank x columns. */
  readonly down: string;
  /** The matrix that is applied second: tasks x rows x rank. */
  readonly up: string;
  readonly rows: number;
  readonly columns: number;
}

const isEqual = (shape: readonly number[], expected: readonly number[]): boolean =>
  shape.length === expected.length && shape.every((size, axis) => size === expected[axis]);
