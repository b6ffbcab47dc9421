import { AppError } from '#contract/errors.ts';
import type {
  ChatMessage,
  ChatRequest,
  ChatTool,
  ContentPart,
  Json,
  ResponseFormat,
  ToolChoice,
} from '../../shapes/chat.ts';
import { callOfCustom, functionOfCustom } from '../custom-tools.ts';
import type { MemberEdits } from '../../../shared/json-members.ts';
import { memberOf } from '#core/values/member-of.ts';
import { isSealed, openSignature, withSignature } from '../thought-signatures.ts';
import { refuse, contentAt, isAbsent, objectAt, objectsAt, textAt } from '../request-members.ts';
import { type FlatTool, flatTools, toolNames, type ToolNames } from './namespaces.ts';
import { membersOf } from '#core/json/members-of.ts';
import { isObject } from '#core/json/is-object.ts';

/** Members that require stored state or background processing, which other providers do not support. */
const UNSUPPORTED_MEMBERS = ['previous_response_id', 'conversation', 'prompt'] as const;

/**
 * Items that are omitted: those about tools that OpenAI ran in earlier turns, because the following
 * messages contain the results, and reasoning items, because they are encrypted.
 */
const SKIPPED_ITEMS = new Set<unknown>([
  'reasoning',
  'web_search_call',
  'file_search_call',
  'code_interpreter_call',
  'image_generation_call',
  'mcp_list_tools',
  'mcp_call',
  'mcp_approval_request',
  'mcp_approval_response',
]);

/**
 * Translates an OpenAI Responses API request to the internal format: texts, images, files, functions, the
 * output format, effort. Nothing is stored, regardless of the value of `store`, and reasoning items are
 * omitted.
 */
