import { lookup } from '#core/values/lookup.ts';
import type {
  ChatRequest,
  ChatTool,
  Json,
  ToolChoice,
  ChatMessage,
  ContentPart,
  ToolCall,
} from '../../shapes/chat.ts';
import { refuse, isAbsent, textAt, objectAt, objectsAt } from '../request-members.ts';
import { isObject } from '#core/json/is-object.ts';
import { FOREIGN_SIGNATURE, withSignature } from '../thought-signatures.ts';

/**
 * Translates a Gemini API request to the internal format. The path of the request specifies the model and
 * whether to stream; here, both are members of the request. Safety settings and `topK` only apply to
 * Gemini's models and are omitted.
 */
export function geminiToChat(body: Json): ChatRequest {
  if (!isAbsent(memberIn(body, 'cachedContent'))) throw refuse('`cachedContent`');
  const { user } = body;
  const system = objectsIn(objectIn(body, 'systemInstruction', ''), 'parts', 'systemInstruction.')
    .map(({ text }) => (typeof text === 'string' ? text : ''))
    .join('\n\n');
  return {
    model: textAt(body['model'], 'model'),
    messages: [
      ...(system === '' ? [] : [{ role: 'system', content: system }]),
      ...messagesOf(objectsIn(body, 'contents', '')),
    ],
    ...(body['stream'] === true && { stream: true }),
    ...configOf(objectIn(body, 'generationConfig', '')),
    ...toolsOf(body),
    ...(typeof user === 'string' && { user }),
  };
}

/** Members that change the response format and have no equivalent in other providers' APIs. */
const UNSUPPORTED = ['responseLogprobs', 'speechConfig', 'imageConfig'];

function configOf(config: Json): Partial<ChatRequest> {
  const found = UNSUPPORTED.find((name) => memberIn(config, name));
  if (found !== undefined) throw refuse(`\`generationConfig.${found}\``);
  const modalities = memberIn(config, 'responseModalities');
  if (Array.isArray(modalities) && modalities.some((one) => String(one).toUpperCase() !== 'TEXT'))
    throw refuse('responses other than text');
  const members: Json = {
    temperature: memberIn(config, 'temperature'),
    top_p: memberIn(config, 'topP'),
    max_tokens: memberIn(config, 'maxOutputTokens'),
    n: memberIn(config, 'candidateCount'),
    stop: memberIn(config, 'stopSequences'),
    seed: memberIn(config, 'seed'),
    presence_penalty: memberIn(config, 'presencePenalty'),
    frequency_penalty: memberIn(config, 'frequencyPenalty'),
    response_format: formatOf(config),
    reasoning_effort: effortOf(objectIn(config, 'thinkingConfig', 'generationConfig.')),
  };
  return Object.fromEntries(Object.entries(members).filter(([, value]) => !isAbsent(value)));
}

function formatOf(config: Json): Json | undefined {
  if (memberIn(config, 'responseMimeType') !== 'application/json') return undefined;
  const schema = memberIn(config, 'responseJsonSchema') ?? jsonSchemaOf(memberIn(config, 'responseSchema'));
  return isAbsent(schema)
    ? { type: 'json_object' }
    : { type: 'json_schema', json_schema: { name: 'answer', schema } };
}

/** The maximum number of thinking tokens for an effort, as defined by Google's OpenAI-compatible API. */
const EFFORTS = [
  ['low', 1024],
  ['medium', 8192],
] as const;

function effortOf(thinking: Json): string | undefined {
  const level = memberIn(thinking, 'thinkingLevel');
  if (typeof level === 'string') return level.toLowerCase();
  const budget = memberIn(thinking, 'thinkingBudget');
  // With other providers, the model decides how much to think if the value is 0 or -1, because thinking
  // cannot be turned off for every model.
  if (typeof budget !== 'number' || budget <= 0) return undefined;
  return EFFORTS.find(([, most]) => budget <= most)?.[0] ?? 'high';
}

