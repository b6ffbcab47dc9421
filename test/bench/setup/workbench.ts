import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runProgram } from '../measure/child.ts';
import { provideModel } from '../models/provide.ts';
import { type ModelName, SHAPES } from '../models/shapes.ts';
import { makeTexts } from '../models/texts.ts';
import { makeVocabulary } from '../models/vocabulary.ts';
import { PATHS } from './paths.ts';
import { builder, targetBuilder } from './programs.ts';
import { installLocked } from '../../helpers/install-locked.ts';

/** What the sections need, each made when first asked for and once per run of the bench. */
export interface Workbench {
  readonly options: BenchOptions;
  /** Folder of a model. */
  model(this: void, name: ModelName): Promise<string>;
  /** A build config for it. */
  config(this: void, name: ModelName): Promise<string>;
  /** Its executable, built from the code as it is now. */
  executable(this: void, name: ModelName): Promise<string>;
  /** A file of texts, one a line. */
  texts(this: void, count: number): Promise<string>;
  /** What ours are measured against, installed. */
  readonly peers: () => Promise<void>;
  /** The executable of mcp-manager, built from the code as it is now. */
  readonly manager: () => Promise<void>;
  /** The executable of the gateway, likewise. */
  readonly gateway: () => Promise<void>;
}

export interface BenchOptions {
  /** Whether to measure for a shorter time, less exactly. Not all sections support it. */
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
    texts: once(writeTexts),
    peers: once(() => installLocked(PATHS.bench, 'the other contestants')),
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

/** Calls `make` once per key; JSON is a lenient key, which covers a name, a number and nothing at all. */
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
