import type { Spender } from '../../accounts/identity/identity.ts';
import type { Ledger, QueueWait, Reservation, UsageEntry } from '../../accounts/ledger/ledger.ts';
import type { TokenPrice } from '../../shared/price.ts';
import { costOfUsage, providerOf, savedByCache } from '../completions/settle-request.ts';
import type { CountedTokens } from '../../providers/streams/stream.ts';
import { membersOf } from '#core/json/members-of.ts';
import { isCount } from '#core/numbers/is-count.ts';
import type { Json } from '../../providers/shapes/chat.ts';
import type { AppError } from '#contract/errors.ts';
import type { PromptRecord } from '../policy/policy.ts';

interface RealtimeAccountParts {
  readonly ledger: Pick<Ledger, 'reserve' | 'settle' | 'release' | 'bill'>;
  readonly spender: Spender;
  readonly model: string;
  readonly price: TokenPrice | undefined;
  readonly estimate: Parameters<Ledger['reserve']>[1];
  readonly requestId: string;
  readonly now: () => number;
}

/** Bills a session. At any time, the cost of one response is reserved. */
export interface RealtimeAccount {
  /**
   * Reserves the next response. Throws the error of an exceeded limit. Only the first reservation can wait: the
   * model could respond without limits while a later one waits.
   */
  reserve(wait?: QueueWait): Promise<Reservation>;
  /** Sets the name of the key with which the session was opened, at a provider that has several. */
  openedWith(providerKey: string | undefined): void;
  /** Settles a response that has ended. */
  record(tokens: CountedTokens, isEstimated?: boolean): Promise<void>;
  /** Releases the current reservation. */
  release(): Promise<void>;
}

export const REALTIME = '/v1/realtime';

export function openRealtimeAccount(parts: RealtimeAccountParts): RealtimeAccount {
  const { ledger, spender, model, price, estimate, requestId, now } = parts;
  let reservation: Reservation | undefined;
  let since = now();
  let usedKey: string | undefined;
  return {
    openedWith: (providerKey) => void (usedKey = providerKey),
    async reserve(wait) {
      since = now();
      reservation ??= await ledger.reserve(spender, estimate, undefined, wait);
      return reservation;
    },
    async record(tokens, isEstimated = false) {
      const entry: UsageEntry = {
        model,
        provider: providerOf(model),
        endpoint: REALTIME,
        promptTokens: tokens.promptTokens,
        completionTokens: tokens.completionTokens,
        cachedTokens: tokens.cachedTokens,
        cost: costOfUsage(tokens, price),
        cacheSaved: savedByCache(tokens, price),
        providerKey: usedKey,
        pricedBy: price ? (price.source ?? 'own') : null,
        status: isEstimated ? 'cancelled' : 'success',
        errorMessage: isEstimated ? 'The connection was closed.' : null,
        statusCode: isEstimated ? 499 : 200,
        latencyMs: now() - since,
        estimated: isEstimated,
        requestId,
        attempt: 1,
      };
      const held = reservation;
      reservation = undefined;
      // A response that directly follows another one can end before its own reservation has been made.
      await (held ? ledger.settle(held, entry) : ledger.bill(spender, entry));
    },
    async release() {
      const held = reservation;
      reservation = undefined;
      if (held) await ledger.release(held);
    },
  };
}

/** OpenAI's models use 20 tokens per second of speech; audio is sent as 24,000 samples of 2 bytes per second. */
const SPOKEN_TOKENS_PER_BYTE = 20 / 48_000;

const CHARACTERS_PER_TOKEN = 4;

/** Counts what a session uses. */
interface RealtimeTally {
  /** Receives a provider event. Returns the tokens of a response that has ended. */
  take(event: Json): CountedTokens | undefined;
  /** The tokens seen so far of a response that has not ended; undefined if there is no such response. */
  unfinished(): CountedTokens | undefined;
}

