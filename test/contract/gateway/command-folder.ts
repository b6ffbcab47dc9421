import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Answer } from '../../helpers/run-process.ts';
import { useTempFolder } from '../../helpers/temp-folder.ts';
import type { CommandArm } from '../command-arms.ts';

export interface StoreFolder {
  /** Runs a command on the folder's database. */
  readonly run: (...args: string[]) => Promise<Answer>;
  /** Runs a command that must succeed; returns its output. */
  readonly done: (...args: string[]) => Promise<string>;
  /** Runs a command with `--json`; returns the parsed output. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests inspect its structure.
  readonly json: (...args: string[]) => Promise<any>;
  /** Runs a command that must fail with this exit code; returns its one-sentence error. */
  readonly refused: (code: number, ...args: string[]) => Promise<string>;
  readonly path: (name: string) => string;
  readonly write: (name: string, text: string) => string;
}

/** A folder for every test of a file, with the database in `data/`, and a configuration file if one is given. */
export function useStoreFolder(): (arm: CommandArm, config?: object) => StoreFolder {
  const folder = useTempFolder();
  return (arm, config) => storeFolder(arm, folder(), config);
}

export function storeFolder(arm: CommandArm, folder: string, config?: object): StoreFolder {
  const path = (name: string): string => join(folder, name);
  const write = (name: string, text: string): string => {
    writeFileSync(path(name), text, { mode: 0o600 });
    return path(name);
  };
  const place =
    config === undefined
      ? ['--data-dir', path('data')]
      : ['--config', write('gateway.yml', JSON.stringify({ data_dir: 'data', ...config }))];
  const run: StoreFolder['run'] = (...args) => arm.run([...args, ...place]);
  const done: StoreFolder['done'] = async (...args) => {
    const { exitCode, stdout, stderr } = await run(...args);
    if (exitCode !== 0) throw new Error(`gateway ${args.join(' ')}: ${exitCode} ${stderr}`);
    return stdout;
  };
  return {
    run,
    done,
    json: async (...args) => JSON.parse(await done(...args, '--json')),
    refused: async (code, ...args) => {
      const { exitCode, stdout, stderr } = await run(...args);
      expect([exitCode, stdout]).toEqual([code, '']);
      if (args.includes('--json')) {
        const { error } = JSON.parse(stderr) as { error: { message: string } };
        return error.message;
      }
      expect(stderr).toMatch(
        code === 2 ? /^Error: .*\nSee `gateway.* --help`\.\n$/ : /^Error: [^\n]*[.!?]\n$/,
      );
      return stderr;
    },
    path,
    write,
  };
}
