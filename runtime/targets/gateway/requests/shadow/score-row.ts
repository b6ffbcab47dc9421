import { AppError } from '#contract/errors.ts';
import { membersOf } from '#core/json/members-of.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import { ownTurn } from '#platform/run-yielding.ts';
import type { PairScores, ScorePair, TrialPlan } from '../../accounts/shadow/shadow-records.ts';
import { chrf } from '../../evaluation/metrics/text/chrf.ts';
import { exactMatch } from '../../evaluation/metrics/text/exact-match.ts';
import { JUDGE_DEFINITIONS, judgeMessages, readVerdict } from '../../evaluation/metrics/text/judge.ts';
import { meteor } from '../../evaluation/metrics/text/meteor.ts';
import { preferenceMessages, readPreference } from '../../evaluation/metrics/text/preference-judge.ts';
import { rouge } from '../../evaluation/metrics/text/rouge.ts';
import { PREFERENCE, SIMILARITY } from '../routing/shadow-settings.ts';
import type { OtherRequest } from './candidate-request.ts';
import { readAnswer, type ReadAnswer, shownAnswer, toolAgreement } from './read-answer.ts';

/** Two responses to compare. */
export interface AnswerPair {
  /** The input as a judge sees it. */
  readonly input: string;
  readonly offersTools: boolean;
  readonly baseline: ReadAnswer;
  readonly candidate: ReadAnswer;
}

/** Calls the judge or the embedder. Throws if there is no response. */
export type AskModel = (request: OtherRequest) => Promise<Uint8Array>;

/** Returns a metric's scores of both responses; undefined if the metric does not apply to them. */
type PairScorer = (
  pair: AnswerPair,
  plan: TrialPlan,
  ask: AskModel,
) => Promise<ScorePair | undefined> | ScorePair | undefined;

/** A candidate without a response has the lowest score, and the user's response the highest. */
const FAILED: ScorePair = [1, 0];

export const failedScores = (plan: TrialPlan): PairScores =>
  Object.fromEntries(plan.metrics.map((name) => [name, FAILED]));

/**
 * Maximum length of each response that is compared here, and of pairs of words for ROUGE. Users and models determine the
 * responses, and the thread that compares them also serves users' requests; this much takes some hundredths of a second.
 */
const MAX_CHARACTERS = 20_000;
const MAX_WORD_PAIRS = 2 ** 21;

/** Compares with the user's response as the reference, whose own score is 1. */
const agreement =
  (
    score: (row: {
      readonly prediction: string;
      readonly reference: string;
      readonly otherReferences: readonly string[];
    }) => number | undefined,
  ): PairScorer =>
  async ({ baseline, candidate }) => {
    if (baseline.text === '' && candidate.text === '') return undefined;
    const length = Math.max(baseline.text.length, candidate.text.length);
    if (length > MAX_CHARACTERS)
      throw new AppError(
        'TooLargeError',
        `A response has ${length} characters; agreement is computed up to ${MAX_CHARACTERS}.`,
      );
    await ownTurn();
    const row = { prediction: candidate.text, reference: baseline.text, otherReferences: [] };
    return [1, Math.min(1, Math.max(0, score(row) ?? 0))];
  };

/** The highest value of chrF. */
const CHRF_SCALE = 100;

const SCORERS: ReadonlyMap<string, PairScorer> = new Map<string, PairScorer>([
  ['exact_match', agreement((row) => exactMatch({}).add(row)['exact_match_normalized'])],
  ['rouge', agreement((row) => rouge({ maxPairs: MAX_WORD_PAIRS }).add(row)['rougeL_mean'])],
  ['chrf', agreement((row) => (chrf({}).add(row)['chrf_mean'] ?? 0) / CHRF_SCALE)],
  ['meteor', agreement((row) => meteor({}).add(row)['meteor_mean'])],
  [
    'tool_calls',
    ({ offersTools, baseline, candidate }) =>
      offersTools ? [1, toolAgreement(baseline.toolCalls, candidate.toolCalls)] : undefined,
  ],
  [PREFERENCE, preference],
  [SIMILARITY, similarity],
  ...JUDGE_DEFINITIONS.map(({ name }) => [name, judged(name)] as const),
]);

export interface ScoredRow {
  readonly scores: PairScores;
  /** Metrics that could not be computed, with the errors. */
  readonly problems: readonly unknown[];
}

