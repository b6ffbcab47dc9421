import { randomUUID } from 'node:crypto';
import { AppError } from '#contract/errors.ts';
import type { Clock } from '#platform/clock.ts';
import type { Completions } from '../completions/completion.ts';
import type { CompletionEvent, Telemetry } from '../completions/telemetry.ts';
import { MAX_COMPARED_BYTES, type OtherRequest } from './candidate-request.ts';

/** A response of the candidate, the judge or the embedder. */
export interface OtherAnswer {
  readonly bytes: Uint8Array;
  readonly cost: bigint | null;
  readonly durationMs: number;
  /** Undefined for a response that was not streamed. */
  readonly firstByteMs: number | undefined;
}

/** A call without a response. */
export class OtherFailure extends Error {
  /** Whether a model was called. If not, a limit of the payer rejected the request. */
  readonly wasCalled: boolean;
  readonly cost: bigint;
  constructor(cause: unknown, { wasCalled, cost }: { readonly wasCalled: boolean; readonly cost: bigint }) {
    super(AppError.from(cause).message, { cause });
    this.wasCalled = wasCalled;
    this.cost = cost;
  }
}

/** Calls a model on the account of an evaluation. Throws an OtherFailure. */
export type CallOther = (
  request: OtherRequest,
  payer: { readonly user: string; readonly jobId: string },
  signal: AbortSignal,
) => Promise<OtherAnswer>;

/** Events of calls in flight, by request ID. */
export type EventsOfCalls = Map<string, CompletionEvent | undefined>;

/** Telemetry that keeps the events of these calls instead of adding them to the metrics of users' requests. */
export const collectingTelemetry = (telemetry: Telemetry, events: EventsOfCalls): Telemetry => ({
  ...telemetry,
  trace: () => undefined,
  completed(event) {
    if (events.has(event.requestId)) events.set(event.requestId, event);
  },
});

/** The memory of these requests is limited by the queue. */
const NO_HOLD = { take: () => undefined, add: () => undefined, release: () => undefined };
/** Nothing of the client's headers is sent. */
const NO_HEADERS = { get: () => undefined };

export function createCallOther(
  completions: Pick<Completions, 'answer'>,
  events: EventsOfCalls,
  clock: Pick<Clock, 'now'>,
): CallOther {
  return async ({ endpoint, inPath, bytes }, { user, jobId }, signal) => {
    const requestId = `shadow-${randomUUID()}`;
    events.set(requestId, undefined);
    try {
      const answer = await completions.answer({
        endpoint,
        inPath,
        bytes,
        caller: { kind: 'work', userId: user, teamId: null, keyId: null, jobId },
        headers: NO_HEADERS,
        hold: NO_HOLD,
        requestId,
        startedAt: clock.now(),
        signal,
        setHeader: () => undefined,
      });
      const body = answer.kind === 'whole' ? answer.bytes : await readToEnd(answer.events);
      const event = events.get(requestId);
      if (event && event.status !== 200) throw new AppError('UpstreamError', event.reason ?? 'failed');
      return {
        bytes: body,
        cost: event?.cost ?? null,
        durationMs: event?.durationMs ?? 0,
        firstByteMs: event?.firstByteMs,
      };
    } catch (error) {
      const event = events.get(requestId);
      const wasCalled = event?.attempts.some(({ outcome }) => outcome !== 'skipped') ?? false;
      throw new OtherFailure(error, { wasCalled, cost: event?.cost ?? 0n });
    } finally {
      events.delete(requestId);
    }
  };
}

async function readToEnd(events: {
  readonly next: () => Promise<IteratorResult<Uint8Array, void>>;
  readonly cancel: () => Promise<void>;
}): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const piece = await events.next();
    if (piece.done) return Buffer.concat(pieces);
    pieces.push(piece.value);
    length += piece.value.length;
    if (length <= MAX_COMPARED_BYTES) continue;
    await events.cancel();
    throw new AppError('UpstreamError', `The response is larger than ${MAX_COMPARED_BYTES} bytes.`);
  }
}
