import { resolve } from 'node:path';
import { configError } from '#contract/errors.ts';
import { DURATION_RULE, parseDuration, parseDurationOrZero } from '#core/time/duration.ts';
import type { Redactions } from '#core/text/redactions.ts';
import type { SchemaIssue } from '#core/yaml/issue.ts';
import { homeOrAccountFolder } from '#platform/files/home-folder.ts';
import type { FlagsAndEnv } from '../flags-and-env.ts';

export type Path = readonly string[];

/** State shared by the resolvers of all sections. */
export interface ResolveContext {
  readonly flagsAndEnv: FlagsAndEnv;
  /** Reports a problem with the value at a path in the file. */
  readonly report: (path: Path, message: string, at?: SchemaIssue['at']) => void;
  /** Reports a problem that does not make the configuration invalid. */
  readonly warn: (message: string) => void;
  readonly secrets: Redactions;
  /** Whether a setting in the file is needed. */
  readonly isNeeded: (name: string) => boolean;
  /** Folder of the configuration file; relative paths in the file are relative to it. */
  readonly folder: string;
}

/** Returns the home folder. Throws a ConfigError if there is none; `alternative` describes how to do without it. */
export function requireHomeFolder(alternative: string): string {
  const home = homeOrAccountFolder();
  if (home !== undefined) return home;
  throw configError(`HOME is not set, and this user ID has no home folder. Set HOME, or ${alternative}.`);
}

/** Resolves a path in the file. */
export const pathIn = ({ folder }: Pick<ResolveContext, 'folder'>, text: string): string =>
  resolve(
    folder,
    /^~(?=$|[/\\])/.test(text) ? requireHomeFolder(`write ${text} without \`~\``) + text.slice(1) : text,
  );

/** Parses a duration in the file to milliseconds; undefined if missing, or if invalid, which is reported. */
export function timeIn(
  { report }: ResolveContext,
  path: Path,
  value: string | number | undefined,
  { zero = false }: { readonly zero?: boolean } = {},
): number | undefined {
  if (value === undefined) return undefined;
  const milliseconds = zero ? parseDurationOrZero(value) : parseDuration(value);
  if (milliseconds === undefined) report(path, `expected ${DURATION_RULE}, found ${JSON.stringify(value)}`);
  return milliseconds;
}

/** Parses a duration that is set or has a default; 0 if invalid, which is reported. */
export const durationIn = (
  context: ResolveContext,
  path: Path,
  value: string | number,
  options?: { readonly zero?: boolean },
): number => timeIn(context, path, value, options) ?? 0;
