// Simulates shadow evaluations and A/B tests and prints how often their verdicts are wrong, how many rows they need, and how good the
// estimates of further rows are. Fails if more than 5% are wrong. `--experiments 1000` is faster.
import { parseArgs } from 'node:util';
import { type AbOptions, INTERVALS, POPULATIONS, runAbExperiment } from './simulate-ab.ts';
import { type Experiment, type ExperimentOptions, runExperiment, SCORES } from './simulate.ts';

const { values } = parseArgs({
  options: {
    experiments: { type: 'string', default: '10000' },
    rows: { type: 'string', default: '1000' },
    seed: { type: 'string', default: '1' },
  },
});
const [experiments, rows, seed] = [values.experiments, values.rows, values.seed].map(Number) as [
  number,
  number,
  number,
];
const [MARGIN, ALPHA] = [0.05, 0.05];

const run = (
  options: Omit<ExperimentOptions, 'alpha' | 'rows' | 'seed'>,
  count = experiments,
): Experiment[] =>
  Array.from({ length: count }, (_, at) =>
    runExperiment({ ...options, alpha: ALPHA, rows, seed: seed * 1_000_003 + at }),
  );
const share = (all: readonly Experiment[], verdict: string): number =>
  all.filter((one) => one.verdict === verdict).length / all.length;
const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? NaN;
const percent = (one: number): string => `${(100 * one).toFixed(2)}%`;

console.log(
  `${experiments} experiments of up to ${rows} rows each, read after every row; margin ${MARGIN}, 95%\n`,
);
console.log(
  'Wrong verdicts. At the margin, both verdicts are wrong, so their sum is how often the interval misses.',
);
console.log('scores              true difference   false "worse"   false "not worse"   interval misses');
let isWrong = false;
for (const scores of SCORES)
  for (const mean of [-MARGIN, 0]) {
    if (scores.name === 'tool calls' && mean === 0) continue;
    const all = run({ scores, mean, margin: MARGIN });
    const [worse, notWorse] = [share(all, 'worse'), mean === 0 ? 0 : share(all, 'not_worse')];
    // The interval misses a mean exactly if a test against this mean is decided.
    const missed = 1 - share(run({ scores, mean, margin: -mean }), 'undecided');
    isWrong ||= worse > ALPHA || notWorse > ALPHA || missed > ALPHA;
    const cells = [percent(worse), mean === 0 ? '-' : percent(notWorse), percent(missed)];
    console.log(
      `${scores.name.padEnd(20)}${String(mean).padEnd(18)}${cells[0]?.padEnd(16)}${cells[1]?.padEnd(20)}${cells[2]}`,
    );
  }

const ESTIMATE_AT = 50;
const fewer = Math.ceil(experiments / 10);
console.log(`\nPower, from ${fewer} experiments each. The estimate is made after ${ESTIMATE_AT} rows.`);
console.log(
  'scores              true difference   worse     not worse   median rows   median of estimated / actual',
);
for (const scores of SCORES)
  for (const mean of [-0.3, -0.2, -0.15, -0.1, 0, 0.1]) {
    if (scores.name === 'tool calls' && mean > 0) continue;
    const all = run({ scores, mean, margin: MARGIN, estimateAt: ESTIMATE_AT }, fewer);
    const ratios = all.flatMap(({ estimate, rows: needed, verdict }) =>
      estimate === undefined || verdict === 'undecided' ? [] : [estimate / (needed - ESTIMATE_AT)],
    );
    const estimated = ratios.length < 20 ? '-' : median(ratios).toFixed(2);
    const cells = [percent(share(all, 'worse')), percent(share(all, 'not_worse'))];
    console.log(
      `${scores.name.padEnd(20)}${String(mean).padEnd(18)}${cells[0]?.padEnd(10)}${cells[1]?.padEnd(12)}` +
        `${String(median(all.map((one) => one.rows))).padEnd(14)}${estimated}`,
    );
  }

const runAb = (options: Omit<AbOptions, 'alpha' | 'users' | 'seed'>, count = experiments): Experiment[] =>
  Array.from({ length: count }, (_, at) =>
    runAbExperiment({ ...options, alpha: ALPHA, users: rows, seed: seed * 1_000_003 + at }),
  );

console.log(
  `\nA/B tests of up to ${rows} users, read after every user. The last column counts each request on its own.`,
);
console.log(
  'users                        true difference   false "worse"   false "not worse"   interval misses   by request',
);
for (const population of POPULATIONS)
  for (const difference of [-MARGIN, 0]) {
    const all = runAb({ population, difference, margin: MARGIN });
    const [worse, notWorse] = [share(all, 'worse'), difference === 0 ? 0 : share(all, 'not_worse')];
    const missed = 1 - share(runAb({ population, difference, margin: -difference }), 'undecided');
    const wrongUnits = runAb({ population, difference, margin: -difference, byRequest: true }, fewer);
    isWrong ||= worse > ALPHA || notWorse > ALPHA || missed > ALPHA;
    const cells = [percent(worse), difference === 0 ? '-' : percent(notWorse), percent(missed)];
    console.log(
      `${population.name.padEnd(29)}${String(difference).padEnd(18)}${cells[0]?.padEnd(16)}${cells[1]?.padEnd(20)}` +
        `${cells[2]?.padEnd(18)}${percent(1 - share(wrongUnits, 'undecided'))}`,
    );
  }

console.log(`\nPower of A/B tests, from ${fewer} experiments each of up to ${10 * rows} users.`);
console.log('users                        true difference   worse     not worse   median users');
for (const population of POPULATIONS)
  for (const difference of [-0.3, -0.2, -0.1, 0]) {
    const all = Array.from({ length: fewer }, (_, at) =>
      runAbExperiment({
        population,
        difference,
        margin: MARGIN,
        alpha: ALPHA,
        users: 10 * rows,
        seed: seed * 1_000_003 + at,
      }),
    );
    const cells = [percent(share(all, 'worse')), percent(share(all, 'not_worse'))];
    console.log(
      `${population.name.padEnd(29)}${String(difference).padEnd(18)}${cells[0]?.padEnd(10)}${cells[1]?.padEnd(12)}` +
        `${median(all.map((one) => one.rows))}`,
    );
  }

console.log(`\nIntervals of costs and durations, from ${fewer} experiments each, read after every 20 rows.`);
console.log('value                            misses in any reading');
for (const { name, misses } of INTERVALS) {
  const missed = Array.from({ length: fewer }, (_, at) => misses(seed * 1_000_003 + at, rows, ALPHA));
  const rate = missed.filter(Boolean).length / fewer;
  isWrong ||= rate > ALPHA;
  console.log(`${name.padEnd(33)}${percent(rate)}`);
}

if (isWrong) {
  console.error('\nMore than 5% of the verdicts are wrong.');
  process.exitCode = 1;
}
