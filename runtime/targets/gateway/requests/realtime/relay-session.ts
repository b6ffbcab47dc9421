import type { Duplex } from 'node:stream';
import { AppError } from '#contract/errors.ts';
import { membersOf } from '#core/json/members-of.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import type { Json } from '../../providers/shapes/chat.ts';
import { checkClientEvent } from './client-event.ts';
import { forwardFrames } from './forward-frames.ts';
import { closeFrame, OPCODE, writeFrame } from './frames.ts';
import type { RealtimeAccount } from './realtime-account.ts';
import type { SessionLog } from './session-log.ts';
import { createRealtimeTally } from './realtime-usage.ts';

export interface SessionParts {
  readonly client: Duplex;
  readonly upstream: Duplex;
  readonly account: RealtimeAccount;
  readonly maxFrameBytes: number;
  /** Throws a NotFoundError if one of these ids belongs to another user. */
  readonly requireOwn: (ids: ReadonlySet<string>) => Promise<void>;
  readonly onError: (error: unknown) => void;
  /** Undefined if the session is not stored. */
  readonly log: SessionLog | undefined;
}

export interface RealtimeSession {
  /** Ends both connections, with a reason for the client. */
  readonly close: (code: number, reason: string) => void;
  /** Ends both connections, with an event that has the reason. */
  readonly refuse: (error: AppError) => void;
  /** Resolves when both have ended and the usage is recorded. Never rejects. */
  readonly ended: Promise<void>;
}

/** Codes of the end of a connection. @see https://www.rfc-editor.org/rfc/rfc6455#section-7.4.1 */
export const CLOSE = { goingAway: 1001, protocolError: 1002, policy: 1008, internal: 1011 } as const;

/** Relays a session frame by frame. Each response is billed when it ends, and the next one needs a budget of its own. */
export function relaySession({
  client,
  upstream,
  account,
  maxFrameBytes,
  requireOwn,
  onError,
  log,
}: SessionParts): RealtimeSession {
  const tally = createRealtimeTally();
  const ended = Promise.withResolvers<void>();
  let isOver = false;
  /** Writes of the ledger, one after the other. */
  let work: Promise<void> = Promise.resolve();

  const finish = (): void => {
    if (isOver) return;
    isOver = true;
    log?.end();
    client.end();
    upstream.destroy();
    const rest = tally.unfinished();
    void work
      .then(() => (rest ? account.record(rest, true) : account.release()))
      .catch(onError)
      .finally(ended.resolve);
  };
  const close = (code: number, reason: string): void => {
    if (!isOver) client.write(closeFrame(code, reason));
    finish();
  };
  const tell = (code: string, message: string): void => {
    const event = { type: 'error', error: { type: 'invalid_request_error', code, message } };
    client.write(writeFrame(OPCODE.text, Buffer.from(JSON.stringify(event))));
  };
  /** Bills a response, and reserves the next one. */
  const bill = async (tokens: Parameters<RealtimeAccount['record']>[0]): Promise<void> => {
    try {
      await account.record(tokens);
      if (!isOver) await account.reserve();
    } catch (error) {
      if (AppError.from(error).code === 'InternalError') onError(error);
      refuse(AppError.from(error));
    }
  };
  const refuse = ({ message, reason = 'internal_error', code }: AppError): void => {
    if (!isOver) tell(reason, message);
    close(code === 'InternalError' ? CLOSE.internal : CLOSE.policy, message);
  };

  /** Reports why an event is not forwarded. */
  const reject = (error: unknown): false => {
    const { message, reason = 'invalid_request', code } = AppError.from(error);
    if (code === 'InternalError') onError(error);
    if (!isOver) tell(reason, message);
    return false;
  };

  forwardFrames(upstream, client, {
    maxFrameBytes,
    onBroken: () => close(CLOSE.protocolError, 'The provider sent a broken frame.'),
    onMessage(text) {
      const event = text === undefined ? {} : eventOf(text);
      const tokens = tally.take(event);
      log?.received(event);
      if (tokens) work = work.then(() => bill(tokens));
      return true;
    },
  });
  forwardFrames(client, upstream, {
    maxFrameBytes,
    onBroken: () => close(CLOSE.protocolError, 'The frame is broken or too large.'),
    onMessage: (text) => {
      try {
        const { event, checking } = checkClientEvent(text, requireOwn);
        if (!checking) {
          log?.sent(event);
          return true;
        }
        return checking.then(() => {
          log?.sent(event);
          return true;
        }, reject);
      } catch (error) {
        return reject(error);
      }
    },
  });
  for (const socket of [client, upstream]) {
    socket.on('error', finish);
    socket.once('close', finish);
    socket.once('end', finish);
  }
  return { close, refuse, ended: ended.promise };
}

function eventOf(text: string): Json {
  try {
    return membersOf(parseJsonText(text));
  } catch {
    return {};
  }
}
