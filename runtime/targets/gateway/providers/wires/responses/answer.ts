import type { ChatCompletion, ChatUsage, Json, ToolCall } from '../../shapes/chat.ts';
import { customInput } from '../custom-tools.ts';
import { toolNames, type ToolNames } from './namespaces.ts';
import { textIn } from '../foreign-json.ts';
import { sealSignature, signatureIn } from '../thought-signatures.ts';

/** Translates an answer from the internal format to OpenAI's Responses API. */
export function fromChat({ id, model, created, choices, usage }: ChatCompletion, request: Json): Json {
  const [choice] = choices;
  const { content, refusal, tool_calls: calls } = choice?.message ?? { content: '' };
  const text = textIn(content, '`content`') ?? '';
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

/** Whether a client keeps encrypted reasoning: it requests it, or its provider stores nothing. Others return ids of stored items instead. */
export const returnsReasoning = ({ store, include }: Json): boolean =>
  store === false || (Array.isArray(include) && include.includes('reasoning.encrypted_content'));

/** Reasoning of another provider. Its mark shows that OpenAI has not encrypted it; it can contain a signature. */
export const reasoningItem = (id: string, thought: string, sealed = sealSignature('none', '')): Json => ({
  id: `rs_${id}`,
  type: 'reasoning',
  summary: thought === '' ? [] : [{ type: 'summary_text', text: thought }],
  encrypted_content: sealed,
});

/** A response without output. */
export function responseHead(
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

const INCOMPLETE: Readonly<Record<string, string>> = {
  length: 'max_output_tokens',
  content_filter: 'content_filter',
};

export function endOf(finish: string): Json {
  const reason = INCOMPLETE[finish];
  return reason === undefined
    ? { status: 'completed', incomplete_details: null }
    : { status: 'incomplete', incomplete_details: { reason } };
}

export function messageItem(id: string, text: string, refusal?: string): Json {
  const content =
    refusal === undefined
      ? { type: 'output_text', text, annotations: [], logprobs: [] }
      : { type: 'refusal', refusal };
  return { id: `msg_${id}`, type: 'message', status: 'completed', role: 'assistant', content: [content] };
}

/** The item of a call: of a function, or of one of the custom tools, which were functions for the provider. */
export function callItem({ id, function: { name, arguments: text } }: ToolCall, names: ToolNames): Json {
  const call = { status: 'completed', call_id: id, ...names.named(name) };
  return names.isCustom(name)
    ? { id: `ctc_${id}`, type: 'custom_tool_call', ...call, input: customInput(text) }
    : { id: `fc_${id}`, type: 'function_call', ...call, arguments: text };
}

export function usageOf(usage: ChatUsage | null | undefined): Json {
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
