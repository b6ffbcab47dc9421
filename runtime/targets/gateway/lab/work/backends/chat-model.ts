import { AppError } from '../../../../../contract/errors.ts';
import { isObject } from '../../../../../core/json/is-object.ts';
import { usageOf } from '../../../ask/providers/usage-of.ts';
import { omitUndefined } from '../../../../../core/json/omit-undefined.ts';
import type { AskMany, ChatReply, Model } from './backend.ts';
import type { Answer, Connection } from './connect.ts';
import { readAll, vectorIn } from './encoder-model.ts';

interface ChatModelOptions {
  readonly name: string;
  readonly model: string;
  /** The name of the member that limits the tokens of an answer. */
  readonly maxTokens: 'max_tokens' | 'max_completion_tokens';
}

/** A model behind OpenAI's API. What it cannot do, it says when it is asked. */
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
      return replyOf(name, await connection.ask({ path: '/chat/completions', body }, signal));
    },
    close: connection.close,
  };
}

export function embeddingsOf(
  name: string,
  model: string,
  connection: Connection,
): AskMany<readonly number[]> {
  return async (input, signal) => {
    const body = { model, input, encoding_format: 'float' };
    const answer = await connection.ask({ path: '/embeddings', body }, signal);
    const values = readAll(name, answer, 'data', input.length, vectorIn);
    return { values, tokens: usageOf(answer.json)?.promptTokens ?? 0 };
  };
}

function replyOf(name: string, { json }: Answer): ChatReply {
  const { choices } = json;
  const [choice] = Array.isArray(choices) ? (choices as readonly unknown[]) : [];
  const message = isObject(choice) && isObject(choice['message']) ? choice['message'] : {};
  const { content, reasoning_content: thoughts, reasoning, refusal } = message;
  if (typeof content !== 'string') {
    const why = typeof refusal === 'string' && refusal !== '' ? ` and says: ${refusal.slice(0, 200)}` : '';
    throw new AppError('UpstreamError', `${name} wrote no answer${why}.`, { reason: 'no_answer' });
  }
  const usage = usageOf(json);
  const told = [thoughts, reasoning].find((text) => typeof text === 'string' && text !== '') as
    | string
    | undefined;
  return {
    ...splitThoughts(content, told ?? null),
    promptTokens: usage?.promptTokens ?? 0,
    completionTokens: usage?.completionTokens ?? 0,
    reasoningTokens: usage?.reasoningTokens ?? 0,
  };
}

/** Some models think aloud first, and some servers swallow the tag that begins it. */
function splitThoughts(content: string, told: string | null): Pick<ChatReply, 'text' | 'reasoning'> {
  const [, thoughts, rest] = /^\s*(?:<think>)?(.*?)<\/think>(.*)$/s.exec(content) ?? [];
  if (thoughts === undefined || rest === undefined) {
    // Cut off while it thought.
    if (/^\s*<think>/.test(content))
      return { text: '', reasoning: content.replace(/^\s*<think>/, '').trim() };
    return { text: content.trim(), reasoning: told };
  }
  return { text: rest.trim(), reasoning: told ?? thoughts.trim() };
}
