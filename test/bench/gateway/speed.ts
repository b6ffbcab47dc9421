import { printTable, ratio } from '../measure/print.ts';
import { interleave, median } from '../measure/rounds.ts';
import type { RunningContestant } from './contestant.ts';
import { direct } from './direct.ts';
import { forMilliseconds, percentile, putLoad } from './load.ts';
import { ours } from './ours.ts';

interface SpeedOptions {
  readonly title: string;
  readonly rounds: number;
  /** Duration of each contestant's turn. */
  readonly turnMs: number;
  readonly concurrency: number;
  /** Streams are measured until their first word. */
  readonly stream?: boolean;
  /** Length of the conversation in each request in bytes. Default: none. */
  readonly conversation?: number;
}

interface Speed {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  /** Additional time compared with direct requests at p50, round by round. */
  readonly added: number;
}

export type Speeds = ReadonlyMap<string, Speed>;

/** Prints a table. */
export async function compareSpeed(
  running: ReadonlyMap<string, RunningContestant>,
  { title, rounds, turnMs, concurrency, stream = false, conversation }: SpeedOptions,
): Promise<Speeds> {
  const names = [...running.keys()];
  const middles = new Map(names.map((name) => [name, [] as number[]]));
  const all = new Map(names.map((name) => [name, [] as number[]]));
  const turns = Object.fromEntries(
    [...running].map(([name, { target }]) => [
      name,
      async () => {
        const goOn = forMilliseconds(turnMs);
        const { perSecond, timings } = await putLoad(target, { concurrency, stream, conversation, goOn });
        const times = timings.map(({ first, whole }) => (stream ? first : whole));
        middles.get(name)?.push(percentile(times, 0.5));
        all.get(name)?.push(...times);
        return perSecond;
      },
    ]),
  );
  const perSecond = await interleave(turns, rounds);
  const base = middles.get(direct.name) ?? [];
  const speeds = new Map(
    names.map((name): [string, Speed] => {
      const own = middles.get(name) ?? [];
      return [
        name,
        {
          perSecond: median(perSecond[name] ?? []),
          p50: median(own),
          p99: percentile(all.get(name) ?? [], 0.99),
          added: median(own.map((value, round) => value - (base[round] ?? NaN))),
        },
      ];
    }),
  );
  const reference = speeds.get(ours.name)?.perSecond ?? NaN;
  const directP99 = speeds.get(direct.name)?.p99 ?? NaN;
  printTable(
    [title, 'requests/s', 'p50 ms', 'p99 ms', 'added p50', 'added p99', 'ours (SQLite) is faster by'],
    [...speeds].map(([name, speed]) => [
      name,
      speed.perSecond.toFixed(0),
      speed.p50.toFixed(2),
      speed.p99.toFixed(2),
      speed.added.toFixed(2),
      (speed.p99 - directP99).toFixed(2),
      ratio(reference / speed.perSecond),
    ]),
  );
  return speeds;
}
