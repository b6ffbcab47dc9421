import { existsSync } from 'node:fs';
import { execa } from 'execa';
import { singleQuoted } from '#core/text/shell-word.ts';

/** Whether this system has the `script` of util-linux, which opens terminals. */
export const HAS_TERMINALS = process.platform === 'linux' && existsSync('/usr/bin/script');

interface TerminalOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Keys that are typed before the program reads them, as by a fast user. */
  readonly keys?: string;
}

const start = (line: string, cwd: string, env: Record<string, string | undefined>) =>
  execa('/usr/bin/script', ['-qefc', line, '/dev/null'], { cwd, env, stdin: 'pipe', reject: false });

/** A program on a real terminal. */
export class Terminal {
  /** Everything that the program has written, with control characters. */
  output = '';
  readonly #process: ReturnType<typeof start>;
  #onOutput = (): void => {};

  constructor(command: readonly string[], { cwd, env = {}, keys = '' }: TerminalOptions) {
    const line = command.map(singleQuoted).join(' ');
    this.#process = start(line, cwd, { SHELL: '/bin/sh', TERM: 'xterm', ...env });
    this.#process.stdout.on('data', (chunk: Buffer) => {
      this.output += chunk.toString();
      this.#onOutput();
    });
    this.type(keys);
  }

  type(keys: string): void {
    this.#process.stdin.write(keys);
  }

  /** Waits until the program has written a text. Fails if the program exits before. */
  async waitFor(pattern: RegExp): Promise<void> {
    const written = new Promise<boolean>((resolve) => {
      this.#onOutput = () => pattern.test(this.output) && resolve(true);
      this.#onOutput();
    });
    if (await Promise.race([written, this.#process.then(() => pattern.test(this.output))])) return;
    throw new Error(`the program exited without writing ${pattern}: ${this.output}`);
  }

  /** The exit code; that of a program ended by a signal is 128 plus its number. */
  async exitCode(): Promise<number | undefined> {
    return (await this.#process).exitCode;
  }
}

/** What a program on a terminal writes until it exits. */
export async function onTerminal(
  command: readonly string[],
  options: TerminalOptions,
): Promise<{ readonly exitCode: number | undefined; readonly output: string }> {
  const terminal = new Terminal(command, options);
  const exitCode = await terminal.exitCode();
  return { exitCode, output: terminal.output.replaceAll('\r\n', '\n') };
}
