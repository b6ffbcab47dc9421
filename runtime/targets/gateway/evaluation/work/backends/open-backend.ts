import { AppError } from '#contract/errors.ts';
import type { Backend, WorkTools } from '../work.ts';
import type {
  BackendModel,
  OpenBackendOptions,
  OpenModelOptions,
  OpenBackend,
  BatchCall,
  ChatReply,
} from './backend.ts';
import { openEncoderFile, startEncoder } from './encoder-file.ts';
import { encoderAdapter } from '../../../providers/adapters/encoder/encoder-provider.ts';
import { upstreamAt } from './address.ts';
import { connect, type BackendConnection, type BackendResponse } from './connect.ts';
import { encoderModel, readAll, vectorIn } from './encoder-model.ts';
import { openAiAdapter } from '../../../providers/adapters/openai/adapter.ts';
import { OPENAI_DIALECT, PRESETS } from '../../../providers/adapters/presets.ts';
import { createRequestSlots } from './request-slots.ts';
import { trimEndOf } from '#core/text/trim-text.ts';
import { isObject } from '#core/json/is-object.ts';
import type { LabelScores } from '../../../providers/adapters/provider.ts';
import { embeddingsUsage } from '../../../providers/adapters/usage-of.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import { membersOf } from '#core/json/members-of.ts';
import { memberOf } from '#core/values/member-of.ts';
import type { Json, ToolCall } from '../../../providers/shapes/chat.ts';
import { omitUndefined } from '#core/json/omit-undefined.ts';

/** Timeout for opening a backend. Executables with large models start slowly. */
const OPEN_MS = 120_000;

/**
 * Opens a backend. Encoders are inspected; others are not called yet. Throws an AppError if the backend is
 * unreachable or not allowed.
 */
export async function openBackend(
  backend: Backend,
  tools: WorkTools,
  options: OpenBackendOptions,
): Promise<BackendModel> {
  if (options.signal) return open(backend, tools, { ...options, signal: options.signal });
  const late = new AbortController();
  const disarm = options.pacing.clock.after(OPEN_MS, () => late.abort());
  try {
    return await open(backend, tools, { ...options, signal: late.signal });
  } catch (error) {
    if (!late.signal.aborted) throw error;
    const sentence = `The model was not ready after ${OPEN_MS / 1000} seconds.`;
    throw new AppError('TimeoutError', sentence, { cause: error });
  } finally {
    disarm();
  }
}

function open(backend: Backend, tools: WorkTools, options: OpenModelOptions): Promise<BackendModel> {
  if (backend.kind === 'encoder-url') return openEncoderUrl(backend, tools, options);
  if (backend.kind === 'encoder-file') return openEncoderFile(backend, tools, options);
  if (backend.kind === 'gateway') return openGateway(backend, tools, options);
  return openOpenAiCompatible(backend, tools, options);
}

/**
 * Maximum number of concurrent connections. A batch is a single request, but several metrics can call the
 * same encoder concurrently.
 */
const CONNECTIONS = 4;

const openEncoderUrl: OpenBackend<'encoder-url'> = async (backend, tools, { pacing, signal }) => {
  const { baseUrl, secretName } = backend;
  const apiKey = secretName === null ? undefined : await tools.secret(secretName);
  const name = `The encoder at ${shownAddress(baseUrl)}`;
  const { trusted: local } = tools;
  const adapter = encoderAdapter;
  const upstream = upstreamAt({ name, baseUrl, local, apiKey, adapter, connections: CONNECTIONS });
  const connection = connect({ name, upstream, adapter, apiKey }, pacing);
  try {
    return await encoderModel(name, connection, signal);
  } catch (error) {
    await connection.close();
    throw error;
  }
};

