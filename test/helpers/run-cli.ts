import { join } from 'node:path';
import { execa } from 'execa';
import { ROOT } from './paths.ts';

export interface CliAnswer {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the real `encoderfile` as a child process. */
export async function runCli(
  args: readonly string[],
  options: { cwd?: string; env?: Record<string, string | undefined> } = {},
): Promise<CliAnswer> {
  const result = await execa(process.execPath, [join(ROOT, 'cli/bin.ts'), ...args], {
    ...options,
    reject: false,
    stdin: 'ignore',
  });
  if (result.exitCode === undefined)
    throw new Error(`encoderfile ${args.join(' ')} was ended by ${result.signal}`);
  return { exitCode: result.exitCode, stdout: result.stdout, stderr: result.stderr };
}
