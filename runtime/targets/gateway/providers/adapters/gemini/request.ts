import { lookup } from '#core/values/lookup.ts';
import { inputError } from '#contract/errors.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import type { ChatMessage, ChatRequest, ContentPart, Json, ToolCall, ToolChoice } from '../../shapes/chat.ts';
import {
  mergedTurns,
  partsOf,
  readArguments,
  readDataUrl,
  splitSystem,
  textOfMessage,
  type ChatTurn,
} from '../content.ts';
import { signatureIn, FOREIGN_SIGNATURE } from '../../wires/thought-signatures.ts';
import { refuseUnsupported, unsupported } from '../unsupported.ts';
import { isObject } from '#core/json/is-object.ts';

const NAME = 'Gemini';

/** Translates a request from the internal format to Gemini's. @see https://ai.google.dev/api/generate-content */
export function geminiRequest(chat: ChatRequest, model: string): Json {
  refuseUnsupported(chat, NAME, { manyChoices: true });
  const { system, rest } = splitSystem(chat.messages);
  const names = new Map(
    chat.messages.flatMap(({ tool_calls: calls }) =>
      (calls ?? []).map((call) => [call.id, call.function.name] as const),
    ),
  );
  const turns = mergedTurns(rest.map((message) => contentOf(message, names)));
  const contents = requiresSignatures(model) ? turns.map(withFirstSigned) : turns;
  const config = generationConfig(chat);
  const { tools, tool_choice: choice } = chat;
  return {
    contents,
    ...(system !== '' && { systemInstruction: { parts: [{ text: system }] } }),
    ...(Object.keys(config).length > 0 && { generationConfig: config }),
    ...(tools && tools.length > 0 && { tools: [{ functionDeclarations: tools.map(declarationOf) }] }),
    ...(tools && choice && { toolConfig: { functionCallingConfig: callingConfig(choice) } }),
  };
}

function contentOf(message: ChatMessage, names: ReadonlyMap<string, string>): ChatTurn {
  switch (message.role) {
    case 'assistant':
      return {
        role: 'model',
        parts: [...assistantParts(message), ...(message.tool_calls ?? []).map(callPart)],
      };
    case 'tool':
      return { role: 'user', parts: [resultPart(message, names)] };
    case 'user':
      return { role: 'user', parts: partsOf(message).flatMap(geminiParts) };
    default:
      throw inputError(
        `Gemini does not support messages with role \`${message.role}\`. Use system, user, assistant or tool.`,
      );
  }
}

/** The texts of a message. The last one carries the signature. */
function assistantParts(message: ChatMessage): readonly Json[] {
  const parts = partsOf(message).flatMap(geminiParts);
  const signature = signatureIn(message.extra_content);
  if (signature === undefined) return parts;
  const [last = { text: '' }] = parts.slice(-1);
  return [...parts.slice(0, -1), { ...last, thoughtSignature: signature }];
}

function callPart({ function: { name, arguments: text }, extra_content: extra }: ToolCall): Json {
  const signature = signatureIn(extra);
  return {
    functionCall: { name, args: readArguments(text, name) },
    ...(signature !== undefined && { thoughtSignature: signature }),
  };
}

/**
 * The result of a tool call. Gemini identifies results by tool name, whereas clients identify them by call
 * ID.
 */
function resultPart(message: ChatMessage, names: ReadonlyMap<string, string>): Json {
  const name = names.get(message.tool_call_id ?? '') ?? message.name;
  if (name === undefined) {
    throw inputError(
      `Unknown tool call id \`${message.tool_call_id}\`. Send the message with the tool call before the tool result.`,
    );
  }
  const text = textOfMessage(message);
  // Gemini's documentation specifies `error` for the reason why a function failed.
  const response = message.is_error === true ? { error: text } : responseOf(text);
  return { functionResponse: { name, response } };
}

function responseOf(text: string): Json {
  try {
    const value: unknown = parseJsonText(text);
    if (isObject(value)) return value;
  } catch {
    // Most tools return plain text.
  }
  return { result: text };
}

function geminiParts(part: ContentPart): Json[] {
  const text = part.text ?? part.refusal;
  if (text !== undefined) return text === '' ? [] : [{ text }];
  const url =
    part.type === 'image_url' ? part.image_url?.url : part.type === 'file' ? part.file?.file_data : undefined;
  if (url === undefined) throw unsupported(`content of type \`${part.type}\``, NAME);
  const data = readDataUrl(url);
  return [
    data ? { inlineData: { mimeType: data.mediaType, data: data.base64 } } : { fileData: { fileUri: url } },
  ];
}

function declarationOf({ type, function: tool }: NonNullable<ChatRequest['tools']>[number]): Json {
  if (type !== 'function' || !tool) throw unsupported(`tools of type \`${type}\``, NAME);
  const { name, description, parameters } = tool;
  return {
    name,
    ...(description !== undefined && { description }),
    ...(parameters && { parametersJsonSchema: parameters }),
  };
}

const MODES = lookup<string>({ auto: 'AUTO', none: 'NONE', required: 'ANY' });

function callingConfig(choice: ToolChoice): Json {
  if (typeof choice === 'string') return { mode: MODES[choice] ?? 'AUTO' };
  if (choice.function) return { mode: 'ANY', allowedFunctionNames: [choice.function.name] };
  throw unsupported(`tool choice of type \`${choice.type}\``, NAME);
}

/** Thinking tokens for each reasoning effort, as Google's OpenAI-compatible API defines them. */
const THINKING = lookup<number>({
  none: 0,
  minimal: 1024,
  low: 1024,
  medium: 8192,
  high: 24_576,
});

function generationConfig(chat: ChatRequest): Json {
  const { stop, response_format: format, reasoning_effort: effort } = chat;
  const budget = typeof effort === 'string' ? THINKING[effort] : undefined;
  const config: Json = {
    temperature: chat.temperature,
    topP: chat.top_p,
    maxOutputTokens: chat.max_completion_tokens ?? chat.max_tokens,
    candidateCount: chat.n,
    seed: chat['seed'],
    presencePenalty: chat['presence_penalty'],
    frequencyPenalty: chat['frequency_penalty'],
    stopSequences: typeof stop === 'string' ? [stop] : stop,
    responseMimeType: format && format.type !== 'text' ? 'application/json' : undefined,
    responseJsonSchema: format?.json_schema?.schema,
    thinkingConfig: budget === undefined ? undefined : { thinkingBudget: budget },
  };
  return Object.fromEntries(
    Object.entries(config).filter(([, value]) => value !== undefined && value !== null),
  );
}

/** Models that do not check signatures: Gemini models before Gemini 3, and open models. */
const WITHOUT_SIGNATURES = /(?:^|\/)(?:gemini-[12]\b|gemma|learnlm)/i;

/**
 * Whether a model rejects a call without a signature. Models with newer or unversioned names are assumed to
 * do so.
 */
const requiresSignatures = (model: string): boolean => !WITHOUT_SIGNATURES.test(model);

/**
 * Marks the first call in a response as written by another model, unless the call has a signature. The
 * other calls in a response do not need signatures.
 */
function withFirstSigned(turn: ChatTurn): ChatTurn {
  const at = turn.role === 'model' ? turn.parts.findIndex(({ functionCall }) => isObject(functionCall)) : -1;
  const first = turn.parts[at];
  if (first === undefined || first['thoughtSignature'] !== undefined) return turn;
  return { ...turn, parts: turn.parts.with(at, { ...first, thoughtSignature: FOREIGN_SIGNATURE }) };
}
