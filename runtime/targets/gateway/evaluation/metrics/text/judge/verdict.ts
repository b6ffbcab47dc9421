import { AppError } from '#contract/errors.ts';
import { isObject } from '#core/json/is-object.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import { JUDGE_SCALE, type JudgeScale } from './scale.ts';

export interface Verdict {
  /** Score from 0 to 1, independent of the judge's scale. */
  readonly score: number;
  /** The judge's reason; empty if there is none. */
  readonly reason: string;
}

/**
 * Parses the answer of a judge: one JSON object with a `score`, possibly surrounded by text, or just a number. Ambiguous
 * answers are rejected, because one reading may come from the judged text.
 */
export function readVerdict(answer: string, scale: JudgeScale = JUDGE_SCALE): Verdict {
  const text = withoutThoughts(answer).trim();
  const score = readScore(text, scale);
  if (score !== undefined) return verdict(answer, score, '', scale);
  const found = readObject(text);
  const member = found !== undefined && Object.hasOwn(found, 'score') ? found['score'] : undefined;
  const value = typeof member === 'string' ? readScore(member.trim(), scale) : member;
  if (typeof value !== 'number') throw unreadable(answer, 'has no readable score', scale);
  const reason = typeof found?.['reason'] === 'string' ? found['reason'] : '';
  return verdict(answer, value, reason, scale);
}

function verdict(answer: string, score: number, reason: string, scale: JudgeScale): Verdict {
  const { lowest, highest } = scale;
  // Not clamped to the scale: a score of 95 was probably meant for another scale.
  if (!(score >= lowest && score <= highest))
    throw unreadable(answer, 'has a score outside the scale', scale);
  return { score: (score - lowest) / (highest - lowest), reason: reason.slice(0, MAX_REASON_LENGTH) };
}

const MAX_REASON_LENGTH = 2000;

/** Removes the reasoning that some models print first. */
const withoutThoughts = (answer: string): string => answer.replace(/^\s*<think>.*?<\/think>/s, '');

const NUMBER = String.raw`-?\d{1,9}(?:\.\d{1,17})?`;
const SCORE = new RegExp(
  String.raw`^(?:score\s*[:=]\s*)?(${NUMBER})(?:\s*(?:/|out of)\s*(${NUMBER}))?\.?$`,
  'i',
);

/** Parses "8", "Score: 8" or, if the scale ends there, "8/10". */
function readScore(text: string, scale: JudgeScale): number | undefined {
  const [, score, highest] = SCORE.exec(text) ?? [];
  if (score === undefined || (highest !== undefined && Number(highest) !== scale.highest)) return undefined;
  return Number(score);
}

/** Parses the text from the first to the last brace. Two objects are not valid JSON, and thus not a verdict. */
function readObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = parseJsonText(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const SHOWN = 120;

function unreadable(answer: string, problem: string, { lowest, highest }: JudgeScale): AppError {
  const shown = answer.length > SHOWN ? `${answer.slice(0, SHOWN)}…` : answer;
  return new AppError(
    'UpstreamError',
    `The judge's answer ${JSON.stringify(shown)} ${problem}. It must be {"reason": …, "score": n} with n from ${lowest} to ${highest}; retry, or use another model as judge.`,
    { reason: 'unreadable_verdict' },
  );
}
