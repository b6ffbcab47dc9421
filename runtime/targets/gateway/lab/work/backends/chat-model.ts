import { AppError } from '../../../../../contract/errors.ts';
import { isObject } from '../../../../../core/json/is-object.ts';
import { usageOf } from '../../../ask/providers/usage-of.ts';
import { omitUndefined } from '../../../../../core/json/omit-undefined.ts';
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
    async chat(messages, { maxNewTokens, temperature, topP, frequencyPenalty }, signal) {
      const parameters = omitUndefined({
        temperature,
        top_p: topP,
        [maxTokens]: maxNewTokens,
        frequency_penalty: frequencyPenalty,
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
    return { values, tokens: usageOf(answer.json)?.promptTokens ?? 0 };
  };
}

function replyOf(name: string, { json, latencyMs }: Answer): ChatReply {
  const { choices } = json;
  const [choice]: readonly unknown[] = Array.isArray(choices) ? choices : [];
  const message = isObject(choice) && isObject(choice['message']) ? choice['message'] : {};
  const { content, reasoning_content: thoughts, reasoning, refusal } = message;
  if (typeof content !== 'string') {
    const why = typeof refusal === 'string' && refusal !== '' ? `: ${refusal.slice(0, 200)}` : '.';
    throw new AppError('UpstreamError', `${name} returned no answer${why}`, { reason: 'no_answer' });
  }
  const usage = usageOf(json);
  const reported = [thoughts, reasoning].find(
    (text): text is string => typeof text === 'string' && text !== '',
  );
  return {
    ...splitThoughts(content, reported ?? null),
    promptTokens: usage?.promptTokens ?? 0,
    completionTokens: usage?.completionTokens ?? 0,
    reasoningTokens: usage?.reasoningTokens ?? 0,
    latencyMs,
  };
}

/** Separates reasoning from the answer. Some models write it first, and some servers remove the tag at its start. */
function splitThoughts(content: string, reported: string | null): Pick<ChatReply, 'text' | 'reasoning'> {
  const [, thoughts, rest] = /^\s*(?:<think>)?(.*?)<\/think>(.*)$/s.exec(content) ?? [];
  if (thoughts === undefined || rest === undefined) {
    // The answer was cut off during the reasoning.
    if (/^\s*<think>/.test(content))
      return { text: '', reasoning: content.replace(/^\s*<think>/, '').trim() };
    return { text: content.trim(), reasoning: reported };
  }
  return { text: rest.trim(), reasoning: reported ?? thoughts.trim() };
}
