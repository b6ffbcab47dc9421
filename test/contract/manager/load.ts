import type { Answer, Api } from '../shared-services.ts';

/** Calls a server's `echo` repeatedly, with this many calls in parallel, until it is stopped. */
export function putLoad(
  api: Api,
  server: string,
  concurrency: number,
): { readonly stop: () => Promise<Answer[]> } {
  const answers: Answer[] = [];
  const ending = new AbortController();
  let next = 0;
  const caller = async (): Promise<void> => {
    while (!ending.signal.aborted) {
      const message = `call ${(next += 1)}`;
      const answer = await api.post(`/api/v1/servers/${server}/tools/echo`, { message });
      if (answer.status === 200 && answer.body !== message) throw new Error(`${message}: ${answer.text}`);
      answers.push(answer);
    }
  };
  const callers = Promise.all(Array.from({ length: concurrency }, caller));
  return {
    async stop() {
      ending.abort();
      await callers;
      return answers;
    },
  };
}

/** The PID of a server's process. */
export async function pidOf(api: Api, server: string): Promise<number> {
  const { body } = await api.post(`/api/v1/servers/${server}/tools/process`, {});
  return (JSON.parse(body) as { pid: number }).pid;
}

export const serves = async (api: Api, server: string): Promise<boolean> =>
  (await api.post(`/api/v1/servers/${server}/tools/echo`, { message: 'x' })).status === 200;
