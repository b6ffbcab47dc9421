import { inputError } from '#contract/errors.ts';
import type { ChatMessage, ChatRequest, ContentPart, Json, ToolChoice } from '../../shapes/chat.ts';
import { mergedTurns, partsOf, readArguments, readDataUrl, splitSystem, type ChatTurn } from '../content.ts';
import { refuseUnsupported, unsupported } from '../unsupported.ts';

/**
 * Default for `max_tokens`, which Anthropic requires. The value is the one in the examples of its
 * documentation.
 */
const DEFAULT_MAX_TOKENS = 4096;
const NAME = 'Anthropic';

/** Translates a request from the internal format to Anthropic's. @see https://docs.anthropic.com/en/api/messages */
export function anthropicRequest(chat: ChatRequest, model: string): Json {
  refuseUnsupported(chat, NAME, { manyChoices: false });
  const { system, rest } = splitSystem(chat.messages);
  const { stop, temperature, tools, user } = chat;
  const output = outputConfig(chat);
  return {
    model,
    max_tokens: chat.max_completion_tokens ?? chat.max_tokens ?? DEFAULT_MAX_TOKENS,
    messages: mergedTurns(rest.map(messageOf)).map(({ role, parts }) => ({ role, content: parts })),
    ...(system !== '' && { system }),
    ...(chat.stream && { stream: true }),
    // OpenAI accepts temperatures up to 2, but Anthropic only up to 1.
    ...(typeof temperature === 'number' && { temperature: Math.min(1, temperature) }),
    ...(typeof chat.top_p === 'number' && { top_p: chat.top_p }),
    ...(stop && { stop_sequences: typeof stop === 'string' ? [stop] : stop }),
    ...(tools && tools.length > 0 && { tools: tools.map(toolOf) }),
    ...toolChoice(chat),
    ...(typeof user === 'string' && { metadata: { user_id: user } }),
    ...(Object.keys(output).length > 0 && { output_config: output }),
  };
}

function messageOf(message: ChatMessage): ChatTurn {
  switch (message.role) {
    case 'assistant': {
      const calls = (message.tool_calls ?? []).map(({ id, function: { name, arguments: text } }) => ({
        type: 'tool_use',
        id,
        name,
        input: readArguments(text, name),
      }));
      return { role: 'assistant', parts: [...partsOf(message).flatMap(assistantBlocks), ...calls] };
    }
    case 'tool':
      return {
        role: 'user',
        parts: [
          {
            type: 'tool_result',
            tool_use_id: message.tool_call_id,
            content: partsOf(message).flatMap(blocksOf),
            ...(message.is_error === true && { is_error: true }),
          },
        ],
      };
    case 'user':
      return { role: 'user', parts: partsOf(message).flatMap(blocksOf) };
    default:
      throw inputError(
        `Anthropic does not support messages with role \`${message.role}\`. Use system, user, assistant or tool.`,
      );
  }
}

const assistantBlocks = ({ text, refusal }: ContentPart): Json[] => textBlock(text ?? refusal);

/** Anthropic rejects empty text blocks, so they are omitted. */
const textBlock = (text: string | undefined): Json[] =>
  text === undefined || text === '' ? [] : [{ type: 'text', text }];

function blocksOf(part: ContentPart): Json[] {
  if (part.type === 'text') return textBlock(part.text);
  if (part.type === 'image_url' && part.image_url)
    return [{ type: 'image', source: sourceOf(part.image_url.url) }];
  const file = part.type === 'file' ? part.file?.file_data : undefined;
  if (file !== undefined) return [{ type: 'document', source: sourceOf(file) }];
  throw unsupported(`content of type \`${part.type}\``, NAME);
}

function sourceOf(url: string): Json {
  const data = readDataUrl(url);
  return data ? { type: 'base64', media_type: data.mediaType, data: data.base64 } : { type: 'url', url };
}

function toolOf({ type, function: tool }: NonNullable<ChatRequest['tools']>[number]): Json {
  if (type !== 'function' || !tool) throw unsupported(`tools of type \`${type}\``, NAME);
  return {
    name: tool.name,
    ...(tool.description !== undefined && { description: tool.description }),
    input_schema: tool.parameters ?? { type: 'object', properties: {} },
  };
}

function toolChoice({ tool_choice: choice, parallel_tool_calls: parallel, tools }: ChatRequest): Json {
  if (!tools || tools.length === 0) return {};
  const one = parallel === false && choice !== 'none' ? { disable_parallel_tool_use: true } : {};
  if (choice === undefined || choice === null)
    return parallel === false ? { tool_choice: { type: 'auto', ...one } } : {};
  return { tool_choice: { ...choiceOf(choice), ...one } };
}

function choiceOf(choice: ToolChoice): Json {
  if (choice === 'required') return { type: 'any' };
  if (typeof choice === 'string') return { type: choice };
  if (choice.function) return { type: 'tool', name: choice.function.name };
  throw unsupported(`tool choice of type \`${choice.type}\``, NAME);
}

const EFFORTS = new Set(['low', 'medium', 'high', 'xhigh', 'max']);

function outputConfig({ response_format: format, reasoning_effort: effort }: ChatRequest): Json {
  if (format && format.type === 'json_object')
    throw unsupported('`response_format` of type `json_object`', NAME);
  const schema = format?.type === 'json_schema' ? format.json_schema?.schema : undefined;
  return {
    ...(schema && { format: { type: 'json_schema', schema } }),
    ...(typeof effort === 'string' && EFFORTS.has(effort) && { effort }),
  };
}
