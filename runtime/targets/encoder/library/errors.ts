import { AppError, type ErrorCode, inputError } from '#contract/errors.ts';
import { isObject } from '#core/json/is-object.ts';

/** The error of all functions of the Node package. Its message is a sentence for the user. */
export class EncoderfileError extends Error {
  /** The kind of error, for programs. */
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause });
    this.name = 'EncoderfileError';
    this.code = code;
  }
}

/** Runs a function of the package. A caller who has aborted it gets the reason of the signal, as from `fetch`. */
export async function withOwnErrors<Result>(
  options: { readonly signal?: AbortSignal | undefined },
  run: () => Promise<Result>,
): Promise<Result> {
  // The types of the package are not checked in JavaScript.
  const given: unknown = isObject(options) ? options['signal'] : undefined;
  const signal = given instanceof AbortSignal ? given : undefined;
  try {
    if (!isObject(options)) throw inputError('The options must be an object.');
    if (given !== undefined && !signal) throw inputError('Invalid signal. It must be an AbortSignal.');
    signal?.throwIfAborted();
    return await run();
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof EncoderfileError) throw error;
    const { code, message } = AppError.from(error);
    throw new EncoderfileError(code, withOptionNames(message), error);
  }
}

/** Messages of the engine name the flags of the commands; the package has options with the same words. */
const withOptionNames = (message: string): string =>
  message
    .replace('start the server with --on-overflow truncate', 'set onOverflow to truncate')
    .replaceAll(/--([a-z]+(?:-[a-z]+)*)/g, (flag, words: string) =>
      FLAGS.has(words) ? words.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase()) : flag,
    );

/** The flags that are options of `open`. */
const FLAGS = new Set(['cache-dir', 'max-image-bytes', 'max-image-pixels', 'max-input-chars', 'max-windows']);
