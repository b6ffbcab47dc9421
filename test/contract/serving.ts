import { chosenArms } from './chosen-arms.ts';
import { parseInvocation } from '#serve/cli/parse.ts';
import { serveModelCommand } from '#encoder/commands/serve.ts';
import { openEncoder } from '#encoder/servers/open-context.ts';
import { readAddresses } from '#encoder/servers/addresses.ts';
import { readServerSettings } from '#encoder/servers/settings.ts';
import { startServers } from '#encoder/servers/start-servers.ts';
import { portIn, startExecutable } from '../helpers/start-executable.ts';
import { transformed } from './transformed.ts';
import { builtAssets, builtExecutable } from '../helpers/built.ts';

/** A served model. */
export interface Served {
  readonly httpPort: number;
  readonly grpcPort: number;
  stop(): Promise<void>;
  /** The server's log lines, which are complete once it has stopped. */
  log(): string;
}

/** A mode for serving a model. `model` is the name of a fixture, `flags` are those of `serve`. */
export interface ServingArm {
  readonly name: string;
  serve(model: string, flags?: readonly string[]): Promise<Served>;
}

const inProcess: ServingArm = {
  name: 'in-process',
  serve: (model, flags) => serveAssets(builtAssets(model), flags),
};

/** Serves the folder that `build --no-build` has written, from this process. */
export async function serveAssets(path: string, flags: readonly string[] = []): Promise<Served> {
  const invocation = parseInvocation(serveModelCommand(''), [...ANY_PORTS, ...flags], {});
  const settings = {
    ...readServerSettings(invocation),
    ...readAddresses(invocation),
  };
  let log = '';
  const context = await openEncoder(path, settings, (line) => {
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
