import { expect, test } from 'vitest';
import { AppError } from '#contract/errors.ts';
import {
  type Assertion,
  checkAssertions,
  type ComparedModel,
  validateAssertions,
} from '#gateway/commands/experiment/assertions.ts';
import { baselineTable } from '#gateway/commands/experiment/baseline-table.ts';
import { junitReport } from '#gateway/commands/experiment/junit.ts';

const modelOf = (name: string, accuracy: number, own: Partial<ComparedModel> = {}): ComparedModel => ({
  name,
  status: 'succeeded',
  error: null,
  rows: 10,
  answered_rows: 9,
  cost: null,
  cost_per_row: null,
  tokens_per_row: 12,
  rows_per_second: 4,
  latency_ms: { mean: 5, p50: 4, p95: 20 },
  metrics: { accuracy: { value: accuracy } },
  ...own,
});
const BROKEN = modelOf('broken', 0, { status: 'failed', error: 'down', metrics: {}, latency_ms: null });

/** The failed assertions of the model `m`, whose accuracy is 0.8 and was 0.9. */
const problemOf = (assertion: Assertion, model = modelOf('m', 0.8)): string | undefined =>
  checkAssertions([assertion], [model], [modelOf('m', 0.9)])[0]?.problem;

test.each<[Assertion, string | undefined]>([
  [{ metric: 'accuracy', min: 0.8 }, undefined],
  [{ metric: 'accuracy', min: 0.81 }, 'accuracy is 0.8; the minimum is 0.81.'],
  [{ metric: 'p95_latency_ms', max: 19.5 }, 'p95_latency_ms is 20; the maximum is 19.5.'],
  [{ metric: 'answered_share', min: 0.9 }, undefined],
  [{ metric: 'accuracy', max_drop: 0.2 }, undefined],
  [
    { metric: 'accuracy', max_drop: 0.05 },
    'accuracy is 0.8; it was 0.9 in the baseline, and it can drop by 0.05.',
  ],
  [{ metric: 'tokens_per_row', max_rise: 0 }, undefined],
  [
    { metric: 'cost', max: 1 },
    expect.stringMatching(/^m has no cost. It has accuracy, answered_share, cost,/),
  ],
  [{ metric: 'f1', max_drop: 1 }, 'The baseline has no f1 for m.'],
])('checks %j', (assertion, problem) => {
  expect(problemOf(assertion)).toEqual(problem);
});

test('an assertion without a model applies to all models, and fails for models whose run failed', () => {
  const checked = checkAssertions(
    [
      { metric: 'accuracy', min: 0.5 },
      { metric: 'accuracy', max: 1, model: 'm' },
    ],
    [modelOf('m', 0.8), BROKEN],
    [],
  );
  expect(checked).toEqual([
    { model: 'm', condition: 'accuracy >= 0.5', problem: undefined },
    { model: 'm', condition: 'accuracy <= 1', problem: undefined },
    {
      model: 'broken',
      condition: 'accuracy >= 0.5',
      problem: 'broken has no accuracy, because it failed: down',
    },
  ]);
});

test.each<[Assertion, boolean, string]>([
  [{ metric: 'a', min: 1, model: 'n' }, true, 'is for the model "n", which is not in the file. Models: m.'],
  [{ metric: 'a' }, true, 'has no limit. Add min, max, max_drop or max_rise.'],
  [
    { metric: 'a', max_rise: 1 },
    false,
    'compares with a baseline. Set --baseline to an experiment ID, or to a file with a comparison.',
  ],
])(
  'assertions that can never be checked are rejected before models run: %j',
  (assertion, hasBaseline, message) => {
    let refusal = '';
    try {
      validateAssertions([assertion], ['m'], hasBaseline);
    } catch (error) {
      refusal = AppError.from(error).message;
    }
    expect(refusal).toBe(`The assertion for "a" ${message}`);
  },
);

test('the CI report has one suite per model, and characters that XML does not allow are replaced', () => {
  const report = junitReport({
    experiment: 'a "b" & <c>',
    models: [modelOf('m', 1), { ...BROKEN, error: 'line\n\u0000 \uD800' }],
    assertions: [
      { model: 'm', condition: 'accuracy >= 1', problem: undefined },
      { model: 'm', condition: 'cost <= 1', problem: 'too much' },
    ],
  });
  const name = 'a &quot;b&quot; &amp; &lt;c&gt;';
  expect(report).toBe(
    [
      '<?xml version="1.0" encoding="UTF-8"?>',
      `<testsuites name="${name}" tests="4" failures="1" errors="1">`,
      '  <testsuite name="m" tests="3" failures="1" errors="0">',
      `    <testcase classname="${name}.m" name="runs"/>`,
      `    <testcase classname="${name}.m" name="accuracy &gt;= 1"/>`,
      `    <testcase classname="${name}.m" name="cost &lt;= 1"><failure message="too much"/></testcase>`,
      '  </testsuite>',
      '  <testsuite name="broken" tests="1" failures="0" errors="1">',
      `    <testcase classname="${name}.broken" name="runs"><error message="line&#10;\uFFFD \uFFFD"/></testcase>`,
      '  </testsuite>',
      '</testsuites>',
      '',
    ].join('\n'),
  );
});

test('the table of changes since a baseline contains the models that are in both experiments', () => {
  const table = baselineTable([modelOf('a|b', 0.8), modelOf('new', 1)], [modelOf('a|b', 0.9)]);
  expect(table.split('\n').slice(4)).toEqual([
    String.raw`| a\|b | accuracy | 0.9 | 0.8 | -0.1 |`,
    String.raw`| a\|b | p95_latency_ms | 20 | 20 | 0 |`,
  ]);
});
