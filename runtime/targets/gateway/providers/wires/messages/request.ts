import { lookup } from '#core/values/lookup.ts';
import { isObject } from '#core/json/is-object.ts';
import type { AnthropicBlock, AnthropicTool } from '../../shapes/messages.ts';
import type {
  ChatMessage,
  ChatRequest,
  ChatTool,
  ContentPart,
  Json,
  ToolCall,
  ToolChoice,
} from '../../shapes/chat.ts';
import type { MemberEdits } from '../../../shared/json-members.ts';
import { textOr } from '../foreign-json.ts';
import { isSealed, openSignature, withSignature } from '../thought-signatures.ts';
import { refuse, textAt, contentAt, eachAt, isAbsent, optionalTextAt, objectAt } from '../request-members.ts';
import { membersOf } from '#core/json/members-of.ts';

/**
 * Translates an Anthropic Messages API request to the internal format. Members that only apply to Anthropic's
 * models are omitted: `thinking` and its blocks, `top_k`, `cache_control`.
 */
export function messagesToChat(body: Json): ChatRequest {
  checkRequest(body);
  const { system, stop_sequences: stop, tools, metadata, output_config: output } = body;
  const { user_id: user } = membersOf(metadata);
  const { effort, format } = membersOf(output);
  return {
    model: textAt(body['model'], 'model'),
    messages: [...systemOf(system), ...body.messages.flatMap(messagesOf)],
    ...(typeof body['max_tokens'] === 'number' && { max_tokens: body['max_tokens'] }),
    ...(body['stream'] === true && { stream: true }),
    ...(typeof body['temperature'] === 'number' && { temperature: body['temperature'] }),
    ...(typeof body['top_p'] === 'number' && { top_p: body['top_p'] }),
    ...(Array.isArray(stop) && stop.length > 0 && { stop }),
    ...(tools && tools.length > 0 && { tools: withoutSearch(tools).map(toolOf) }),
    ...toolChoice(body.tool_choice),
    ...(typeof user === 'string' && { user }),
    ...(typeof effort === 'string' && { reasoning_effort: effort }),
    ...(isObject(format) && {
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'answer', schema: membersOf(format['schema']) },
      },
    }),
  };
}

function systemOf(system: MessagesRequest['system']): ChatMessage[] {
  if (typeof system === 'string') return [{ role: 'system', content: system }];
  const text = (system ?? []).map((block) => block.text ?? '').join('\n\n');
  return text === '' ? [] : [{ role: 'system', content: text }];
}

function messagesOf({ role, content }: MessageParam): ChatMessage[] {
  if (typeof content === 'string') return [{ role, content }];
  if (role === 'assistant') return [assistantOf(content)];
  const results = content.filter(({ type }) => type === 'tool_result');
  const rest = content.filter(({ type }) => type !== 'tool_result');
  // In the internal format, tool results only contain text. Images and documents in a result follow in a
  // separate message.
  const shown = results.flatMap((result) => blocksIn(result).filter((block) => textOf(block) === undefined));
  const parts = [...shown, ...rest].flatMap(partOf);
  return [...results.map(resultOf), ...(parts.length > 0 ? [{ role, content: simplified(parts) }] : [])];
}

function assistantOf(blocks: readonly AnthropicBlock[]): ChatMessage {
  const text = blocks.map((block) => (block.type === 'text' ? (block.text ?? '') : '')).join('');
  const signatures = new Map(
    blocks.flatMap(({ type, signature }) => {
      const opened = type === 'thinking' ? openSignature(signature) : undefined;
      return opened ? [[opened.id, opened.signature] as const] : [];
    }),
  );
  const calls = blocks.filter(({ type }) => type === 'tool_use').map((block) => callOf(block, signatures));
  return {
    role: 'assistant',
    content: text === '' && calls.length > 0 ? null : text,
    ...(calls.length > 0 && { tool_calls: calls }),
    ...withSignature(signatures.get('')),
  };
}

const callOf = (
  { id = '', name = '', input }: AnthropicBlock,
  signatures: ReadonlyMap<string, string>,
): ToolCall => ({
  id,
  type: 'function',
  function: { name, arguments: JSON.stringify(input ?? {}) },
  ...withSignature(signatures.get(id)),
});

/**
 * Removes thinking blocks that were not signed by an Anthropic model, because Anthropic's API rejects them.
 */
export function messagesEdits({ messages }: Json): MemberEdits {
  const all: readonly Json[] = Array.isArray(messages) ? messages : [];
  const blocksOf = ({ content }: Json): readonly Json[] => (Array.isArray(content) ? content : []);
  if (!all.some((message) => blocksOf(message).some(isForeignThinking))) return {};
  const left = all.flatMap((message) => {
    const blocks = blocksOf(message);
    if (!blocks.some(isForeignThinking)) return [message];
    const content = blocks.filter((block) => !isForeignThinking(block));
    return content.length > 0 ? [{ ...message, content }] : [];
  });
  return { messages: JSON.stringify(left) };
}

