import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { FIXTURES } from '../../helpers/paths.ts';
import type { Command } from './blocks.ts';

/** Commands on a page that run in order. */
export interface Session {
  readonly page: string;
  /** Headings whose commands run; default: the whole page. */
  readonly sections?: readonly string[];
  /** Beginnings of commands that do not run, with the reason. */
  readonly omitted?: readonly (readonly [start: string, reason: string])[];
  /** The current folder, relative to `/home/me`. Default: `demo`. */
  readonly folder?: string;
  /** The current folder as shown on the page, if different. */
  readonly shownFolder?: string;
  /** Fixture models whose executables are in the current folder. */
  readonly models?: readonly string[];
  /** Commands to run before those on the page. Their output contains values that the page repeats. */
  readonly before?: readonly Command[];
  /** Writes the files that the page expects. */
  readonly prepare?: (folder: string) => void;
  readonly env?: Readonly<Record<string, string>>;
}

/** Variables for sessions with a gateway. */
export const GATEWAY = {
  GATEWAY_DATA_DIR: 'data',
  GATEWAY_MASTER_KEY: 'master-key-of-sessions-of-the-manual',
};
/** Commands whose output is not compared. */
export const quiet = (...commands: readonly string[]): Command[] =>
  commands.map((command) => ({ command, output: '' }));

/** The fixtures, as in a clone. */
export function linkFixtures(folder: string): void {
  symlinkSync(FIXTURES, join(folder, 'fixtures'));
}
