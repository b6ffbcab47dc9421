import { execa } from 'execa';
import { repositoryFile } from './own-files.ts';

/**
 * With this flag, V8 always compiles the same program to the same bytes. Processes without the flag
 * accept the result, too.
 */
export const REPRODUCIBLE = '--random-seed=1';

/** Compiles a program that will be appended to a base runtime, and returns V8's code cache for it. */
export async function compileInProcess(code: Uint8Array): Promise<Uint8Array> {
  const { stdout } = await execa(
    process.execPath,
    [REPRODUCIBLE, repositoryFile('cli/adapters/compile-process.ts')],
    // The output is binary, so it must not be trimmed: its last byte can be equal to a line break.
    { input: code, encoding: 'buffer', stripFinalNewline: false, env: { NODE_OPTIONS: '' } },
  );
  return stdout;
}
