import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { hold, type HeldProcess } from '../measure/held-process.ts';
import type { Program } from '../measure/child.ts';
import { megabytes, printGoal, printTable } from '../measure/print.ts';
import { memoryOf, sharedSize } from '../measure/process-memory.ts';
import { encoder } from '../setup/programs.ts';
import { PATHS } from '../setup/paths.ts';
import type { Section } from './section.ts';

/** Printed token by token, so that the output exceeds the capacity of a pipe. */
const TEXT = 'The quick brown fox jumps over the lazy dog. '.repeat(8);
const TEXTS_IN_FILE = 512;
const ANONYMOUS_LIMIT = 420e6;

/** Memory of the large model's executable after a run, suspended while it prints its results. */
export const memory: Section = {
  title: 'Memory: weights are mapped, not copied',
  linuxOnly: true,
  async run(bench) {
    const executable = await bench.executable('base');
    const weights = (await stat(join(await bench.model('base'), 'model.onnx'))).size;
    const few = encoder(executable, 'infer', TEXT, '--pooling=none');
    const many = encoder(executable, 'infer', '--input', await bench.texts(TEXTS_IN_FILE));

    const rows = { few: await rowsOf('infer "text"', few), many: await rowsOf('infer --input', many) };
    printTable(
      ['base', 'RssAnon', 'RssFile', 'peak RSS', 'sum of Pss'],
      [...rows.few.cells, ...rows.many.cells],
    );
    printGoal(
      `anonymous memory after loading below ${megabytes(ANONYMOUS_LIMIT)}`,
      `${megabytes(rows.few.anonymous)} in addition to ${megabytes(weights)} of weights`,
      rows.few.anonymous < ANONYMOUS_LIMIT,
    );
    printGoal(
      'a second infer "text" adds less than half of the weights',
      `${megabytes(rows.few.secondAdds)} (infer --input, which packs weights for speed: ${megabytes(rows.many.secondAdds)})`,
      rows.few.secondAdds < weights / 2,
    );
  },
};

interface Rows {
  readonly cells: string[][];
  readonly anonymous: number;
  /** Growth of total Pss when a second process of the same file runs. */
  readonly secondAdds: number;
}

/** One row for a single process, and one for each of two parallel processes. */
async function rowsOf(name: string, program: Program): Promise<Rows> {
  const held: HeldProcess[] = [];
  try {
    held.push(await hold(program, PATHS.work));
    const alone = held.map(({ pid }) => ({ ...memoryOf(pid), pss: sharedSize(pid) }));
    held.push(await hold(program, PATHS.work));
    const both = held.map(({ pid }) => ({ ...memoryOf(pid), pss: sharedSize(pid) }));
    const total = (of: typeof both): number => of.reduce((sum, { pss }) => sum + pss, 0);
    const cells = (label: string, of: (typeof both)[number], sum: number): string[] => [
      label,
      megabytes(of.anonymous),
      megabytes(of.file),
      megabytes(of.peak),
      megabytes(sum),
    ];
    return {
      cells: [
        ...alone.map((one) => cells(name, one, total(alone))),
        ...both.map((one, at) => cells(`${name}, process ${at + 1} of 2`, one, total(both))),
      ],
      anonymous: alone[0]?.anonymous ?? NaN,
      secondAdds: total(both) - total(alone),
    };
  } finally {
    for (const process of held) process.release();
  }
}
