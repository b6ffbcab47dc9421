import type { Contestant, RunningContestant } from '../gateway/contestant.ts';
import { direct } from '../gateway/direct.ts';
import { holdStreams } from '../gateway/idle-streams.ts';
import { forMilliseconds, putLoad, times } from '../gateway/load.ts';
import { ours, oursBefore, oursOnPostgres, oursWithoutBudgets, oursWithThreads } from '../gateway/ours.ts';
import { goModel, liteLlm, portkey } from '../gateway/peers.ts';
import { relay } from '../gateway/relay.ts';
import { compareSpeed, type Speeds } from '../gateway/speed.ts';
import { type Upstream, startUpstream } from '../gateway/upstream.ts';
import { memoryOf } from '../measure/process-memory.ts';
import { megabytes, print, printGoal, printTable, ratio } from '../measure/print.ts';
import type { Section } from './section.ts';

/** Requests of the endurance run; peers get a fifth of them. */
const REQUESTS = Number(process.env['BENCH_REQUESTS'] ?? 100_000);
const STEPS = 10;
const STREAMS = 1000;
const WARM_UP_MS = 3000;
/** Bodies of agents: the conversation stays the same, and the question changes. */
const CONVERSATIONS = [
  ['8 concurrent, 16 kB', 16_000],
  ['8 concurrent, 200 kB', 200_000],
] as const;

const CONTESTANTS: readonly Contestant[] = [
  direct,
  relay,
  ours,
  oursBefore,
  oursWithThreads,
  oursWithoutBudgets,
  oursOnPostgres,
  goModel,
  portkey,
  liteLlm,
];

/** The same request to the same provider through each contestant, alternating. */
export const gateway: Section = {
  title: 'Requests to a model through the gateway and its peers',
  linuxOnly: true,
  async run(bench) {
    await bench.peers();
    if (process.env['BENCH_GATEWAY'] === undefined) await bench.gateway();
    const upstream = await startUpstream();
    try {
      await speeds(upstream);
      await endurance(upstream);
      await idleStreams(upstream);
    } finally {
      await upstream.stop();
    }
  },
};

async function speeds({ port, count }: Upstream): Promise<void> {
  const running = new Map<string, RunningContestant>();
  try {
    for (const { name, start } of CONTESTANTS) {
      const one = await start(port);
      if (one) running.set(name, one);
    }
    for (const { target } of running.values()) {
      await putLoad(target, { concurrency: 8, goOn: forMilliseconds(WARM_UP_MS) });
      await putLoad(target, { concurrency: 1, stream: true, goOn: forMilliseconds(WARM_UP_MS / 3) });
    }
    const one = await compareSpeed(running, {
      title: '1 concurrent',
      rounds: 9,
      turnMs: 700,
      concurrency: 1,
    });
    await compareSpeed(running, {
      title: '1 concurrent stream, to the first word',
      rounds: 7,
      turnMs: 600,
      concurrency: 1,
      stream: true,
    });
    const many = await compareSpeed(running, {
      title: '32 concurrent',
      rounds: 9,
      turnMs: 800,
      concurrency: 32,
    });
    for (const [title, conversation] of CONVERSATIONS)
      await compareSpeed(running, { title, rounds: 5, turnMs: 800, concurrency: 8, conversation });
    print(`The provider has answered ${await count()} requests.\n`);
    printGoals(one, many);
  } finally {
    for (const { stop } of running.values()) await stop();
  }
}

