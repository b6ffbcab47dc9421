/** A tool call that a model has made. */
interface MadeCall {
  readonly name: string;
  readonly arguments: unknown;
}

/** A tool call that a model should make. */
export interface ExpectedCall {
  readonly name: string;
  /** Whether a call's arguments are the expected ones. */
  readonly accepts: (given: unknown) => boolean;
}

/**
 * Which calls are correct as a whole: exactly the expected ones, in order or in any order; the expected ones first
 * and any others later; only expected ones; at least the expected ones.
 */
export const CALL_ORDERS = ['ordered', 'unordered', 'prefix', 'subset', 'superset'] as const;
export type CallOrder = (typeof CALL_ORDERS)[number];

/** The calls in a conversation, or in one of its turns. */
export interface CallGroup {
  readonly expected: readonly ExpectedCall[];
  readonly made: readonly MadeCall[];
  readonly order: CallOrder;
}

export interface MatchedCalls {
  /** Size of the largest one-to-one assignment of calls to expected calls. */
  readonly matched: number;
  /** The same, by names alone. */
  readonly named: number;
  /** Length of the longest common subsequence. */
  readonly inOrder: number;
  /** Whether the calls are correct as a whole. */
  readonly isCorrect: boolean;
}

/** Compares calls with the expected ones. */
export function matchCalls({ expected, made, order }: CallGroup): MatchedCalls {
  const fits = expected.map(({ name, accepts }) =>
    made.map((call) => call.name === name && accepts(call.arguments)),
  );
  const matched = largestAssignment(fits, made.length);
  return {
    matched,
    named: commonNames(expected, made),
    inOrder: longestSubsequence(fits, made.length),
    isCorrect: isCorrect(order, fits, { matched, expected: expected.length, made: made.length }),
  };
}

type Fits = readonly (readonly boolean[])[];

function isCorrect(
  order: CallOrder,
  fits: Fits,
  { matched, expected, made }: { readonly matched: number; readonly expected: number; readonly made: number },
): boolean {
  const isInSequence = (): boolean => fits.every((row, at) => row[at] === true);
  if (order === 'ordered') return expected === made && isInSequence();
  if (order === 'prefix') return isInSequence();
  if (order === 'unordered') return expected === made && matched === expected;
  return matched === (order === 'subset' ? made : expected);
}

function commonNames(expected: readonly ExpectedCall[], made: readonly MadeCall[]): number {
  const left = new Map<string, number>();
  for (const { name } of expected) left.set(name, (left.get(name) ?? 0) + 1);
  let common = 0;
  for (const { name } of made) {
    const count = left.get(name) ?? 0;
    if (count === 0) continue;
    left.set(name, count - 1);
    common += 1;
  }
  return common;
}

/** Kuhn's algorithm: each expected call takes a call, and moves an earlier one to another call if it has to. */
function largestAssignment(fits: Fits, made: number): number {
  const takenBy = new Int32Array(made).fill(-1);
  let size = 0;
  for (const at of fits.keys()) if (assign(at, fits, takenBy, new Uint8Array(made))) size += 1;
  return size;
}

function assign(row: number, fits: Fits, takenBy: Int32Array, tried: Uint8Array): boolean {
  for (const [call, isFit] of (fits[row] ?? []).entries()) {
    if (!isFit || tried[call] === 1) continue;
    tried[call] = 1;
    const holder = takenBy[call] ?? -1;
    if (holder !== -1 && !assign(holder, fits, takenBy, tried)) continue;
    takenBy[call] = row;
    return true;
  }
  return false;
}

function longestSubsequence(fits: Fits, made: number): number {
  let above = new Int32Array(made + 1);
  for (const row of fits) {
    const current = new Int32Array(made + 1);
    for (let call = 0; call < made; call++) {
      const [skipped, left, diagonal] = [above[call + 1] ?? 0, current[call] ?? 0, above[call] ?? 0];
      current[call + 1] = row[call] === true ? diagonal + 1 : Math.max(skipped, left);
    }
    above = current;
  }
  return above[made] ?? 0;
}