const isForeignThinking = (block: unknown): boolean => {
  const { type, signature } = membersOf(block);
  return type === 'thinking' && (signature === '' || isSealed(signature));
};

function resultOf(block: AnthropicBlock): ChatMessage {
  const texts = blocksIn(block)
    .map(textOf)
    .filter((one) => one !== undefined);
  const hasReferences = blocksIn(block).some(({ type }) => type === 'tool_reference');
  const text = texts.join(hasReferences ? '\n' : '');
  return {
    role: 'tool',
    tool_call_id: block.tool_use_id ?? '',
    content: text,
    ...(block['is_error'] === true && { is_error: true }),
  };
}

/**
 * The text of a block in a result. A reference to a tool is replaced by the tool's name, which is
 * sufficient because all of the request's tools are sent to the model.
 */
const textOf = ({ type, text, tool_name: tool }: AnthropicBlock): string | undefined => {
  if (type === 'text') return text ?? '';
  return type === 'tool_reference' ? `The tool ${String(tool)} is available now.` : undefined;
};

const blocksIn = ({ content }: AnthropicBlock): readonly AnthropicBlock[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? []);

/** Replaces a single text part with its text, because not every provider supports lists of parts. */
const simplified = (parts: readonly ContentPart[]): string | readonly ContentPart[] => {
  const [only] = parts;
  return parts.length === 1 && only?.type === 'text' ? (only.text ?? '') : parts;
};

function partOf({ type, text, source, title, content }: AnthropicBlock): ContentPart[] {
  if (type === 'text') return [{ type: 'text', text: text ?? '' }];
  if (type === 'image' && source) return [{ type: 'image_url', image_url: { url: urlOf(source) } }];
  if (type === 'document' && source?.['type'] === 'text')
    return [{ type: 'text', text: String(source['data']) }];
  if (type === 'document' && source) {
    return [
      {
        type: 'file',
        file: { file_data: urlOf(source), filename: typeof title === 'string' ? title : 'document' },
      },
    ];
  }
  if (type === 'search_result') {
    const found = (content ?? []) as readonly AnthropicBlock[];
    return [
      {
        type: 'text',
        text: [textOr(title, ''), textOr(source as unknown, ''), ...found.map((one) => one.text ?? '')].join(
          '\n',
        ),
      },
    ];
  }
  throw refuse(`content of type \`${type}\``);
}

function urlOf(source: Json): string {
  if (source['type'] === 'url') return String(source['url']);
  if (source['type'] === 'base64')
    return `data:${String(source['media_type'])};base64,${String(source['data'])}`;
  throw refuse(`sources of type \`${String(source['type'])}\``);
}

/**
 * Omits Anthropic's tool search. Other APIs cannot load tools on demand, so all tools that the search could
 * find are sent to the model directly.
 */
function withoutSearch(tools: readonly AnthropicTool[]): readonly AnthropicTool[] {
  const left = tools.filter(({ type }) => !type?.startsWith('tool_search_tool_'));
  return left.length > 0 ? left : tools;
}

/** Tools that Anthropic runs itself keep their type; they are dropped or rejected later. */
function toolOf(tool: AnthropicTool): ChatTool {
  const { name, description, input_schema: schema, type = 'custom' } = tool;
  if (type !== 'custom') return clientTool(tool) ?? { type };
  return {
    type: 'function',
    function: {
      name,
      ...(description !== undefined && { description }),
      ...(schema && { parameters: schema }),
    },
  };
}

function toolChoice(
  choice: Json | null | undefined,
): Pick<ChatRequest, 'tool_choice' | 'parallel_tool_calls'> {
  if (!choice) return {};
  const single = choice['disable_parallel_tool_use'] === true ? { parallel_tool_calls: false } : {};
  return { tool_choice: choiceOf(choice), ...single };
}

function choiceOf({ type, name }: Json): ToolChoice {
  if (type === 'tool') return { type: 'function', function: { name: String(name) } };
  if (type === 'any') return 'required';
  return type === 'none' ? 'none' : 'auto';
}

/** The members of an Anthropic Messages request that are translated. */
interface MessagesRequest extends Json {
  readonly system?: string | readonly AnthropicBlock[] | null;
  readonly messages: readonly MessageParam[];
  readonly tools?: readonly AnthropicTool[] | null;
  readonly tool_choice?: Json | null;
}

interface MessageParam {
  readonly role: string;
  readonly content: string | readonly AnthropicBlock[];
}

