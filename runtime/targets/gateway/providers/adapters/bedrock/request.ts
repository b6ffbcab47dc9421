import { lookup } from '#core/values/lookup.ts';
import { inputError } from '#contract/errors.ts';
import { membersOf } from '#core/json/members-of.ts';
import type { ChatMessage, ChatRequest, ContentPart, Json, ToolChoice } from '../../shapes/chat.ts';
import {
  mergedTurns,
  partsOf,
  readArguments,
  readDataUrl,
  textOfMessage,
  type ChatTurn,
  type DataUrl,
} from '../content.ts';
import { refuseUnsupported, unsupported } from '../unsupported.ts';
import { withoutRegion } from '../../../shared/inference-profile.ts';
import { pathSegment } from '../path-segment.ts';

const NAME = 'Amazon Bedrock';

/**
 * Translates a request to the Converse format. @see
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html
 */
export function converseRequest(request: ChatRequest, model: string): Json {
  refuseUnsupported(request, NAME, { manyChoices: false });
  const chat = withoutTools(request);
  const isSystem = ({ role }: ChatMessage): boolean => role === 'system' || role === 'developer';
  const system = chat.messages.filter(isSystem).flatMap((message) => partsOf(message).flatMap(systemBlocks));
  const turns = mergedTurns(chat.messages.filter((message) => !isSystem(message)).map(turnOf));
  const inference = inferenceConfig(chat);
  const output = outputConfig(chat);
  const more = modelFields(chat, model);
  return {
    messages: turns.map(({ role, parts }) => ({ role, content: parts })),
    ...(system.length > 0 && { system }),
    ...(Object.keys(inference).length > 0 && { inferenceConfig: inference }),
    ...toolConfig(chat),
    ...(Object.keys(output).length > 0 && { outputConfig: output }),
    ...(Object.keys(more).length > 0 && { additionalModelRequestFields: more }),
  };
}

/** Marks everything before it as cacheable; created from Anthropic's `cache_control`. */
function cachePoint(value: object): Json[] {
  const { type, ttl } = membersOf(membersOf(value)['cache_control']);
  if (type !== 'ephemeral') return [];
  return [{ cachePoint: { type: 'default', ...(typeof ttl === 'string' && { ttl }) } }];
}

const systemBlocks = (part: ContentPart): Json[] =>
  part.text === undefined || part.text === '' ? [] : [{ text: part.text }, ...cachePoint(part)];

function turnOf(message: ChatMessage): ChatTurn {
  const parts = partsOf(message);
  switch (message.role) {
    case 'assistant': {
      const calls = (message.tool_calls ?? []).map(({ id, function: { name, arguments: text } }) => ({
        toolUse: { toolUseId: id, name, input: readArguments(text, name) },
      }));
      return { role: 'assistant', parts: [...parts.flatMap(assistantBlocks), ...calls] };
    }
    case 'tool': {
      const content = parts.flatMap(blocksOf);
      const toolResult = {
        toolUseId: message.tool_call_id,
        // Amazon requires content even if a tool has no output.
        content: content.length > 0 ? content : [{ text: '(no output)' }],
        ...(message.is_error === true && { status: 'error' }),
      };
      return { role: 'user', parts: [{ toolResult }, ...parts.flatMap(cachePoint)] };
    }
    case 'user':
      return { role: 'user', parts: parts.flatMap((part) => [...blocksOf(part), ...cachePoint(part)]) };
    default:
      throw inputError(
        `${NAME} does not support messages with role \`${message.role}\`. Use system, user, assistant or tool.`,
      );
  }
}

const textBlock = (text: string | undefined): Json[] => (text === undefined || text === '' ? [] : [{ text }]);

const assistantBlocks = (part: ContentPart): Json[] => [
  ...textBlock(part.text ?? part.refusal),
  ...cachePoint(part),
];

function blocksOf(part: ContentPart): Json[] {
  if (part.type === 'text') return textBlock(part.text);
  const url = part.type === 'image_url' ? part.image_url?.url : part.file?.file_data;
  if (url === undefined || (part.type !== 'image_url' && part.type !== 'file'))
    throw unsupported(`content of type \`${part.type}\``, NAME);
  const data = readDataUrl(url);
  if (!data) throw unsupported('files by URL; send them as `data:` URLs', NAME);
  return [fileBlock(data, part.file?.filename)];
}

function inferenceConfig({ temperature, top_p: topP, stop, ...chat }: ChatRequest): Json {
  const limit = chat.max_completion_tokens ?? chat.max_tokens;
  return {
    ...(typeof limit === 'number' && { maxTokens: limit }),
    // OpenAI accepts temperatures up to 2, but Converse only up to 1.
    ...(typeof temperature === 'number' && { temperature: Math.min(1, temperature) }),
    ...(typeof topP === 'number' && { topP }),
    ...(stop && { stopSequences: typeof stop === 'string' ? [stop] : stop }),
  };
}

function toolConfig({ tools, tool_choice: choice }: ChatRequest): Json {
  if (!tools || tools.length === 0) return {};
  const toolChoice = choice ? choiceOf(choice) : undefined;
  return { toolConfig: { tools: tools.flatMap(toolsOf), ...(toolChoice && { toolChoice }) } };
}