const openOpenAiCompatible: OpenBackend<'openai-compatible'> = async (backend, tools, options) => {
  const { baseUrl, model, secretName } = backend;
  const { pacing, maxConcurrency } = options;
  const apiKey = secretName === null ? undefined : await tools.secret(secretName);
  const name = `The model ${model} at ${shownAddress(baseUrl)}`;
  const adapter = openAiAdapter();
  const { trusted: local } = tools;
  const upstream = upstreamAt({ name, baseUrl, local, apiKey, adapter, connections: maxConcurrency });
  const slots = createRequestSlots(maxConcurrency, pacing.clock);
  const connection = connect({ name, upstream, adapter, apiKey, slots }, pacing);
  return chatModel({ name, model, maxTokens: maxTokensAt(baseUrl) }, connection);
};

/** The name of the token limit parameter, which depends on the provider. Providers are recognized by their base URL. */
const maxTokensAt = (baseUrl: string) =>
  Object.values(PRESETS).find((preset) => preset.baseUrl === trimEndOf(baseUrl, '/'))?.dialect?.maxTokens ??
  OPENAI_DIALECT.maxTokens;

/**
 * One of this gateway's models, billed to the job's owner, or one of its encoders, whose executable the
 * worker has downloaded.
 */
const openGateway: OpenBackend<'gateway'> = async ({ model }, tools, options) => {
  const fetched = tools.files?.get(model);
  if (fetched !== undefined) return await startEncoder({ name: model, path: fetched }, tools, options);
  const { pacing, maxConcurrency } = options;
  const name = `The model ${model}`;
  const adapter = openAiAdapter();
  const { url, token: apiKey } = tools.gateway;
  // The operator configured the gateway's URL, so private addresses are allowed.
  const local = true;
  const baseUrl = `${trimEndOf(url, '/')}/v1`;
  const upstream = upstreamAt({ name, baseUrl, local, apiKey, adapter, connections: maxConcurrency });
  const slots = createRequestSlots(maxConcurrency, pacing.clock);
  const connection = connect({ name, upstream, adapter, apiKey, slots }, pacing);
  if (model.startsWith('encoder:')) return encoderOf(name, model, connection);
  return chatModel({ name, model, maxTokens: OPENAI_DIALECT.maxTokens }, connection);
};

const encoderOf = (name: string, model: string, connection: BackendConnection): BackendModel => ({
  name,
  modelType: undefined,
  labels: undefined,
  classify: classifyWith(name, model, connection),
  embed: embeddingsOf(name, model, connection),
  close: connection.close,
});

function classifyWith(name: string, model: string, connection: BackendConnection): BatchCall<LabelScores> {
  return async (input, signal) => {
    const answer = await connection.request({ path: '/classify', body: { model, input } }, signal);
    const values = readAll(name, answer, 'data', input.length, ({ scores }) =>
      isObject(scores) ? (scores as LabelScores) : undefined,
    );
    return { values, tokens: embeddingsUsage(answer.json)?.promptTokens ?? 0 };
  };
}

/** A URL for messages, without credentials and query. */
function shownAddress(baseUrl: string): string {
  const url = URL.parse(baseUrl);
  return url && url.host !== ''
    ? `${url.protocol}//${url.host}${trimEndOf(url.pathname, '/')}`
    : 'an invalid URL';
}

interface ChatModelOptions {
  readonly name: string;
  readonly model: string;
  /** Name of the request member that limits output tokens. */
  readonly maxTokens: 'max_tokens' | 'max_completion_tokens';
}

/** A model with an OpenAI-compatible API. Unsupported calls only fail when made. */
function chatModel(options: ChatModelOptions, connection: BackendConnection): BackendModel {
  const { name, model, maxTokens } = options;
  return {
    name,
    modelType: undefined,
    labels: undefined,
    embed: embeddingsOf(name, model, connection),
    async chat(messages, generation, signal) {
      const parameters = omitUndefined({
        temperature: generation.temperature,
        top_p: generation.topP,
        [maxTokens]: generation.maxNewTokens,
        frequency_penalty: generation.frequencyPenalty,
        reasoning_effort: generation.reasoningEffort,
        seed: generation.seed,
        stop: generation.stop,
        response_format: generation.responseFormat,
        tools: generation.tools,
        tool_choice: generation.toolChoice,
      });
      const body = { model, messages, ...parameters };
      return replyOf(name, await connection.request({ path: '/chat/completions', body }, signal));
    },
    close: connection.close,
  };
}

