import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runProgram } from '../measure/child.ts';
import { provideImageModel, provideModel } from '../models/provide.ts';
import { type ModelName, SHAPES } from '../models/shapes.ts';
import { makeTexts } from '../models/texts.ts';
import { makeVocabulary } from '../models/vocabulary.ts';
import { PATHS } from './paths.ts';
import { builder, targetBuilder } from './programs.ts';
import { installLocked } from '../../helpers/install-locked.ts';

/** The prerequisites of the sections, each created on first use and once per benchmark run. */
export interface Workbench {
  readonly options: BenchOptions;
  /** Folder of a model. */
  model(this: void, name: ModelName): Promise<string>;
  /** The model's build config. */
  config(this: void, name: ModelName): Promise<string>;
  /** The model's executable, built from the current code. */
  executable(this: void, name: ModelName): Promise<string>;
  /** The executable of the model that reads images, built in the same way. */
  readonly imageExecutable: () => Promise<string>;
  /** A file with one text per line. */
  texts(this: void, count: number): Promise<string>;
  /** The installed packages to compare with. */
  readonly peers: () => Promise<void>;
  /** The executable of mcp-manager, built from the current code. */
  readonly manager: () => Promise<void>;
  /** The executable of the gateway, built in the same way. */
  readonly gateway: () => Promise<void>;
}

export interface BenchOptions {
  /** Whether to measure for a shorter time with less accuracy. Not all sections support it. */
  readonly quick: boolean;
  /** Whether to write results into docs/benchmarks.md. */
  readonly write: boolean;
}

export async function openWorkbench(options: BenchOptions): Promise<Workbench> {
  await mkdir(PATHS.models, { recursive: true });
  const model = once((name: ModelName) => {
    console.error(`Providing the ${name} model ...`);
    return provideModel(PATHS.models, name);
  });
  const config = async (name: ModelName): Promise<string> => {
    const path = await model(name);
    const file = join(PATHS.work, `${name}.yml`);
    const type = name === 'classifier' ? 'sequence_classification' : 'embedding';
    const fields = { name, path, model_type: type };
    await writeFile(file, JSON.stringify({ encoderfile: fields }));
    return file;
  };
  const executable = once(async (name: ModelName) => {
    const path = join(PATHS.work, `${name}.encoder`);
    const file = await config(name);
    console.error(`Building ${name}.encoder ...`);
    await runProgram(builder(file, path));
    return path;
  });
  return {
    options,
    model,
    config,
    executable,
    imageExecutable: once(async () => {
      const path = join(PATHS.work, 'vit.encoder');
      const config = join(PATHS.work, 'vit.yml');
      const folder = await provideImageModel(PATHS.models);
      const fields = { name: 'vit', path: folder, model_type: 'image_classification' };
      await writeFile(config, JSON.stringify({ encoderfile: fields }));
      console.error('Building vit.encoder ...');
      await runProgram(builder(config, path));
      return path;
    }),
    texts: once(writeTexts),
    peers: once(() => installLocked(PATHS.contestants, 'the other contestants')),
    manager: once(() => buildTarget('manager')),
    gateway: once(() => buildTarget('gateway')),
  };
}

async function buildTarget(target: 'manager' | 'gateway'): Promise<void> {
  console.error(`Building the ${target} ...`);
  await runProgram(targetBuilder(target));
}

async function writeTexts(count: number): Promise<string> {
  const path = join(PATHS.work, `texts-${count}.txt`);
  const texts = makeTexts(makeVocabulary(SHAPES.m6.vocabulary), count);
  await writeFile(path, `${texts.join('\n')}\n`);
  return path;
}

/** Calls `make` once per key; the JSON of a key can be a name, a number or empty. */
function once<Arguments extends readonly unknown[], Result>(
  make: (...given: Arguments) => Promise<Result>,
): (...given: Arguments) => Promise<Result> {
  const made = new Map<string, Promise<Result>>();
  return (...given) => {
    const key = JSON.stringify(given);
    const result = made.get(key) ?? make(...given);
    made.set(key, result);
    return result;
  };
}
