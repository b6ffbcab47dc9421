import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { multiply } from '#core/tensor/broadcast.ts';
import { elementAt } from '#core/tensor/convert.ts';
import { reduceAll, SUM } from '#core/tensor/reduce.ts';
import { allocateFloats, type Operand, type Tensor } from '#core/tensor/tensor.ts';
import type { Callback } from '#transform/member.ts';
import { FIXTURES } from '../../helpers/paths.ts';

/** Numbers that JSON cannot represent, as written in the file. */
type StoredNumber = number | 'nan' | 'inf' | '-inf';

type Stored =
  | StoredNumber
  | { readonly tensor: number }
  | { readonly list: readonly Stored[] }
  | { readonly function: keyof typeof FUNCTIONS }
  | { readonly value: string | boolean | null };

interface GoldenFile {
  readonly tensors: readonly { readonly shape: readonly number[]; readonly data: readonly StoredNumber[] }[];
  readonly members: Readonly<
    Record<
      string,
      {
        readonly compare: 'same' | 'equal' | 'close';
        readonly cases: readonly {
          readonly args: readonly Stored[];
          readonly result?: Stored;
          readonly fails?: true;
        }[];
      }
    >
  >;
}

export interface GoldenCase {
  /** The arguments as written in the file, for messages. */
  readonly text: string;
  readonly values: readonly unknown[];
  /** Undefined if numpy raises an error. */
  readonly result: unknown;
}

export interface GoldenMember {
  /** Identical bits, identical except for the sign of zeros, or nearly identical. */
  readonly compare: 'same' | 'equal' | 'close';
  readonly cases: readonly GoldenCase[];
}

/** Results of numpy for members, by name; functions of `Tensor` itself are named `Tensor.name`. */
export function readGoldenTensors(): Map<string, GoldenMember> {
  const file = JSON.parse(readFileSync(join(FIXTURES, 'golden/tensors.json'), 'utf8')) as GoldenFile;
  const tensors = file.tensors.map(({ shape, data }) => ({ shape, data: Float32Array.from(data, toNumber) }));
  const decode = (stored: Stored): unknown => {
    if (typeof stored !== 'object') return toNumber(stored);
    if ('tensor' in stored) return tensors[stored.tensor];
    if ('list' in stored) return stored.list.map(decode);
    return 'function' in stored ? FUNCTIONS[stored.function] : (stored.value ?? undefined);
  };
  return new Map(
    Object.entries(file.members).map(([name, { compare, cases }]) => [
      name,
      {
        compare,
        cases: cases.map(({ args, result }) => ({
          text: JSON.stringify(args.map((arg) => (isTensorNumber(arg) ? file.tensors[arg.tensor] : arg))),
          values: args.map(decode),
          result: result === undefined ? undefined : decode(result),
        })),
      },
    ]),
  );
}

const isTensorNumber = (stored: Stored): stored is { tensor: number } =>
  typeof stored === 'object' && 'tensor' in stored;

const toNumber = (stored: StoredNumber): number =>
  typeof stored === 'number' ? stored : { nan: Number.NaN, inf: Infinity, '-inf': -Infinity }[stored];

/** The functions of `make_tensors.py`. */
const FUNCTIONS = {
  double: (slice) => multiply(allocateFloats, slice ?? 0, 2),
  total: (slice) => reduceAll(asTensor(slice), 'sum', SUM),
  first: (slice) => elementAt(asTensor(slice), 1),
  decay: (soFar, element) => Number(soFar) * 0.5 + Number(element),
  greater: (soFar, element) => Math.max(Number(soFar), Number(element)),
} satisfies Record<string, Callback>;

function asTensor(operand: Operand | undefined): Tensor {
  if (typeof operand === 'object') return operand;
  throw new Error(`a slice was given as ${operand}`);
}
