import { AppError } from '#contract/errors.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import { membersOf } from '#core/json/members-of.ts';
import { memberOf } from '#core/values/member-of.ts';
import type { Json } from '../../../providers/shapes/chat.ts';
import { isObject } from '#core/json/is-object.ts';
import { embeddingsUsage } from '../../../providers/adapters/usage-of.ts';
import { omitUndefined } from '#core/json/omit-undefined.ts';
import type { BatchCall, ChatReply, Model } from './backend.ts';
import type { Answer, Connection } from './connect.ts';
import { readAll, vectorIn } from './encoder-model.ts';

interface ChatModelOptions {
  readonly name: string;
  readonly model: string;
  /** Name of the request member that limits the tokens of an answer. */
  readonly maxTokens: 'max_tokens' | 'max_completion_tokens';
}

/** A model with OpenAI's API. Calls that it does not support fail when they are made. */
export function chatModel(options: ChatModelOptions, connection: Connection): Model {
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

export function embeddingsOf(
  name: string,
  model: string,
  connection: Connection,
): BatchCall<readonly number[]> {
  return async (input, signal) => {
    const body = { model, input, encoding_format: 'float' };
    const answer = await connection.request({ path: '/embeddings', body }, signal);
    const values = readAll(name, answer, 'data', input.length, vectorIn);
    return { values, tokens: embeddingsUsage(answer.json)?.promptTokens ?? 0 };
  };
}

function replyOf(name: string, { json, latencyMs }: Answer): ChatReply {
  const { choices } = json;
  const [choice]: readonly unknown[] = Array.isArray(choices) ? choices : [];
  const message = isObject(choice) && isObject(choice['message']) ? choice['message'] : {};
  const { content: written, reasoning_content: thoughts, reasoning, refusal } = message;
  const content = toolCallsIn(message) ?? written;
  if (typeof content !== 'string') {
    const why = typeof refusal === 'string' && refusal !== '' ? `: ${refusal.slice(0, 200)}` : '.';
    throw new AppError('UpstreamError', `${name} returned no answer${why}`, { reason: 'no_answer' });
  }
  const usage = embeddingsUsage(json);
  const reported = [thoughts, reasoning].find(
    (text): text is string => typeof text === 'string' && text !== '',
  );
  return {
    ...splitThoughts(content, reported ?? null),
    promptTokens: usage?.promptTokens ?? 0,
    completionTokens: usage?.completionTokens ?? 0,
    reasoningTokens: usage?.reasoningTokens ?? 0,
    latencyMs,
    isShared: false,
  };
}

/** The calls of tools as JSON, which are the answer of a model that calls any; undefined without calls. */
function toolCallsIn({ tool_calls: calls }: Json): string | undefined {
  if (!Array.isArray(calls) || calls.length === 0) return undefined;
  const found = calls.map((call: unknown) => {
    const { name, arguments: given } = membersOf(memberOf(call, 'function'));
    return { name, arguments: typeof given === 'string' ? parsedOr(given) : given };
  });
  return JSON.stringify(found);
}

/** Parses JSON; a text that is not JSON is returned as it is. */
function parsedOr(text: string): unknown {
  try {
    return parseJsonText(text);
  } catch {
    return text;
  }
}

const THOUGHTS_END = '</think>';

/** Separates reasoning from the answer. Some models write it first, and some servers remove the tag at its start. */
function splitThoughts(content: string, reported: string | null): Pick<ChatReply, 'text' | 'reasoning'> {
  const end = content.indexOf(THOUGHTS_END);
  if (end === -1) {
    // The answer was cut off during the reasoning.
    if (/^\s*<think>/.test(content))
      return { text: '', reasoning: content.replace(/^\s*<think>/, '').trim() };
    return { text: content.trim(), reasoning: reported };
  }
  const thoughts = content.slice(0, end).replace(/^\s*<think>/, '');
  return { text: content.slice(end + THOUGHTS_END.length).trim(), reasoning: reported ?? thoughts.trim() };
}
