import type { EventEncoder, StreamSyntax } from '../../streams/stream.ts';
import { eventText } from '../../streams/event-text.ts';
import type { ChatChunk, ChatUsage, Json } from '../../shapes/chat.ts';
import type { AnswerFacts } from '../client-wire.ts';
import { type CallHead, type ContentPiece, createContentSequence } from '../content-sequence.ts';
import { sealSignature } from '../thought-signatures.ts';
import { toolNames } from './namespaces.ts';
import {
  callItem,
  endOf,
  messageItem,
  reasoningItem,
  responseHead,
  returnsReasoning,
  usageOf,
} from './answer.ts';

/** The item that is being written: a text or a tool call. */
interface OpenItem {
  readonly call: CallHead | undefined;
  readonly place: number;
  text: string;
}

/** Writes chunks as events of OpenAI's Responses API. @see https://platform.openai.com/docs/api-reference/responses-streaming */
export function responsesEncoder(request: Json, { model, created }: AnswerFacts): EventEncoder {
  let number = 0;
  let id: string | undefined;
  let finish = 'stop';
  let usage: ChatUsage | undefined;
  let open: OpenItem | undefined;
  const output: Json[] = [];
  const sequence = createContentSequence();
  const names = toolNames(request);
  const signed = returnsReasoning(request);
  /** Reasoning that is not written yet. */
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
  /** The text of a custom tool is known only when the arguments of its function are complete. */
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
  /** Writes the reasoning before, and a signature, as an item of their own. */
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
    // Only for clients that return reasoning themselves: others return the id of an item, which nothing stores.
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

export const responsesSyntax: StreamSyntax = {
  // There is no separate end marker: the last event contains the whole answer.
  terminal: '',
  error({ message, code }, last) {
    const number = last?.['sequence_number'];
    const next = typeof number === 'number' ? number + 1 : 0;
    return eventText({ type: 'error', code, message, param: null, sequence_number: next }, 'error');
  },
};