function embeddingsOf(
  name: string,
  model: string,
  connection: BackendConnection,
): BatchCall<readonly number[]> {
  return async (input, signal) => {
    const body = { model, input, encoding_format: 'float' };
    const answer = await connection.request({ path: '/embeddings', body }, signal);
    const values = readAll(name, answer, 'data', input.length, vectorIn);
    return { values, tokens: embeddingsUsage(answer.json)?.promptTokens ?? 0 };
  };
}

function replyOf(name: string, { json, latencyMs }: BackendResponse): ChatReply {
  const { choices } = json;
  const [choice]: readonly unknown[] = Array.isArray(choices) ? choices : [];
  const message = isObject(choice) && isObject(choice['message']) ? choice['message'] : {};
  const { content: written, reasoning_content: thoughts, reasoning, refusal } = message;
  const content = toolCallsIn(message) ?? written;
  const calling = callingMessage(message);
  if (typeof content !== 'string') {
    const why = typeof refusal === 'string' && refusal !== '' ? `: ${refusal.slice(0, 200)}` : '.';
    throw new AppError('UpstreamError', `${name} returned no response${why}`, { reason: 'no_answer' });
  }
  const usage = embeddingsUsage(json);
  const reported = [thoughts, reasoning].find(
    (text): text is string => typeof text === 'string' && text !== '',
  );
  return {
    ...splitThoughts(content, reported ?? null),
    ...(calling && { message: calling }),
    promptTokens: usage?.promptTokens ?? 0,
    completionTokens: usage?.completionTokens ?? 0,
    reasoningTokens: usage?.reasoningTokens ?? 0,
    latencyMs,
    isShared: false,
  };
}

/** Tool calls as JSON, which is the output of a model that calls tools; undefined without tool calls. */
function toolCallsIn({ tool_calls: calls }: Json): string | undefined {
  if (!Array.isArray(calls) || calls.length === 0) return undefined;
  const found = calls.map((call: unknown) => {
    const { name, arguments: given } = membersOf(memberOf(call, 'function'));
    return { name, arguments: typeof given === 'string' ? parsedOr(given) : given };
  });
  return JSON.stringify(found);
}

/** A message with tool calls as the model wrote it, to continue the conversation; undefined without tool calls. */
function callingMessage({ content, tool_calls: calls }: Json): ChatReply['message'] {
  if (!Array.isArray(calls) || calls.length === 0) return undefined;
  return {
    content: typeof content === 'string' ? content : null,
    tool_calls: calls.map((call: unknown): ToolCall => {
      const { name, arguments: given } = membersOf(memberOf(call, 'function'));
      const { id, extra_content: extra } = membersOf(call);
      return {
        id: String(id),
        type: 'function',
        function: {
          name: String(name),
          arguments: typeof given === 'string' ? given : JSON.stringify(given ?? {}),
        },
        ...(isObject(extra) && { extra_content: extra }),
      };
    }),
  };
}

/** Parses JSON; returns other text unchanged. */
export function parsedOr(text: string): unknown {
  try {
    return parseJsonText(text);
  } catch {
    return text;
  }
}

const THOUGHTS_END = '</think>';

/** Separates reasoning from the actual output. Some models output it first, and some servers remove the opening tag. */
function splitThoughts(content: string, reported: string | null): Pick<ChatReply, 'text' | 'reasoning'> {
  const end = content.indexOf(THOUGHTS_END);
  if (end === -1) {
    // The output was cut off during the reasoning.
    if (/^\s*<think>/.test(content))
      return { text: '', reasoning: content.replace(/^\s*<think>/, '').trim() };
    return { text: content.trim(), reasoning: reported };
  }
  const thoughts = content.slice(0, end).replace(/^\s*<think>/, '');
  return { text: content.slice(end + THOUGHTS_END.length).trim(), reasoning: reported ?? thoughts.trim() };
}
