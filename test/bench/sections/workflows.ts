import { megabytes, print, printGoal, printTable, ratio, seconds } from '../measure/print.ts';
import { childrenOf, memoryOf } from '../measure/process-memory.ts';
import { interleave, median } from '../measure/rounds.ts';
import { SHAPES } from '../models/shapes.ts';
import { makeShortTexts } from '../models/texts.ts';
import { makeVocabulary } from '../models/vocabulary.ts';
import { startSentiment } from '../serve/sentiment.ts';
import { classifyDirectly } from '../workflows/classify-directly.ts';
import { type RunningGateway, startGateway } from '../workflows/running-gateway.ts';
import type { Section } from './section.ts';

const ROWS = 10_000;
const ROUNDS = 3;
const BATCH_SIZES = [32, 256];
const SHARE = 0.85;

/** Of the run that memory is looked at; `BENCH_ROWS=1000000` for what was promised. */
const MANY_ROWS = Number(process.env['BENCH_ROWS'] ?? 100_000);
const STEPS = 4;
const MOST_BYTES = 300e6;

/** Classification as a job of the gateway, beside the same batches sent to the same encoder by hand. */
export const workflows: Section = {
  title: 'Jobs over datasets',
  linuxOnly: true,
  async run(bench) {
    if (process.env['BENCH_GATEWAY'] === undefined) await bench.gateway();
    const encoder = await startSentiment();
    try {
      const gateway = await startGateway();
      try {
        await throughput(gateway, encoder.port);
      } finally {
        await gateway.stop();
      }
      await memoryByRows(encoder.port);
    } finally {
      encoder.stop();
    }
  },
};

const urlOf = (port: number): string => `http://127.0.0.1:${port}`;

async function throughput(gateway: RunningGateway, port: number): Promise<void> {
  const texts = makeShortTexts(makeVocabulary(SHAPES.m6.vocabulary), ROWS);
  const dataset = await gateway.upload(csvOf(texts));
  const rows: string[][] = [];
  for (const batchSize of BATCH_SIZES) {
    const job = { dataset, encoderUrl: urlOf(port), batchSize };
    const direct = () => classifyDirectly(port, texts, batchSize);
    await gateway.classify(job);
    await direct();
    const measured = await interleave({ direct, job: () => gateway.classify(job) }, ROUNDS);
    const [byHand, asJob] = [median(measured.direct), median(measured.job)];
    rows.push([String(batchSize), seconds(byHand), seconds(asJob), ratio(byHand / asJob)]);
  }
  printTable([`${ROWS} rows, batches of`, 'directly', 'as a job', 'of the rows a second'], rows);
  const shares = rows.map((row) => Number(row.at(-1)));
  const least = Math.min(...shares);
  printGoal(`${SHARE} of the rows a second of direct requests`, ratio(least), least >= SHARE);
  print();
}

/** What the gateway and the worker hold while rows go through them, in new processes. */
async function memoryByRows(port: number): Promise<void> {
  const gateway = await startGateway();
  try {
    const texts = Array.from({ length: MANY_ROWS }, (_, at) => `text ${at} is fine`);
    const dataset = await gateway.upload(csvOf(texts));
    const looks: { readonly done: number; readonly own: number; readonly workers: number }[] = [];
    await gateway.classify({ dataset, encoderUrl: urlOf(port), batchSize: 1000 }, (done) => {
      const workers = childrenOf(gateway.pid).map((pid) => memoryOf(pid).resident);
      looks.push({ done, own: memoryOf(gateway.pid).resident, workers: Math.max(0, ...workers) });
    });
    const rows = Array.from({ length: STEPS }, (_, step) => {
      const end = ((step + 1) * MANY_ROWS) / STEPS;
      const until = looks.filter(({ done }) => done <= end && done > end - MANY_ROWS / STEPS);
      const most = (of: 'own' | 'workers'): number => Math.max(0, ...until.map((look) => look[of]));
      return [String(end), megabytes(most('own')), megabytes(most('workers'))];
    });
    printTable(['rows', 'gateway at most', 'worker at most'], rows);
    const most = Math.max(...looks.map(({ own, workers }) => own + workers));
    printGoal(
      `${MANY_ROWS} rows with less than 300 MB beside the encoder`,
      `${megabytes(Math.max(...looks.map(({ own }) => own)))} at most of the gateway, ${megabytes(most)} with the worker`,
      most < MOST_BYTES,
    );
    print();
  } finally {
    await gateway.stop();
  }
}

const csvOf = (texts: readonly string[]): string =>
  ['examples', ...texts.map((text) => `"${text.replaceAll('"', '""')}"`)].join('\n');
