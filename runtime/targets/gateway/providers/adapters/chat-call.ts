import { editMembers } from '../../shared/json-members.ts';
import type { Clock } from '#platform/clock.ts';
import { openEventStream } from '../streams/forward-stream.ts';
import {
  encodedOutput,
  unchangedOutput,
  type StreamOutput,
  createUpstreamReader,
} from '../streams/frames.ts';
import { MAX_KEPT_TEXT, readUsage, messageText } from '../streams/tally.ts';
import type {
  AnswerSummary,
  EventEncoder,
  StoredAnswerState,
  EventDecoder,
  OpenedStream,
} from '../streams/stream.ts';
import { createdWith, createdIds, idsOfItem, MAX_CREATED_IDS } from '../references.ts';
import { readCompletion, checkedDecoder } from '../wires/chat/format.ts';
import type { ChatCompletion, Json } from '../shapes/chat.ts';
import { REQUEST_POLICY } from '../shapes/policies.ts';
import {
  clientEncoder,
  droppedNotice,
  withNotice,
  withOriginalNames,
  withProviderNames,
  type ClientView,
} from '../wires/client-view.ts';
import { CLIENT_WIRES } from '../wires/index.ts';
import { withSupportedTools } from '../wires/custom-tools.ts';
import type {
  ChatAnswer,
  FailedAnswer,
  Provider,
  ProviderAdapter,
  ProviderCall,
  ProviderLimits,
  StreamedAnswer,
  UpstreamWire,
  WholeAnswer,
} from './provider.ts';
import { renameInEvent, type Exchange, type JsonAnswer, isFailed, requestOrFailure } from './exchange.ts';
import type { UpstreamBody } from './upstream.ts';
import { createSignatureMemory, type SignatureMemory } from './signature-memory.ts';
import { membersOf } from '#core/json/members-of.ts';
import { parseJsonText } from '#core/json/json-text.ts';

interface ChatParts {
  readonly adapter: ProviderAdapter;
  readonly exchange: Exchange;
  readonly limits: ProviderLimits;
  readonly clock: Clock;
  /** The failure for a feature that the provider does not support. */
  readonly unsupported: (feature: string) => FailedAnswer;
}

/** A call that has been translated to the provider's format. */
interface Plan {
  readonly wire: UpstreamWire;
  readonly body: Uint8Array;
  /** Whether the client uses the provider's own API, in which case bytes pass through unchanged. */
  readonly isNative: boolean;
  /** Tool types that could not be translated. */
  readonly droppedTools: readonly string[];
  /**
   * The differences between the request sent to the provider and the client's view of it, e.g. changed tool
   * names.
   */
  readonly view: ClientView;
}

const SAME_VIEW: ClientView = { originals: undefined, notice: undefined };

interface Opened extends StreamedAnswer {
  readonly drain: () => Promise<AnswerSummary>;
}

/**
 * Calls a provider with requests from any client API: unchanged if the provider has the same API, otherwise
 * translated.
 */