/** Throws an InputError if a translated member does not have the format that Anthropic's API requires. */
function checkRequest(body: Json): asserts body is MessagesRequest {
  const { system, messages, tools, tool_choice: choice } = body;
  contentAt(system, 'system', checkBlock);
  eachAt(messages, 'messages', ({ role, content }, place) => {
    textAt(role, `${place}.role`);
    contentAt(content, `${place}.content`, checkBlock);
  });
  eachAt(tools, 'tools', ({ type, name, description }, place) => {
    optionalTextAt(type, `${place}.type`);
    textAt(name, `${place}.name`);
    optionalTextAt(description, `${place}.description`);
  });
  if (!isAbsent(choice)) textAt(objectAt(choice, 'tool_choice')['type'], 'tool_choice.type');
}

function checkBlock(block: Json, place: string): void {
  const source = block['source'];
  switch (textAt(block['type'], `${place}.type`)) {
    case 'text':
      textAt(block['text'], `${place}.text`);
      break;
    case 'image':
    case 'document':
      textAt(objectAt(source, `${place}.source`)['type'], `${place}.source.type`);
      break;
    case 'tool_use':
      textAt(block['id'], `${place}.id`);
      textAt(block['name'], `${place}.name`);
      break;
    case 'tool_result':
      textAt(block['tool_use_id'], `${place}.tool_use_id`);
      contentAt(block['content'], `${place}.content`, checkBlock);
      break;
    default:
  }
}

/**
 * A tool that Anthropic defines and the client runs, as a function with the arguments that Anthropic
 * documents; undefined for other tools. Anthropic's own models know these tools without a schema, but other
 * models need one.
 * @see https://docs.anthropic.com/en/docs/agents-and-tools/tool-use/overview
 */
function clientTool(tool: AnthropicTool): ChatTool | undefined {
  const [kind = ''] = /^(?:bash|text_editor|computer|memory)(?=_\d{8}$)/.exec(tool.type ?? '') ?? [];
  const define = DEFINITIONS[kind];
  if (!define) return undefined;
  const { description, properties, required } = define(tool);
  return {
    type: 'function',
    function: { name: tool.name, description, parameters: { type: 'object', properties, required } },
  };
}

interface Definition {
  readonly description: string;
  readonly properties: Json;
  readonly required: readonly string[];
}

const text = (description: string): Json => ({ type: 'string', description });

const oneOf = (...words: readonly string[]): Json => ({ type: 'string', enum: words });

const integers = (description: string): Json => ({
  type: 'array',
  items: { type: 'integer' },
  minItems: 2,
  maxItems: 2,
  description,
});

const FILE_MEMBERS: Json = {
  path: text('Absolute path of the file or directory.'),
  view_range: integers('For view: the first and the last line; -1 is the end of the file.'),
  file_text: text('For create: the content of the file.'),
  old_str: text('For str_replace: the text to replace, which must occur exactly once.'),
  new_str: text('For str_replace: the new text.'),
  insert_line: {
    type: 'integer',
    description: 'For insert: the line after which to insert; 0 is the start.',
  },
  insert_text: text('For insert: the text to insert.'),
};

const DEFINITIONS = lookup<(tool: AnthropicTool) => Definition>({
  bash: () => ({
    description: 'Runs a command in a bash session that keeps its state between calls.',
    properties: {
      command: text('The command to run. Required unless the session is restarted.'),
      restart: { type: 'boolean', description: 'Restarts the session.' },
    },
    required: [],
  }),
  text_editor: () => ({
    description: 'Views, creates and edits text files.',
    properties: { command: oneOf('view', 'create', 'str_replace', 'insert'), ...FILE_MEMBERS },
    required: ['command', 'path'],
  }),
  memory: () => ({
    description:
      'Reads and writes files in a memory directory, /memories, that persists between conversations.',
    properties: {
      command: oneOf('view', 'create', 'str_replace', 'insert', 'delete', 'rename'),
      ...FILE_MEMBERS,
      old_path: text('For rename: the path of the file.'),
      new_path: text('For rename: the new path.'),
    },
    required: ['command'],
  }),
  computer: ({ display_width_px: width, display_height_px: height }) => ({
    description: `Controls a computer with a screen of ${String(width)} x ${String(height)} pixels by its mouse and keyboard, and takes screenshots.`,
    properties: {
      action: oneOf(
        'screenshot',
        'left_click',
        'right_click',
        'middle_click',
        'double_click',
        'triple_click',
        'left_click_drag',
        'left_mouse_down',
        'left_mouse_up',
        'mouse_move',
        'scroll',
        'type',
        'key',
        'hold_key',
        'wait',
      ),
      coordinate: integers('x and y of the mouse, in pixels from the top left.'),
      start_coordinate: integers('For left_click_drag: where it starts.'),
      text: text('For type: the text. For key and hold_key: the keys, such as ctrl+s.'),
      scroll_direction: oneOf('up', 'down', 'left', 'right'),
      scroll_amount: { type: 'integer', description: 'For scroll: the number of clicks of the wheel.' },
      duration: { type: 'number', description: 'For hold_key and wait: the time in seconds.' },
    },
    required: ['action'],
  }),
});
