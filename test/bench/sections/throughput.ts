import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Program, runProgram } from '../measure/child.ts';
import { print, printGoal, printTable, ratio, seconds } from '../measure/print.ts';
import { interleave, median } from '../measure/rounds.ts';
import { cosine } from '../measure/vectors.ts';
import { TEXT_LENGTHS } from '../models/texts.ts';
import { PATHS } from '../setup/paths.ts';
import { encoder, transformersMany } from '../setup/programs.ts';
import type { Section } from './section.ts';

const TEXTS = 2000;
const ROUNDS = 3;
const BATCH = 32;
const SAME = 0.9999;

/** From a file of texts to a file of vectors, including process startup. */
export const throughput: Section = {
  title: `Throughput: ${TEXTS} texts of mixed lengths`,
  linuxOnly: false,
  async run(bench) {
    await bench.peers();
    const executable = await bench.executable('m6');
    const texts = await bench.texts(TEXTS);
    const output = (name: string): string => join(PATHS.work, `${name}.jsonl`);
    const timed = (name: string, program: Program) => async () => {
      await rm(output(name), { force: true });
      return (await runProgram(program)).milliseconds;
    };
    const theirs = (name: string, batchSize: number) =>
      timed(name, transformersMany('m6', { texts, output: output(name), batchSize }));
    const args = ['infer', '--input', texts, '--output', output('ours'), '--normalize=true'];
    const times = await interleave(
      {
        ours: timed('ours', encoder(executable, ...args)),
        batched: theirs('batched', BATCH),
        single: theirs('single', 1),
      },
      ROUNDS,
    );
    const speed = (values: readonly number[]): number => TEXTS / (median(values) / 1000);
    const row = (name: string, values: readonly number[]): string[] => [
      name,
      speed(values).toFixed(1),
      seconds(median(values)),
      seconds(Math.min(...values)),
      seconds(Math.max(...values)),
      ratio(speed(times.ours) / speed(values)),
    ];
    const { mean, sigma, shortest, longest } = TEXT_LENGTHS;
    print(
      `Words and marks per text: lognormal, mean ${mean}, sigma ${sigma}, cut to ${shortest} ... ${longest}.\n`,
    );
    printTable(
      [`m6, ${ROUNDS} rounds`, 'texts/s', 'median', 'fastest', 'slowest', 'ours is faster by'],
      [
        row('m6.encoder infer --input', times.ours),
        row(`transformers.js, batches of ${BATCH}`, times.batched),
        row('transformers.js, one by one', times.single),
      ],
    );
    const best = Math.max(speed(times.batched), speed(times.single));
    const factor = speed(times.ours) / best;
    printGoal('faster than the better of the two', `${ratio(factor)} x`, factor > 1);
    const same = await leastCosine(output('ours'), output('single'));
    printGoal(`the same vectors, every cosine above ${SAME}`, same.toFixed(7), same > SAME);
  },
};

async function leastCosine(ours: string, theirs: string): Promise<number> {
  const [left, right] = await Promise.all([vectorsOf(ours), vectorsOf(theirs)]);
  if (left.length !== right.length) throw new Error(`${left.length} vectors against ${right.length}`);
  return Math.min(...left.map((vector, at) => cosine(vector, right[at] ?? [])));
}

async function vectorsOf(path: string): Promise<number[][]> {
  const lines = (await readFile(path, 'utf8')).trimEnd().split('\n');
  return lines.map((line) => (JSON.parse(line) as { embedding: number[] }).embedding);
}
