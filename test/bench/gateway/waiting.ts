import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { printTable } from '../measure/print.ts';
import { median } from '../measure/rounds.ts';
import { openConnection, requestTo } from './connection.ts';
import type { RunningContestant, Target } from './contestant.ts';
import { LARGE_LOADS } from './large-requests.ts';
import { percentile } from './load.ts';

interface Round {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
  /** Large requests that were completed in the meantime. */
  readonly large: number;
}

const ROUND_MS = 4000;
/** Pause between two small requests. */
const PAUSE_MS = 3;
const NOTHING = 'nothing else';

/** Prints how long a small request takes during each large load, by contestant. */
export async function compareWaiting(
  contestants: ReadonlyMap<string, RunningContestant>,
  rounds: number,
): Promise<void> {
  const rows: string[][] = [];
  for (const load of [NOTHING, ...LARGE_LOADS.map(({ name }) => name)]) {
    const measured = new Map([...contestants.keys()].map((name) => [name, [] as Round[]]));
    for (let round = 0; round < rounds; round += 1) {
      const order = round % 2 === 0 ? [...contestants] : [...contestants].toReversed();
      for (const [name, { target }] of order) measured.get(name)?.push(await measure(target, load));
    }
    for (const [name, own] of measured) {
      const middle = (value: keyof Round): string => median(own.map((round) => round[value])).toFixed(1);
      const least = Math.min(...own.map(({ p99 }) => p99)).toFixed(1);
      rows.push([load, name, middle('p50'), middle('p99'), least, middle('max'), middle('large')]);
    }
  }
  printTable(
    [
      'a small request next to',
      '',
      'p50, ms',
      'p99, ms',
      'p99 of the best round',
      'longest, ms',
      'large requests answered',
    ],
    rows,
  );
}

async function measure(target: Target, load: string): Promise<Round> {
  const large = load === NOTHING ? undefined : await startLoad(target, load);
  const { ask, close } = await openConnection(target);
  try {
    const request = requestTo(target, 'chat');
    const times: number[] = [];
    const end = performance.now() + ROUND_MS;
    while (performance.now() < end) {
      times.push((await ask(request)).whole);
      await sleep(PAUSE_MS);
    }
    return {
      p50: percentile(times, 0.5),
      p99: percentile(times, 0.99),
      max: Math.max(...times),
      large: large?.answered() ?? 0,
    };
  } finally {
    close();
    await large?.stop();
  }
}

/** Resolves after the first large response, when all code has been compiled. */
async function startLoad(
  { port, headers }: Target,
  name: string,
): Promise<{ readonly answered: () => number; readonly stop: () => Promise<void> }> {
  const program = join(import.meta.dirname, 'large-load-process.ts');
  const child = spawn(process.execPath, [program, String(port), name, headers['authorization'] ?? ''], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const lines = createInterface({ input: child.stdout });
  await Promise.race([
    once(lines, 'line'),
    ended.then(() => Promise.reject(new Error(`The load of ${name} has failed.`))),
  ]);
  let answered = 0;
  lines.on('line', () => (answered += 1));
  return {
    answered: () => answered,
    async stop() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
