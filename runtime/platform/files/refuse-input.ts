import { type BigIntStats, fstatSync, statSync } from 'node:fs';
import { configError } from '#contract/errors.ts';

/** The path of the process's stdin. */
export const STDIN: unique symbol = Symbol('stdin');

/** A file that a command reads, with its role for messages. */
export interface InputFile {
  readonly path: string | typeof STDIN;
  readonly role: string;
}

/**
 * Rejects an output that is one of the command's input files or the running program, under any name
 * or link. `shown` is the output as the user wrote it.
 */
export function refuseInput(output: string, inputs: readonly InputFile[], shown = output): void {
  const written = statsOf(output);
  if (written === undefined) return;
  const program = { path: process.execPath, role: 'the program that is running' };
  const same = [...inputs, program].find(({ path }) => isSame(statsOf(path), written));
  if (same === undefined) return;
  throw configError(`Cannot write ${shown}: it is ${same.role}. Choose another output path.`);
}

const isSame = (one: BigIntStats | undefined, other: BigIntStats): boolean =>
  one !== undefined && one.isFile() && one.dev === other.dev && one.ino === other.ino;

function statsOf(path: InputFile['path']): BigIntStats | undefined {
  try {
    return path === STDIN ? fstatSync(0, { bigint: true }) : statSync(path, { bigint: true });
  } catch {
    return undefined;
  }
}
