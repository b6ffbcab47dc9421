import { AppError } from '../../../../contract/errors.ts';
import type {
  ChatMessage,
  ChatRequest,
  ContentPart,
  Json,
  ResponseFormat,
  ToolChoice,
} from '../chat/shape.ts';
import { refuse } from '../refuse.ts';

/** What needs a memory or a worker behind the API, which only the provider's own has. */
const REFUSED = ['previous_response_id', 'conversation', 'prompt', 'max_tool_calls'] as const;

/**
 * A request of OpenAI's responses in the inner shape: texts, images, files, functions, the format of the answer, effort.
 * Nothing is stored, whatever `store` says; items of reasoning are left out.
 */
export function toChat(body: Json): ChatRequest {
  refuseBackground(body);
  const found = REFUSED.find((name) => isAsked(body[name]));
  if (found !== undefined) throw refuse(`\`${found}\``);
  const { input, instructions, tools, text, reasoning } = body;
  const { format } = (text ?? {}) as { readonly format?: Json };
  const { effort } = (reasoning ?? {}) as Json;
  return {
    model: body['model'] as string,
    messages: [
      ...(typeof instructions === 'string' ? [{ role: 'system', content: instructions }] : []),
      ...messagesOf(input),
    ],
    ...(body['stream'] === true && { stream: true }),
    ...pick(body, [
      'temperature',
      'top_p',
      'parallel_tool_calls',
      'user',
      'service_tier',
      'safety_identifier',
    ]),
    ...(typeof body['max_output_tokens'] === 'number' && { max_tokens: body['max_output_tokens'] }),
    ...(Array.isArray(tools) && tools.length > 0 && { tools: (tools as Json[]).map(toolOf) }),
    ...(body['tool_choice'] !== undefined &&
      body['tool_choice'] !== null && { tool_choice: choiceOf(body['tool_choice']) }),
    ...(format && { response_format: formatOf(format) }),
    ...(typeof effort === 'string' && { reasoning_effort: effort }),
  };
}

/** An answer that is fetched later has no usage yet, and nobody would pay for it: no provider is asked for one. */
export function refuseBackground({ background }: Json): void {
  if (!isAsked(background)) return;
  throw new AppError(
    'NotImplementedError',
    'The gateway cannot do `background`: it would not learn what the answer costs. Leave it out.',
  );
}

const isAsked = (value: unknown): boolean => value !== undefined && value !== null && value !== false;

const pick = (body: Json, names: readonly string[]): Json =>
  Object.fromEntries(
    names.flatMap((name) => (body[name] === undefined || body[name] === null ? [] : [[name, body[name]]])),
  );

function messagesOf(input: unknown): ChatMessage[] {
  if (typeof input === 'string') return [{ role: 'user', content: input }];
  const messages: ChatMessage[] = [];
  for (const item of (input ?? []) as Json[]) {
    const message = messageOf(item);
    const last = messages.at(-1);
    // Each call of a tool is an item, all calls of an answer are one message.
    if (message?.role === 'assistant' && message.tool_calls && last?.role === 'assistant') {
      messages[messages.length - 1] = {
        ...last,
        tool_calls: [...(last.tool_calls ?? []), ...message.tool_calls],
      };
    } else if (message) messages.push(message);
  }
  return messages;
}

function messageOf(item: Json): ChatMessage | undefined {
  switch (item['type'] ?? 'message') {
    case 'message':
      return { role: String(item['role']), content: contentOf(item['content']) };
    case 'function_call': {
      const called = { name: String(item['name']), arguments: textOr(item['arguments']) };
      return {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: String(item['call_id']), type: 'function', function: called }],
      };
    }
    case 'function_call_output':
      return { role: 'tool', tool_call_id: String(item['call_id']), content: contentOf(item['output']) };
    case 'reasoning':
      return undefined;
    default:
      throw refuse(`input of the type \`${String(item['type'])}\``);
  }
}

function contentOf(content: unknown): string | readonly ContentPart[] {
  if (typeof content === 'string') return content;
  const parts = ((content ?? []) as Json[]).map(partOf);
  // A text alone is written as one: not every provider knows parts.
  return parts.every(({ type }) => type === 'text') ? parts.map(({ text }) => text ?? '').join('') : parts;
}

function partOf(part: Json): ContentPart {
  switch (part['type']) {
    case 'input_text':
    case 'output_text':
    case 'text':
      return { type: 'text', text: String(part['text']) };
    case 'refusal':
      return { type: 'text', text: String(part['refusal']) };
    case 'input_image':
      if (typeof part['image_url'] === 'string') return { type: 'image_url', image_url: imageOf(part) };
      throw refuse('images by file id');
    case 'input_file':
      if (typeof part['file_data'] === 'string') {
        const { file_data: data, filename } = part as { file_data: string; filename?: string };
        return { type: 'file', file: { file_data: data, ...(filename !== undefined && { filename }) } };
      }
      throw refuse('files by id or URL');
    default:
      throw refuse(`content of the type \`${String(part['type'])}\``);
  }
}

const imageOf = ({ image_url: url, detail }: Json): { readonly url: string; readonly detail?: string } => ({
  url: String(url),
  ...(typeof detail === 'string' && { detail }),
});

function toolOf({
  type,
  name,
  description,
  parameters,
  strict,
}: Json): NonNullable<ChatRequest['tools']>[number] {
  if (type !== 'function') throw refuse(`the tool \`${String(type)}\``);
  return {
    type: 'function',
    function: {
      name: String(name),
      ...(typeof description === 'string' && { description }),
      ...(parameters ? { parameters: parameters as Json } : {}),
      ...(typeof strict === 'boolean' && { strict }),
    },
  };
}

function choiceOf(choice: unknown): ToolChoice {
  if (choice === 'none' || choice === 'auto' || choice === 'required') return choice;
  const { type, name } = choice as Json;
  if (type === 'function') return { type: 'function', function: { name: String(name) } };
  throw refuse(`tool choice of the type \`${String(type)}\``);
}

function formatOf({ type, ...rest }: Json): ResponseFormat {
  if (type !== 'json_schema') return { type: String(type) };
  return { type: 'json_schema', json_schema: rest };
}

const textOr = (value: unknown): string => (typeof value === 'string' ? value : '');
