import { setTimeout as sleep } from 'node:timers/promises';
import { inParallel, send } from './doors.ts';
import { startLoadGateway } from './gateway.ts';
import { startCountingProvider, type ProviderPace } from './provider.ts';

const REQUESTS = 200;
const PARALLEL = 8;
const MAX_WAIT_MS = 20_000;
/** Maximum difference between the sums. */
const MAX_SHARE = 0.02;

/** The way in which requests are aborted, and the speed of the provider. */
const KINDS: Readonly<
  Record<string, { readonly pace: ProviderPace; readonly stream: boolean; readonly afterMs: number }>
> = {
  'whole answer, before it': { pace: { beforeMs: 200, words: 40 }, stream: false, afterMs: 60 },
  'stream, before its first word': {
    pace: { beforeMs: 200, wordMs: 1, words: 40 },
    stream: true,
    afterMs: 60,
  },
  'stream, in the middle': { pace: { wordMs: 10, words: 400 }, stream: true, afterMs: 1500 },
};

/** Disconnected clients: the total output tokens in the usage compared with the provider's count. */
export async function checkAborted(program: string): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const [kind, { pace, stream, afterMs }] of Object.entries(KINDS)) {
    const provider = await startCountingProvider({ ...pace, firstNumber: 1 });
    const gateway = await startLoadGateway(program, provider.port);
    try {
      let complete = 0;
      const body = { model: 'openai:gpt-4o', messages: [{ role: 'user', content: 'Hello' }], stream };
      // A client can disconnect before its request has arrived; such a request does not count.
      await inParallel(Infinity, PARALLEL, async () => {
        if (provider.answers.length >= REQUESTS) return false;
        const signal = AbortSignal.timeout(afterMs);
        await send(gateway, { path: '/v1/chat/completions', body }, signal).then(
          () => (complete += 1),
          () => undefined,
        );
        return true;
      });
      // Abandoned responses are read to their end first.
      let rows = await gateway.rows();
      for (let waited = 0; waited < MAX_WAIT_MS && rows.length < provider.answers.length; waited += 500) {
        await sleep(500);
        rows = await gateway.rows();
      }
      const booked = rows.reduce((sum, [, completion]) => sum + completion, 0);
      const counted = provider.answers.reduce((sum, { completionTokens }) => sum + completionTokens, 0);
      const share = Math.abs(booked - counted) / counted;
      console.log(
        `${kind}: ${rows.length} rows, ${complete} complete; booked ${booked}, counted ${counted} output tokens: ${(share * 100).toFixed(2)}%`,
      );
      if (share > MAX_SHARE || rows.length !== provider.answers.length) problems.push(kind);
    } finally {
      await gateway.stop();
      provider.close();
    }
  }
  return problems;
}
