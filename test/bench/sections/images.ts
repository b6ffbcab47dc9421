import { mkdir, readdir, readFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { installPython } from '../../helpers/install-python.ts';
import { imageContestants, imageMaker, OURS, pythonLoops } from '../images/contestants.ts';
import {
  classifyImage,
  type ImageForm,
  type ImageLoad,
  type ImageLoadResult,
  putImageLoad,
} from '../images/image-load.ts';
import { startPythonLoop } from '../images/python-loop.ts';
import { runProgram } from '../measure/child.ts';
import { print, printTable, ratio } from '../measure/print.ts';
import { interleave, median } from '../measure/rounds.ts';
import { freePort, startUntil } from '../measure/started.ts';
import { processorTime } from '../peers/running.ts';
import { PATHS } from '../setup/paths.ts';
import type { Workbench } from '../setup/workbench.ts';
import type { Section } from './section.ts';

const FULL = { rounds: 7, share: 1 };
const QUICK = { rounds: 3, share: 0.5 };
const IMAGES = 16;
const WARM_UP = 8;
const REQUIREMENTS = join(PATHS.bench, 'peers/requirements.txt');

interface Scenario extends ImageLoad {
  readonly title: string;
}

const SCENARIOS: readonly Scenario[] = [
  { title: '1 image at a time, as the body', form: 'body', count: 32, concurrency: 1 },
  { title: '1 image at a time, base64 in JSON', form: 'json', count: 32, concurrency: 1 },
  { title: '64 images at a time, as the body', form: 'body', count: 128, concurrency: 64 },
  { title: '64 images at a time, base64 in JSON', form: 'json', count: 128, concurrency: 64 },
];

/** A program that classifies images, and is running. */
interface Running {
  readonly name: string;
  readonly pid: number;
  /** The labels of the first image. */
  readonly first: string;
  /** How images can be sent to the program. */
  readonly forms: readonly ImageForm[];
  readonly load: (load: ImageLoad) => Promise<ImageLoadResult>;
  readonly stop: () => Promise<void>;
}

/** JPEG images of 640 x 480 pixels through ViT-tiny with random weights, compared with Pillow and ONNX Runtime in Python. */
export const images: Section = {
  title: 'Images',
  linuxOnly: true,
  async run(bench) {
    const { rounds, share } = bench.options.quick ? QUICK : FULL;
    const running = await start(bench);
    try {
      printAgreement(running);
      for (const scenario of SCENARIOS) {
        await measure(running, { ...scenario, count: Math.ceil(scenario.count * share) }, rounds);
      }
    } finally {
      for (const { stop } of running) await stop();
    }
  },
};

async function start(bench: Workbench): Promise<Running[]> {
  await mkdir(PATHS.peers, { recursive: true });
  await bench.peers();
  const python = await installPython(REQUIREMENTS, join(PATHS.peers, 'python'));
  const folder = join(PATHS.work, 'images');
  await mkdir(folder, { recursive: true });
  await runProgram(imageMaker(python, folder, IMAGES));
  const paths = (await readdir(folder)).sort().map((name) => join(folder, name));
  const files = await Promise.all(paths.map((path) => readFile(path)));
  const executable = await bench.imageExecutable();
  const running: Running[] = [];
  for (const { name, serve } of imageContestants(executable, python, PATHS.models, 'vit')) {
    const port = await freePort();
    const { command, args, env = {} } = serve(port);
    const ready = (): Promise<string> => classifyImage(port, files[0] ?? Buffer.alloc(0));
    const log = join(PATHS.peers, 'servers.log');
    const { pid = 0, stop, result } = await startUntil(command, args, env, ready, { log });
    const load: Running['load'] = (wanted) => putImageLoad(port, files, wanted);
    running.push({ name, pid, stop, first: result, forms: ['body', 'json'], load });
  }
  for (const program of pythonLoops(python, PATHS.models, 'vit', paths)) {
    const loop = await startPythonLoop(program);
    // Threads beyond one per CPU only slow Python down.
    const load: Running['load'] = ({ concurrency, ...wanted }) =>
      loop.load({ ...wanted, concurrency: Math.min(concurrency, cpus().length) });
    running.push({ ...loop, forms: ['body'], load });
  }
  return running;
}

/** Prints how much the labels of the programs differ. transformers.js resizes images to other pixels. */
function printAgreement(running: readonly Running[]): void {
  const read = (text: string): { label: string; score: number }[] =>
    JSON.parse(text) as { label: string; score: number }[];
  const ours = read(running[0]?.first ?? '[]');
  for (const { name, first } of running.slice(1)) {
    const scores = new Map(read(first).map(({ label, score }) => [label, score]));
    const shared = ours.filter(({ label }) => scores.has(label));
    const differences = shared.map(({ label, score }) => Math.abs(score - (scores.get(label) ?? 0)));
    const most = Math.max(0, ...differences).toExponential(1);
    print(
      `${name} has ${shared.length} of our ${ours.length} best labels; largest difference of their scores: ${most}`,
    );
  }
  print();
}

interface Measured {
  readonly imagesPerSecond: number;
  readonly p50: number;
  readonly processorMs: number;
}

/** Measures all programs that support the form, alternating between them, and prints a table. */
async function measure(
  running: readonly Running[],
  { title, ...load }: Scenario,
  rounds: number,
): Promise<void> {
  console.error(`Measuring ${title} ...`);
  const able = running.filter(({ forms }) => forms.includes(load.form));
  const measured = new Map<string, Measured[]>(able.map(({ name }) => [name, []]));
  // The first images open the threads that a program uses for this concurrency.
  for (const { load: put } of able) await put({ ...load, count: Math.max(load.concurrency, WARM_UP) });
  const turn =
    ({ name, pid, load: put }: Running) =>
    async (): Promise<number> => {
      const before = processorTime(pid);
      const { imagesPerSecond, latencies } = await put(load);
      const processorMs = (processorTime(pid) - before) / load.count;
      measured.get(name)?.push({ imagesPerSecond, p50: median(latencies), processorMs });
      return imagesPerSecond;
    };
  await interleave(Object.fromEntries(able.map((one) => [one.name, turn(one)])), rounds);
  const middle = (name: string, key: keyof Measured): number =>
    median((measured.get(name) ?? []).map((result) => result[key]));
  printTable(
    [title, 'images/s', 'p50 ms', 'CPU ms/image', 'throughput, ours / this', 'p50, ours / this'],
    able.map(({ name }) => [
      name,
      middle(name, 'imagesPerSecond').toFixed(1),
      middle(name, 'p50').toFixed(2),
      middle(name, 'processorMs').toFixed(2),
      ratio(middle(OURS, 'imagesPerSecond') / middle(name, 'imagesPerSecond')),
      ratio(middle(OURS, 'p50') / middle(name, 'p50')),
    ]),
  );
}
