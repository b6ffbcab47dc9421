import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import { parseJsonText } from '#core/json/json-text.ts';
import { ANYONE } from '#manager/access/caller.ts';
import type { Calls } from '#manager/calls/call.ts';
import { createItemMeanings, type ItemMeanings } from '#manager/calls/item-meanings.ts';
import { createToolSearch } from '#manager/calls/search.ts';
import { SEARCH_KINDS } from '#manager/calls/search-kinds.ts';
import { createMeanings } from '#manager/meanings/meanings.ts';
import { observeMeanings } from '#manager/meanings/metrics.ts';
import { openSearchEncoder } from '#manager/meanings/search-encoder.ts';
import { openVectorFile } from '#manager/meanings/vector-file.ts';
import { systemClock } from '#platform/clock.ts';
import { createLog } from '#serve/log.ts';
import { printTable } from '../bench/measure/print.ts';
import { type CollectedServer, collectTools } from './collect.ts';
import { buildEncoders } from './encoders.ts';

// `npm run test:tool-search`: lists the tools of published servers, searches them with the questions in questions.json by words, by meaning and
// by both, and prints the share of questions with an expected tool among the first five and among the first ten, which is the default number of
// results. Half of the questions of each style was used to choose the ranking; the other half is held out. Requires npx, uvx (or Python 3 with
// venv, to install it), Maven and the registries. The first run installs all servers and builds the encoders, which takes 20 minutes on 2 cores;
// later runs take about ten minutes, most of them for the largest encoder. Names of encoders as arguments limit the run to these. No goal is
// enforced.

interface Question {
  readonly style: 'paraphrase' | 'task';
  readonly question: string;
  /** Tools that would do, as server/tool. */
  readonly tools: readonly string[];
}

const TOPS = [5, 10] as const;
const MAX_TOP = 10;
/** A batch of a large model can delay a query. */
const PATIENCE_MS = 30_000;

const servers = await collectTools();
const { questions } = parseJsonText(readFileSync(join(import.meta.dirname, 'questions.json'), 'utf8')) as {
  questions: readonly Question[];
};
requireTools(questions, servers);
const count = servers.reduce((total, { tools }) => total + tools.length, 0);
console.log(
  `${questions.length} questions, ${count} tools of ${servers.length} servers, recall@${TOPS.join(' and @')}\n`,
);

const calls = callsWith(servers);
const rows = [rowOf('words', await ranksOf(createToolSearch(calls)))];
const chosen = process.argv.slice(2);
for (const { name, path } of await buildEncoders()) {
  if (chosen.length > 0 && !chosen.some((part) => name.includes(part))) continue;
  const opened = await openItems(path, servers);
  try {
    rows.push(rowOf(`${name}: meaning alone`, await ranksByMeaning(opened.items)));
    rows.push(rowOf(`${name}: both`, await ranksOf(createToolSearch(calls, opened.items))));
  } finally {
    await opened.close();
  }
}
printTable(['search', 'paraphrases', 'held out', 'tasks', 'held out', 'all'], rows);

/** Fails if a server could not be started, because its questions would have no answer. */
function requireTools(all: readonly Question[], from: readonly CollectedServer[]): void {
  const known = new Set(from.flatMap(({ name, tools }) => tools.map((tool) => `${name}/${tool.name}`)));
  const missing = all.filter(({ tools }) => !tools.some((tool) => known.has(tool)));
  if (missing.length === 0) return;
  throw new Error(`no server has the tools of ${missing.length} questions: ${missing[0]?.tools.join(', ')}`);
}

/** The calls that a search makes, with the collected lists. */
function callsWith(from: readonly CollectedServer[]): Calls {
  const lists = new Map(from.map(({ name, tools }) => [name, tools]));
  const parts: Pick<Calls, 'servers' | 'listed'> = {
    servers: () => [...lists.keys()],
    listed: ({ server }) => lists.get(server),
  };
  return parts as Calls;
}

/** The rank of the first expected tool, from 0, by question; infinite if it is not among the first results. */
async function ranksOf(search: ReturnType<typeof createToolSearch>): Promise<number[]> {
  const ranks: number[] = [];
  for (const [at, { question }] of questions.entries()) {
    const found = await search.search(ANYONE, question, MAX_TOP, {
      requestId: 'test',
      onFailure: () => undefined,
    });
    const ids = found.map(({ server, tool }) => `${server}/${tool.name}`);
    ranks.push(rankIn(at, ids));
  }
  return ranks;
}

async function ranksByMeaning(items: ItemMeanings): Promise<number[]> {
  const all = itemsOf(servers);
  const ranks: number[] = [];
  for (const [at, { question }] of questions.entries()) {
    const similarities = await items.similarities(question, all, SEARCH_KINDS.tools.texts);
    if (!similarities) throw new Error(`no vector for ${question}`);
    const best = all
      .map(({ server, item }, index) => ({
        id: `${server}/${item.name}`,
        similarity: similarities[index] ?? -Infinity,
      }))
      .sort((one, other) => other.similarity - one.similarity);
    const ids = best.slice(0, MAX_TOP).map(({ id }) => id);
    ranks.push(rankIn(at, ids));
  }
  return ranks;
}

function rankIn(question: number, found: readonly string[]): number {
  const rank = found.findIndex((id) => questions[question]?.tools.includes(id));
  return rank === -1 ? Infinity : rank;
}

function itemsOf(from: readonly CollectedServer[]) {
  return from.flatMap(({ name, tools }) =>
    tools.map((item) => ({ server: name, list: 'tools' as const, item })),
  );
}

async function openItems(path: string, from: readonly CollectedServer[]) {
  const folder = mkdtempSync(join(tmpdir(), 'encoderfile-tool-search-'));
  const log = createLog('warn', { write: (line) => void process.stderr.write(line) });
  const meanings = createMeanings({
    encoder: openSearchEncoder(
      { kind: 'file', path },
      { clock: systemClock, onTrouble: (line) => console.error(line) },
    ),
    file: openVectorFile(folder, path, log),
    clock: systemClock,
    log,
    metrics: observeMeanings(new Registry()),
    deadlineMs: PATIENCE_MS,
    startDelayMs: 0,
  });
  const items = createItemMeanings(meanings, () => false);
  const startedAt = performance.now();
  items.learn(itemsOf(from), SEARCH_KINDS.tools.texts);
  await meanings.settled();
  console.error(`${path}: ${((performance.now() - startedAt) / 1000).toFixed(1)} s to encode all tools`);
  return {
    items,
    async close() {
      await meanings.close();
      rmSync(folder, { recursive: true });
    },
  };
}

/** The halves are the even and the odd questions. */
function rowOf(name: string, ranks: readonly number[]): string[] {
  const share = (top: number, includes: (question: Question, at: number) => boolean): string => {
    const counted = ranks.filter((_rank, at) => {
      const question = questions[at];
      return question !== undefined && includes(question, at);
    });
    return (counted.filter((rank) => rank < top).length / counted.length).toFixed(3);
  };
  const shares = (includes: (question: Question, at: number) => boolean): string =>
    TOPS.map((top) => share(top, includes)).join(' ');
  const halves = (['paraphrase', 'task'] as const).flatMap((style) =>
    [0, 1].map((half) => shares((question, at) => question.style === style && at % 2 === half)),
  );
  return [name, ...halves, shares(() => true)];
}
