import type { Json } from '../../shapes/chat.ts';
import type { ClassifiedAnswer, FailedAnswer, Provider } from '../provider.ts';
import type { Exchange, JsonAnswer } from '../exchange.ts';
import { failure, isFailed } from '../failure.ts';
import { classifiedSummary } from './classified-summary.ts';
import { modelTypeOf } from './model-type.ts';

/** More labels than any classifier has, so that all of them are returned. */
const ALL_LABELS = 10_000;

interface Prediction extends Json {
  readonly top?: readonly { readonly label: string; readonly score: number }[];
}

/** Classifies texts with a model of type sequence_classification. */
export function createClassify(
  exchange: Exchange,
  name: string,
  timeoutMs: number,
): NonNullable<Provider['classify']> {
  return async ({ texts, trace, signal, isBilled }) => {
    const body = Buffer.from(JSON.stringify({ inputs: texts, top_k: ALL_LABELS }));
    const request = { method: 'POST', path: '/predict', body, headers: trace } as const;
    const answer = await exchange.json(
      request,
      { signal, timeoutMs },
      (json) => readScores(json, texts, name),
      isBilled ? classifiedSummary : undefined,
    );
    if (!isFailed(answer)) return answer;
    const { kind, error } = answer.failure;
    // The error does not show whether the texts or the type of the model are the reason.
    const type = kind === 'bad_request' ? await modelTypeOf(exchange, signal, timeoutMs) : undefined;
    return type === undefined || type === 'sequence_classification' ? answer : noClassifier(name, error);
  };
}

function readScores(
  { json, headers }: JsonAnswer,
  texts: readonly string[],
  name: string,
): ClassifiedAnswer | FailedAnswer {
  const { results } = json;
  if (!Array.isArray(results)) return noClassifier(name);
  const predictions: readonly Prediction[] = results;
  const areScores = predictions.length === texts.length && predictions.every(({ top }) => Array.isArray(top));
  if (!areScores) return noClassifier(name);
  const scores = predictions.map(({ top = [] }) =>
    Object.fromEntries(top.map(({ label, score }) => [label, score])),
  );
  const tokens = Number(headers['x-compute-tokens']);
  return { kind: 'classified', scores, tokens: Number.isSafeInteger(tokens) ? tokens : undefined };
}

const noClassifier = (name: string, cause?: unknown): FailedAnswer =>
  failure('unsupported', {
    text: `Encoder \`${name}\` cannot classify text. Use an encoder with a model of type sequence_classification.`,
    cause,
  });
