import { lookup } from '#core/values/lookup.ts';
import { type Stats } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { devNull } from 'node:os';
import { configError, messageOf } from '#contract/errors.ts';
import { errorCode } from '#core/values/error-code.ts';

/** Maximum size of a configuration file; a larger file, such as a log or a model, was passed by mistake. */
const MAX_BYTES = 4 * 1024 * 1024;

export interface TextFileOnDisk {
  readonly path: string;
  readonly text: string;
  readonly mode: number;
  /** The text including the byte order mark, which `text` omits. */
  readonly whole: string;
}

/** Reads a text file; returns undefined if it does not exist. Other errors are reported as a sentence. */
export async function readText(path: string): Promise<TextFileOnDisk | undefined> {
  let facts: Stats;
  let bytes: Uint8Array;
  try {
    facts = await stat(path);
    refuseKind(path, facts);
    bytes = await readFile(path);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    if (codeOf(error) === undefined) throw error;
    throw configError(`Cannot read ${path}: ${REASONS[codeOf(error) ?? ''] ?? messageOf(error)}.`, error);
  }
  const whole = decode(path, bytes);
  return { path, text: whole.replace(/^\uFEFF/, ''), whole, mode: facts.mode };
}

/** Whether a file is empty, like one that is being written. */
export const isBlank = ({ text }: TextFileOnDisk): boolean => text.trim() === '';

function refuseKind(path: string, facts: Stats): void {
  if (facts.isDirectory()) throw configError(`Cannot read ${path}: it is a folder. Pass a file.`);
  if (!facts.isFile() && path !== devNull)
    throw configError(`Cannot read ${path}: it is not a regular file. Pass a regular file.`);
  if (facts.size <= MAX_BYTES) return;
  const size = `${(facts.size / 1024 / 1024).toFixed(1)} MiB`;
  throw configError(
    `${path} has ${size}, but the maximum for a configuration file is ${MAX_BYTES / 1024 / 1024} MiB. Pass another file.`,
  );
}

function decode(path: string, bytes: Uint8Array): string {
  if (bytes.includes(0))
    throw configError(
      `${path} is not a text file: it contains null bytes. Pass another file, or save it as UTF-8.`,
    );
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw configError(`${path} is not valid UTF-8. Save it as UTF-8.`, error);
  }
}

const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'syscall' in error ? errorCode(error) : undefined;

const REASONS = lookup<string>({
  EACCES: 'permission denied. Change its permissions',
  EPERM: 'permission denied. Change its permissions',
  ENOTDIR: 'one of its parent folders is a file. Pass another path',
  ELOOP: 'its symbolic links form a loop. Pass another path',
  ENAMETOOLONG: 'the name is too long for this file system. Pass another path',
});