/** Computes all metrics of a pair. A metric that cannot be computed is missing from the scores. */
export async function scoreRow(pair: AnswerPair, plan: TrialPlan, ask: AskModel): Promise<ScoredRow> {
  const problems: unknown[] = [];
  const scored = await Promise.all(
    plan.metrics.map(async (name) => {
      try {
        const scores = await SCORERS.get(name)?.(pair, plan, ask);
        return scores && ([name, scores] as const);
      } catch (error) {
        problems.push(error);
        return undefined;
      }
    }),
  );
  return { scores: Object.fromEntries(scored.filter((one) => one !== undefined)), problems };
}

/**
 * Asks the judge in both orders, because judges prefer a position. The mean preference, from -1 to 1, becomes two
 * scores whose difference it is.
 */
async function preference(
  { input, baseline, candidate }: AnswerPair,
  plan: TrialPlan,
  ask: AskModel,
): Promise<ScorePair> {
  const [ours, theirs] = [shownAnswer(baseline), shownAnswer(candidate)];
  // Equal responses need no judge, and a judge could prefer one of them.
  if (ours === theirs) return [0.5, 0.5];
  const compare = (first: string, second: string): Promise<number> =>
    askJudge(plan, preferenceMessages({ input, first, second }, plan.rubric), ask, readPreference);
  const [straight, swapped] = await Promise.all([compare(ours, theirs), compare(theirs, ours)]);
  const mean = (straight - swapped) / 2;
  return [(1 - mean) / 2, (1 + mean) / 2];
}

/** The judge scores each response on its own. */
function judged(name: string): PairScorer {
  return async ({ input, baseline, candidate }, plan, ask) => [
    await scoreAnswer(name, input, baseline, plan, ask),
    await scoreAnswer(name, input, candidate, plan, ask),
  ];
}

/** Asks the judge to score a response for a metric; the score, from 0 to 1, is the mean of the criteria. */
export async function scoreAnswer(
  name: string,
  input: string,
  answer: ReadAnswer,
  plan: Pick<TrialPlan, 'judge'>,
  ask: AskModel,
): Promise<number> {
  const found = JUDGE_DEFINITIONS.find((one) => one.name === name);
  if (!found) throw new Error(`There is no judge ${name}.`);
  // There is no reference; the user's response would be compared with itself.
  const definition = { ...found, readsReference: false };
  let sum = 0;
  for (const criterion of definition.criteria) {
    const messages = judgeMessages(definition, criterion, { input, prediction: shownAnswer(answer) });
    sum += await askJudge(plan, messages, ask, (text) => readVerdict(text).score);
  }
  return sum / definition.criteria.length;
}

/** Models whose verdict is unreadable often respond correctly the next time. */
const MAX_ATTEMPTS = 2;

async function askJudge<Verdict>(
  { judge = '' }: Pick<TrialPlan, 'judge'>,
  messages: readonly object[],
  ask: AskModel,
  read: (text: string) => Verdict,
): Promise<Verdict> {
  const endpoint = '/v1/chat/completions';
  const bytes = Buffer.from(JSON.stringify({ model: judge, messages }));
  for (let attempt = 1; ; attempt += 1) {
    const answer = readAnswer(endpoint, await ask({ endpoint, bytes }));
    try {
      return read(answer?.text ?? '');
    } catch (error) {
      if (attempt === MAX_ATTEMPTS) throw error;
    }
  }
}

/** The cosine of the embeddings of both texts. */
async function similarity(
  { baseline, candidate }: AnswerPair,
  { embedder }: TrialPlan,
  ask: AskModel,
): Promise<ScorePair | undefined> {
  if (baseline.text === '' && candidate.text === '') return undefined;
  // Servers reject empty texts.
  if (baseline.text === '' || candidate.text === '') return FAILED;
  const body = { model: embedder, input: [baseline.text, candidate.text], encoding_format: 'float' };
  const bytes = await ask({ endpoint: '/v1/embeddings', bytes: Buffer.from(JSON.stringify(body)) });
  const { data } = membersOf(parseJsonText(Buffer.from(bytes).toString('utf8')));
  const [one, other] = (data as readonly { readonly embedding: readonly number[] }[]).map(
    ({ embedding }) => embedding,
  );
  return [1, Math.min(1, Math.max(0, cosine(one ?? [], other ?? [])))];
}

function cosine(one: readonly number[], other: readonly number[]): number {
  const product = (a: readonly number[], b: readonly number[]): number =>
    a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0);
  const length = Math.sqrt(product(one, one) * product(other, other));
  return length === 0 ? 0 : product(one, other) / length;
}
