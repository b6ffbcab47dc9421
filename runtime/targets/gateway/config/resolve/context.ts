import { resolve } from 'node:path';
import { configError } from '../../../../contract/errors.ts';
import { DURATION_RULE, parseDuration } from '../../../../core/time/duration.ts';
import type { Redactions } from '../../../../core/text/redactions.ts';
import type { Finding } from '../../../../core/yaml/issue.ts';
import { homeOrAccountFolder } from '../../../../platform/files/home-folder.ts';
import type { Given } from '../given.ts';

export type Path = readonly string[];

/** What the sections of a configuration are resolved with. */
export interface ResolveContext {
  readonly given: Given;
  /** Takes what is wrong with the value at a path of the file. */
  readonly report: (path: Path, message: string, at?: Finding['at']) => void;
  /** Takes what whoever wrote the configuration should hear although it works. */
  readonly warn: (message: string) => void;
  readonly secrets: Redactions;
  /** Whether anybody wants to know what a setting of the file says. */
  readonly matters: (name: string) => boolean;
  /** The file's own; paths in it are relative to it. */
  readonly folder: string;
}

/** The home folder; without one, an error that says what to set for `purpose`. */
export function requireHomeFolder(purpose: string): string {
  const home = homeOrAccountFolder();
  if (home !== undefined) return home;
  throw configError(`HOME is not set and this user id has no home folder. Set HOME, or ${purpose}.`);
}

/** A path that stands in the file. */
export const pathIn = ({ folder }: Pick<ResolveContext, 'folder'>, text: string): string =>
  resolve(
    folder,
    /^~(?=$|[/\\])/.test(text) ? requireHomeFolder(`write ${text} without \`~\``) + text.slice(1) : text,
  );

/** A time that stands in the file. */
export function timeIn(
  { report }: ResolveContext,
  path: Path,
  value: string | number | undefined,
): number | undefined {
  if (value === undefined) return undefined;
  const milliseconds = parseDuration(value);
  if (milliseconds === undefined) report(path, `expected ${DURATION_RULE}, found ${JSON.stringify(value)}`);
  return milliseconds;
}
