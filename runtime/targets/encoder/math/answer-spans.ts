import type { TokenDetails } from '#core/model/tokenized-text.ts';

/** A range in a context, in Unicode code points. */
interface AnswerSpan {
  readonly start: number;
  readonly end: number;
  readonly score: number;
}

/** The candidate answers in one window of a context. */
export interface WindowAnswers {
  /** Probability that the window has no answer. */
  readonly none: number;
  /** The most likely answers, best first. */
  readonly spans: readonly AnswerSpan[];
}

interface SpanLimits {
  readonly count: number;
  /** Maximum number of tokens in an answer. */
  readonly maxLength: number;
}

/**
 * Finds the most likely answers in a window, like transformers' question answering pipeline.
 * `values` contains two numbers per token. All tokens that are not special belong to the context.
 * If the tokenizer added the first token, that token stands for "no answer".
 */
export function answerSpans(
  values: Float32Array,
  { special, offsets, words }: TokenDetails,
  { count, maxLength }: SpanLimits,
): WindowAnswers {
  const first = special.indexOf(0);
  if (first < 0) return { none: 1, spans: [] };
  const end = special.lastIndexOf(0) + 1;
  const starts = probabilities(values, 0, first, end);
  const ends = probabilities(values, 1, first, end);
  const best: { from: number; to: number; score: number }[] = [];
  for (let from = first; from < end; from++) {
    for (let to = from; to < Math.min(end, from + maxLength); to++) {
      const score = (starts[from - first + 1] ?? 0) * (ends[to - first + 1] ?? 0);
      if (best.length === count && score <= (best.at(-1)?.score ?? 0)) continue;
      const at = best.findIndex((other) => other.score < score);
      best.splice(at < 0 ? best.length : at, 0, { from, to, score });
      if (best.length > count) best.pop();
    }
  }
  const spans = best.map(({ from, to, score }) => {
    const [start, stop] = wordBorders(from, to, words);
    return { start: offsets[start * 2] ?? 0, end: offsets[stop * 2 + 1] ?? 0, score };
  });
  return { none: (starts[0] ?? 0) * (ends[0] ?? 0), spans };
}

/**
 * Softmax over the first token and the tokens of the context, in double precision. No other tokens
 * can be part of an answer.
 */
function probabilities(values: Float32Array, column: 0 | 1, first: number, end: number): Float64Array {
  const logits = new Float64Array(end - first + 1);
  // Without a token before the text, no token stands for "no answer".
  logits[0] = first > 0 ? (values[column] ?? 0) : -Infinity;
  for (let token = first; token < end; token++) logits[token - first + 1] = values[token * 2 + column] ?? 0;
  const max = logits.reduce((left, right) => Math.max(left, right), -Infinity);
  const exps = logits.map((logit) => Math.exp(logit - max));
  const sum = exps.reduce((left, right) => left + right, 0);
  return exps.map((value) => value / sum);
}

/** Extends an answer to whole words if the tokenizer splits texts into words. */
function wordBorders(from: number, to: number, words: Int32Array | undefined): [from: number, to: number] {
  const [firstWord = -1, lastWord = -1] = [words?.[from], words?.[to]];
  if (!words || firstWord < 0 || lastWord < 0) return [from, to];
  let [start, stop] = [from, to];
  while (words[start - 1] === firstWord) start -= 1;
  while (words[stop + 1] === lastWord) stop += 1;
  return [start, stop];
}
