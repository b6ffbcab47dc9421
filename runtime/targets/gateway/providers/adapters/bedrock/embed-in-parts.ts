import { parseJsonText } from '#core/json/json-text.ts';
import { sumOfCounts } from '../sum-of-counts.ts';
import type { AnswerSummary, TokenUsage } from '../../streams/stream.ts';
import type { Json } from '../../shapes/chat.ts';
import { isFailed, requestOrFailure } from '../failure.ts';
import type { EmbeddingsCall, FailedAnswer, Provider, WholeAnswer } from '../provider.ts';
import { callFor, maxTextsOf, textsOf } from './embeddings.ts';
import { pushAll } from '#core/values/push-all.ts';

/** Maximum number of requests in parallel for the texts of one client. */
const MAX_PARALLEL = 4;

/** Embeds texts in several requests, because the models take fewer texts at a time than OpenAI's API. */
export function embedInParts(embed: Provider['embed']): Provider['embed'] {
  return async (call) => {
    const parts = requestOrFailure(() => partsOf(call));
    if (isFailed(parts)) return parts;
    if (parts.length <= 1) return await embed(call);
    const answers: WholeAnswer[] = [];
    for (let at = 0; at < parts.length; at += MAX_PARALLEL) {
      const batch = await Promise.all(parts.slice(at, at + MAX_PARALLEL).map(embed));
      const failed = batch.find((answer): answer is FailedAnswer => isFailed(answer));
      if (failed) return failed;
      pushAll(
        answers,
        batch.filter((answer) => answer.kind === 'whole'),
      );
    }
    return merged(answers);
  };
}

function partsOf(call: EmbeddingsCall): EmbeddingsCall[] {
  const texts = textsOf(call.body['input']);
  const size = maxTextsOf(call.model);
  const parts: EmbeddingsCall[] = [];
  for (let at = 0; at < texts.length; at += size) parts.push(callFor(call, texts.slice(at, at + size)));
  return parts;
}

function merged(answers: readonly WholeAnswer[]): WholeAnswer {
  const all = answers.map(({ bytes }) => parseJsonText(Buffer.from(bytes).toString('utf8')) as Json);
  const data = all.flatMap(({ data: items }) => items as Json[]).map((item, index) => ({ ...item, index }));
  const usage = usageOf(answers.map(({ summary }) => summary));
  const tokens = usage?.promptTokens ?? 0;
  const json = { ...all[0], data, usage: { prompt_tokens: tokens, total_tokens: tokens } };
  const summary = { usage, outputLength: 0, outputText: '', finishReason: undefined };
  return { kind: 'whole', bytes: Buffer.from(JSON.stringify(json)), text: '', summary };
}

/** The sum; undefined if one answer has no count, because the tokens are estimated then. */
function usageOf(summaries: readonly AnswerSummary[]): TokenUsage | undefined {
  const usages = summaries.map(({ usage }) => usage);
  const [first] = usages;
  if (!first || usages.includes(undefined)) return undefined;
  return { ...first, promptTokens: sumOfCounts(...usages.map((usage) => usage?.promptTokens)) };
}
