import { type Model, type Sent, type Task, isMultiLabel, THRESHOLD } from '../tasks/task.ts';
import { type Token, piecesOf } from '../entities.ts';

/** If there are more labels than this, a row only contains the labels with the highest scores. */
const MAX_LABELS = 50;

/** Cell values by column name. */
export type Cells = Record<string, string>;

/** The response for the rows of a file. Its fields depend on the task. */
export interface FileAnswer {
  readonly data?: readonly { readonly embedding: readonly number[] }[];
  readonly results?: readonly RowResult[];
}

interface RowResult {
  readonly index?: number;
  readonly relevance_score?: number;
  readonly answers?: readonly { answer: string; score: number }[];
  readonly tokens?: readonly Token[];
  readonly entities?: readonly unknown[];
  readonly masks?: readonly { readonly candidates: readonly { token: string; score: number }[] }[];
  readonly labels?: readonly string[];
  readonly scores?: readonly number[];
  readonly embedding?: unknown;
}

/** Returns the cells that a result adds to a row of the file. */
export function cellsOf({ path }: Task, answer: FileAnswer, sent: readonly Sent[], model: Model): Cells[] {
  if (path === 'v1/embeddings')
    return (answer.data ?? []).map((one) => ({ embedding: JSON.stringify(one.embedding) }));
  const results = answer.results ?? [];
  if (path === 'rerank') {
    const scores = new Map(results.map((one) => [one.index, one.relevance_score]));
    return sent.map((_, at) => ({ relevance_score: String(scores.get(at) ?? '') }));
  }
  return results.map((result, at) => resultCells(result, model, sent[at]?.text ?? ''));
}

function resultCells(result: RowResult, model: Model, text: string): Cells {
  if (result.answers)
    return { answer: result.answers[0]?.answer ?? '', score: String(result.answers[0]?.score ?? '') };
  if (result.tokens) return { entities: JSON.stringify(entitiesIn(text, result.tokens)) };
  if (result.entities) return { entities: JSON.stringify(result.entities) };
  if (result.masks) {
    const best = result.masks.map(({ candidates }) => candidates[0]);
    return {
      words: best.map((one) => one?.token ?? '').join(' '),
      scores: best.map((one) => one?.score ?? '').join(' '),
    };
  }
  if (result.scores) {
    const labels = result.labels ?? result.scores.map((_, at) => model.id2label?.[at] ?? `Label ${at}`);
    return scoreCells(labels, result.scores, model);
  }
  return { result: JSON.stringify(result.embedding ?? result) };
}

function scoreCells(labels: readonly string[], scores: readonly number[], model: Model): Cells {
  const ranked = labels
    .map((label, at) => ({ label, score: scores[at] ?? 0 }))
    .sort((one, other) => other.score - one.score);
  const chosen = isMultiLabel(model) ? ranked.filter(({ score }) => score >= THRESHOLD) : ranked.slice(0, 1);
  const all =
    labels.length > MAX_LABELS
      ? []
      : labels.map((label, at) => [`score ${label}`, String(scores[at])] as const);
  return {
    label: chosen.map(({ label }) => label).join('; '),
    score: chosen.map(({ score }) => score).join('; '),
    ...Object.fromEntries(all),
  };
}

const entitiesIn = (text: string, tokens: readonly Token[]) =>
  piecesOf(text, tokens).flatMap((piece) =>
    piece.type === undefined ? [] : [{ type: piece.type, text: piece.text }],
  );
