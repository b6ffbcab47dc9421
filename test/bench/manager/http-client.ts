import { openRawConnection, rawPost, type RawConnection } from '../measure/raw-connection.ts';

export interface HttpClient {
  readonly post: (
    path: string,
    body: string,
    headers?: Readonly<Record<string, string>>,
  ) => Promise<{ readonly head: string; readonly body: string }>;
}

/** Sends requests to a local port over persistent connections, one per parallel request. */
export function openHttpClient(port: number): HttpClient {
  const idle: RawConnection[] = [];
  const connect = async (): Promise<RawConnection> => {
    for (let found = idle.pop(); found; found = idle.pop()) if (found.isOpen()) return found;
    return await openRawConnection(port);
  };
  return {
    async post(path, body, headers = {}) {
      const connection = await connect();
      const answer = await connection.ask(rawPost(port, path, headers, body)).whole;
      idle.push(connection);
      return { head: answer.head, body: answer.body.toString() };
    },
  };
}
