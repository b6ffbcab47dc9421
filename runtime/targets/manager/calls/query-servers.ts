/** The result of one server. */
export interface ServerResult<Result> {
  readonly server: string;
  readonly result: Result;
}

export interface QueryServersOptions {
  readonly signal?: AbortSignal | undefined;
  /** Called for each server that is omitted from the results. */
  readonly onFailure: (server: string, reason: unknown) => void;
}

/** Queries servers concurrently. A server that fails is omitted and does not affect the results of the others. */
export async function queryServers<Result>(
  servers: readonly string[],
  query: (server: string) => Promise<Result>,
  { signal, onFailure }: QueryServersOptions,
): Promise<ServerResult<Result>[]> {
  const results = await Promise.all(
    servers.map(async (server): Promise<ServerResult<Result>[]> => {
      try {
        return [{ server, result: await query(server) }];
      } catch (error) {
        signal?.throwIfAborted();
        onFailure(server, error);
        return [];
      }
    }),
  );
  return results.flat();
}
