import type { Outcome, RunningProgram, RunOptions, Wine } from './wine.ts';

/** What the checks of a program use. */
export interface Context {
  readonly wine: Wine;
  /** `C:\work`, as a path of this system. */
  readonly work: string;
  /** Windows paths of the programs. */
  readonly programs: Readonly<Record<WindowsProgram, string>>;
  /** The executable of the same model for this system. */
  readonly linuxEncoder: string;
  /** Windows path of Node, which runs scripts and MCP servers there. */
  readonly node: string;
}

export const WINDOWS_PROGRAMS = ['encoder', 'encoderfile', 'gateway', 'manager'] as const;
export type WindowsProgram = (typeof WINDOWS_PROGRAMS)[number];

/** A check on Windows. It fails if `run` rejects. */
export interface WindowsCheck {
  readonly name: string;
  readonly run: (context: Context) => Promise<void>;
}

/** Runs a program that must succeed, and returns its stdout. */
export async function succeed(
  { wine }: Context,
  program: string,
  args: readonly string[],
  options?: RunOptions,
): Promise<string> {
  const { exitCode, stdout, stderr } = await wine.run(program, args, options);
  if (exitCode === 0) return stdout;
  throw new Error(`${program} ${args.join(' ')}: exit code ${exitCode}\n${stdout}${stderr}`);
}

/** Runs a program that must fail with one line on stderr, and returns the line. */
export async function fail(
  { wine }: Context,
  program: string,
  args: readonly string[],
  options?: RunOptions,
): Promise<string> {
  const outcome = await wine.run(program, args, options);
  const { exitCode, stderr } = outcome;
  const lines = stderr.split('\n').filter((line) => line.trim() !== '');
  if (exitCode === 0 || typeof exitCode === 'string' || lines.length !== 1)
    throw new Error(`${program} ${args.join(' ')}: expected one line and a failure, got ${shown(outcome)}`);
  return lines.join('');
}

const shown = ({ exitCode, stdout, stderr }: Outcome): string => `exit code ${exitCode}\n${stdout}${stderr}`;

/** Runs a server while `use` runs, then ends it with Ctrl+C. Its exit code must be 0. Returns its log. */
export async function withServer(
  { wine }: Context,
  program: string,
  args: readonly string[],
  use: (banner: string, server: RunningProgram) => Promise<void>,
  options?: RunOptions,
): Promise<string> {
  const server = wine.start(program, args, options);
  try {
    await use(await server.said(/"msg":"serving"/), server);
    server.interrupt();
    const outcome = await server.ended;
    if (outcome.exitCode !== 0) throw new Error(`${program} after Ctrl+C: ${shown(outcome)}`);
    return outcome.stderr;
  } finally {
    server.terminate();
    await server.ended;
  }
}
