import { rmSync } from 'node:fs';
import { type RunningExecutable, startExecutable } from '../helpers/start-executable.ts';
import type { ServiceArm } from './shared-services.ts';

/** The information that the two modes of running a service need about it. */
interface Service<Files> {
  /** Writes its input files into a separate folder. */
  readonly write: (files: Files) => string;
  readonly startHere: (
    given: Given<Files>,
    log: (line: string) => void,
  ) => Promise<{ readonly url: string; readonly stop: () => Promise<void> }>;
  readonly command: (given: Given<Files>) => {
    readonly path: string;
    readonly args: readonly string[];
    readonly env?: Readonly<Record<string, string>>;
  };
}

interface Given<Files> {
  readonly folder: string;
  readonly files: Files;
  readonly flags: readonly string[];
}

/** From source in this process, and as its executable. */
export function serviceArms<Files>({ write, startHere, command }: Service<Files>) {
  const inProcess: ServiceArm<Files> = {
    name: 'in-process',
    async start(files, flags = []) {
      const folder = write(files);
      let log = '';
      const { url, stop } = await startHere({ folder, files, flags }, (line) => void (log += line));
      const stopAndRemove = async (): Promise<void> => {
        await stop();
        rmSync(folder, { recursive: true, force: true });
      };
      return { url, folder, log: () => log, stop: stopAndRemove };
    },
  };
  const executable: ServiceArm<Files> = {
    name: 'executable',
    async start(files, flags = []) {
      const folder = write(files);
      const { path, args, env } = command({ folder, files, flags });
      const running = startExecutable(path, args, env);
      const stop = async (): Promise<void> => {
        running.child.kill('SIGTERM');
        await running.ended;
        rmSync(folder, { recursive: true, force: true });
      };
      return { url: await addressOf(running), folder, log: running.stderr, stop };
    },
  };
  return { inProcess, executable };
}

export const SERVING = /"msg":"serving"/;

/** The address of the service, once it responds. */
export async function addressOf({ said }: Pick<RunningExecutable, 'said'>): Promise<string> {
  const banner = await said(SERVING);
  return / (https?:\/\/[^ /]+:\d+)$/m.exec(banner)?.[1] ?? '';
}
