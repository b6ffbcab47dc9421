import { lookup } from '#core/values/lookup.ts';
import type { ChatCompletion, ChatUsage, Json, ToolCall, ChatChunk } from '../../shapes/chat.ts';
import { customInput } from '../custom-tools.ts';
import { toolNames, type ToolNames } from './namespaces.ts';
import { foreignText } from '../foreign-json.ts';
import { sealSignature, signatureIn } from '../thought-signatures.ts';
import { eventText, type EventEncoder, type StreamSyntax } from '../../streams/stream.ts';
import type { AnswerFacts, ClientWire } from '../request-members.ts';
import { createContentSequence, type CallHead, type ContentPiece } from '../content-sequence.ts';
import { responsesEdits, responsesToChat } from './request.ts';
import { isObject } from '#core/json/is-object.ts';

/** Translates a response from the internal format to OpenAI's Responses API. */
function fromChat({ id, model, created, choices, usage }: ChatCompletion, request: Json): Json {
  const [choice] = choices;
  const { content, refusal, tool_calls: calls } = choice?.message ?? { content: '' };
  const text = foreignText(content, '`content`') ?? '';
  const names = toolNames(request);
  const signed = returnsReasoning(request);
  const signature = signed ? signatureIn(choice?.message.extra_content) : undefined;
  const thought = signed ? (choice?.message.reasoning_content ?? '') : '';
  return {
    ...responseHead({ id, model, created }, request),
    ...endOf(choice?.finish_reason ?? 'stop'),
    output: [
      ...(thought === '' ? [] : [reasoningItem(`${id}_0`, thought)]),
      ...(text || refusal ? [messageItem(id, text, refusal ?? undefined)] : []),
      ...(signature === undefined ? [] : [reasoningItem(id, '', sealSignature('', signature))]),
      ...(calls ?? []).flatMap((call) => {
        const own = signed ? signatureIn(call.extra_content) : undefined;
        return [
          ...(own === undefined ? [] : [reasoningItem(call.id, '', sealSignature(call.id, own))]),
          callItem(call, names),
        ];
      }),
    ],
    usage: usageOf(usage),
  };
}

/**
 * Whether a client keeps encrypted reasoning: it does if it requests such reasoning, or requests that
 * nothing be stored. Other clients return the IDs of stored items instead.
 */
const returnsReasoning = ({ store, include }: Json): boolean =>
  store === false || (Array.isArray(include) && include.includes('reasoning.encrypted_content'));

/**
 * Reasoning from another provider. A marker indicates that it was not encrypted by OpenAI; it can contain a
 * signature.
 */
const reasoningItem = (id: string, thought: string, sealed = sealSignature('none', '')): Json => ({
  id: `rs_${id}`,
  type: 'reasoning',
  summary: thought === '' ? [] : [{ type: 'summary_text', text: thought }],
  encrypted_content: sealed,
});

/** A response object without any output. */
function responseHead(
  { id, model, created }: Pick<ChatCompletion, 'id' | 'model' | 'created'>,
  request: Json,
): Json {
  const requested = (name: string, otherwise: unknown): unknown => request[name] ?? otherwise;
  return {
    id: `resp_${id}`,
    object: 'response',
    created_at: created,
    status: 'in_progress',
    error: null,
    incomplete_details: null,
    instructions: requested('instructions', null),
    max_output_tokens: requested('max_output_tokens', null),
    metadata: requested('metadata', {}),
    model,
    output: [],
    parallel_tool_calls: requested('parallel_tool_calls', true),
    previous_response_id: null,
    reasoning: requested('reasoning', { effort: null, summary: null }),
    store: false,
    temperature: requested('temperature', null),
    text: requested('text', { format: { type: 'text' } }),
    tool_choice: requested('tool_choice', 'auto'),
    tools: requested('tools', []),
    top_p: requested('top_p', null),
    truncation: 'disabled',
    usage: null,
  };
}

const INCOMPLETE = lookup<string>({
  length: 'max_output_tokens',
  content_filter: 'content_filter',
});

