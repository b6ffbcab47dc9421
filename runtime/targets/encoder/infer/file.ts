import { hasImageInputs } from '#contract/model-types.ts';
import { existsSync, realpathSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { AppError } from '#contract/errors.ts';
import { toJsonLine } from '../json/json.ts';
import { progressLine } from '#core/model/progress.ts';
import { sha256 } from '#platform/sha256.ts';
import { findOutput } from '#platform/files/output-target.ts';
import { openStream } from '#platform/files/write-text.ts';
import type { Output } from '#serve/cli/command.ts';
import type { Engine } from '../engine/engine.ts';
import { TASKS } from '../tasks/index.ts';
import type { FailedInference } from '#core/model/raw-output.ts';
import type { Inference } from '../math/inference.ts';
import type { PrintOptions } from '../tasks/task.ts';
import { refuseImages } from './check-output.ts';
import { inputInText } from './input-in-text.ts';
import { type InputFlags, type InputSource, inputSource, openSource } from './input-source.ts';
import { inferOptions } from './print-options.ts';
import type { TextOrError } from './read-texts.ts';
import { openResumableOutput, type ResumableOutput } from './resumable-output.ts';
import { countTruncated, truncationWarning } from './warn-truncated.ts';

export interface FileJob extends InputFlags {
  readonly output: string | undefined;
}

/**
 * Number of texts to tokenize and batch together: enough for sorting by length to be effective, but
 * few enough that results arrive continuously.
 */
const WINDOW = 256;

/**
 * Runs the model on a file of texts and writes one line of JSON per text, in order, as results
 * arrive. If a text fails, its line contains the error, and the exit code is 1.
 */
export async function inferFile(
  engine: Engine,
  options: PrintOptions,
  output: Output,
  job: FileJob,
): Promise<number> {
  const source = inputSource(engine.manifest, job);
  if ('images' in source && job.output !== undefined) refuseImages(job.output, source.images);
  const sink = openSink(engine, options, output, job, source);
  const { index, failed, blank, truncated } = await writeResults(
    engine,
    options,
    output,
    source,
    sink,
  ).finally(() => sink.close());
  if (blank > 0) output.err(`Skipped ${blank} blank line${blank === 1 ? '' : 's'}.\n`);
  const warning = truncationWarning(truncated, index - sink.done, engine.manifest);
  if (warning !== '') output.err(warning);
  if (failed === 0) return 0;
  output.err(`Error: ${failed} of ${index} texts failed; their output lines contain an "error".\n`);
  return 1;
}

interface Written {
  /** Number of texts read, and how many of them failed. */
  readonly index: number;
  readonly failed: number;
  readonly blank: number;
  /** Number of texts that were truncated in this run. */
  readonly truncated: number;
}

async function writeResults(
  engine: Engine,
  options: PrintOptions,
  output: Output,
  source: InputSource,
  sink: ResumableOutput,
): Promise<Written> {
  const isFolderOfImages = 'images' in source;
  const { texts, share, blank } = openSource(source);
  const progress = startProgress(sink.done, share, output);
  let index = 0;
  let truncated = 0;
  // A resumed run also reports texts that failed in earlier runs.
  let { failed } = sink;

  const windowed = windows(skip(texts, sink.done), WINDOW);
  for await (const window of mapAhead(windowed, (texts) => inferWindow(engine, texts, options))) {
    truncated += window.truncated;
    const lines = window.results.map((result) => {
      if ('error' in result) failed += 1;
      const image = isFolderOfImages ? { image: source.images[sink.done + index] } : {};
      return toJsonLine({ index: sink.done + index++, ...image, ...result });
    });
    sink.write(`${lines.join('\n')}\n`);
    progress.update(sink.done + index);
  }
  sink.finish();
  progress.end();
  return { index: sink.done + index, failed, blank: blank(), truncated };
}

type Result = { readonly error: string } | object;

/** Runs the model on all valid texts of a window in one call. Each result is at the position of its text. */
async function inferWindow(
  engine: Engine,
  window: readonly TextOrError[],
  options: PrintOptions,
): Promise<{ readonly results: Result[]; readonly truncated: number }> {
  // A path that is empty is an error of its own.
  const isUsable = (item: TextOrPath): boolean =>
    'image' in item || item.text !== '' || hasImageInputs(engine.manifest.modelType);
  const results: Result[] = window.map((item) => {
    if ('error' in item) return item;
    return isUsable(item) ? {} : { error: 'Cannot tokenize empty string' };
  });
  const usable = window.flatMap((item, at) =>
    'error' in item || !isUsable(item) ? [] : [{ at, item, text: wordingOf(item) }],
  );
  if (usable.length === 0) return { results, truncated: 0 };
  const inferences = await engine.inferEach(
    usable.map(({ item, text }) =>
      'image' in item ? item : inputInText(text, engine.manifest, item.isExact),
    ),
    inferOptions(TASKS[engine.manifest.modelType], options),
  );
  for (const [position, inference] of inferences.entries()) {
    const source = usable[position];
    if (source === undefined) throw new AppError('InternalError', 'more results than texts');
    results[source.at] = await printed(engine, inference, options, source.text);
  }
  return { results, truncated: countTruncated(inferences) };
}

type TextOrPath = Exclude<TextOrError, { readonly error: string }>;

/** The text of an input, or the path of its image. */
const wordingOf = (item: TextOrPath): string => ('text' in item ? item.text : item.image);

/** The fields of a result line. */
async function printed(
  engine: Engine,
  inference: Inference | FailedInference,
  options: PrintOptions,
  text: string,
): Promise<Result> {
  if ('failure' in inference) return { error: inference.failure };
  const task = TASKS[engine.manifest.modelType];
  try {
    const result = await task.printed(inference, engine, options, text);
    return task.lineKey === undefined || options.outputs ? Object(result) : { [task.lineKey]: result };
  } catch (error) {
    if (error instanceof AppError) return { error: error.message };
    throw error;
  }
}

async function* skip<T>(items: AsyncIterable<T>, count: number): AsyncGenerator<T> {
  let seen = 0;
  for await (const item of items) if (seen++ >= count) yield item;
}

const FROM_THE_START = { done: 0, failed: 0, finish: () => {} };

/**
 * Opens the output to which lines are written. Only files can be resumed, and only if their lines
 * come from the same model, input and options.
 */
function openSink(
  engine: Engine,
  options: PrintOptions,
  output: Output,
  job: FileJob,
  source: InputSource,
): ResumableOutput {
  if (job.output === undefined) return { ...FROM_THE_START, write: output.out, close: () => {} };
  const target = findOutput(job.output);
  if (target.kind === 'stream') return { ...FROM_THE_START, ...openStream(target) };
  const origin = sha256(Buffer.from(JSON.stringify([engine.manifest, options, ...originOf(source)])));
  return openResumableOutput(target, origin);
}

/** What identifies an input. A file in a folder of images can be the output, so its time is not compared. */
function originOf(source: InputSource): unknown[] {
  if ('images' in source) return [source.images.map((path) => resolve(path))];
  const { input, column, format } = source;
  return [column, format, existsSync(input) ? [realpathSync(input), statSync(input).mtimeMs] : [input]];
}

/** Shows a progress bar if stderr is a terminal. */
function startProgress(
  resumedAt: number,
  share: () => number | undefined,
  output: Output,
): { readonly update: (done: number) => void; readonly end: () => void } {
  if (!process.stderr.isTTY) return { update: () => {}, end: () => {} };
  if (resumedAt > 0) output.err(`Resuming after ${resumedAt} texts.\n`);
  const started = performance.now();
  return {
    update(done) {
      const seconds = (performance.now() - started) / 1000;
      const read = share();
      const line =
        read === undefined
          ? progressLine('Texts', done, undefined, seconds)
          : progressLine(`${done} texts`, read, 1, seconds);
      output.err(`\r\u001B[2K${line}`);
    },
    end: () => output.err('\n'),
  };
}

/** Groups the items of a stream into lists of at most `size` items, in order. */
async function* windows<T>(items: AsyncIterable<T>, size: number): AsyncGenerator<T[]> {
  let window: T[] = [];
  for await (const item of items) {
    window.push(item);
    if (window.length === size) {
      yield window;
      window = [];
    }
  }
  if (window.length > 0) yield window;
}

/** Maps the items in order, one item ahead: the next item is processed while the caller consumes a result. */
async function* mapAhead<T, U>(items: AsyncIterable<T>, map: (item: T) => Promise<U>): AsyncGenerator<U> {
  let ahead: Promise<U> | undefined;
  for await (const item of items) {
    const next = map(item);
    // A failure is reported when the promise is awaited in the next iteration.
    next.catch(() => {});
    if (ahead) yield await ahead;
    ahead = next;
  }
  if (ahead) yield await ahead;
}