export function createChatCaller({
  adapter,
  exchange,
  limits,
  clock,
  unsupported,
}: ChatParts): Provider['chat'] {
  const memory = adapter.signsCalls ? createSignatureMemory() : undefined;
  const plan = (call: ProviderCall): Plan | FailedAnswer => {
    const native = adapter.native[call.wire];
    if (native) {
      const body = requestOrFailure(() =>
        editMembers(
          call.bytes,
          { ...CLIENT_WIRES[call.wire].nativeEdits?.(call.body), ...native.edits(call.body, call.model) },
          call.members,
        ),
      );
      return isFailed(body)
        ? body
        : { wire: native, body, isNative: true, droppedTools: [], view: SAME_VIEW };
    }
    const { translated } = adapter;
    if (!translated) return unsupported('chat');
    const request = requestOrFailure(() => {
      const { unsupportedTools = REQUEST_POLICY.unsupportedTools } = call;
      const { chat, dropped } = withSupportedTools(
        CLIENT_WIRES[call.wire].toChat(call.body),
        unsupportedTools,
      );
      const named = withProviderNames(memory?.complete(ownerOf(call), chat) ?? chat);
      const view = { originals: named.originals, notice: droppedNotice(chat, dropped) };
      return { body: translated.request(named.chat, call.model), dropped, view };
    });
    if (isFailed(request)) return request;
    const body = Buffer.from(JSON.stringify(request.body));
    return {
      wire: translated.wire,
      body,
      isNative: false,
      droppedTools: request.dropped,
      view: request.view,
    };
  };

  const callWhole = async (
    call: ProviderCall,
    { wire, body, isNative, droppedTools, view }: Plan,
  ): Promise<ChatAnswer> => {
    const request = {
      method: 'POST',
      path: wire.path(call.model, false),
      body,
      headers: headersOf(call, { isNative }),
      call,
    } as const;
    const { signal, isBilled } = call;
    const limit = { signal, timeoutMs: limits.answerMs };
    const read = (answer: JsonAnswer): WholeAnswer => {
      const chat = readCompletion(wire.answer(answer.json), { isTranslated: !isNative });
      const text = outputText(chat);
      const summary = {
        ...summaryOf(chat, text),
        stored: storedState(wire, call, isNative, answer.json),
        created: createdWith(bufferOf(answer.bytes)),
      };
      const { showModel } = call;
      if (isNative) {
        const bytes = showModel === undefined ? answer.bytes : exchange.renamed(call.wire, answer, showModel);
        return { kind: 'whole', bytes, text, summary };
      }
      for (const { message } of chat.choices) memory?.keep(ownerOf(call), message.tool_calls);
      const named = withNotice(withOriginalNames(chat, view.originals), view.notice);
      const shown = {
        ...named,
        model: showModel ?? (chat.model || call.model),
        created: chat.created || seconds(clock),
      };
      const json = CLIENT_WIRES[call.wire].fromChat(shown, call.body);
      return { kind: 'whole', bytes: Buffer.from(JSON.stringify(json)), text, summary, droppedTools };
    };
    return exchange.json(request, limit, read, isBilled ? ({ summary }) => summary : undefined);
  };

  const outputOf = (call: ProviderCall, { wire, isNative, view }: Plan): StreamOutput => {
    const clientWire = CLIENT_WIRES[call.wire];
    const { showModel } = call;
    if (!isNative) {
      const facts = { model: showModel ?? call.model, created: seconds(clock) };
      const encoder = clientEncoder(clientWire.encoder(call.body, facts), view);
      return encodedOutput(memory ? keeping(encoder, memory, ownerOf(call)) : encoder);
    }
    return unchangedOutput(clientWire.syntax, {
      hidden: wire.hidden?.(call.body),
      rewrite: showModel === undefined ? undefined : (frame) => renameInEvent(clientWire, frame, showModel),
    });
  };

  const callStream = async (call: ProviderCall, planned: Plan): Promise<ChatAnswer> => {
    const { wire, body } = planned;
    const { signal, isBilled } = call;
    const startedAt = clock.now();
    const request = {
      method: 'POST',
      path: wire.path(call.model, true),
      body,
      headers: { ...headersOf(call, planned), accept: 'text/event-stream' },
      call,
    } as const;
    const limit = {
      signal,
      timeoutMs: call.firstByteMs ?? limits.firstByteMs,
      heardMs: limits.answerMs,
      // Response headers do not prove that the model works, so they do not extend the time limit if there
      // is another target. Without one, waiting is the best option.
      isHeardByHeaders: !call.hasFallback,
    };
    const open = async (stream: UpstreamBody, onHeard: () => void): Promise<Opened | FailedAnswer> => {
      const { idleMs, maxEventBytes, streamMs: maxMs } = limits;
      const checked = checkedDecoder(wire.decoder(), { isTranslated: !planned.isNative });
      const { decode, withStored } = watchStored(checked, (json) =>
        storedState(wire, call, planned.isNative, json),
      );
      const reader = createUpstreamReader({ body: stream, decode, clock, idleMs, maxEventBytes });
      const { syntax } = CLIENT_WIRES[call.wire];
      const output = outputOf(call, planned);
      const maxSilentMs = Math.max(idleMs, limits.answerMs);
      const timing = { clock, startedAt, maxMs, maxSilentMs, onHeard };
      const opening = await openEventStream({ reader, output, syntax, signal, ...timing });
      return opening.kind === 'error'
        ? exchange.errorEvent(opening.body)
        : {
            kind: 'stream',
            stream: withStored(opening.stream),
            drain: opening.drain,
            droppedTools: planned.droppedTools,
          };
    };
    return exchange.stream(request, limit, open, isBilled ? ({ drain }) => drain() : undefined);
  };

  return (call) => {
    const planned = plan(call);
    if (isFailed(planned)) return Promise.resolve(planned);
    return call.body['stream'] === true ? callStream(call, planned) : callWhole(call, planned);
  };
}

