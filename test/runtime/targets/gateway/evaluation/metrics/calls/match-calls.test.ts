import { describe, expect, test } from 'vitest';
import { callScores } from '#gateway/evaluation/metrics/calls/call-scores.ts';
import { containsJson, isEqualJson } from '#gateway/evaluation/metrics/calls/json-equal.ts';
import { type CallOrder, matchCalls } from '#gateway/evaluation/metrics/calls/match-calls.ts';
import { acceptsOptions } from '#gateway/evaluation/metrics/calls/options.ts';
import { readGolden } from '../golden-metrics.ts';

interface Call {
  readonly name: string;
  readonly arguments: object;
}
interface Case extends Partial<Record<CallOrder, boolean>> {
  readonly expected: readonly Call[];
  readonly made: readonly Call[];
  readonly mode: 'exact' | 'subset';
  readonly matched: number;
  readonly named: number;
  readonly inOrder?: number;
}
interface Golden {
  readonly cases: readonly Case[];
  readonly options: readonly {
    readonly options: Readonly<Record<string, unknown>>;
    readonly given: object;
    readonly valid: boolean;
  }[];
}

/** Results of other libraries, created by fixtures/scripts/make_call_metrics.py. */
const golden = readGolden('calls') as Golden;

const groupOf = ({ expected, made, mode }: Pick<Case, 'expected' | 'made' | 'mode'>, order: CallOrder) => ({
  expected: expected.map((call) => ({
    name: call.name,
    accepts: (given: unknown) =>
      mode === 'exact' ? isEqualJson(given, call.arguments) : containsJson(given, call.arguments),
  })),
  made,
  order,
});

describe('calls', () => {
  test('assignments, names and subsequences equal those of networkx and RapidFuzz', () => {
    const wrong = golden.cases.filter((one) => {
      const { matched, named, inOrder } = matchCalls(groupOf(one, 'ordered'));
      return matched !== one.matched || named !== one.named || inOrder !== (one.inOrder ?? inOrder);
    });
    expect(wrong).toEqual([]);
    expect(golden.cases.filter(({ inOrder }) => inOrder !== undefined).length).toBeGreaterThan(150);
  });

  test.each(['ordered', 'unordered', 'subset', 'superset'] as const)(
    'lists of calls that are correct as a whole (%s) are those of agentevals',
    (order) => {
      const known = golden.cases.filter((one) => one[order] !== undefined);
      const wrong = known.filter((one) => matchCalls(groupOf(one, order)).isCorrect !== one[order]);
      expect(wrong).toEqual([]);
      expect(new Set(known.map((one) => one[order]))).toEqual(new Set([true, false]));
    },
  );

  test('a prefix can be followed by any calls', () => {
    const call = (name: string): Call => ({ name, arguments: {} });
    const correct = (expected: string, made: string): boolean =>
      matchCalls(
        groupOf(
          { expected: Array.from(expected, call), made: Array.from(made, call), mode: 'exact' },
          'prefix',
        ),
      ).isCorrect;
    expect(['ab', 'abc', 'a', 'ba', 'cab', ''].map((made) => correct('ab', made))).toEqual([
      true,
      true,
      false,
      false,
      false,
      false,
    ]);
  });

  test('a call that fits several expected calls is assigned so that the most calls match', () => {
    const any = { name: 'f', accepts: () => true };
    const only = { name: 'f', accepts: (given: unknown) => given === 1 };
    const made = [
      { name: 'f', arguments: 1 },
      { name: 'f', arguments: 2 },
    ];
    expect(matchCalls({ expected: [any, only], made, order: 'unordered' })).toMatchObject({
      matched: 2,
      isCorrect: true,
    });
  });
});

describe('arguments', () => {
  test('lists of accepted values match the same arguments as in bfcl-eval', () => {
    const wrong = golden.options.filter(
      ({ options, given, valid }) => acceptsOptions(options)(given) !== valid,
    );
    expect(wrong).toEqual([]);
    expect(golden.options.filter(({ valid }) => valid).length).toBeGreaterThan(50);
  });

  test('the order of members has no meaning, and inherited members do not exist', () => {
    expect(isEqualJson({ a: 1, b: [{}] }, { b: [{}], a: 1 })).toBe(true);
    expect(isEqualJson({ constructor: 1 }, { a: 1 })).toBe(false);
    expect(isEqualJson([1, 2], [2, 1])).toBe(false);
    expect(isEqualJson([], {})).toBe(false);
    expect(isEqualJson(0, -0)).toBe(true);
    expect(isEqualJson(null, undefined)).toBe(false);
    expect(containsJson({ a: { b: 1, c: 2 } }, { a: { b: 1 } })).toBe(true);
    expect(containsJson({ a: { b: 1 } }, { a: { b: 1, c: 2 } })).toBe(false);
    expect(containsJson({}, { toString: undefined })).toBe(false);
  });

  test('values that are nested too deeply count as different instead of exhausting the stack', () => {
    const deep = (): unknown => JSON.parse(`${'['.repeat(200_000)}${']'.repeat(200_000)}`);
    expect(isEqualJson(deep(), deep())).toBe(false);
  });
});

describe('scores', () => {
  const call = (name: string) => ({ name, accepts: (given: unknown) => given === 1 });
  test('a row has a share for each part, over all turns', () => {
    const groups = [
      { expected: [call('a')], made: [{ name: 'a', arguments: 1 }], order: 'ordered' as const },
      {
        expected: [call('b'), call('c')],
        made: [
          { name: 'c', arguments: 1 },
          { name: 'b', arguments: 2 },
          { name: 'd', arguments: 1 },
        ],
        order: 'ordered' as const,
      },
    ];
    expect(callScores(groups)).toEqual({
      precision: 0.5,
      recall: 2 / 3,
      f1: expect.closeTo(4 / 7, 12),
      order: 0.5,
      arguments: 2 / 3,
      match: 0,
    });
  });

  test('no calls are correct if none are expected, and calls are wrong', () => {
    expect(callScores([{ expected: [], made: [], order: 'ordered' }])).toEqual({
      precision: 1,
      recall: 1,
      f1: 1,
      order: 1,
      match: 1,
    });
    expect(
      callScores([{ expected: [], made: [{ name: 'a', arguments: 1 }], order: 'ordered' }]),
    ).toMatchObject({ precision: 0, f1: 0, match: 0 });
    expect(callScores([{ expected: [call('a')], made: [], order: 'ordered' }])).toMatchObject({
      precision: 0,
      recall: 0,
      f1: 0,
    });
    expect(callScores(null)).toMatchObject({ f1: 0, match: 0 });
  });
});
