import { isSea } from 'node:sea';
import { ownCommand } from '#platform/own-command.ts';
import { formatAddress } from '#serve/hostname.ts';
import { listenHttp } from '#serve/http/listen.ts';
import type { Logger } from '#serve/log.ts';
import type { ServerConfig, WorkflowsConfig } from '../config/spec.ts';
import type { GatewayApi } from '../api/app.ts';
import { malformedRequestAnswer } from '../api/http/errors.ts';
import { createLocalCompute } from '../evaluation/jobs/compute/local.ts';
import { createRayCompute } from '../evaluation/jobs/compute/ray.ts';
import { createRunner, type Runner } from '../evaluation/jobs/runner/runner.ts';
import { createCloserStack } from '#serve/program/closer-stack.ts';
import type { OpenedContext } from './open-context.ts';

const MAIN = new URL('../main.ts', import.meta.url);
/** From its sources, the gateway consists of many files, which nodes cannot fetch. */
const INSTALLED = isSea() ? undefined : 'gateway';

export interface RunnerParts {
  readonly app: GatewayApi['app'];
  readonly server: Pick<ServerConfig, 'host' | 'tls'>;
  /** URL of the gateway. */
  readonly url: string;
  readonly port: number;
  readonly workflows: WorkflowsConfig;
  readonly log: Logger;
}

/** Creates the runner of jobs, and the URL at which their workers reach this gateway. */
export async function openRunner(
  { jobs, clock, watch }: Pick<OpenedContext, 'jobs' | 'clock' | 'watch'>,
  { app, server, url, port, workflows, log }: RunnerParts,
): Promise<Runner> {
  const closers = createCloserStack();
  let localUrl = `http://${formatAddress(reachableHost(server.host), port)}`;
  if (server.tls) {
    // Local workers use HTTP, because they do not know which host name the certificate is valid for.
    const hostname = '127.0.0.1';
    const http = await listenHttp({
      app,
      hostname,
      port: 0,
      portFlag: '--port',
      refuse: malformedRequestAnswer,
    });
    closers.add(() => http.close(0));
    localUrl = `http://${formatAddress(hostname, http.port)}`;
  }
  const { slots, workers, ray } = workflows;
  const runner = createRunner({
    ...jobs,
    computes: [
      { compute: createLocalCompute({ command: ownCommand(MAIN), watch }), slots },
      ...(ray
        ? [
            {
              compute: createRayCompute({ ...ray, command: ray.command ?? INSTALLED, clock }),
              slots: ray.slots,
            },
          ]
        : []),
    ],
    workers,
    gatewayUrl: (compute) => (compute === 'local' ? localUrl : (ray?.gatewayUrl ?? url)),
    clock,
    log,
  });
  closers.add(runner.close);
  return { start: runner.start, close: closers.close };
}

/** Replaces an address that stands for all addresses by a loopback address, which requests can use. */
const reachableHost = (host: string): string =>
  ({ '0.0.0.0': '127.0.0.1', '::': '::1', '[::]': '::1' })[host] ?? host;