function toolsOf(tool: NonNullable<ChatRequest['tools']>[number]): Json[] {
  const { type, function: called } = tool;
  if (type !== 'function' || !called) throw unsupported(`tools of type \`${type}\``, NAME);
  const { name, description, parameters } = called;
  const toolSpec = {
    name,
    ...(description !== undefined && description !== '' && { description }),
    inputSchema: { json: parameters ?? { type: 'object', properties: {} } },
  };
  return [{ toolSpec }, ...cachePoint(tool)];
}

function choiceOf(choice: ToolChoice): Json {
  if (choice === 'required') return { any: {} };
  if (typeof choice === 'string') return { auto: {} };
  if (choice.function) return { tool: { name: choice.function.name } };
  throw unsupported(`tool choice of type \`${choice.type}\``, NAME);
}

function outputConfig({ response_format: format }: ChatRequest): Json {
  if (format && format.type === 'json_object')
    throw unsupported('`response_format` of type `json_object`', NAME);
  const { schema, name, description } =
    (format?.type === 'json_schema' ? format.json_schema : undefined) ?? {};
  if (!schema) return {};
  const jsonSchema = {
    schema: JSON.stringify(schema),
    ...(name && { name }),
    ...(description && { description }),
  };
  return { textFormat: { type: 'json_schema', structure: { jsonSchema } } };
}

/**
 * Members that only some models support. The reasoning effort is one of them, because Converse has no such
 * member for all models.
 */
function modelFields({ reasoning_effort: effort, thinking }: ChatRequest, model: string): Json {
  const name = bareModel(model);
  if (name.startsWith('anthropic.') && typeof thinking === 'object' && thinking !== null) return { thinking };
  if (typeof effort !== 'string') return {};
  return name.startsWith('openai.') ? { reasoning_effort: effort } : {};
}

/**
 * Converse has no tool choice `none`, and rejects calls in earlier turns if the request has no tool list.
 * With `tool_choice: none`, the tools are therefore omitted, and earlier calls and their results are
 * converted to text.
 */
function withoutTools(chat: ChatRequest): ChatRequest {
  if (chat.tool_choice !== 'none') return chat;
  const names = new Map(
    chat.messages.flatMap(({ tool_calls: calls }) =>
      (calls ?? []).map((call) => [call.id, call.function.name] as const),
    ),
  );
  return { ...chat, tools: null, messages: chat.messages.map((message) => asText(message, names)) };
}

function asText(message: ChatMessage, names: ReadonlyMap<string, string>): ChatMessage {
  if (message.role === 'tool') {
    const name = names.get(message.tool_call_id ?? '') ?? 'the tool';
    return { role: 'user', content: `Result of ${name}: ${textOfMessage(message)}` };
  }
  const { tool_calls: calls, ...rest } = message;
  if (!calls || calls.length === 0) return message;
  const texts = calls.map(({ function: { name, arguments: text } }) => ({
    type: 'text',
    text: `Called ${name} with ${text}`,
  }));
  return { ...rest, content: [...partsOf(message), ...texts] };
}

const IMAGES = lookup<string>({
  'image/png': 'png',
  'image/jpeg': 'jpeg',
  'image/jpg': 'jpeg',
  'image/gif': 'gif',
  'image/webp': 'webp',
});

const DOCUMENTS = lookup<string>({
  'application/pdf': 'pdf',
  'text/csv': 'csv',
  'text/html': 'html',
  'text/plain': 'txt',
  'text/markdown': 'md',
  'application/msword': 'doc',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'application/vnd.ms-excel': 'xls',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
});

/** An image or document as a Converse block. Throws a NotImplementedError for other types. */
function fileBlock({ mediaType, base64 }: DataUrl, name = 'document'): Json {
  const source = { bytes: base64 };
  const image = IMAGES[mediaType];
  if (image !== undefined) return { image: { format: image, source } };
  const format = DOCUMENTS[mediaType];
  if (format === undefined) throw unsupported(`files of type ${mediaType}`, 'Amazon Bedrock');
  return { document: { format, name: documentName(name), source } };
}

/** Document names can only contain letters, digits, single spaces, hyphens and brackets. */
function documentName(name: string): string {
  const allowed = name
    .replaceAll(/[^A-Za-z0-9\s\-()[\]]+/g, '-')
    .replaceAll(/\s+/g, ' ')
    .trim();
  return allowed.slice(0, 200) || 'document';
}

/** The path of a model operation. The name is encoded as a whole, because ARNs contain slashes and colons. */
export const modelPath = (model: string, operation: string): string =>
  `/model/${pathSegment(model)}/${operation}`;

/**
 * The model name, without the region prefix of an inference profile and without the preceding parts of an
 * ARN.
 */
export const bareModel = (model: string): string => withoutRegion(model.replace(/^arn:.*\//, ''));

/**
 * Whether a model supports Anthropic's Messages API. For application inference profiles, this cannot be
 * determined from the name.
 */
export const isAnthropic = (model: string): boolean => bareModel(model).startsWith('anthropic.');
