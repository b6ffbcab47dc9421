import { styleText } from 'node:util';
import type { ErrorCode } from '#contract/errors.ts';
import { errorJson } from '#core/json/error-json.ts';
import { stopLivingSteps } from '../services/terminal-reporter.ts';

export interface PrintedError {
  readonly code: ErrorCode | 'UsageError';
  readonly message: string;
}

/**
 * Writes an error to stderr, as a sentence or (with --json) as a JSON document, like every program
 * of this project. With --json it also goes to stdout, where callers of this program read the
 * result.
 */
export function writeError(error: PrintedError, json: boolean, result: object = {}): void {
  stopLivingSteps();
  if (json) process.stdout.write(errorJson(error, result));
  process.stderr.write(
    json ? errorJson(error) : `${styleText('red', 'Error:', { stream: process.stderr })} ${error.message}\n`,
  );
}