function toolsOf(body: Json): Pick<ChatRequest, 'tools' | 'tool_choice'> {
  const tools = objectsIn(body, 'tools', '').flatMap((tool, at) => {
    const place = `tools[${at}].`;
    const functions = objectsIn(tool, 'functionDeclarations', place).map(functionOf);
    // All other members are tools that Google runs itself, which are dropped or rejected later.
    const others = Object.keys(tool).filter((name) => !/^function_?declarations$/i.test(name));
    return [...functions, ...others.map((type): ChatTool => ({ type }))];
  });
  if (tools.length === 0) return {};
  const calling = objectIn(objectIn(body, 'toolConfig', ''), 'functionCallingConfig', 'toolConfig.');
  const allowed = memberIn(calling, 'allowedFunctionNames');
  const names = new Set<unknown>(Array.isArray(allowed) ? allowed : []);
  const left = names.size === 0 ? tools : tools.filter((tool) => names.has(tool.function?.name));
  const choice = CHOICES[String(calling['mode']).toUpperCase()];
  return { tools: left, ...(choice !== undefined && { tool_choice: choice }) };
}

const CHOICES = lookup<ToolChoice>({
  AUTO: 'auto',
  ANY: 'required',
  VALIDATED: 'auto',
  NONE: 'none',
});

function functionOf(declared: Json, at: number): ChatTool {
  const { name, description, parameters } = declared;
  const schema = memberIn(declared, 'parametersJsonSchema') ?? jsonSchemaOf(parameters);
  return {
    type: 'function',
    function: {
      name: textAt(name, `functionDeclarations[${at}].name`),
      ...(typeof description === 'string' && { description }),
      ...(typeof schema === 'object' && schema !== null && { parameters: schema as Json }),
    },
  };
}

/**
 * The messages in Gemini's `contents`. Calls in `contents` have no IDs, so each result is given the ID of
 * the next call to its function.
 */
function messagesOf(contents: readonly Json[]): ChatMessage[] {
  const open: ToolCall[] = [];
  let calls = 0;

  const callOf = (part: Json, place: string): ToolCall => {
    const called = objectAt(memberIn(part, 'functionCall'), `${place}.functionCall`);
    const { id, args } = called;
    const name = textAt(called['name'], `${place}.functionCall.name`);
    calls += 1;
    const signature = ownSignature(part);
    const call: ToolCall = {
      id: typeof id === 'string' && id !== '' ? id : `call_${calls}`,
      type: 'function',
      function: { name, arguments: JSON.stringify(args ?? {}) },
      ...withSignature(signature),
    };
    open.push(call);
    return call;
  };
  const resultOf = (part: Json, place: string): ChatMessage => {
    const result = objectAt(memberIn(part, 'functionResponse'), `${place}.functionResponse`);
    const name = textAt(result['name'], `${place}.functionResponse.name`);
    const at = open.findIndex((call) =>
      isAbsent(result['id']) ? call.function.name === name : call.id === result['id'],
    );
    const [call] = at === -1 ? [] : open.splice(at, 1);
    const response = result['response'];
    return { role: 'tool', tool_call_id: call?.id ?? name, name, ...contentOfResult(response) };
  };

  return contents.flatMap((content, nth) => {
    const place = `contents[${nth}]`;
    const parts = objectsIn(content, 'parts', `${place}.`);
    const of = (name: string): readonly (readonly [Json, string])[] =>
      parts.flatMap((part, at) =>
        isAbsent(memberIn(part, name)) ? [] : [[part, `${place}.parts[${at}]`] as const],
      );
    if (content['role'] === 'model') {
      const called = of('functionCall').map(([part, at]) => callOf(part, at));
      const text = parts
        .map(({ text: said, thought }) => (typeof said === 'string' && thought !== true ? said : ''))
        .join('');
      return [
        {
          role: 'assistant',
          content: text === '' && called.length > 0 ? null : text,
          ...(called.length > 0 && { tool_calls: called }),
          ...withSignature(
            parts
              .filter((part) => isAbsent(memberIn(part, 'functionCall')))
              .map(ownSignature)
              .findLast(Boolean),
          ),
        },
      ];
    }
    const results = of('functionResponse').map(([part, at]) => resultOf(part, at));
    const rest = parts.filter((part) => isAbsent(memberIn(part, 'functionResponse')));
    const shown = rest.map((part, at) => partOf(part, `${place}.parts[${at}]`));
    return [...results, ...(shown.length > 0 ? [{ role: 'user', content: simplified(shown) }] : [])];
  });
}

