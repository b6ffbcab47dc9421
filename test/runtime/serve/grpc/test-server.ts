import { Registry } from 'prom-client';
import { afterEach } from 'vitest';
import { createAccess } from '../../../../runtime/serve/access.ts';
import {
  type GrpcListenOptions,
  type GrpcServer,
  listenGrpc,
} from '../../../../runtime/serve/grpc/listen.ts';
import type { Kernel } from '../../../../runtime/serve/kernel.ts';
import { createLifecycle } from '../../../../runtime/serve/lifecycle.ts';
import { createLog } from '../../../../runtime/serve/log.ts';

export interface TestKernel extends Kernel {
  /** The lines of the log, parsed. */
  readonly logged: Record<string, unknown>[];
}

/** A kernel that is ready, with its log in memory. */
export function createTestKernel(apiKeys: readonly string[] = []): TestKernel {
  const logged: Record<string, unknown>[] = [];
  const log = createLog('debug', {
    write: (line) => void logged.push(JSON.parse(line) as Record<string, unknown>),
  });
  const lifecycle = createLifecycle();
  lifecycle.ready();
  return { log, metrics: new Registry(), lifecycle, access: createAccess(apiKeys), logged };
}

type Listen = (
  options: Pick<GrpcListenOptions, 'routes' | 'log'> & Partial<GrpcListenOptions>,
) => Promise<GrpcServer>;

/** Servers on ports of their own, closed after each test of the file. */
export function useGrpcServers(): Listen {
  const servers: GrpcServer[] = [];
  afterEach(async () => {
    await Promise.all(servers.splice(0).map((server) => server.close()));
  });
  return async (options) => {
    const server = await listenGrpc({
      hostname: 'localhost',
      port: 0,
      portFlag: '--grpc-port',
      closeTimeout: 500,
      ...options,
    });
    servers.push(server);
    return server;
  };
}
