import { Code, ConnectError, type ConnectRouter, type ConnectRouterOptions } from '@connectrpc/connect';
import { Health, HealthCheckResponse_ServingStatus as Status } from '#gen/grpc/health/v1/health_pb.ts';
import type { Lifecycle } from '#serve/lifecycle.ts';

export interface GrpcHealthOptions {
  /**
   * Full names of the services that can be queried. The name '', which stands for the whole server,
   * can always be queried.
   */
  readonly services: readonly string[];
  readonly lifecycle: Lifecycle;
  readonly serviceOptions: Partial<ConnectRouterOptions>;
}

/** grpc.health.v1: https://github.com/grpc/grpc/blob/master/doc/health-checking.md */
export function addHealth(
  router: ConnectRouter,
  { services, lifecycle, serviceOptions }: GrpcHealthOptions,
): void {
  const known = new Set(['', ...services]);
  const current = (): Status => (lifecycle.phase() === 'ready' ? Status.SERVING : Status.NOT_SERVING);
  router.service(
    Health,
    {
      check({ service }) {
        if (known.has(service)) return { status: current() };
        throw new ConnectError(
          `Unknown service "${service}". Services: ${services.join(', ')}; an empty name selects the whole server.`,
          Code.NotFound,
        );
      },
      list: () => ({
        statuses: Object.fromEntries([...known].map((service) => [service, { status: current() }])),
      }),
      async *watch({ service }, { signal }) {
        let told: Status | undefined;
        for (;;) {
          const status = known.has(service) ? current() : Status.SERVICE_UNKNOWN;
          if (status !== told) {
            told = status;
            yield { status };
          } else if (lifecycle.phase() === 'draining') {
            // The status no longer changes, and the server waits for all running calls, so the
            // watch must end.
            throw new ConnectError('The server is shutting down.', Code.Unavailable);
          } else {
            await lifecycle.changed(signal);
          }
        }
      },
    },
    serviceOptions,
  );
}