/** A part's signature; undefined for a placeholder signature. */
function ownSignature(part: Json): string | undefined {
  const signature = memberIn(part, 'thoughtSignature');
  return typeof signature === 'string' && signature !== FOREIGN_SIGNATURE ? signature : undefined;
}

/**
 * A function returns an object, whose text is in one of the members that Google documents for this purpose.
 */
function contentOfResult(response: unknown): Pick<ChatMessage, 'content' | 'is_error'> {
  if (!isObject(response)) return { content: JSON.stringify(response ?? {}) };
  const { error, output = response['result'] } = response;
  if (error !== undefined && Object.keys(response).length === 1)
    return { content: typeof error === 'string' ? error : JSON.stringify(error), is_error: true };
  const isText = typeof output === 'string' && Object.keys(response).length === 1;
  return { content: isText ? output : JSON.stringify(response) };
}

/** Replaces a single text part with its text, because not every provider supports lists of parts. */
const simplified = (parts: readonly ContentPart[]): string | readonly ContentPart[] =>
  parts.every(({ type }) => type === 'text') ? parts.map(({ text }) => text ?? '').join('') : parts;

function partOf(part: Json, place: string): ContentPart {
  const { text } = part;
  if (!isAbsent(text)) return { type: 'text', text: textAt(text, `${place}.text`) };
  const inline = memberIn(part, 'inlineData');
  const file = memberIn(part, 'fileData');
  const source = objectAt(inline ?? file ?? {}, place);
  const mediaType = memberIn(source, 'mimeType');
  if (!isAbsent(inline)) {
    const data = `data:${String(mediaType)};base64,${textAt(source['data'], `${place}.inlineData.data`)}`;
    return mediaPart(String(mediaType), data, source);
  }
  if (!isAbsent(file))
    return mediaPart(
      String(mediaType),
      textAt(memberIn(source, 'fileUri'), `${place}.fileData.fileUri`),
      source,
    );
  throw refuse(`parts with \`${Object.keys(part)[0] ?? 'nothing'}\``);
}

function mediaPart(mediaType: string, url: string, source: Json): ContentPart {
  if (mediaType.startsWith('image/')) return { type: 'image_url', image_url: { url } };
  if (mediaType === 'application/pdf') {
    const name = memberIn(source, 'displayName');
    return {
      type: 'file',
      file: { file_data: url, filename: typeof name === 'string' ? name : 'document.pdf' },
    };
  }
  throw refuse(`content of type \`${mediaType}\``);
}

// Google's APIs accept names in camel case and in snake case.

/** The value of a member whose name can have either spelling. `name` is the name in camel case. */
const memberIn = (json: Json, name: string): unknown => json[name] ?? json[snakeCase(name)];

/** An optional object; empty if it is absent. */
function objectIn(json: Json, name: string, place: string): Json {
  const value = memberIn(json, name);
  return isAbsent(value) ? {} : objectAt(value, `${place}${name}`);
}

const objectsIn = (json: Json, name: string, place: string): readonly Json[] =>
  objectsAt(memberIn(json, name), `${place}${name}`);

const snakeCase = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Converts a schema of Google's API, which has upper-case types and `nullable`, to JSON Schema. */
function jsonSchemaOf(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(jsonSchemaOf);
  if (!isObject(schema)) return schema;
  const { type, nullable, propertyOrdering: _order, property_ordering: _other, ...rest } = schema;
  const properties = isObject(rest['properties'])
    ? Object.fromEntries(Object.entries(rest['properties']).map(([name, one]) => [name, jsonSchemaOf(one)]))
    : undefined;
  const members = Object.fromEntries(
    Object.entries(rest).map(([name, value]) => [
      name === 'any_of' ? 'anyOf' : name,
      LITERALS.has(name) ? value : jsonSchemaOf(value),
    ]),
  );
  const kind = typeof type === 'string' ? type.toLowerCase() : type;
  return {
    ...(kind !== undefined && { type: nullable === true ? [kind, 'null'] : kind }),
    ...members,
    ...(properties && { properties }),
  };
}

/** Members whose values are data rather than schemas. */
const LITERALS = new Set(['enum', 'default', 'example', 'required']);
