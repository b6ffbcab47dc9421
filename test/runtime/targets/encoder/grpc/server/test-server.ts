import { Registry } from 'prom-client';
import { afterEach } from 'vitest';
import { createRequestMemory } from '#serve/kernel.ts';
import { type GrpcListenOptions, type GrpcServer, listenGrpc } from '#encoder/grpc/server/listen.ts';

type Listen = (
  options: Pick<GrpcListenOptions, 'routes' | 'log'> & Partial<GrpcListenOptions>,
) => Promise<GrpcServer>;

/** Servers on separate ports, closed after each test in the file. */
export function useGrpcServers(): Listen {
  const servers: GrpcServer[] = [];
  afterEach(async () => {
    await Promise.all(servers.splice(0).map((server) => server.close()));
  });
  return async (options) => {
    const metrics = new Registry();
    const server = await listenGrpc({
      hostname: 'localhost',
      hostRules: { hostname: 'localhost' },
      port: 0,
      portFlag: '--grpc-port',
      closeTimeout: 500,
      metrics,
      requestMemory: createRequestMemory(metrics),
      ...options,
    });
    servers.push(server);
    return server;
  };
}
