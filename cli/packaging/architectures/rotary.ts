import { int } from '#core/onnx/attributes.ts';
import type { ConfigReader } from './config-reader.ts';
import type { EncoderGraph } from './encoder-graph.ts';
import type { Value } from './graph-writer.ts';

/**
 * Longest text, in tokens, for which rotation tables are written. Tables for longer texts would
 * take megabytes, and such texts are not practical on a CPU.
 */
const MAX_POSITIONS = 8192;

export interface Rotary {
  readonly cos: Value;
  readonly sin: Value;
  /** Number of values per head that are rotated; the others stay unchanged. */
  readonly width: number;
  readonly headWidth: number;
  /** Whether pairs are adjacent values instead of the two halves. */
  readonly isInterleaved: boolean;
}

export interface RotaryOptions {
  readonly base: number;
  readonly positions: number;
  readonly headWidth: number;
  readonly width?: number;
  readonly isInterleaved?: boolean;
  /** Adjusts the frequency of a pair (counted from 0), for models that were extended to longer texts. */
  readonly rescale?: (frequency: number, pair: number) => number;
  /** Factor for all values of rotated heads. Default: 1. */
  readonly magnitude?: number;
}

/**
 * The base of the rotation. transformers 5 writes it to `rope_parameters`, once for each kind of
 * layer if the model has several kinds.
 */
export function rotaryBase(config: ConfigReader, key: string, otherwise: number, kind?: string): number {
  const all = config.under('rope_parameters');
  const parameters = kind === undefined ? all : all.under(kind);
  parameters.refuseUnless('rope_type', ['default']);
  return parameters.number('rope_theta', config.number(key, otherwise));
}

/** The rotation tables for each position, computed in float32 as in transformers. */
export function rotaryTables(g: EncoderGraph, options: RotaryOptions): Rotary {
  const { base, headWidth, width = headWidth, isInterleaved = false, magnitude = 1 } = options;
  const { rescale = (value) => value } = options;
  const positions = Math.min(options.positions, MAX_POSITIONS);
  const pairs = width / 2;
  const frequencies = Float32Array.from({ length: pairs }, (_, pair) =>
    rescale(Math.fround(1 / Math.fround(base ** Math.fround((2 * pair) / width))), pair),
  );
  const table = (of: (angle: number) => number): Value =>
    g.writer.floats(
      Float32Array.from(
        { length: positions * pairs },
        (_, at) =>
          Math.fround(of(Math.fround(Math.floor(at / pairs) * (frequencies[at % pairs] ?? 0)))) * magnitude,
      ),
      [positions, pairs],
    );
  return { cos: table(Math.cos), sin: table(Math.sin), width, headWidth, isInterleaved };
}

/** The rotation tables for the frequencies in a weight, which can have been rounded before training. */
export function storedRotaryTables(
  g: EncoderGraph,
  frequencies: string,
  options: Pick<RotaryOptions, 'positions' | 'headWidth'>,
): Rotary {
  const { writer } = g;
  const { headWidth } = options;
  const positions = Math.min(options.positions, MAX_POSITIONS);
  const column = writer.floats(
    Float32Array.from({ length: positions }, (_, at) => at),
    [positions, 1],
  );
  const angles = g.multiply(column, g.weight(frequencies));
  const [cos, sin] = [writer.op('Cos', [angles]), writer.op('Sin', [angles])];
  return { cos, sin, width: headWidth, headWidth, isInterleaved: false };
}

/** Rotates the heads of queries or keys by token position. The value is texts x length x width. */
export function rotate(g: EncoderGraph, rows: Value, heads: number, rotary: Rotary): Value {
  const attributes = [int('interleaved', rotary.isInterleaved ? 1 : 0)];
  if (rotary.width < rotary.headWidth) {
    attributes.push(int('num_heads', heads), int('rotary_embedding_dim', rotary.width));
  }
  const start = g.writer.integers([0]);
  return g.writer.fused('RotaryEmbedding', [g.byText(rows), start, rotary.cos, rotary.sin], ...attributes);
}
