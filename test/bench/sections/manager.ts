import { direct } from '../manager/direct.ts';
import type { RunningContestant } from '../manager/contestant.ts';
import { oursMcp, oursRest } from '../manager/ours.ts';
import { mcpd, mcpHub, mcpProxy, supergateway } from '../manager/peers.ts';
import { relay } from '../manager/relay.ts';
import { memoryOf } from '../measure/process-memory.ts';
import { megabytes, print, printGoal, printTable, ratio } from '../measure/print.ts';
import { interleave, median } from '../measure/rounds.ts';
import type { Section } from './section.ts';

const ROUNDS = 9;
const CALLS = { 1: 1000, 16: 4000, 64: 4000 } as const;
const CONCURRENCIES = [1, 16, 64] as const;
const MANY_SERVERS = 11;

const { PEER_MCPD } = process.env;
const CONTESTANTS = {
  direct,
  relay,
  oursRest,
  oursMcp,
  mcpd: mcpd(PEER_MCPD ?? ''),
  mcpHub,
  mcpProxy,
  supergateway,
} as const;
type Name = keyof typeof CONTESTANTS;
const NAMES = (Object.keys(CONTESTANTS) as Name[]).filter((name) => name !== 'mcpd' || PEER_MCPD);
const PEERS: readonly Name[] = ['mcpHub', 'mcpProxy', 'supergateway'];

/** The same tool of the same MCP server, called through each contestant, alternating. */
export const manager: Section = {
  title: 'Tool calls through mcp-manager and its peers',
  linuxOnly: true,
  async run(bench) {
    await bench.peers();
    await bench.manager();
    if (!PEER_MCPD) print('mcpd is left out: set PEER_MCPD to the path of its program.\n');
    const running = {} as Record<Name, RunningContestant>;
    try {
      for (const name of NAMES) running[name] = await CONTESTANTS[name].start(1);
      for (const name of NAMES) await putCalls(running[name], 500, 4);
      print(`${ROUNDS} rounds, contestants interleaved; medians over the rounds. Texts of 64 letters.\n`);
      const speeds = new Map<number, Record<Name, Measured>>();
      for (const concurrency of CONCURRENCIES) speeds.set(concurrency, await compare(running, concurrency));
      const [one, sixteen] = [speeds.get(1), speeds.get(16)];
      if (one && sixteen) printGoals(one, sixteen);
    } finally {
      for (const contestant of Object.values(running)) await contestant.stop();
    }
    await compareMemory();
  },
};

interface Measured {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
}

/** Prints a table for one concurrency level. */
async function compare(
  running: Readonly<Record<Name, RunningContestant>>,
  concurrency: (typeof CONCURRENCIES)[number],
): Promise<Record<Name, Measured>> {
  const latencies = Object.fromEntries(NAMES.map((name) => [name, [] as Measured[]])) as Record<
    Name,
    Measured[]
  >;
  const contestants = Object.fromEntries(
    NAMES.map((name) => [
      name,
      async () => {
        const measured = await putCalls(running[name], CALLS[concurrency], concurrency);
        latencies[name].push(measured);
        return measured.perSecond;
      },
    ]),
  ) as Record<Name, () => Promise<number>>;
  const speeds = await interleave(contestants, ROUNDS);
  const results = Object.fromEntries(
    NAMES.map((name) => [
      name,
      {
        perSecond: median(speeds[name]),
        p50: median(latencies[name].map(({ p50 }) => p50)),
        p99: median(latencies[name].map(({ p99 }) => p99)),
      },
    ]),
  ) as Record<Name, Measured>;
  printTable(
    [
      `${concurrency} concurrent`,
      'calls/s',
      'p50 ms',
      'p99 ms',
      'added p50',
      'added p99',
      'ours (REST) is faster by',
    ],
    NAMES.map((name) => {
      const { perSecond, p50, p99 } = results[name];
      return [
        CONTESTANTS[name].name,
        perSecond.toFixed(0),
        p50.toFixed(2),
        p99.toFixed(2),
        (p50 - results.direct.p50).toFixed(2),
        (p99 - results.direct.p99).toFixed(2),
        ratio(results.oursRest.perSecond / perSecond),
      ];
    }),
  );
  return results;
}

async function putCalls({ call }: RunningContestant, calls: number, concurrency: number): Promise<Measured> {
  const text = 'abcdefgh'.repeat(8);
  const times: number[] = [];
  let left = calls;
  const client = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const started = performance.now();
      const answer = await call(text);
      times.push(performance.now() - started);
      if (!answer.includes(text)) throw new Error(`not the text that was sent: ${answer}`);
    }
  };
  const started = performance.now();
  await Promise.all(Array.from({ length: concurrency }, client));
  const seconds = (performance.now() - started) / 1000;
  times.sort((a, b) => a - b);
  const at = (share: number): number => times[Math.floor(times.length * share)] ?? NaN;
  return { perSecond: calls / seconds, p50: at(0.5), p99: at(0.99) };
}

function printGoals(one: Record<Name, Measured>, sixteen: Record<Name, Measured>): void {
  const added = one.oursRest.p50 - one.direct.p50;
  printGoal('1 concurrent: at most 1 ms added at p50', `${added.toFixed(2)} ms`, added <= 1);
  if (PEER_MCPD) {
    for (const [concurrency, results, goal] of [
      [1, one, 1.1],
      [16, sixteen, 1.5],
    ] as const) {
      const factor = results.oursRest.perSecond / results.mcpd.perSecond;
      printGoal(
        `${concurrency} concurrent: ${goal} x the calls a second of mcpd`,
        `${ratio(factor)} x`,
        factor >= goal,
      );
    }
  }
  const best = Math.max(...PEERS.map((name) => sixteen[name].perSecond));
  for (const name of ['oursRest', 'oursMcp'] as const) {
    const factor = sixteen[name].perSecond / best;
    printGoal(
      `16 concurrent, ${CONTESTANTS[name].name}: 1.5 x the calls a second of the best peer`,
      `${ratio(factor)} x`,
      factor >= 1.5,
    );
  }
  print();
}

/** Memory of the intermediate process with one server, and the additional memory for each further server. */
async function compareMemory(): Promise<void> {
  const rows: string[][] = [];
  for (const name of NAMES.filter((one) => ['relay', 'oursRest', 'mcpd', 'mcpHub'].includes(one))) {
    const [few, many] = [await residentWith(name, 1), await residentWith(name, MANY_SERVERS)];
    rows.push([
      CONTESTANTS[name].name,
      megabytes(few),
      megabytes(many),
      `${((many - few) / (MANY_SERVERS - 1) / 1e6).toFixed(2)} MB`,
    ]);
  }
  for (const name of ['mcpProxy', 'supergateway'] as const) {
    const alone = await residentWith(name, 1);
    rows.push([CONTESTANTS[name].name, megabytes(alone), `a process each`, megabytes(alone)]);
  }
  printTable(['resident memory', '1 server', `${MANY_SERVERS} servers`, 'each further server'], rows);
}

async function residentWith(name: Name, servers: number): Promise<number> {
  const running = await CONTESTANTS[name].start(servers);
  try {
    await putCalls(running, 2000, 4);
    return memoryOf(running.pid ?? 0).resident;
  } finally {
    await running.stop();
  }
}
