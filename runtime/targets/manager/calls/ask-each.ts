/** What one server answered. */
export interface ServerAnswer<Answer> {
  readonly server: string;
  readonly answer: Answer;
}

export interface AskEachOptions {
  readonly signal?: AbortSignal | undefined;
  /** Told of each server that is left out. */
  readonly onFailure: (server: string, reason: unknown) => void;
}

/** Asks all servers at once. One that fails does not spoil the others' answers: it is left out. */
export async function askEach<Answer>(
  servers: readonly string[],
  ask: (server: string) => Promise<Answer>,
  { signal, onFailure }: AskEachOptions,
): Promise<ServerAnswer<Answer>[]> {
  const answers = await Promise.all(
    servers.map(async (server): Promise<ServerAnswer<Answer>[]> => {
      try {
        return [{ server, answer: await ask(server) }];
      } catch (error) {
        signal?.throwIfAborted();
        onFailure(server, error);
        return [];
      }
    }),
  );
  return answers.flat();
}
