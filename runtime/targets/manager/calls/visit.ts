import { AppError } from '../../../contract/errors.ts';
import type { Leave } from '../../../core/limits/turn-queue.ts';
import { jsonSize } from '../shared/json-size.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { ManagedServer } from '../supervisor/managed-server.ts';
import { waitFor } from '../../../platform/wait-for.ts';
import { type Asker, type Connection, SessionForgotten } from '../upstream/connection.ts';
import type { Params } from '../shapes/shape.ts';
import type { ServerCall } from './call.ts';

export interface VisitOptions {
  readonly clock: Clock;
  /** What the JSON of one answer may have at most. */
  readonly maxResultCharacters: number;
  readonly takesTurn?: boolean | undefined;
}

/** One caller at one server, from the turn he got until his time is over. */
export interface Visit {
  readonly server: ManagedServer;
  readonly connection: () => Promise<Connection>;
  /** Milliseconds. */
  readonly timeLeft: () => number;
  readonly request: (method: string, params?: Params) => Promise<Params>;
}

/** Callers over HTTP cannot be asked anything. That they call matters all the same: a question might be about their call. */
const NOBODY: Asker = {
  client: {},
  capabilities: {},
  ask: () => Promise.reject(new Error('there is nobody to ask')),
};

/** Waits for a turn, does the work, and gives the turn back. All of it within the time of one request. */
export async function visit<Result>(
  server: ManagedServer,
  { signal, onProgress, meta, asker = NOBODY }: ServerCall,
  { clock, maxResultCharacters, takesTurn = true }: VisitOptions,
  work: (visit: Visit) => Promise<Result>,
): Promise<Result> {
  const deadline = clock.now() + server.spec().timeouts.request;
  const timeLeft = (): number => Math.max(0, Math.ceil(deadline - clock.now()));
  const connection = (): Promise<Connection> => server.connection({ timeoutMs: timeLeft(), signal });
  const leave = takesTurn ? await turnOf(server, { clock, timeoutMs: timeLeft(), signal }) : undefined;
  try {
    return await work({
      server,
      connection,
      timeLeft,
      async request(method, params) {
        const sent = meta === undefined ? params : { ...params, _meta: meta };
        const send = (to: Connection): Promise<Params> =>
          to.request(method, sent, { timeoutMs: timeLeft(), signal, onProgress, asker });
        // Asked for anew each time, and used at once: a reload may have replaced it.
        const open = await connection();
        let result: Params;
        try {
          result = await send(open);
        } catch (error) {
          if (!(error instanceof SessionForgotten)) throw error;
          await open.closed;
          result = await send(await connection());
        }
        if (jsonSize(result, maxResultCharacters) <= maxResultCharacters) return result;
        const most = (maxResultCharacters / 1_048_576).toFixed(1);
        throw new Error(`the answer is larger than ${most} MiB; ask for less at once`);
      },
    });
  } finally {
    leave?.();
  }
}

async function turnOf(
  { name, turns }: ManagedServer,
  { clock, timeoutMs, signal }: { clock: Clock; timeoutMs: number; signal: AbortSignal | undefined },
): Promise<Leave> {
  const turn = turns.ask();
  if (turn.kind === 'granted') return turn.leave;
  if (turn.kind === 'refused') {
    throw new AppError(
      'OverloadedError',
      `server busy: ${name}: ${turns.running} calls run and ${turns.waiting} wait, more are not taken; try again in a second`,
      { retryAfterSeconds: 1 },
    );
  }
  const late = (): AppError =>
    new AppError(
      'TimeoutError',
      `server busy: ${name}: no call ended within ${timeoutMs} ms for this one to have its turn`,
      { retryAfterSeconds: 1 },
    );
  try {
    await waitFor(turn.granted, { clock, timeoutMs, signal, late });
    return turn.leave;
  } catch (error) {
    turn.leave();
    throw error;
  }
}
