import { chosenArms } from './chosen-arms.ts';
import { type ChildProcess, spawn } from 'node:child_process';
import { parseInvocation } from '../../runtime/serve/cli/parse.ts';
import { serveCommand } from '../../runtime/targets/encoder/commands/serve.ts';
import { openContext } from '../../runtime/targets/encoder/servers/open-context.ts';
import { readAddress, readServerSettings } from '../../runtime/targets/encoder/servers/settings.ts';
import { startServers } from '../../runtime/targets/encoder/servers/start-servers.ts';
import { TEST_CACHE } from '../helpers/paths.ts';
import { transformed } from './transformed.ts';
import { builtAssets, builtExecutable } from '../helpers/built.ts';

/** A model on the network. */
export interface Served {
  readonly httpPort: number;
  readonly grpcPort: number;
  stop(): Promise<void>;
  /** Lines of its log, all of them once it has stopped. */
  log(): string;
}

/** A way to put a model on the network. `model` is the name of a fixture, `flags` are those of `serve`. */
export interface ServingArm {
  readonly name: string;
  serve(model: string, flags?: readonly string[]): Promise<Served>;
}

const inProcess: ServingArm = {
  name: 'in-process',
  serve: (model, flags) => serveAssets(builtAssets(model), flags),
};

/** Serves the folder that `build --no-build` wrote, from this process. */
export async function serveAssets(path: string, flags: readonly string[] = []): Promise<Served> {
  const invocation = parseInvocation(serveCommand(''), [...ANY_PORTS, ...flags], {});
  const settings = {
    ...readServerSettings(invocation),
    http: readAddress(invocation, 'http-hostname', 'http-port'),
    grpc: readAddress(invocation, 'grpc-hostname', 'grpc-port'),
  };
  let log = '';
  const context = await openContext(path, settings, (line) => {
    log += line;
  });
  const { ports, stop } = await startServers(context, settings);
  return { httpPort: ports.http ?? 0, grpcPort: ports.grpc ?? 0, stop, log: () => log };
}

const executable: ServingArm = {
  name: 'executable',
  async serve(model, flags = []) {
    const running = startExecutable(builtExecutable(model), ['serve', ...ANY_PORTS, ...flags]);
    const text = await running.said(/"msg":"serving"/);
    return {
      httpPort: portIn(text, 'HTTP'),
      grpcPort: portIn(text, 'gRPC'),
      async stop() {
        running.child.kill('SIGTERM');
        await running.ended;
      },
      log: running.stderr,
    };
  },
};

export const SERVING_ARMS: readonly ServingArm[] = chosenArms({ inProcess, executable });

/** Also with transforms. */
export const SERVING_ARMS_AND_TRANSFORMS: readonly ServingArm[] = [
  ...SERVING_ARMS,
  ...SERVING_ARMS.map((arm) => ({
    name: `${arm.name} with a transform`,
    serve: (model: string, flags?: readonly string[]) => arm.serve(transformed(model), flags),
  })),
];

export const ANY_PORTS = ['--http-hostname', '127.0.0.1', '--http-port', '0', '--grpc-port', '0'];

/** The port that the banner names for a protocol. */
export function portIn(stderr: string, protocol: 'HTTP' | 'gRPC' | 'MCP'): number {
  const [, port] = new RegExp(`^ +${protocol} +.*:(\\d+)(?:/mcp)?(?: |$)`, 'm').exec(stderr) ?? [];
  if (port === undefined) throw new Error(`no port for ${protocol} in ${stderr}`);
  return Number(port);
}

export interface RunningExecutable {
  readonly child: ChildProcess;
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Resolves with all of stderr as soon as it has what `pattern` finds; rejects if the process ends before. */
  readonly said: (pattern: RegExp) => Promise<string>;
  /** Resolves with the exit code, or the name of the signal that ended it. */
  readonly ended: Promise<number | string>;
}

/** Starts an executable that goes on running. */
export function startExecutable(
  path: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): RunningExecutable {
  const child = spawn(path, args, { env: { ...process.env, ENCODERFILE_CACHE_DIR: TEST_CACHE, ...env } });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const ended = new Promise<number | string>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => resolve(code ?? signal ?? 'unknown'));
  });
  return {
    child,
    stdout: () => stdout,
    stderr: () => stderr,
    ended,
    said: (pattern) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (pattern.test(stderr)) resolve(stderr);
        };
        child.stderr.on('data', look);
        void ended.then((end) => reject(new Error(`ended with ${end} before it said ${pattern}: ${stderr}`)));
        look();
      }),
  };
}