export function responsesToChat(body: Json): ChatRequest {
  refuseBackground(body);
  const found = UNSUPPORTED_MEMBERS.find((name) => isEnabled(body[name]));
  if (found !== undefined) throw refuse(`\`${found}\``);
  const { input, instructions, tools, text, reasoning } = body;
  const { format } = membersOf(text);
  const { effort } = membersOf(reasoning);
  return {
    model: textAt(body['model'], 'model'),
    messages: [
      ...(typeof instructions === 'string' ? [{ role: 'system', content: instructions }] : []),
      ...messagesOf(input, toolNames(body)),
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
    ...toolsOf(tools, body['tool_choice']),
    ...(!isAbsent(format) && { response_format: formatOf(objectAt(format, 'text.format')) }),
    ...(typeof effort === 'string' && { reasoning_effort: effort }),
  };
}

/** Rejects a request for a background response, because the provider does not store responses. */
function refuseBackground({ background }: Json): void {
  if (!isEnabled(background)) return;
  throw new AppError(
    'NotImplementedError',
    'This model’s provider does not support background responses. Remove `background`, or use a model from a provider with the Responses API.',
  );
}

/**
 * Rejects a request for a background response that could not be retrieved later and therefore could not be
 * billed.
 */
export function requireStoredBackground({ background, store }: Json): void {
  if (!isEnabled(background) || (background === true && store !== false)) return;
  throw new AppError(
    'NotImplementedError',
    background === true
      ? 'A background response must be stored, because its cost is only known later. Remove `store: false`.'
      : '`background` must be true or false.',
  );
}

const isEnabled = (value: unknown): boolean => value !== undefined && value !== null && value !== false;

const pick = (body: Json, names: readonly string[]): Json =>
  Object.fromEntries(
    names.flatMap((name) => (body[name] === undefined || body[name] === null ? [] : [[name, body[name]]])),
  );

function messagesOf(input: unknown, names: ToolNames): ChatMessage[] {
  if (typeof input === 'string') return [{ role: 'user', content: input }];
  const messages: ChatMessage[] = [];
  const items = objectsAt(input, 'input');
  const signatures = signaturesIn(items);
  for (const [at, item] of items.entries()) {
    const message = messageOf(item, `input[${at}]`, { signatures, names });
    const last = messages.at(-1);
    const opened = openSignature(item['encrypted_content']);
    // A signature of the text follows the text.
    if (opened?.id === '' && last?.role === 'assistant')
      messages[messages.length - 1] = { ...last, ...withSignature(opened.signature) };
    // In this API, each tool call is a separate item; in the internal format, all calls in a response
    // belong to one message.
    if (message?.role === 'assistant' && message.tool_calls && last?.role === 'assistant') {
      messages[messages.length - 1] = {
        ...last,
        tool_calls: [...(last.tool_calls ?? []), ...message.tool_calls],
      };
    } else if (message) messages.push(message);
  }
  return messages;
}

/** Call signatures, by call ID. */
const signaturesIn = (items: readonly Json[]): ReadonlyMap<string, string> =>
  new Map(
    items.flatMap(({ encrypted_content: content }) => {
      const opened = openSignature(content);
      return opened && opened.id !== '' ? [[opened.id, opened.signature] as const] : [];
    }),
  );

/** Removes reasoning that was not encrypted by OpenAI, because OpenAI's API rejects it. */
export function responsesEdits({ input }: Json): MemberEdits {
  const isForeign = (item: unknown): boolean => isSealed(memberOf(item, 'encrypted_content'));
  if (!Array.isArray(input) || !input.some(isForeign)) return {};
  return { input: JSON.stringify(input.filter((item) => !isForeign(item))) };
}

function messageOf(
  item: Json,
  place: string,
  { signatures, names }: { readonly signatures: ReadonlyMap<string, string>; readonly names: ToolNames },
): ChatMessage | undefined {
  switch (item['type'] ?? 'message') {
    case 'message':
      return {
        role: textAt(item['role'], `${place}.role`),
        content: contentOf(item['content'], `${place}.content`),
      };
    case 'function_call': {
      const id = textAt(item['call_id'], `${place}.call_id`);
      const name = names.flat(textAt(item['name'], `${place}.name`), item['namespace']);
      const called = { name, arguments: textOr(item['arguments']) };
      const signed = withSignature(signatures.get(id));
      return {
        role: 'assistant',
        content: null,
        tool_calls: [{ id, type: 'function', function: called, ...signed }],
      };
    }
    case 'custom_tool_call': {
      const id = textAt(item['call_id'], `${place}.call_id`);
      const name = names.flat(textAt(item['name'], `${place}.name`), item['namespace']);
      const call = callOfCustom(id, name, textOr(item['input']));
      return {
        role: 'assistant',
        content: null,
        tool_calls: [{ ...call, ...withSignature(signatures.get(id)) }],
      };
    }
    case 'custom_tool_call_output':
    case 'function_call_output':
      return {
        role: 'tool',
        tool_call_id: textAt(item['call_id'], `${place}.call_id`),
        content: contentOf(item['output'], `${place}.output`),
      };
    default:
      if (SKIPPED_ITEMS.has(item['type'])) return undefined;
      throw refuse(`input of type \`${textAt(item['type'], `${place}.type`)}\``);
  }
}

function contentOf(content: unknown, place: string): string | readonly ContentPart[] {
  if (typeof content === 'string') return content;
  const parts: ContentPart[] = [];
  contentAt(content, place, (part, at) => void parts.push(partOf(part, at)));
  // Text parts are concatenated, because not every provider supports lists of parts.
  return parts.every(({ type }) => type === 'text') ? parts.map(({ text }) => text ?? '').join('') : parts;
}

function partOf(part: Json, place: string): ContentPart {
  const type = textAt(part['type'], `${place}.type`);
  switch (type) {
    case 'input_text':
    case 'output_text':
    case 'text':
      return { type: 'text', text: textAt(part['text'], `${place}.text`) };
    case 'refusal':
      return { type: 'text', text: textAt(part['refusal'], `${place}.refusal`) };
    case 'input_image':
      if (typeof part['image_url'] === 'string') return { type: 'image_url', image_url: imageOf(part) };
      throw refuse('images by file ID');
    case 'input_file':
      if (typeof part['file_data'] === 'string') {
        const { file_data: data, filename } = part;
        return { type: 'file', file: { file_data: data, ...(typeof filename === 'string' && { filename }) } };
      }
      throw refuse('files by ID or URL');
    default:
      throw refuse(`content of type \`${type}\``);
  }
}

const imageOf = ({ image_url: url, detail }: Json): { readonly url: string; readonly detail?: string } => ({
  url: String(url),
  ...(typeof detail === 'string' && { detail }),
});

/** The tools and the tool choice. With a list of allowed tools, only those are kept. */
function toolsOf(tools: unknown, choice: unknown): Pick<ChatRequest, 'tools' | 'tool_choice'> {
  objectsAt(tools, 'tools');
  const flat = flatTools(tools);
  const all = flat.map(toolOf);
  const { type, mode, tools: allowed } = membersOf(choice);
  const listed = all.length > 0 ? { tools: all } : {};
  if (isAbsent(choice)) return listed;
  if (type !== 'allowed_tools') return { ...listed, tool_choice: choiceOf(choice, toolNames({ tools })) };
  const list = objectsAt(allowed, 'tool_choice.tools');
  // A namespace allows all of its tools.
  const names = new Set(list.map(({ name, namespace }) => JSON.stringify([namespace, name])));
  const isAllowed = ({ names: own, flatName: name }: FlatTool): boolean =>
    own
      ? names.has(JSON.stringify([own.namespace, own.name])) ||
        names.has(JSON.stringify([undefined, own.namespace]))
      : names.has(JSON.stringify([undefined, name]));
  return {
    tools: all.filter((_tool, at) => flat[at] && isAllowed(flat[at])),
    tool_choice: mode === 'required' ? 'required' : 'auto',
  };
}

/** Tools that OpenAI runs itself keep their type; they are dropped or rejected later. */
function toolOf({ tool, place, flatName: name }: FlatTool): ChatTool {
  const { type, description, parameters, strict, format } = tool;
  const kind = textAt(type, `${place}.type`);
  if (kind === 'custom') {
    return functionOfCustom({
      name: textAt(name, `${place}.name`),
      description: typeof description === 'string' ? description : undefined,
      format,
    });
  }
  if (kind !== 'function') return { type: kind };
  return {
    type: 'function',
    function: {
      name: textAt(name, `${place}.name`),
      ...(typeof description === 'string' && { description }),
      ...(isObject(parameters) && { parameters }),
      ...(typeof strict === 'boolean' && { strict }),
    },
  };
}

function choiceOf(choice: unknown, names: ToolNames): ToolChoice {
  if (choice === 'none' || choice === 'auto' || choice === 'required') return choice;
  const { type, name, namespace } = membersOf(
    typeof choice === 'string' ? { type: choice } : objectAt(choice, 'tool_choice'),
  );
  const kind = textAt(type, 'tool_choice.type');
  if (kind === 'function' || kind === 'custom')
    return { type: 'function', function: { name: names.flat(textAt(name, 'tool_choice.name'), namespace) } };
  throw refuse(`tool choice of type \`${kind}\``);
}

function formatOf({ type, ...rest }: Json): ResponseFormat {
  if (type !== 'json_schema') return { type: textAt(type, 'text.format.type') };
  return { type: 'json_schema', json_schema: rest };
}

const textOr = (value: unknown): string => (typeof value === 'string' ? value : '');
