import { addressOf } from '../service-arms.ts';
import type { RunningExecutable } from '../../helpers/start-executable.ts';
import { type RunningProcess, useProcesses } from '../started-processes.ts';
import { argumentsFor, environmentOf, type GatewayFiles, writeFiles } from './arms.ts';
import { builtProgram } from '../../helpers/built.ts';

/** Real gateways that a test sends requests and signals to; any still running are killed after the test. */
export function useGatewayProcesses(): {
  start: (files: GatewayFiles, flags?: readonly string[]) => Promise<RunningProcess>;
  /** Starts a gateway in a folder with `gateway.yml`. */
  open: (
    folder: string,
    flags?: readonly string[],
    env?: Readonly<Record<string, string>>,
  ) => Promise<RunningProcess>;
  /** Starts the process without waiting until it serves requests. */
  launch: (
    folder: string,
    flags: readonly string[],
    env?: Readonly<Record<string, string>>,
  ) => RunningExecutable;
  /** Runs `gateway` with any arguments in an empty folder. */
  run: (args: readonly string[], env?: Readonly<Record<string, string>>) => RunningExecutable;
} {
  const processes = useProcesses();
  const run = (args: readonly string[], env: Readonly<Record<string, string>> = {}): RunningExecutable =>
    processes.launch(builtProgram('gateway'), args, { env });
  const launch = (
    folder: string,
    flags: readonly string[],
    env: Readonly<Record<string, string>> = environmentOf({}),
  ): RunningExecutable =>
    processes.launch(builtProgram('gateway'), ['serve', ...argumentsFor(folder), ...flags], { env, folder });
  const open = async (
    folder: string,
    flags: readonly string[] = [],
    env?: Readonly<Record<string, string>>,
  ): Promise<RunningProcess> => {
    const started = launch(folder, flags, env);
    return processes.served(started, await addressOf(started), folder);
  };
  return {
    run,
    launch,
    open,
    start: (files, flags) => open(writeFiles(files), flags, environmentOf(files)),
  };
}
