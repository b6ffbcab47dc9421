import { lookup } from '#core/values/lookup.ts';
import { readlinkSync, realpathSync, type Stats, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { configError } from '#contract/errors.ts';
import { explainWriteError } from './write-error.ts';

/** The target of an output path. Links are resolved, so that a link is kept and its target is written. */
export type OutputTarget = FileTarget | StreamTarget;

export interface FileTarget {
  readonly kind: 'file';
  /** The path as the user wrote it, for messages. */
  readonly shown: string;
  /** The resolved file. */
  readonly path: string;
  /** Status of the existing file; undefined if there is none. */
  readonly existing: Stats | undefined;
}

/**
 * Whether the target is a device, a pipe or a socket. Such a target is written in place, because
 * renaming a file over it would replace it.
 */
export interface StreamTarget {
  readonly kind: 'stream';
  readonly shown: string;
  /**
   * An open descriptor of this process, as named by /dev/stdout and `>(command)`; undefined if the
   * path must be opened.
   */
  readonly descriptor: number | undefined;
}

/** Maximum number of links, as in Linux. */
const MAX_LINKS = 40;

export function findOutput(shown: string): OutputTarget {
  try {
    const descriptor = ownDescriptor(shown);
    if (descriptor !== undefined) return { kind: 'stream', shown, descriptor };
    const existing = statSync(shown, { throwIfNoEntry: false });
    if (existing === undefined) return { kind: 'file', shown, path: linkTarget(shown), existing };
    if (existing.isDirectory())
      throw configError(`Cannot write ${shown}: it is a folder. Pass a file in it.`);
    if (existing.isFile()) return { kind: 'file', shown, path: realpathSync(shown), existing };
    return { kind: 'stream', shown, descriptor: undefined };
  } catch (error) {
    throw explainWriteError(shown, error);
  }
}

/** Resolves the target of an output that must be a regular file. */
export function findOutputFile(shown: string): FileTarget {
  const target = findOutput(shown);
  if (target.kind === 'file') return target;
  throw configError(`Cannot write ${shown}: it is a device or a pipe. Pass a regular file.`);
}

const NAMED_DESCRIPTORS = lookup<number>({
  '/dev/stdin': 0,
  '/dev/stdout': 1,
  '/dev/stderr': 2,
});

/** Returns the descriptor of this process that a path refers to, through any links. */
function ownDescriptor(path: string): number | undefined {
  let at = resolve(path);
  for (let links = 0; links < MAX_LINKS; links += 1) {
    const folder = realFolder(at);
    if (folder === undefined) return undefined;
    at = join(folder, basename(at));
    const named = NAMED_DESCRIPTORS[at] ?? descriptorIn(folder, basename(at));
    if (named !== undefined) return named;
    const next = readLink(at);
    if (next === undefined) return undefined;
    at = resolve(folder, next);
  }
  return undefined;
}

function descriptorIn(folder: string, name: string): number | undefined {
  if (!/^\d+$/.test(name)) return undefined;
  const own = realFolder('/proc/self/fd/0');
  return folder === '/dev/fd' || folder === own ? Number(name) : undefined;
}

/** Returns the target of a dangling link, or the path itself if it is not a link. */
function linkTarget(path: string): string {
  let at = resolve(path);
  for (let links = 0; links < MAX_LINKS; links += 1) {
    const next = readLink(at);
    if (next === undefined) return at;
    at = resolve(realFolder(at) ?? dirname(at), next);
  }
  return at;
}

function realFolder(path: string): string | undefined {
  try {
    return realpathSync(dirname(path));
  } catch {
    return undefined;
  }
}

function readLink(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}
