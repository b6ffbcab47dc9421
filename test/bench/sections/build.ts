import { mkdir, open, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { withOnnxRuntime } from '../../../cli/adapters/onnxruntime.ts';
import { runProgram } from '../measure/child.ts';
import { megabytes, print, printGoal, printTable, ratio, seconds } from '../measure/print.ts';
import { peakMemory } from '../measure/process-memory.ts';
import { interleave, median } from '../measure/rounds.ts';
import { PATHS } from '../setup/paths.ts';
import { builder } from '../setup/programs.ts';
import type { Section } from './section.ts';

const ROUNDS = 5;
const COPIES = 3;
const MEMORY_LIMIT = 1.5e9;

/** A build of the large model, compared with its unavoidable costs: ONNX Runtime's work and copying the bytes. */
export const build: Section = {
  title: 'Build of a 435 MB model',
  linuxOnly: false,
  async run(bench) {
    const model = join(await bench.model('base'), 'model.onnx');
    const config = await bench.config('base');
    // Builds the base runtime, which every later build finds in its cache.
    await bench.executable('base');
    const folder = join(PATHS.work, 'build-section');
    const copy = join(folder, 'copy.onnx');
    const output = join(folder, 'built.encoder');
    const fresh = async (): Promise<void> => {
      await rm(folder, { recursive: true, force: true });
      await mkdir(folder, { recursive: true });
    };
    const steps = new Map<string, number[]>();
    const times = await interleave(
      {
        async copy() {
          await fresh();
          return (await runProgram({ command: 'cp', args: [model, copy] })).milliseconds;
        },
        async durableCopy() {
          await fresh();
          const started = performance.now();
          await runProgram({ command: 'cp', args: [model, copy] });
          await sync(copy);
          return performance.now() - started;
        },
        async optimize() {
          await fresh();
          const task = {
            model,
            graph: join(folder, 'graph.onnx'),
            weights: 'weights.bin',
            integers: undefined,
          };
          const started = performance.now();
          await withOnnxRuntime((runtime) => runtime.optimize(task));
          return performance.now() - started;
        },
        async build() {
          await fresh();
          const { milliseconds, stderr } = await runProgram(builder(config, output));
          for (const [step, time] of stepsOf(stderr)) steps.set(step, [...(steps.get(step) ?? []), time]);
          return milliseconds;
        },
      },
      ROUNDS,
    );
    const bytes = (await stat(model)).size;
    const row = (name: string, values: readonly number[]): string[] => [
      name,
      seconds(median(values)),
      seconds(Math.min(...values)),
      seconds(Math.max(...values)),
    ];
    printTable(
      [`${ROUNDS} rounds`, 'median', 'fastest', 'slowest'],
      [
        row('encoderfile build', times.build),
        ...[...steps].map(([step, values]) => row(`- ${step}`, values)),
        row(`cp of ${megabytes(bytes)}`, times.copy),
        row('cp and fsync', times.durableCopy),
        row('ONNX Runtime optimizes', times.optimize),
      ],
    );
    const share = (
      of: (values: readonly number[]) => number,
      copies: readonly number[] = times.copy,
    ): number => of(times.build) / (COPIES * of(copies) + of(times.optimize));
    const fastest = (values: readonly number[]): number => Math.min(...values);
    printGoal(
      `build below ${COPIES} x cp + optimize`,
      `${ratio(share(median))} of it by medians, ${ratio(share(fastest))} by the fastest runs; ` +
        `with cp and fsync, as a build does, ${ratio(share(median, times.durableCopy))} ` +
        `and ${ratio(share(fastest, times.durableCopy))}`,
      share(median) < 1,
    );
    await printMemory(config, output);
    await rm(folder, { recursive: true, force: true });
  },
};

async function printMemory(config: string, output: string): Promise<void> {
  if (process.platform !== 'linux')
    return print('goal: peak memory below 1.5 GB; not measured here (needs /proc)');
  const { resident, anonymous } = await peakMemory(builder(config, output));
  printGoal(
    `peak memory of all processes of a build below ${megabytes(MEMORY_LIMIT)}`,
    `${megabytes(resident)} resident, of which at most ${megabytes(anonymous)} anonymous`,
    resident < MEMORY_LIMIT,
  );
}

/** Parses the build's progress output: "✓ Writing the executable (1.4 s)". */
function stepsOf(stderr: string): [string, number][] {
  return [...stderr.matchAll(/^\S+ (.+?) \(([\d.]+) s\)/gm)].map(([, step = '', time]) => [
    step,
    Number(time) * 1000,
  ]);
}

async function sync(path: string): Promise<void> {
  const file = await open(path, 'r+');
  await file.sync();
  await file.close();
}
