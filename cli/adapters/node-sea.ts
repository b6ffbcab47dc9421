import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { execa } from 'execa';
import { AppError } from '#contract/errors.ts';
import { REPRODUCIBLE } from './v8-code-cache.ts';

export interface SeaInput {
  /** Folder for intermediate files. */
  readonly scratch: string;
  /** Node binary to build from, for any platform but with exactly the version of this process. */
  readonly executable: string;
  readonly main: Uint8Array;
  readonly assets: ReadonlyMap<string, Uint8Array>;
  /**
   * Whether to include V8's compiled code, which is only valid if the host and target platforms are
   * the same.
   */
  readonly codeCache: boolean;
  /** Node flags for every run of the executable. */
  readonly flags: readonly string[];
  readonly output: string;
}

/** Builds a single executable application with Node's `--build-sea`. */
export async function buildSea(input: SeaInput): Promise<void> {
  const { scratch } = input;
  const main = 'main.cjs';
  await writeFile(join(scratch, main), input.main);
  const assets: Record<string, string> = {};
  for (const [index, [name, bytes]] of [...input.assets].entries()) {
    const file = `asset-${index}`;
    await writeFile(join(scratch, file), bytes);
    assets[name] = file;
  }
  const config = 'sea.json';
  await writeFile(
    join(scratch, config),
    JSON.stringify({
      main,
      executable: resolve(input.executable),
      output: resolve(input.output),
      assets,
      disableExperimentalSEAWarning: true,
      useCodeCache: input.codeCache,
      // NODE_OPTIONS in the user's environment must not affect this program.
      execArgvExtension: 'none',
      execArgv: input.flags,
    }),
  );
  // Node only accepts compiled code that was created with the same flags.
  const { exitCode, stderr } = await execa(
    process.execPath,
    [REPRODUCIBLE, ...input.flags, '--build-sea', config],
    {
      reject: false,
      env: { NODE_OPTIONS: '' },
      // The name of the main file becomes part of the result, so it must not depend on the build
      // folder.
      cwd: scratch,
    },
  );
  if (exitCode !== 0)
    throw new AppError('InternalError', `Cannot build the base runtime: node --build-sea failed: ${stderr}`);
}
