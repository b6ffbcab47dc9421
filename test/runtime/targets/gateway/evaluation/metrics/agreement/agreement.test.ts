import { describe, expect, test } from 'vitest';
import { agreementOf, type Estimate } from '#gateway/evaluation/metrics/agreement/agreement.ts';
import { RATING_LEVELS, type Rating, readRatings } from '#gateway/evaluation/metrics/agreement/ratings.ts';
import { runSteps } from '../compare/run-steps.ts';
import { readGolden, wrongNumber } from '../golden-metrics.ts';

type Value = number | null;
interface Golden {
  readonly examples: readonly {
    readonly ratings: readonly (readonly Value[])[];
    readonly pairs: readonly Readonly<Record<'equal' | 'none' | 'linear' | 'quadratic', Value>>[];
    readonly fleiss: Value;
    readonly alpha: Readonly<Record<(typeof RATING_LEVELS)[number], Value>>;
  }[];
}

/** Results of scikit-learn, statsmodels and krippendorff, created by fixtures/scripts/make_agreement.py. */
const { examples } = readGolden('agreement') as Golden;

/** Few resamples suffice where only the value is compared. */
const agreement = (
  columns: readonly (readonly Rating[])[],
  level: (typeof RATING_LEVELS)[number],
  resamples = 2,
) => runSteps(agreementOf(readRatings(columns, level), level, { resamples }));

const valueOf = (estimate: Estimate | null): Value => estimate?.value ?? null;

describe('agreement of raters', () => {
  test('kappas equal those of scikit-learn and statsmodels, with missing ratings', () => {
    const wrong = examples.flatMap(({ ratings, pairs, fleiss }, at) => {
      const ordinal = agreement(ratings, 'ordinal');
      return [
        ...wrongNumber(valueOf(ordinal.fleissKappa), fleiss, `${at} fleiss`),
        ...pairs.flatMap((golden, pair) => {
          const found = ordinal.pairs[pair];
          return [
            ...wrongNumber(valueOf(found?.equal ?? null), golden.equal, `${at}.${pair} equal`),
            ...wrongNumber(valueOf(found?.kappa ?? null), golden.none, `${at}.${pair} kappa`),
            ...wrongNumber(valueOf(found?.linearKappa ?? null), golden.linear, `${at}.${pair} linear`),
            ...wrongNumber(
              valueOf(found?.quadraticKappa ?? null),
              golden.quadratic,
              `${at}.${pair} quadratic`,
            ),
          ];
        }),
      ];
    });
    expect(wrong).toEqual([]);
    expect(examples.filter(({ fleiss }) => fleiss !== null).length).toBeGreaterThan(20);
  });

  test.each(RATING_LEVELS)('alphas for %s ratings equal those of krippendorff', (level) => {
    const wrong = examples.flatMap(({ ratings, alpha }, at) =>
      wrongNumber(valueOf(agreement(ratings, level).alpha), alpha[level], `${at}`),
    );
    expect(wrong).toEqual([]);
  });

  test('an interval contains the value, and is narrower for more rows', () => {
    const columns = (rows: number): Rating[][] => [
      Array.from({ length: rows }, (_, row) => row % 3),
      Array.from({ length: rows }, (_, row) => (row % 4 === 0 ? 0 : row % 3)),
    ];
    const [few, many] = [40, 4000].map((rows) => agreement(columns(rows), 'nominal', 1000).pairs[0]?.kappa);
    const width = (estimate: Estimate | null | undefined): number =>
      (estimate?.interval?.high ?? 0) - (estimate?.interval?.low ?? 0);
    expect(few?.interval?.low).toBeLessThan(few?.value ?? 0);
    expect(few?.interval?.high).toBeGreaterThan(few?.value ?? 0);
    expect(width(few)).toBeGreaterThan(5 * width(many));
  });

  test('raters who only use one category have no kappa', () => {
    const { pairs, alpha } = agreement(
      [
        [1, 1],
        [1, 1],
      ],
      'ordinal',
    );
    expect(pairs[0]).toMatchObject({ equal: { value: 1 }, kappa: { value: null, interval: null } });
    expect(alpha.value).toBeNull();
  });

  test('texts are categories, and only numbers have an order', () => {
    const columns = [
      ['good', 'bad', null],
      ['good', 'good', 'bad'],
    ];
    expect(agreement(columns, 'nominal').pairs[0]).toMatchObject({ rows: 2, equal: { value: 0.5 } });
    expect(() => readRatings(columns, 'ordinal')).toThrow(
      'The rating "bad" is not a number, which level ordinal requires. Use level=nominal.',
    );
  });

  test('too many different ratings are rejected before a table is allocated', () => {
    const columns = [Array.from({ length: 101 }, (_, at) => at / 7)];
    expect(() => readRatings(columns, 'ordinal')).toThrow(
      'There are 101 different ratings; level ordinal supports at most 100. Set a threshold, or use level=interval.',
    );
    expect(readRatings(columns, 'interval').categories).toHaveLength(101);
  });
});
