import { availableParallelism } from 'node:os';
import type { Manifest } from '#contract/manifest.ts';
import { threadsForOneRun } from './thread-count.ts';
import { isProbablyClosed } from '#platform/null-device.ts';
import { CACHE_DIR_VARIABLE } from '#platform/native/cache-folders.ts';
import { type Command, type Invocation, UsageError } from '#serve/cli/command.ts';
import { requiredNumber } from '#serve/cli/values.ts';
import { JSON_OPTION } from '#serve/cli/output-format.ts';
import { type Engine, openEngine } from '../engine/engine.ts';
import { inferArguments } from '../infer/arguments.ts';
import { INPUT_OPTIONS, readInputFlags } from '../infer/input-options.ts';
import type { ImageArguments } from '../infer/image-arguments.ts';
import { deviceText } from '../engine/device-text.ts';
import { DEVICE_OPTIONS, readDeviceSettings } from '../servers/device-options.ts';
import { IMAGE_OPTIONS, readImageHosts, readImageLimits } from '../servers/image-options.ts';
import type { Timing } from '#platform/step-timing.ts';
import type { Step } from '../engine/steps.ts';
import { flagsOfTypes, printOptions, roleIn, stageIn } from '../infer/print-options.ts';

/** The `infer` command: runs the model on texts from the command line or from a file. */
export function inferCommand(modelPath: string): Command {
  return {
    summary: 'Run the model on texts and print the results as JSON.',
    positionals: '<INPUTS>...',
    options: {
      ...JSON_OPTION,
      format: {
        short: 'f',
        value: 'format',
        help: 'Output format',
        choices: ['json'],
        fallback: 'json',
      },
      'out-dir': {
        short: 'o',
        value: 'file',
        help: 'Write the results to this file instead of stdout; for a folder, to <model>.json in it',
      },
      ...flagsOfTypes(),
      ...INPUT_OPTIONS,
      output: {
        value: 'file',
        help: 'With --input: write one JSON line per text to this file; rerun to resume',
      },
      'max-windows': {
        value: 'count',
        help: 'Maximum windows per text, if the model processes long texts in windows',
        fallback: '256',
      },
      ...IMAGE_OPTIONS,
      ...DEVICE_OPTIONS,
      timing: {
        help: 'Print the duration of each step since process start to stderr; with --json, as one JSON line',
      },
      threads: {
        value: 'count',
        help: 'Number of threads',
        defaultText: 'all cores, or one for short texts and small models',
        env: 'ENCODERFILE_THREADS',
      },
      'cache-dir': {
        value: 'folder',
        help: 'Folder for extracted native libraries',
        env: CACHE_DIR_VARIABLE,
      },
    },
    async run(invocation, output) {
      const timing = invocation.flag('timing') ? await startTiming() : undefined;
      const flags = readInputFlags(invocation);
      const input = flags?.input;
      checkCombination(invocation, input);
      const outDir = invocation.value('out-dir');
      let file = invocation.value('output');
      if (file === undefined && outDir !== undefined) {
        const { outputFile } = await import('../infer/check-output.ts');
        file = outputFile(outDir, modelPath, input !== undefined);
      }
      if (file === undefined && isProbablyClosed(1))
        output.err(
          'Warning: stdout is closed or discarded, so the results are lost. Pass --out-dir FILE to write them to a file.\n',
        );
      if (file !== undefined) {
        const { checkOutput } = await import('../infer/check-output.ts');
        checkOutput(file, modelPath, input);
      }
      const engine = await openEngine(modelPath, {
        threads: threadCount(invocation, input === undefined),
        // Packing the weights takes longer than running a few texts without packing them (measured;
        // see docs/decisions).
        prepack: input !== undefined || invocation.positionals.length > PREPACK_FROM_TEXTS,
        maxWindows: requiredNumber(invocation, 'max-windows', { min: 1, max: 1_000_000_000 }),
        images: readImageLimits(invocation),
        imageHosts: readImageHosts(invocation),
        cacheDir: invocation.value('cache-dir'),
        role: roleIn(invocation),
        stage: stageIn(invocation),
        // A few texts are computed before a GPU is opened.
        ...(input === undefined ? { device: 'cpu' as const } : readDeviceSettings(invocation)),
        onDevice: (state) => output.err(`Device: ${deviceText(state)}\n`),
        onStep: timing?.onStep,
      });
      try {
        const options = await printOptions(invocation, engine);
        if (flags === undefined) {
          const { positionals } = invocation;
          const { images, hasFolder } = engine.manifest.images
            ? await readImageArguments(positionals, engine, file)
            : { images: positionals, hasFolder: false };
          const printed = { file, listsInputs: hasFolder };
          await inferArguments(engine, images, options, printed, output, timing?.onStep);
          return 0;
        }
        // Loaded on demand: a run on a few texts from the command line does not need the modules
        // for reading files.
        const { inferFile } = await import('../infer/file.ts');
        return await inferFile(engine, options, output, { ...flags, output: file });
      } finally {
        if (timing) output.err(timing.text(invocation.flag('json') ? 'json' : 'table'));
        await engine.close();
      }
    },
  };
}

/** The images of the arguments. The output cannot be one of them. */
async function readImageArguments(
  positionals: readonly string[],
  { images: { bytes } }: Engine,
  file: string | undefined,
): Promise<ImageArguments> {
  const [{ imageArguments }, { refuseImages }] = await Promise.all([
    import('../infer/image-arguments.ts'),
    import('../infer/check-output.ts'),
  ]);
  const found = await imageArguments(positionals, bytes);
  if (file !== undefined) refuseImages(file, found.images);
  return found;
}

async function startTiming(): Promise<Timing<Step>> {
  const [{ createTiming }, { STEPS }] = await Promise.all([
    import('#platform/step-timing.ts'),
    import('../engine/steps.ts'),
  ]);
  return createTiming<Step>(STEPS);
}

const PREPACK_FROM_TEXTS = 16;

function checkCombination(invocation: Invocation, input: string | undefined): void {
  const { positionals } = invocation;
  if (input === undefined && positionals.length === 0) {
    throw new UsageError('Missing argument <INPUTS>. Pass at least one text, or a file with --input.');
  }
  if (input !== undefined && positionals.length > 0) {
    throw new UsageError(
      `Texts and --input cannot be combined (found ${JSON.stringify(positionals[0])}). Pass one of them.`,
    );
  }
  if (input === undefined) {
    for (const name of ['output', ...Object.keys(DEVICE_OPTIONS)]) {
      if (invocation.given(name)) throw new UsageError(`--${name} requires --input.`);
    }
  }
}

function threadCount(
  invocation: Invocation,
  once: boolean,
): (weightsBytes: number, manifest: Manifest) => number {
  const cores = availableParallelism();
  const text = invocation.value('threads');
  if (text === undefined) {
    const characters = invocation.positionals.join('').length;
    // An image takes as much time as a long text.
    return (weightsBytes, { images }) =>
      once && !images ? threadsForOneRun(weightsBytes, characters, cores) : cores;
  }
  const count = Number(text);
  if (Number.isInteger(count) && count >= 1) return () => Math.min(count, cores);
  throw new UsageError(`--threads: ${JSON.stringify(text)} is not a whole number of at least 1.`);
}