export function createRealtimeTally(): RealtimeTally {
  let isRunning = false;
  let spoken = 0;
  let written = 0;
  let lastInput = 0;
  return {
    take(event) {
      const { type, delta, response } = event;
      if (type === 'response.created') {
        isRunning = true;
        spoken = 0;
        written = 0;
      } else if (typeof delta === 'string' && isRunning) {
        if (type === 'response.output_audio.delta' || type === 'response.audio.delta')
          spoken += (delta.length * 3) / 4;
        else if (type === 'response.output_text.delta' || type === 'response.text.delta')
          written += delta.length;
      } else if (type === 'response.done') {
        isRunning = false;
        const tokens = tokensOf(membersOf(membersOf(response)['usage']));
        lastInput = tokens?.promptTokens ?? lastInput;
        return tokens;
      }
      return undefined;
    },
    unfinished() {
      if (!isRunning) return undefined;
      const audioOutput = Math.ceil(spoken * SPOKEN_TOKENS_PER_BYTE);
      return {
        promptTokens: lastInput,
        completionTokens: audioOutput + Math.ceil(written / CHARACTERS_PER_TOKEN),
        cachedTokens: 0,
        cacheWriteTokens: 0,
        cacheWrite1hTokens: 0,
        audio: { audioInput: 0, audioOutput },
      };
    },
  };
}

function tokensOf(usage: Json): CountedTokens | undefined {
  const { input_tokens: input, output_tokens: output } = usage;
  if (!isCount(input) || !isCount(output)) return undefined;
  const heard = membersOf(usage['input_token_details']);
  const said = membersOf(usage['output_token_details']);
  const cachedAudio = countIn(membersOf(heard['cached_tokens_details']), 'audio_tokens');
  return {
    promptTokens: input,
    completionTokens: output,
    cachedTokens: Math.min(input, countIn(heard, 'cached_tokens')),
    cacheWriteTokens: 0,
    cacheWrite1hTokens: 0,
    audio: {
      // Cached audio tokens have the price of cached text tokens.
      audioInput: Math.min(input, Math.max(0, countIn(heard, 'audio_tokens') - cachedAudio)),
      audioOutput: Math.min(output, countIn(said, 'audio_tokens')),
    },
  };
}

function countIn(members: Json, name: string): number {
  const value = members[name];
  return isCount(value) ? value : 0;
}

/**
 * Stores the texts in a session: one record per response, including everything that the client has sent
 * since the previous response.
 */
export interface SessionLog {
  /** Receives a client event. */
  readonly sent: (event: Json) => void;
  /** Receives a provider event. */
  readonly received: (event: Json) => void;
  /** Stores the texts that have not received a response. */
  readonly end: (error?: AppError) => void;
}

interface SessionLogParts {
  readonly model: string;
  /** Opens one response's record; undefined if nothing is stored. */
  readonly open: (body: Json) => PromptRecord | undefined;
}

/** Longer texts are truncated when stored, so no more than this is kept. */
const MAX_CHARACTERS = 262_144;

/** The event with the client's audio, which contains no text. */
const AUDIO = 'input_audio_buffer.append';

export function createSessionLog({ model, open }: SessionLogParts): SessionLog {
  let events: Json[] = [];
  let size = 0;
  let answer = '';
  const end = (error?: AppError): void => {
    if (events.length === 0 && answer === '') return;
    open({ model, events })?.end(model, answer === '' ? undefined : answer, error);
    events = [];
    size = 0;
    answer = '';
  };
  return {
    sent(event) {
      if (event['type'] === AUDIO) return;
      size += JSON.stringify(event).length;
      if (size <= MAX_CHARACTERS) events.push(event);
    },
    received({ type, delta }) {
      const isText = typeof type === 'string' && TEXTS.has(type) && typeof delta === 'string';
      if (isText && answer.length <= MAX_CHARACTERS) answer += delta;
      if (type === 'response.done') end();
    },
    end,
  };
}

/** Events with pieces of a model's text or speech. */
const TEXTS = new Set([
  'response.output_text.delta',
  'response.text.delta',
  'response.output_audio_transcript.delta',
  'response.audio_transcript.delta',
  'response.function_call_arguments.delta',
]);
