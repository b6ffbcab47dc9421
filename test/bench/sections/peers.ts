import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { installPython } from '../../helpers/install-python.ts';
import { runProgram } from '../measure/child.ts';
import { print } from '../measure/print.ts';
import { interleave, median } from '../measure/rounds.ts';
import type { Contestant } from '../peers/contestant.ts';
import { givenPeers } from '../peers/given.ts';
import { measureServing } from '../peers/measure.ts';
import { buildOurs } from '../peers/ours.ts';
import { prepareModel } from '../peers/prepare-model.ts';
import { publish } from '../peers/publish.ts';
import { pythonPeers } from '../peers/python.ts';
import { residentMemory, type RunningPeer, startPeer } from '../peers/running.ts';
import { mixedTexts, type Scenario, scenarios } from '../peers/scenarios.ts';
import { type PeerFacts, peerTables, type PeersResult } from '../peers/summary.ts';
import { nearness, vectorsOf } from '../peers/vectors-of.ts';
import { PATHS } from '../setup/paths.ts';
import type { Workbench } from '../setup/workbench.ts';
import type { Section } from './section.ts';

const FULL = { rounds: 3, share: 1, coldRounds: 11 };
const QUICK = { rounds: 1, share: 0.25, coldRounds: 3 };
const REQUIREMENTS = join(PATHS.bench, 'peers/requirements.txt');
/** The server whose vectors are the reference for all other servers. */
const REFERENCE = 'FastAPI + ORT fp32';
const COMPARED = 48;
const SIGNALS = ['SIGINT', 'SIGTERM'] as const;
const EXIT_INTERRUPTED = 130;

/**
 * The same model on all available servers, ours in float32 and int8. `BENCH_MODEL` is a folder with a real model and `BENCH_TEXTS` a file
 * with one text per line; without them, the model has random weights.
 */
export const peers: Section = {
  title: 'Other servers of the same model',
  linuxOnly: true,
  async run(bench) {
    const { rounds, share, coldRounds } = bench.options.quick ? QUICK : FULL;
    const file = process.env['BENCH_TEXTS'];
    const texts = file === undefined ? undefined : (await readFile(file, 'utf8')).split('\n').filter(Boolean);
    const contestants = await prepare(bench, texts);
    const plan = scenarios(texts, share);
    const cold = await measureCold(contestants, coldRounds);
    const running: RunningPeer[] = [];
    const stopAll = async (): Promise<void> => {
      for (const { stop } of running) await stop();
    };
    // The servers have separate process groups, so Ctrl-C does not reach them.
    const interrupted = (): void => void stopAll().finally(() => process.exit(EXIT_INTERRUPTED));
    for (const signal of SIGNALS) process.once(signal, interrupted);
    try {
      await startAll(contestants, running);
      const loaded = running.map(({ pid }) => residentMemory(pid));
      const serving: { scenario: Scenario; results: Awaited<ReturnType<typeof measureServing>> }[] = [];
      for (const scenario of plan) {
        console.error(`Measuring ${scenario.title} ...`);
        serving.push({ scenario, results: await measureServing(running, scenario, rounds) });
      }
      const compared = (plan[1]?.requests ?? []).flat().slice(0, COMPARED);
      const used = running.map(({ pid }) => residentMemory(pid));
      const vectors = await together(running, compared);
      const reference = vectors.get(REFERENCE) ?? [];
      const facts: PeerFacts[] = [];
      for (const [at, peer] of running.entries()) {
        const [batch = []] = vectors.get(peer.name) ?? [];
        const [alone = []] = await vectorsOf(peer, compared.slice(0, 1));
        facts.push({
          peer,
          loadedBytes: loaded[at] ?? NaN,
          usedBytes: used[at] ?? NaN,
          near: nearness(vectors.get(peer.name) ?? [], reference),
          batchDifference: Math.max(...alone.map((value, index) => Math.abs(value - (batch[index] ?? NaN)))),
          cold: cold.get(peer.name),
        });
      }
      const result: PeersResult = { facts, serving };
      print(`${rounds} rounds, contestants interleaved; medians.\n\n${peerTables(result)}\n`);
      if (bench.options.write) await publish(result, await versions());
    } finally {
      for (const signal of SIGNALS) process.off(signal, interrupted);
      await stopAll();
    }
  },
};

async function prepare(bench: Workbench, texts: readonly string[] | undefined): Promise<Contestant[]> {
  await mkdir(PATHS.peers, { recursive: true });
  const source = process.env['BENCH_MODEL'] ?? (await bench.model('m6'));
  const python = await installPython(REQUIREMENTS, join(PATHS.peers, 'python'));
  const model = await prepareModel(source, join(PATHS.peers, 'model'), python, texts ?? mixedTexts());
  const ours = await buildOurs(model.folder);
  const { peers: given, missing } = await givenPeers(model, process.env);
  for (const line of missing) print(line);
  if (missing.length > 0) print();
  return [...ours, ...given, ...pythonPeers(python, model)];
}

/** Starts the servers one after another, so that their startup times can be compared. A server that does not start is skipped. */
async function startAll(contestants: readonly Contestant[], running: RunningPeer[]): Promise<void> {
  for (const contestant of contestants) {
    console.error(`Starting ${contestant.name} ...`);
    try {
      running.push(await startPeer(contestant, join(PATHS.peers, 'servers.log')));
    } catch (error) {
      print(`${contestant.name} is left out: ${String(error)} (see ${join(PATHS.peers, 'servers.log')})\n`);
    }
  }
}

async function measureCold(contestants: readonly Contestant[], rounds: number): Promise<Map<string, number>> {
  const programs = contestants.flatMap(({ name, once }) =>
    once ? [{ name, program: once('The quick brown fox jumps over the lazy dog.') }] : [],
  );
  // The first runs fill the page cache.
  for (const { program } of programs) await runProgram(program);
  const times = await interleave(
    Object.fromEntries(
      programs.map(({ name, program }) => [name, async () => (await runProgram(program)).milliseconds]),
    ),
    rounds,
  );
  return new Map(Object.entries(times).map(([name, values]) => [name, median(values)]));
}

/** The vectors of all texts in one request, by server. */
async function together(
  running: readonly RunningPeer[],
  texts: readonly string[],
): Promise<Map<string, number[][]>> {
  const vectors = new Map<string, number[][]>();
  for (const peer of running) vectors.set(peer.name, await vectorsOf(peer, texts));
  return vectors;
}

/** Versions of the Python peers, as pinned in their requirements. */
async function versions(): Promise<string> {
  const list = await readFile(REQUIREMENTS, 'utf8');
  const named = ['onnxruntime', 'openvino', 'nncf', 'fastapi', 'uvicorn', 'fastembed'].map((name) => {
    const version = new RegExp(`^${name}==(.+)$`, 'm').exec(list)?.[1] ?? '?';
    return `${name} ${version}`;
  });
  return `From PyPI: ${named.join(', ')}.`;
}
