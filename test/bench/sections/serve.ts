import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { join } from 'node:path';
import { print, printGoal, printTable, ratio } from '../measure/print.ts';
import { interleave, median } from '../measure/rounds.ts';
import { SHAPES } from '../models/shapes.ts';
import { makeShortTexts, makeTexts, SHORT_TEXTS, TEXT_LENGTHS } from '../models/texts.ts';
import { makeVocabulary } from '../models/vocabulary.ts';
import { type LoadResult, putLoad } from '../serve/load.ts';
import { type RunningServer, startServer } from '../serve/running-server.ts';
import { PATHS } from '../setup/paths.ts';
import { encoder } from '../setup/programs.ts';
import type { Section } from './section.ts';

const ROUNDS = 3;
const PATH = '/v1/embeddings';
const NAMES = { ours: 'm6.encoder serve', reference: 'reference policy', theirs: 'transformers.js' } as const;
type Name = keyof typeof NAMES;

interface Scenario {
  readonly title: string;
  readonly requests: readonly (readonly string[])[];
  readonly concurrency: number;
}

/** The same requests to three servers, alternating. */
export const serve: Section = {
  title: 'Serving: one vector per text over HTTP',
  linuxOnly: false,
  async run(bench) {
    await bench.peers();
    const executable = await bench.executable('m6');
    const node = (script: string, ...args: string[]) => ({
      command: process.execPath,
      args: [join(PATHS.bench, 'serve', script), ...args],
    });
    const servers: Record<Name, RunningServer> = {
      ours: await startServer(
        encoder(executable, 'serve', '--http-port', '0', '--disable-grpc', '--log-level', 'warn'),
        /HTTP +http:\/\/[^ ]+:(\d+)$/,
      ),
      reference: await startServer(node('reference-server.ts', executable), /^(\d+)$/),
      theirs: await startServer(node('transformers-server.mjs', PATHS.models, 'm6'), /^(\d+)$/),
    };
    try {
      const { mean, sigma, shortest, longest } = TEXT_LENGTHS;
      print(
        `mixed: tokens per text lognormal, mean ${mean}, sigma ${sigma}, cut to ${shortest} ... ${longest}.`,
      );
      print(`short: tokens per text uniform from ${SHORT_TEXTS.shortest} to ${SHORT_TEXTS.longest}.`);
      print(`${ROUNDS} rounds, contestants interleaved; medians.\n`);
      const factors = new Map<string, Record<Name, number>>();
      for (const scenario of scenarios()) factors.set(scenario.title, await compare(servers, scenario));
      const mixed = factors.get('mixed, 64 concurrent');
      const batches = factors.get('mixed, 8 texts a request, 64 concurrent');
      if (mixed && batches) {
        printGoal('mixed, 64 concurrent: 2 x transformers.js', `${ratio(mixed.theirs)} x`, mixed.theirs >= 2);
        printGoal(
          'mixed, 64 concurrent: 1.8 x the reference policy',
          `${ratio(mixed.reference)} x`,
          mixed.reference >= 1.8,
        );
        printGoal('the same, 8 texts a request', `${ratio(batches.reference)} x`, batches.reference >= 1.8);
      }
      await compareLatency(servers.ours, executable);
    } finally {
      for (const server of Object.values(servers)) server.stop();
    }
  },
};

function scenarios(): Scenario[] {
  const vocabulary = makeVocabulary(SHAPES.m6.vocabulary);
  const mixed = makeTexts(vocabulary, 512);
  const short = makeShortTexts(vocabulary, 512);
  const single = (texts: readonly string[], count: number): string[][] =>
    texts.slice(0, count).map((text) => [text]);
  const grouped = (texts: readonly string[], size: number): string[][] =>
    Array.from({ length: texts.length / size }, (_, at) => texts.slice(at * size, (at + 1) * size));
  return [
    { title: 'mixed, 1 concurrent', requests: single(mixed, 96), concurrency: 1 },
    { title: 'mixed, 8 concurrent', requests: single(mixed, 256), concurrency: 8 },
    { title: 'mixed, 64 concurrent', requests: single(mixed, 512), concurrency: 64 },
    { title: 'mixed, 8 texts a request, 64 concurrent', requests: grouped(mixed, 8), concurrency: 64 },
    { title: 'short, 1 concurrent', requests: single(short, 192), concurrency: 1 },
    { title: 'short, 8 concurrent', requests: single(short, 512), concurrency: 8 },
    { title: 'short, 64 concurrent', requests: single(short, 512), concurrency: 64 },
  ];
}

/** Prints a table; returns our throughput relative to each of the others. */
async function compare(
  servers: Readonly<Record<Name, RunningServer>>,
  { title, requests, concurrency }: Scenario,
): Promise<Record<Name, number>> {
  const results: Record<Name, LoadResult[]> = { ours: [], reference: [], theirs: [] };
  const contestant = (name: Name) => async (): Promise<number> => {
    const result = await putLoad({ port: servers[name].port, path: PATH, requests, concurrency });
    results[name].push(result);
    return result.textsPerSecond;
  };
  await putLoad({ port: servers.theirs.port, path: PATH, requests: requests.slice(0, 8), concurrency: 1 });
  const speeds = await interleave(
    { ours: contestant('ours'), reference: contestant('reference'), theirs: contestant('theirs') },
    ROUNDS,
  );
  const factor = (name: Name): number => median(speeds.ours) / median(speeds[name]);
  const row = (name: Name): string[] => {
    const latencies = results[name].flatMap((result) => result.latencies).sort((a, b) => a - b);
    return [
      NAMES[name],
      median(speeds[name]).toFixed(1),
      percentile(latencies, 0.5),
      percentile(latencies, 0.99),
      ratio(factor(name)),
    ];
  };
  printTable(
    [title, 'texts/s', 'p50 ms', 'p99 ms', 'ours is faster by'],
    [row('ours'), row('reference'), row('theirs')],
  );
  return { ours: 1, reference: factor('reference'), theirs: factor('theirs') };
}

const percentile = (sorted: readonly number[], share: number): string =>
  (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN).toFixed(1);

/** One request at a time, compared with a session that receives the same texts as tokens and does nothing else. */
async function compareLatency(ours: RunningServer, executable: string): Promise<void> {
  const texts = makeTexts(makeVocabulary(SHAPES.m6.vocabulary), 128);
  const ids = await tokenIds(ours.port, texts);
  const bare = spawn(process.execPath, [join(PATHS.bench, 'serve/bare-run.ts'), executable], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: bare.stdout })[Symbol.asyncIterator]();
  await lines.next();
  const measured = await interleave(
    {
      bare: async () => {
        bare.stdin.write(`${JSON.stringify(ids)}\n`);
        return median(JSON.parse(String((await lines.next()).value)) as number[]);
      },
      served: async () => {
        const requests = texts.map((text) => [text]);
        return median((await putLoad({ port: ours.port, path: PATH, requests, concurrency: 1 })).latencies);
      },
    },
    ROUNDS,
  );
  bare.stdin.end();
  const [served, run] = [median(measured.served), median(measured.bare)];
  const text = `${served.toFixed(2)} ms to ${run.toFixed(2)} ms = ${ratio(served / run)}`;
  printGoal('one at a time: at most 1.15 x a bare session.run', text, served <= 1.15 * run);
}

async function tokenIds(port: number, inputs: readonly string[]): Promise<number[][]> {
  const answer = await fetch(`http://127.0.0.1:${port}/tokenize`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ inputs }),
  });
  return ((await answer.json()) as { id: number }[][]).map((tokens) => tokens.map(({ id }) => id));
}