function endOf(finish: string): Json {
  const reason = INCOMPLETE[finish];
  return reason === undefined
    ? { status: 'completed', incomplete_details: null }
    : { status: 'incomplete', incomplete_details: { reason } };
}

function messageItem(id: string, text: string, refusal?: string): Json {
  const content =
    refusal === undefined
      ? { type: 'output_text', text, annotations: [], logprobs: [] }
      : { type: 'refusal', refusal };
  return { id: `msg_${id}`, type: 'message', status: 'completed', role: 'assistant', content: [content] };
}

/** The item for a call to a function, or to a custom tool that was sent to the provider as a function. */
function callItem({ id, function: { name, arguments: text } }: ToolCall, names: ToolNames): Json {
  const call = { status: 'completed', call_id: id, ...names.named(name) };
  return names.isCustom(name)
    ? { id: `ctc_${id}`, type: 'custom_tool_call', ...call, input: customInput(text) }
    : { id: `fc_${id}`, type: 'function_call', ...call, arguments: text };
}

function usageOf(usage: ChatUsage | null | undefined): Json {
  const input = usage?.prompt_tokens ?? 0;
  const output = usage?.completion_tokens ?? 0;
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: usage?.prompt_tokens_details?.cached_tokens ?? 0 },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: usage?.completion_tokens_details?.reasoning_tokens ?? 0 },
    total_tokens: input + output,
  };
}

/** The item being written: a text or a tool call. */
interface OpenItem {
  readonly call: CallHead | undefined;
  readonly place: number;
  text: string;
}

/**
 * Writes chunks as OpenAI Responses API events. @see
 * https://platform.openai.com/docs/api-reference/responses-streaming
 */
