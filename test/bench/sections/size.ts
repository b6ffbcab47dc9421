import { runProgram } from '../measure/child.ts';
import { megabytes, printGoal, printTable } from '../measure/print.ts';
import { encoder } from '../setup/programs.ts';
import type { Section } from './section.ts';

const LIMIT = 125e6;

/** The fields of `inspect --json` that are used here. */
interface Inspection {
  readonly bytes: number;
  readonly runtime: {
    readonly parts: readonly {
      readonly name: string;
      readonly bytes: number;
      readonly unpackedBytes?: number;
    }[];
  };
  readonly sections: readonly { readonly name: string; readonly length: number }[];
}

/** Size of an executable without its model's weights. */
export const size: Section = {
  title: 'Size of an executable',
  linuxOnly: false,
  async run(bench) {
    const executable = await bench.executable('m6');
    const { stdout } = await runProgram(encoder(executable, 'inspect', '--json'));
    const { bytes, runtime, sections } = JSON.parse(stdout) as Inspection;
    const weights = sections.find(({ name }) => name === 'weights')?.length ?? 0;
    printTable(
      ['m6.encoder', 'bytes', 'MB', 'unpacked'],
      [
        ['whole file', String(bytes), megabytes(bytes), ''],
        ...sections.flatMap(({ name, length }) => [
          [`- ${name}`, String(length), megabytes(length), ''],
          ...(name === 'executable' ? runtime.parts.map(partRow) : []),
        ]),
      ],
    );
    const rest = bytes - weights;
    printGoal(`at most ${megabytes(LIMIT)} in addition to the weights`, megabytes(rest), rest <= LIMIT);
  },
};

const partRow = ({ name, bytes, unpackedBytes }: Inspection['runtime']['parts'][number]): string[] => [
  `  - ${name}`,
  String(bytes),
  megabytes(bytes),
  unpackedBytes === undefined ? '' : megabytes(unpackedBytes),
];