const ownerOf = ({ owner = '' }: ProviderCall): string => owner;

/** An encoder that keeps the signatures of the calls that it writes. */
const keeping = (encoder: EventEncoder, memory: SignatureMemory, owner: string): EventEncoder => ({
  ...encoder,
  encode(chunks) {
    for (const chunk of chunks) memory.keepChunk(owner, chunk);
    return encoder.encode(chunks);
  },
});

const headersOf = (
  { headers, trace }: ProviderCall,
  { isNative }: Pick<Plan, 'isNative'>,
): Readonly<Record<string, string>> | undefined => {
  const own = isNative ? headers : undefined;
  return trace && own ? { ...trace, ...own } : (trace ?? own);
};

/**
 * The state of a response stored by the provider; undefined if the provider does not store the response.
 */
function storedState(
  wire: UpstreamWire,
  { body }: ProviderCall,
  isNative: boolean,
  answer: Json,
): StoredAnswerState | undefined {
  const { id, status } = answer;
  if (!isNative || typeof id !== 'string' || !wire.stores?.(body)) return undefined;
  const isQueued = status === 'queued' || status === 'in_progress';
  return { id, isInBackground: body['background'] === true, isQueued, items: createdIds(answer) };
}

const seconds = (clock: Clock): number => Math.floor(clock.now() / 1000);

const outputText = ({ choices }: ChatCompletion): string =>
  choices.map(({ message }) => messageText(message)).join('');

const summaryOf = ({ choices, usage }: ChatCompletion, text: string): AnswerSummary => ({
  usage: readUsage(usage),
  outputLength: text.length,
  outputText: text.slice(0, MAX_KEPT_TEXT),
  finishReason: choices[0]?.finish_reason ?? undefined,
});

/** Returns the bytes as a Buffer without copying them. */
const bufferOf = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);

interface WatchedStream {
  readonly decode: EventDecoder;
  readonly withStored: (stream: OpenedStream) => OpenedStream;
}

/**
 * Adds to a stream's summary which response the provider stores and what the provider creates along with
 * the response. The first event contains the response's ID.
 */
function watchStored(
  decode: EventDecoder,
  stateOf: (response: Json) => StoredAnswerState | undefined,
): WatchedStream {
  let stored: StoredAnswerState | undefined;
  const items = new Set<string>();
  const created = new Set<string>();
  return {
    decode(event, data) {
      if (event === 'response.created')
        stored = stateOf(membersOf(membersOf(parseJsonText(data))['response']));
      else if (stored && event === 'response.output_item.added' && items.size < MAX_CREATED_IDS)
        for (const id of idsOfItem(membersOf(parseJsonText(data))['item'])) items.add(id);
      if (created.size < MAX_CREATED_IDS) for (const id of createdWith(data)) created.add(id);
      return decode(event, data);
    },
    withStored: (stream) => ({
      ...stream,
      forward: (options) =>
        stream.forward({
          ...options,
          // A response whose stream has ended has a result.
          settle: (summary) =>
            options.settle({
              ...summary,
              ...(stored && { stored: { ...stored, isQueued: false, items: [...items] } }),
              created: [...created],
            }),
        }),
    }),
  };
}
