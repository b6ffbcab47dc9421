import { Console } from 'node:console';
import { createRequire } from 'node:module';
import { stripVTControlCharacters } from 'node:util';
// esbuild starts its process in the directory of its first import, which a test can remove if its command imports esbuild.
import 'esbuild';
import type * as Cli from '#cli/main.ts';
import type { Answer } from './run-process.ts';

interface CliOptions {
  readonly cwd?: string;
  /** An undefined variable is removed. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

// oclif imports the commands without vitest; the rest of the program must be the same modules.
const { main } = createRequire(import.meta.url)('../../cli/main.ts') as typeof Cli;

let last: Promise<unknown> = Promise.resolve();

/**
 * Runs `encoderfile` in this process, one call after another, because importing the program takes longer than most commands. `runCli` runs
 * it in a separate process.
 */
export function runCliHere(args: readonly string[], options: CliOptions = {}): Promise<Answer> {
  const answer = last.then(() => run(args, options));
  last = answer.catch(() => undefined);
  return answer;
}

async function run(args: readonly string[], { cwd, env = {} }: CliOptions): Promise<Answer> {
  const before = { cwd: process.cwd(), env: { ...process.env }, exitCode: process.exitCode };
  const out = capture(process.stdout);
  const err = capture(process.stderr);
  // Vitest's own console does not write to these streams.
  const { console: replaced } = globalThis;
  globalThis.console = new Console(process.stdout, process.stderr);
  try {
    if (cwd !== undefined) process.chdir(cwd);
    setVariables(env);
    const exitCode = await main(args);
    return { exitCode, stdout: out.text(), stderr: err.text() };
  } finally {
    globalThis.console = replaced;
    out.restore();
    err.restore();
    setVariables(Object.fromEntries(Object.keys(env).map((name) => [name, before.env[name]])));
    process.chdir(before.cwd);
    process.exitCode = before.exitCode;
  }
}

function setVariables(variables: Readonly<Record<string, string | undefined>>): void {
  for (const [name, value] of Object.entries(variables)) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
}

/** The output to a stream of this process until it is restored, without the last line break, as returned by `runCli`. */
function capture(stream: NodeJS.WriteStream): { readonly text: () => string; readonly restore: () => void } {
  const write = stream.write.bind(stream);
  let text = '';
  stream.write = (chunk: string | Uint8Array, ...rest: unknown[]): boolean => {
    text += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString();
    const done = rest.at(-1);
    if (typeof done === 'function') done();
    return true;
  };
  return {
    text: () => stripVTControlCharacters(text).replace(/\n$/, ''),
    restore: () => void (stream.write = write),
  };
}
