import { AppError } from '../../../../contract/errors.ts';
import type { Json } from '../../wires/chat/shape.ts';
import type { LabelScores, Provider } from '../api.ts';
import type { Exchange } from '../exchange.ts';

/** More labels than classifiers have, so that all are told. */
const ALL_LABELS = 10_000;

interface Prediction extends Json {
  readonly top?: readonly { readonly label: string; readonly score: number }[];
}

/** What a model of type sequence_classification says of each text. */
export function createClassify(
  exchange: Exchange,
  name: string,
  timeoutMs: number,
): NonNullable<Provider['classify']> {
  return async (texts, signal): Promise<LabelScores[]> => {
    const body = Buffer.from(JSON.stringify({ inputs: texts, top_k: ALL_LABELS }));
    const answer = await exchange.json({ method: 'POST', path: '/predict', body }, signal, timeoutMs);
    // Models of other types refuse the request, or answer something else.
    if (answer.kind === 'failed' && answer.failure.kind === 'bad_request')
      throw noClassifier(name, answer.failure.error);
    if (answer.kind === 'failed') throw answer.failure.error;
    const { results } = answer.json as { readonly results?: readonly Prediction[] };
    const areScores =
      Array.isArray(results) &&
      results.length === texts.length &&
      results.every(({ top }) => Array.isArray(top));
    if (!areScores) throw noClassifier(name);
    return (results as readonly Prediction[]).map(({ top = [] }) =>
      Object.fromEntries(top.map(({ label, score }) => [label, score])),
    );
  };
}

const noClassifier = (name: string, cause?: unknown): AppError =>
  new AppError(
    'UpstreamError',
    `The encoder \`${name}\` does not classify texts. Name one with a model of type sequence_classification.`,
    { cause },
  );
