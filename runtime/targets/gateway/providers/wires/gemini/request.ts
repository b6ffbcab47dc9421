import type { ChatRequest, ChatTool, Json, ToolChoice } from '../../shapes/chat.ts';
import { refuse } from '../refuse.ts';
import { isAbsent, textAt } from '../request-members.ts';
import { messagesOf } from './messages.ts';
import { jsonSchemaOf, memberIn, objectIn, objectsIn } from './read-members.ts';

/**
 * Translates a request of Gemini's API to the internal format. The model and whether to stream are members, although they are in the
 * path of the request. Safety settings and `topK` are for Gemini's models only and are left out.
 */
export function toChat(body: Json): ChatRequest {
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

/** Members that change the form of an answer, which other providers cannot express. */
const UNSUPPORTED = ['responseLogprobs', 'speechConfig', 'imageConfig'];

function configOf(config: Json): Partial<ChatRequest> {
  const found = UNSUPPORTED.find((name) => memberIn(config, name));
  if (found !== undefined) throw refuse(`\`generationConfig.${found}\``);
  const modalities = memberIn(config, 'responseModalities');
  if (Array.isArray(modalities) && modalities.some((one) => String(one).toUpperCase() !== 'TEXT'))
    throw refuse('answers other than text');
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

/** The greatest number of thinking tokens of an effort, as Google's OpenAI-compatible API defines them. */
const EFFORTS = [
  ['low', 1024],
  ['medium', 8192],
] as const;

function effortOf(thinking: Json): string | undefined {
  const level = memberIn(thinking, 'thinkingLevel');
  if (typeof level === 'string') return level.toLowerCase();
  const budget = memberIn(thinking, 'thinkingBudget');
  // 0 and -1 let the model decide elsewhere: thinking cannot be switched off for every model.
  if (typeof budget !== 'number' || budget <= 0) return undefined;
  return EFFORTS.find(([, most]) => budget <= most)?.[0] ?? 'high';
}

function toolsOf(body: Json): Pick<ChatRequest, 'tools' | 'tool_choice'> {
  const tools = objectsIn(body, 'tools', '').flatMap((tool, at) => {
    const place = `tools[${at}].`;
    const functions = objectsIn(tool, 'functionDeclarations', place).map(functionOf);
    // The other members are tools that Google runs itself; they are dropped or refused later.
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

const CHOICES: Readonly<Record<string, ToolChoice>> = {
  AUTO: 'auto',
  ANY: 'required',
  VALIDATED: 'auto',
  NONE: 'none',
};

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
