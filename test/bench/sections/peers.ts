import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { installPython } from '../../helpers/install-python.ts';
import { runProgram } from '../measure/child.ts';
import { print } from '../measure/print.ts';
import { interleave, median } from '../measure/rounds.ts';
import type { Contestant } from '../peers/contestant.ts';
import { givenPeers } from '../peers/given.ts';
import { combine, type GroupResult, groupsOf, measureGroup } from '../peers/groups.ts';
import { buildOurs } from '../peers/ours.ts';
import { prepareModel } from '../peers/prepare-model.ts';
import { publish } from '../peers/publish.ts';
import { pythonPeers } from '../peers/python.ts';
import { type RunningPeer, startPeer } from '../peers/running.ts';
import { mixedTexts, scenarios } from '../peers/scenarios.ts';
import { peerTables } from '../peers/summary.ts';
import { PATHS } from '../setup/paths.ts';
import type { Workbench } from '../setup/workbench.ts';
import type { Section } from './section.ts';

const FULL = { rounds: 3, share: 1, coldRounds: 11 };
const QUICK = { rounds: 1, share: 0.25, coldRounds: 3 };
const REQUIREMENTS = join(PATHS.bench, 'peers/requirements.txt');
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
    const groups: GroupResult[] = [];
    for (const group of groupsOf(contestants)) {
      await whileRunning(group, async (running) => {
        groups.push(
          await measureGroup(running, { scenarios: plan, rounds, cold, reference: groups[0]?.reference }),
        );
      });
    }
    const result = combine(groups, plan);
    print(`${rounds} rounds, contestants interleaved; medians.\n\n${peerTables(result)}\n`);
    if (bench.options.write) await publish(result, await versions());
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

/** Starts the servers one after another, so that their startup times can be compared, and stops them after the work. */
async function whileRunning(
  contestants: readonly Contestant[],
  work: (running: readonly RunningPeer[]) => Promise<void>,
): Promise<void> {
  const running: RunningPeer[] = [];
  const stopAll = async (): Promise<void> => {
    for (const { stop } of running) await stop();
  };
  // The servers have separate process groups, so Ctrl-C does not reach them.
  const interrupted = (): void => void stopAll().finally(() => process.exit(EXIT_INTERRUPTED));
  for (const signal of SIGNALS) process.once(signal, interrupted);
  try {
    await startAll(contestants, running);
    await work(running);
  } finally {
    for (const signal of SIGNALS) process.off(signal, interrupted);
    await stopAll();
  }
}

/** A server that does not start is skipped. */
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

/** Versions of the Python peers, as pinned in their requirements. */
async function versions(): Promise<string> {
  const list = await readFile(REQUIREMENTS, 'utf8');
  const named = ['onnxruntime', 'openvino', 'nncf', 'fastapi', 'uvicorn', 'fastembed'].map((name) => {
    const version = new RegExp(`^${name}==(.+)$`, 'm').exec(list)?.[1] ?? '?';
    return `${name} ${version}`;
  });
  return `From PyPI: ${named.join(', ')}.`;
}
