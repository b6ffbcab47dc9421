import type { Arm64Emulator } from '../helpers/qemu-arm64.ts';
import { runProcess, type Answer } from '../helpers/run-process.ts';
import { portIn, startExecutable } from '../helpers/start-executable.ts';
import { enterRoot } from './enter.ts';

/** A program inside a root file system. Its /tmp is a folder that exists as long as the session. */
export interface Session {
  /** The folder on the host. */
  readonly temporary: string;
  readonly root: string;
  /** The program file on the host. */
  readonly program: string;
  /** A session with another program and additional environment variables, in the same root. */
  readonly with: (program: string, variables: Readonly<Record<string, string>>) => Session;
  readonly run: (...args: string[]) => Promise<Answer>;
  /** Starts a server, passes on its URL, and returns the exit code after SIGTERM. */
  readonly serve: (args: readonly string[], use: (url: string) => Promise<void>) => Promise<number | string>;
}

/** An emulated program is 10 to 20 times slower. */
const EMULATED_HUNG_AFTER = 900_000;

export function openSession(
  root: string,
  program: string,
  temporary: string,
  variables: Readonly<Record<string, string>> = {},
  emulator?: Arm64Emulator,
): Session {
  const entered = { root, program, temporary, variables, emulator };
  return {
    temporary,
    root,
    program,
    with: (other, added) => openSession(root, other, temporary, { ...variables, ...added }, emulator),
    async run(...args) {
      const inside = enterRoot(entered, args);
      return await runProcess(inside.command, inside.args, {
        hungAfter: emulator ? EMULATED_HUNG_AFTER : undefined,
      });
    },
    async serve(args, use) {
      const inside = enterRoot(entered, args);
      const started = startExecutable(inside.command, inside.args);
      try {
        const banner = await started.said(/"msg":"serving"/);
        await use(`http://127.0.0.1:${portIn(banner, 'HTTP')}`);
      } finally {
        started.child.kill('SIGTERM');
      }
      return await started.ended;
    },
  };
}