function responsesEncoder(request: Json, { model, created }: AnswerFacts): EventEncoder {
  let number = 0;
  let id: string | undefined;
  let finish = 'stop';
  let usage: ChatUsage | undefined;
  let open: OpenItem | undefined;
  const output: Json[] = [];
  const sequence = createContentSequence();
  const names = toolNames(request);
  const signed = returnsReasoning(request);
  /** Reasoning that has not been written yet. */
  let thought = '';
  /** The signature of the text. */
  let signature: string | undefined;

  const emit = (type: string, event: Json): string => {
    number += 1;
    return eventText({ type, sequence_number: number - 1, ...event }, type);
  };
  const head = (): Json => responseHead({ id: id ?? 'gateway', model, created }, request);
  const begin = (chunk: ChatChunk): string => {
    if (id !== undefined) return '';
    id = chunk.id ?? 'gateway';
    return (
      emit('response.created', { response: head() }) + emit('response.in_progress', { response: head() })
    );
  };
  const itemOf = ({ call, text }: OpenItem): Json =>
    call
      ? callItem(
          {
            id: idOf(call),
            type: 'function',
            function: { name: call.name, arguments: text },
          },
          names,
        )
      : messageItem(id ?? 'gateway', text);
  const placeOf = (item: OpenItem): Json => ({ item_id: itemOf(item)['id'], output_index: item.place });

  const close = (): string => {
    if (!open) return '';
    const item = itemOf(open);
    const { call, text, place } = open;
    const at = placeOf(open);
    open = undefined;
    output.push(item);
    const { content } = item;
    const [part]: readonly unknown[] = Array.isArray(content) ? content : [];
    const done = call
      ? names.isCustom(call.name)
        ? inputEvents(at, item['input'])
        : emit('response.function_call_arguments.done', {
            ...at,
            name: names.named(call.name).name,
            arguments: text,
          })
      : emit('response.output_text.done', { ...at, content_index: 0, text, logprobs: [] }) +
        emit('response.content_part.done', { ...at, content_index: 0, part });
    return done + emit('response.output_item.done', { output_index: place, item });
  };
  /** The input of a custom tool is only known once the arguments of its function are complete. */
  const inputEvents = (at: Json, input: unknown): string =>
    emit('response.custom_tool_call_input.delta', { ...at, delta: input }) +
    emit('response.custom_tool_call_input.done', { ...at, input });
  const start = (call: OpenItem['call']): { readonly item: OpenItem; readonly opening: string } => {
    const closed = close();
    open = { call, place: output.length, text: '' };
    const item = { ...itemOf(open), status: 'in_progress', ...(!call && { content: [] }) };
    const added = emit('response.output_item.added', { output_index: open.place, item });
    if (call) return { item: open, opening: closed + added };
    const part = { type: 'output_text', text: '', annotations: [], logprobs: [] };
    return {
      item: open,
      opening:
        closed + added + emit('response.content_part.added', { ...placeOf(open), content_index: 0, part }),
    };
  };
  const writeText = (text: string): string => {
    const reasoned = reason(`${id ?? 'gateway'}_${output.length}`);
    const { item, opening } = open && !open.call ? { item: open, opening: '' } : start(undefined);
    item.text += text;
    return (
      reasoned +
      opening +
      emit('response.output_text.delta', { ...placeOf(item), content_index: 0, delta: text, logprobs: [] })
    );
  };
  /** Writes the preceding reasoning and a signature as a separate item. */
  const reason = (itemId: string, sealed?: string): string => {
    if (!signed || (thought === '' && sealed === undefined)) return '';
    const closed = close();
    const item = reasoningItem(itemId, thought, sealed);
    thought = '';
    const at = { output_index: output.length, item };
    output.push(item);
    return closed + emit('response.output_item.added', at) + emit('response.output_item.done', at);
  };
  const startCall = (head: CallHead): ReturnType<typeof start> => {
    const callId = idOf(head);
    const before = reason(callId, head.signature && sealSignature(callId, head.signature));
    const { item, opening } = start(head);
    return { item, opening: before + opening };
  };
  const writeCall = (head: CallHead, delta: string): string => {
    const { item, opening } = open && open.call === head ? { item: open, opening: '' } : startCall(head);
    item.text += delta;
    return delta === '' || names.isCustom(head.name)
      ? opening
      : opening + emit('response.function_call_arguments.delta', { ...placeOf(item), delta });
  };
  const encodeChunk = (chunk: ChatChunk): string => {
    usage = chunk.usage ?? usage;
    const choice = chunk.choices?.find(({ index }) => index === 0);
    finish = choice?.finish_reason ?? finish;
    return (
      begin(chunk) +
      sequence
        .take(choice?.delta ?? {})
        .map(encodePiece)
        .join('')
    );
  };
  const encodePiece = (piece: ContentPiece): string => {
    if (piece.kind === 'call') return writeCall(piece.call, piece.text);
    if (piece.kind === 'signature') signature = piece.text;
    // Reasoning is only written for clients that return it themselves. Other clients return the ID of the
    // item, but the item is not stored anywhere.
    if (piece.kind === 'thinking' && signed) thought += piece.text;
    return piece.kind === 'text' ? writeText(piece.text) : '';
  };

  return {
    encode: (chunks) => chunks.map(encodeChunk).join(''),
    end() {
      const rest = begin({}) + sequence.end().map(encodePiece).join('');
      const reasoned = reason(id ?? 'gateway', signature && sealSignature('', signature));
      const last = rest + reasoned + close();
      const end = endOf(finish);
      const response = { ...head(), ...end, output, usage: usageOf(usage) };
      return { last, terminal: emit(`response.${String(end['status'])}`, { response }) };
    },
  };
}

const idOf = ({ id, number }: CallHead): string => id ?? `call_${number}`;

const responsesSyntax: StreamSyntax = {
  // There is no separate end marker: the last event contains the whole response.
  terminal: '',
  error({ message, code }, last) {
    const number = last?.['sequence_number'];
    const next = typeof number === 'number' ? number + 1 : 0;
    return eventText({ type: 'error', code, message, param: null, sequence_number: next }, 'error');
  },
};

/** `/v1/responses`. @see https://platform.openai.com/docs/api-reference/responses */
export const responsesWire: ClientWire = {
  toChat: responsesToChat,
  nativeEdits: responsesEdits,
  fromChat,
  encoder: responsesEncoder,
  syntax: responsesSyntax,
  renames(json, model) {
    const { response } = json;
    if (isObject(response)) return { response: JSON.stringify({ ...response, model }) };
    return json['object'] === 'response' ? { model: JSON.stringify(model) } : undefined;
  },
};
