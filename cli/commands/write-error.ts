import { styleText } from 'node:util';
import type { ErrorCode } from '#contract/errors.ts';
import { errorJson } from '#core/json/error-json.ts';

export interface PrintedError {
  readonly code: ErrorCode | 'UsageError';
  readonly message: string;
}

/**
 * Writes an error to stderr: a sentence, or with --json a JSON document, as every program does. With --json, stdout has it too, next
 * to the result, because callers of this program read it there.
 */
export function writeError(error: PrintedError, json: boolean, result: object = {}): void {
  if (json) process.stdout.write(errorJson(error, result));
  process.stderr.write(
    json ? errorJson(error) : `${styleText('red', 'Error:', { stream: process.stderr })} ${error.message}\n`,
  );
}
