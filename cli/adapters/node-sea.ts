import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { AppError } from '../../runtime/contract/errors.ts';

export interface SeaInput {
  /** A folder for intermediate files. */
  readonly scratch: string;
  /** Node binary the result is made from; any platform, but exactly the version this process runs. */
  readonly executable: string;
  readonly main: Uint8Array;
  readonly assets: ReadonlyMap<string, Uint8Array>;
  /** Compiled code in the result: only valid where host and target are one platform. */
  readonly codeCache: boolean;
  /** Of Node, for every run of the result. */
  readonly flags: readonly string[];
  readonly output: string;
}

/** Makes a single executable application with Node's own `--build-sea`. */
export async function buildSea(input: SeaInput): Promise<void> {
  const { scratch } = input;
  const main = join(scratch, 'main.cjs');
  await writeFile(main, input.main);
  const assets: Record<string, string> = {};
  for (const [index, [name, bytes]] of [...input.assets].entries()) {
    const file = join(scratch, `asset-${index}`);
    await writeFile(file, bytes);
    assets[name] = file;
  }
  const config = join(scratch, 'sea.json');
  await writeFile(
    config,
    JSON.stringify({
      main,
      executable: input.executable,
      output: input.output,
      assets,
      disableExperimentalSEAWarning: true,
      useCodeCache: input.codeCache,
      // NODE_OPTIONS of the user's shell are for Node, not for this program.
      execArgvExtension: 'none',
      execArgv: input.flags,
    }),
  );
  // Compiled code is taken only by a process with the flags of the one that made it.
  const { exitCode, stderr } = await execa(process.execPath, [...input.flags, '--build-sea', config], {
    reject: false,
    env: { NODE_OPTIONS: '' },
  });
  if (exitCode !== 0)
    throw new AppError('InternalError', `Cannot make the base runtime: node --build-sea failed: ${stderr}`);
}
