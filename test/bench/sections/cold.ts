import { type Finished, type Program, runProgram } from '../measure/child.ts';
import { megabytes, milliseconds, print, printGoal, printTable, ratio } from '../measure/print.ts';
import { peakMemory } from '../measure/process-memory.ts';
import { interleave, median } from '../measure/rounds.ts';
import { cosine } from '../measure/vectors.ts';
import { encoder, transformersOne } from '../setup/programs.ts';
import type { Workbench } from '../setup/workbench.ts';
import type { Section } from './section.ts';

const TEXT = 'The quick brown fox jumps over the lazy dog.';
const ROUNDS = 21;
const MEMORY_ROUNDS = 3;
const SAME = 0.9999;
/** On two cores like those of CI. */
const TIME_LIMITS = { m6: 150, base: 450 } as const;
type Measured = keyof typeof TIME_LIMITS;

/** From process start to the vector of one text, with all files in the page cache. */
export const cold: Section = {
  title: 'Cold start: one short text',
  linuxOnly: false,
  async run(bench) {
    for (const model of ['m6', 'base'] as const) await compare(bench, model);
  },
};

async function compare(bench: Workbench, model: Measured): Promise<void> {
  await bench.peers();
  const programs = {
    ours: encoder(await bench.executable(model), 'infer', TEXT, '--normalize=true'),
    theirs: transformersOne(model, TEXT),
  };
  // The first run of each program fills the caches and returns the vectors.
  const ours = vectorOfOurs(await runProgram(programs.ours));
  const theirs = JSON.parse((await runProgram(programs.theirs)).stdout) as number[];
  const time = (program: Program) => async () => (await runProgram(program)).milliseconds;
  // When a program alternates with a larger one, the larger one displaces its cached data; when it runs alone, its data stays cached.
  const { alone } = await interleave({ alone: time(programs.ours) }, ROUNDS);
  const times = await interleave({ ours: time(programs.ours), theirs: time(programs.theirs) }, ROUNDS);
  const memory = { ours: await peakOf(programs.ours), theirs: await peakOf(programs.theirs) };

  const row = (name: string, who: 'ours' | 'theirs'): string[] => [
    name,
    milliseconds(median(times[who])),
    milliseconds(Math.min(...times[who])),
    milliseconds(Math.max(...times[who])),
    megabytes(memory[who]),
  ];
  const quotient = (of: (values: readonly number[]) => number): number => of(times.ours) / of(times.theirs);
  const share = quotient(median);
  // NaN if memory is not measured, so that it does not count as a failure.
  const memoryShare = memory.ours / memory.theirs;
  print(`Model ${model}, ${ROUNDS} rounds:\n`);
  printTable(
    ['', 'median', 'fastest', 'slowest', 'peak RSS'],
    [
      [
        `${model}.encoder infer, alone`,
        milliseconds(median(alone)),
        milliseconds(Math.min(...alone)),
        milliseconds(Math.max(...alone)),
        '',
      ],
      row(`${model}.encoder infer, interleaved`, 'ours'),
      row('transformers.js, interleaved', 'theirs'),
      [
        'ours / theirs',
        ratio(quotient(median)),
        ratio(quotient((values) => Math.min(...values))),
        ratio(quotient((values) => Math.max(...values))),
        ratio(memoryShare),
      ],
    ],
  );
  const limit = TIME_LIMITS[model];
  printGoal(
    `at most half of the time and, alone, ${milliseconds(limit)}, with less memory`,
    `${ratio(share)} of the time, ${milliseconds(median(alone))} alone, ${ratio(memoryShare)} of the memory`,
    share <= 0.5 && median(alone) <= limit && !(memoryShare >= 1),
  );
  const same = cosine(ours, theirs);
  printGoal(`the same vector, cosine above ${SAME}`, same.toFixed(7), same > SAME);
  print();
}

const vectorOfOurs = ({ stdout }: Finished): number[] => {
  const { embeddings } = JSON.parse(stdout) as { embeddings: number[][] };
  return embeddings[0] ?? [];
};

async function peakOf(program: Program): Promise<number> {
  if (process.platform !== 'linux') return NaN;
  const peaks: number[] = [];
  for (let round = 0; round < MEMORY_ROUNDS; round += 1) peaks.push((await peakMemory(program)).resident);
  return Math.max(...peaks);
}
