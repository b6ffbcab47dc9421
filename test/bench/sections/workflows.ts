import { megabytes, print, printGoal, printTable, ratio, seconds } from '../measure/print.ts';
import { childrenOf, sharedSize } from '../measure/process-memory.ts';
import { interleave, median } from '../measure/rounds.ts';
import { SHAPES } from '../models/shapes.ts';
import { makeShortTexts } from '../models/texts.ts';
import { makeVocabulary } from '../models/vocabulary.ts';
import { serveEncoder, serveSentiment } from '../serve/encoder-server.ts';
import type { RunningServer } from '../serve/running-server.ts';
import { classifyDirectly } from '../workflows/classify-directly.ts';
import { startGateway } from '../workflows/running-gateway.ts';
import type { Section } from './section.ts';

const ROWS = 10_000;
const ROUNDS = 3;
const SHARE = 0.85;

/** Rows of the run that measures memory; `BENCH_ROWS=1000000` for the documented maximum. */
const MANY_ROWS = Number(process.env['BENCH_ROWS'] ?? 100_000);
const STEPS = 4;
const MAX_BYTES = 300e6;

/** Classification as a gateway job, compared with the same batches sent directly to the same encoder. */
export const workflows: Section = {
  title: 'Jobs over datasets',
  linuxOnly: true,
  async run(bench) {
    if (process.env['BENCH_GATEWAY'] === undefined) await bench.gateway();
    const executable = await bench.executable('classifier');
    const tiny = await serveSentiment();
    try {
      await throughput(tiny, () => serveEncoder(executable));
      await memoryByRows(tiny.port);
    } finally {
      tiny.stop();
    }
  },
};

const urlOf = (port: number): string => `http://127.0.0.1:${port}`;

/** A model with almost no computation shows the overhead of a job; a model of common size shows its practical effect. */
async function throughput(tiny: RunningServer, start: () => Promise<RunningServer>): Promise<void> {
  const gateway = await startGateway();
  const usual = await start();
  try {
    const texts = makeShortTexts(makeVocabulary(SHAPES.m6.vocabulary), ROWS);
    const dataset = await gateway.upload(csvOf(texts));
    const rows: string[][] = [];
    let share = NaN;
    for (const [name, { port }, batchSize] of [
      ['2 small layers', tiny, 32],
      ['2 small layers', tiny, 256],
      ['MiniLM-L6', usual, 32],
    ] as const) {
      const job = { dataset, encoderUrl: urlOf(port), batchSize };
      const direct = () => classifyDirectly(port, texts, batchSize);
      const measured = await interleave({ direct, job: () => gateway.classify(job) }, ROUNDS);
      const [byHand, asJob] = [median(measured.direct), median(measured.job)];
      share = byHand / asJob;
      rows.push([name, String(batchSize), seconds(byHand), seconds(asJob), ratio(share)]);
    }
    printTable([`${ROWS} rows`, 'batches of', 'directly', 'as a job', 'of the rows a second'], rows);
    printGoal(
      `${SHARE} of the rows a second of direct requests to a model of MiniLM's size`,
      ratio(share),
      share >= SHARE,
    );
    print();
  } finally {
    usual.stop();
    await gateway.stop();
  }
}

/** Memory of the gateway and the worker while rows are processed, in new processes. */
async function memoryByRows(port: number): Promise<void> {
  const gateway = await startGateway();
  try {
    const texts = Array.from({ length: MANY_ROWS }, (_, at) => `text ${at} is fine`);
    const dataset = await gateway.upload(csvOf(texts));
    const looks: { readonly done: number; readonly own: number; readonly workers: number }[] = [];
    await gateway.classify({ dataset, encoderUrl: urlOf(port), batchSize: 1000 }, (done) => {
      // Both are the same file, so they share its pages.
      const workers = childrenOf(gateway.pid).map(sharedSize);
      looks.push({ done, own: sharedSize(gateway.pid), workers: Math.max(0, ...workers) });
    });
    const rows = Array.from({ length: STEPS }, (_, step) => {
      const end = ((step + 1) * MANY_ROWS) / STEPS;
      const until = looks.filter(({ done }) => done <= end && done > end - MANY_ROWS / STEPS);
      const peakOf = (process: 'own' | 'workers'): number =>
        Math.max(0, ...until.map((look) => look[process]));
      return [String(end), megabytes(peakOf('own')), megabytes(peakOf('workers'))];
    });
    printTable(['rows', 'gateway at most', 'worker at most'], rows);
    const peak = Math.max(...looks.map(({ own, workers }) => own + workers));
    printGoal(
      `${MANY_ROWS} rows with less than 300 MB without the encoder`,
      `${megabytes(Math.max(...looks.map(({ own }) => own)))} at most of the gateway, ${megabytes(peak)} with the worker`,
      peak < MAX_BYTES,
    );
    print();
  } finally {
    await gateway.stop();
  }
}

const csvOf = (texts: readonly string[]): string =>
  ['examples', ...texts.map((text) => `"${text.replaceAll('"', '""')}"`)].join('\n');
