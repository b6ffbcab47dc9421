import { GATEWAY_BEFORE } from '../gateway/ours.ts';
import { megabytes, print, printGoal, printTable } from '../measure/print.ts';
import { median } from '../measure/rounds.ts';
import { PATHS } from '../setup/paths.ts';
import { type MeasuredExperiment, runExperiment, sendDirectly } from '../workflows/experiment-run.ts';
import { startProvider } from '../workflows/provider.ts';
import { type Waited, waitBeside } from '../workflows/waiting-beside.ts';
import type { Section } from './section.ts';

const ROWS = Number(process.env['BENCH_ROWS'] ?? 6000);
const MANY_ROWS = Number(process.env['BENCH_MANY_ROWS'] ?? 100_000);
const ROUNDS = 3;
const DELAY_MS = 3;
const MAX_MS = 1;

/** An experiment with one language model, whose rows are requests to this gateway. */
export const experiments: Section = {
  title: 'Experiments with a language model',
  linuxOnly: true,
  async run(bench) {
    if (process.env['BENCH_GATEWAY'] === undefined) await bench.gateway();
    const programs = new Map([
      ...(GATEWAY_BEFORE === undefined ? [] : [['before', GATEWAY_BEFORE] as const]),
      ['gateway', process.env['BENCH_GATEWAY'] ?? PATHS.gateway] as const,
    ]);
    await processorTime(programs, bench.options.quick ? 1 : ROUNDS);
    if (bench.options.quick) return;
    await waiting(programs);
    await memory(programs);
  },
};

type Programs = ReadonlyMap<string, string>;

interface MeasuredRound extends MeasuredExperiment {
  /** The gateway's CPU time for the requests without a job. */
  readonly direct: number;
}

async function withProvider<Result>(
  use: (providerPort: number, count: () => Promise<number>) => Promise<Result>,
): Promise<Result> {
  const { port, count, stop } = await startProvider(DELAY_MS);
  try {
    return await use(port, count);
  } finally {
    await stop();
  }
}

const run = (
  program: string,
  rows: number,
  meanwhile?: Parameters<typeof runExperiment>[0]['meanwhile'],
): Promise<MeasuredExperiment> =>
  withProvider(async (providerPort, count) => {
    const measured = await runExperiment({ program, providerPort, rows, ...(meanwhile && { meanwhile }) });
    const sent = await count();
    if (measured.usageRows === sent) return measured;
    throw new Error(`${sent} requests reached the provider, and ${measured.usageRows} have a usage row`);
  });

async function processorTime(programs: Programs, rounds: number): Promise<void> {
  const measured = new Map([...programs.keys()].map((name) => [name, [] as MeasuredRound[]]));
  for (let round = 0; round < rounds; round += 1) {
    const order = round % 2 === 0 ? [...programs] : [...programs].toReversed();
    for (const [name, program] of order) {
      const direct = await withProvider((providerPort) =>
        sendDirectly({ program, providerPort, rows: ROWS }),
      );
      measured.get(name)?.push({ ...(await run(program, ROWS)), direct });
    }
  }
  let ofRow = NaN;
  const rows = [...measured].map(([name, runs]) => {
    const middle = (value: (one: MeasuredRound) => number): number => median(runs.map(value));
    const perRow = (value: (one: MeasuredRound) => number): string => (middle(value) / ROWS).toFixed(3);
    ofRow = middle(({ inference }) => inference.gateway + inference.worker) / ROWS;
    return [
      name,
      (ROWS / middle(({ inference }) => inference.seconds)).toFixed(0),
      perRow(({ inference }) => inference.gateway),
      perRow(({ inference }) => inference.worker),
      ofRow.toFixed(3),
      perRow(({ direct }) => direct),
      perRow(({ metrics }) => metrics.gateway),
      perRow(({ metrics }) => metrics.worker),
      perRow(({ comparison }) => comparison.gateway),
    ];
  });
  printTable(
    [
      `${ROWS} rows, processor time per row`,
      'rows/s',
      'gateway, ms',
      'worker, ms',
      'both, ms',
      'direct request, ms',
      'metrics: gateway, ms',
      'worker, ms',
      'comparison: gateway, ms',
    ],
    rows,
  );
  printGoal(`${MAX_MS} ms of processor time per row`, `${ofRow.toFixed(3)} ms`, ofRow <= MAX_MS);
  print();
}

/** Latency of other requests while an experiment runs. */
async function waiting(programs: Programs): Promise<void> {
  const rows: string[][] = [];
  for (const [name, program] of programs) {
    let waited: readonly Waited[] = [];
    await run(program, ROWS, async (gateway, stop) => {
      waited = await waitBeside(gateway, stop);
    });
    for (const { what, p50, p99, max } of waited) {
      rows.push([what, name, p50.toFixed(1), p99.toFixed(1), max.toFixed(1)]);
    }
  }
  printTable(['during an experiment', '', 'p50, ms', 'p99, ms', 'longest, ms'], rows);
}

async function memory(programs: Programs): Promise<void> {
  const rows: string[][] = [];
  for (const [name, program] of programs) {
    for (const count of [ROWS, MANY_ROWS]) {
      const { gatewayMemory, comparisonMemory, workerMemory } = await run(program, count);
      rows.push([
        String(count),
        name,
        megabytes(gatewayMemory),
        megabytes(workerMemory),
        megabytes(comparisonMemory),
      ]);
    }
  }
  printTable(['rows', '', 'gateway at most', 'worker at most', 'gateway, in the comparison'], rows);
}
