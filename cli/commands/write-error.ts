import { styleText } from 'node:util';
import type { ErrorCode } from '../../runtime/contract/errors.ts';

export interface PrintedError {
  readonly code: ErrorCode | 'UsageError';
  readonly message: string;
}

/** Writes an error: a sentence on stderr, or with --json an object on stdout, where callers read the result. */
export function writeError(error: PrintedError, json: boolean, result: object = {}): void {
  if (json) process.stdout.write(`${JSON.stringify({ ...result, error }, undefined, 2)}\n`);
  else process.stderr.write(`${styleText('red', 'Error:', { stream: process.stderr })} ${error.message}\n`);
}
