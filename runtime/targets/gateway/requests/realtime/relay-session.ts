import type { Duplex } from 'node:stream';
import { AppError, inputError } from '#contract/errors.ts';
import { membersOf } from '#core/json/members-of.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import type { Json } from '../../providers/shapes/chat.ts';
import { closeFrame, OPCODE, writeFrame, createFrameReader, createTextJoiner, type Frame } from './frames.ts';
import { createRealtimeTally, type RealtimeAccount, type SessionLog } from './realtime-account.ts';
import { pushAll } from '#core/values/push-all.ts';
import { isObject } from '#core/json/is-object.ts';
import { listMembers } from '../../shared/json-members.ts';
import {
  FURTHER_MODELS,
  requireDistinctInside,
  requireDistinctMembers,
} from '../completions/read-request.ts';
import { referencesIn } from '../../providers/references.ts';

interface SessionParts {
  readonly client: Duplex;
  readonly upstream: Duplex;
  readonly account: RealtimeAccount;
  readonly maxFrameBytes: number;
  /** Throws an InputError for an event that the policy rejects. */
  readonly checkEvent: (event: Json) => void;
  /** Throws a NotFoundError if one of these IDs belongs to another user. */
  readonly requireOwn: (ids: ReadonlySet<string>) => Promise<unknown>;
  readonly onError: (error: unknown) => void;
  /** Stores the session's texts; undefined if the session is not stored. */
  readonly log: SessionLog | undefined;
}

export interface RealtimeSession {
  /** Closes both connections, with a reason for the client. */
  readonly close: (code: number, reason: string) => void;
  /** Closes both connections, with an event that contains the reason. */
  readonly refuse: (error: AppError) => void;
  /** Resolves when both are closed and the usage is recorded. Never rejects. */
  readonly ended: Promise<void>;
}

/** Connection close codes. @see https://www.rfc-editor.org/rfc/rfc6455#section-7.4.1 */
export const CLOSE = { goingAway: 1001, protocolError: 1002, policy: 1008, internal: 1011 } as const;

/** Relays a session frame by frame. Each response is billed when it ends, and the next one needs a new reservation. */
export function relaySession({
  client,
  upstream,
  account,
  maxFrameBytes,
  checkEvent,
  requireOwn,
  onError,
  log,
}: SessionParts): RealtimeSession {
  const tally = createRealtimeTally();
  const ended = Promise.withResolvers<void>();
  let isOver = false;
  /** The ledger writes, which run one after the other. */
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

  /** Sends the client an error that explains why its event was not forwarded. */
  const reject = (error: unknown): false => {
    const { message, reason = 'invalid_request', code } = AppError.from(error);
    if (code === 'InternalError') onError(error);
    if (!isOver) tell(reason, message);
    return false;
  };

  forwardFrames(upstream, client, {
    maxFrameBytes,
    onBroken: () => close(CLOSE.protocolError, 'The provider sent a malformed frame.'),
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
    onBroken: () => close(CLOSE.protocolError, 'The frame is malformed or too large.'),
    onMessage: (text) => {
      try {
        const { event, checking } = checkClientEvent(text, { checkEvent, requireOwn });
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

interface ForwardRules {
  readonly maxFrameBytes: number;
  readonly onBroken: () => void;
  /**
   * Returns whether to forward a message. If it returns a promise, later messages wait for the promise.
   * `text` is undefined for a binary message.
   */
  readonly onMessage: (text: string | undefined) => boolean | Promise<boolean>;
}

/**
 * Forwards messages at the reader's speed. The frames of a message are forwarded together, once `onMessage`
 * has accepted the message.
 */
function forwardFrames(from: Duplex, to: Duplex, { maxFrameBytes, onBroken, onMessage }: ForwardRules): void {
  const reader = createFrameReader(maxFrameBytes);
  const join = createTextJoiner();
  let message: Frame[] = [];
  let messageBytes = 0;
  let waiting: Frame[] = [];
  let isWaiting = false;

  const end = (isForwarded: boolean): void => {
    if (isForwarded) for (const { bytes } of message) to.write(bytes);
    message = [];
    messageBytes = 0;
  };
  /** Returns a promise if later frames must wait for it. */
  const take = (frame: Frame): Promise<boolean> | undefined => {
    if (frame.opcode >= OPCODE.close) {
      to.write(frame.bytes);
      return undefined;
    }
    message.push(frame);
    messageBytes += frame.bytes.length;
    if (messageBytes > maxFrameBytes) throw new Error('The message is too large.');
    const text = join(frame);
    if (!frame.isLast) return undefined;
    const verdict = onMessage(text);
    if (typeof verdict !== 'boolean') return verdict;
    end(verdict);
    return undefined;
  };
  const wait = async (verdict: Promise<boolean>): Promise<void> => {
    isWaiting = true;
    from.pause();
    end(await verdict);
    isWaiting = false;
    run([]);
  };
  const run = (frames: readonly Frame[]): void => {
    pushAll(waiting, frames);
    if (isWaiting) return;
    try {
      for (let frame = waiting.shift(); frame; frame = waiting.shift()) {
        const verdict = take(frame);
        if (verdict) return void wait(verdict);
      }
    } catch {
      waiting = [];
      onBroken();
      return;
    }
    if (!to.writableNeedDrain) from.resume();
    else {
      from.pause();
      to.once('drain', () => from.resume());
    }
  };
  from.on('data', (chunk: Buffer) => {
    try {
      run(reader.push(chunk));
    } catch {
      onBroken();
    }
  });
}

interface CheckedEvent {
  readonly event: Json;
  /** The check of the IDs in an event that refers to stored objects. */
  readonly checking: Promise<unknown> | undefined;
}

/**
 * Validates a client event: the provider must read exactly what is read here, so it must be JSON without
 * duplicate names in any object. Throws an InputError.
 */
function checkClientEvent(
  text: string | undefined,
  { checkEvent, requireOwn }: Pick<SessionParts, 'checkEvent' | 'requireOwn'>,
): CheckedEvent {
  const event = text === undefined ? undefined : parsed(text);
  if (text === undefined || !isObject(event))
    throw inputError('An event must be a JSON object in a text message.');
  const bytes = Buffer.from(text);
  const members = listMembers(bytes);
  requireDistinctMembers(members);
  const { ids, members: count } = referencesIn(event);
  requireDistinctInside(bytes, members, count);
  requireFixedModel(event);
  checkEvent(event);
  return { event, checking: ids.size > 0 ? requireOwn(ids) : undefined };
}

/**
 * Throws an InputError if an event specifies another model, which would have other permissions and another
 * price. Events can contain a model in `session` or `response`.
 */
function requireFixedModel(event: Json): void {
  for (const part of [event, ...Object.values(event)]) {
    const members = membersOf(part);
    if (NAMES_OF_MODELS.some((name) => (members[name] ?? null) !== null))
      throw new AppError('InputError', MODEL_IS_FIXED, { reason: 'unsupported' });
  }
}

const NAMES_OF_MODELS = ['model', ...FURTHER_MODELS];

const MODEL_IS_FIXED =
  'The model of a session cannot be changed. Open a new connection with the other model.';

function parsed(text: string): unknown {
  try {
    return parseJsonText(text);
  } catch {
    return undefined;
  }
}