function printGoals(one: Speeds, many: Speeds): void {
  const [own, theirs] = [one.get(ours.name), one.get(portkey.name)];
  if (own && theirs) {
    const share = own.added / theirs.added;
    const text = `${own.added.toFixed(2)} ms, ${ratio(share)} of Portkey's`;
    printGoal(
      '1 concurrent: at most 0.35 ms added at p50, and 0.6 of what Portkey adds',
      text,
      own.added <= 0.35 && share <= 0.6,
    );
  }
  const [fast, slow] = [many.get(ours.name), many.get(portkey.name)];
  if (fast && slow) {
    const factor = fast.perSecond / slow.perSecond;
    printGoal("32 concurrent: 2.5 x Portkey's requests a second", `${ratio(factor)} x`, factor >= 2.5);
  }
  const [lone, peer] = [one.get(goModel.name), many.get(goModel.name)];
  if (own && lone)
    printGoal(
      '1 concurrent: adds at most what GoModel adds at p50',
      `${own.added.toFixed(2)} ms, GoModel ${lone.added.toFixed(2)} ms`,
      own.added <= lone.added,
    );
  if (fast && peer) {
    const factor = fast.perSecond / peer.perSecond;
    printGoal("32 concurrent: 1.1 x GoModel's requests a second", `${ratio(factor)} x`, factor >= 1.1);
  }
  print();
}

/** Memory of the intermediate process while requests pass through it, in new processes. */
async function endurance(upstream: Upstream): Promise<void> {
  const rows: string[][] = [];
  let own: { readonly last: number; readonly slope: number } | undefined;
  for (const [contestant, requests] of [
    [ours, REQUESTS],
    [portkey, REQUESTS / 5],
  ] as const) {
    const running = await contestant.start(upstream.port);
    if (!running) continue;
    const { pid = 0, target, stop } = running;
    const resident: number[] = [memoryOf(pid).resident];
    const started = performance.now();
    for (let step = 0; step < STEPS; step += 1) {
      await putLoad(target, { concurrency: 32, goOn: times(requests / STEPS) });
      resident.push(memoryOf(pid).resident);
    }
    const seconds = (performance.now() - started) / 1000;
    await stop();
    const [first = NaN, half = NaN, last = NaN] = [resident[0], resident[STEPS / 2], resident[STEPS]];
    const slope = slopeOf(resident.slice(STEPS / 2)) / (requests / STEPS / 10_000);
    rows.push([
      contestant.name,
      String(requests),
      (requests / seconds).toFixed(0),
      ...[first, half, last].map(megabytes),
      `${(slope / 1e6).toFixed(2)} MB`,
    ]);
    if (contestant === ours) own = { last, slope };
  }
  printTable(
    [
      'resident memory',
      'requests',
      'a second',
      'at the start',
      'halfway',
      'at the end',
      'each 10,000 of the second half',
    ],
    rows,
  );
  if (own) {
    const text = `${megabytes(own.last)}, ${(own.slope / 1e6).toFixed(2)} MB`;
    printGoal(
      `at most 170 MB after ${REQUESTS} requests, and less than 1 MB for each 10,000 of the second half`,
      text,
      own.last <= 170e6 && own.slope < 1e6,
    );
  }
  print();
}

/** Least-squares slope, in bytes per value. */
function slopeOf(values: readonly number[]): number {
  const middle = (values.length - 1) / 2;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const [products, squares] = values.reduce<[number, number]>(
    ([product, square], value, at) => [product + (at - middle) * (value - mean), square + (at - middle) ** 2],
    [0, 0],
  );
  return products / squares;
}

async function idleStreams(upstream: Upstream): Promise<void> {
  const rows: string[][] = [];
  for (const contestant of [ours, portkey]) {
    const running = await contestant.start(upstream.port);
    if (!running) continue;
    await putLoad(running.target, { concurrency: 8, goOn: times(1000) });
    const { before, during, answers } = await holdStreams(running, STREAMS);
    await running.stop();
    rows.push([
      contestant.name,
      megabytes(before),
      megabytes(during),
      `${((during - before) / STREAMS / 1000).toFixed(1)} kB`,
      answers ? 'yes' : 'no',
    ]);
  }
  printTable([`${STREAMS} idle streams`, 'before', 'with them', 'each', 'answers others meanwhile'], rows);
}
