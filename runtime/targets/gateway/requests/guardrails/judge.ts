import { AppError, messageOf } from '#contract/errors.ts';
import type {
  Checked,
  GuardrailProfile,
  GuardrailRule,
  GuardrailVerdict,
  SchemaProfile,
  PatternProfile,
  ClassifierProfile,
} from './guardrail.ts';
import type { AnswerSchema } from './judges/answer-schema.ts';
import { findEntities } from './judges/entities.ts';
import {
  describeSpans,
  type FoundSpan,
  type Judged,
  type Judgement,
  type JudgeServices,
  PATTERN_TIMEOUT_MS,
  withoutOverlaps,
  textWindows,
  ENCODER_TIMEOUT_MS,
  MAX_WINDOWS_PER_REQUEST,
  WINDOW_LENGTH,
  WINDOW_OVERLAP,
  limitTime,
} from './judges/judgement.ts';
import { judgeByWebhook } from './judges/webhooks.ts';
import { writtenReadings } from './readings.ts';
import { matchesOf } from '#platform/linear-pattern.ts';
import { runFairly } from '#platform/run-yielding.ts';

export interface JudgeParts extends JudgeServices {
  readonly profiles: ReadonlyMap<string, GuardrailProfile>;
  /** A profile's compiled schema. */
  readonly schemaOf: (profile: SchemaProfile) => AnswerSchema;
}

/** Runs the checks of all rules in parallel. */
export async function judgeContent(
  parts: JudgeParts,
  rules: readonly GuardrailRule[],
  judged: Judged,
): Promise<Checked> {
  const verdicts = await Promise.all(rules.map((rule) => judgeOne(parts, rule, judged)));
  return { verdicts, blocked: blockedBy(rules, verdicts) };
}

/** The error for the first blocking verdict; undefined if no verdict blocks. */
export function blockedBy(
  rules: readonly GuardrailRule[],
  verdicts: readonly GuardrailVerdict[],
): AppError | undefined {
  const blocking = verdicts.find((verdict, index) => isBlocking(verdict, rules[index]));
  return blocking && refusal(blocking, verdicts);
}

const isBlocking = ({ valid, score }: GuardrailVerdict, rule: GuardrailRule | undefined): boolean =>
  score === undefined ? rule?.onUnavailable !== 'monitor' : !valid && rule?.mode !== 'monitor';

const judgeOne = (parts: JudgeParts, rule: GuardrailRule, judged: Judged): Promise<GuardrailVerdict> =>
  verdictOf(rule, judged, async () => {
    const profile = parts.profiles.get(rule.profile);
    if (!profile) throw new Error('not configured');
    return await judgeBy(parts, profile, judged);
  });

/** Runs a check and returns its verdict, which is `unavailable` if the check fails. */
export async function verdictOf(
  { profile, mode }: GuardrailRule,
  { place, signal }: Judged,
  check: () => Promise<Judgement>,
): Promise<GuardrailVerdict> {
  const about = { profile, mode, place };
  try {
    return { ...about, ...(await check()) };
  } catch (error) {
    if (signal.aborted) throw new AppError('CancelledError', 'Client disconnected.', { cause: error });
    return { ...about, valid: false, score: undefined, explanation: `unavailable: ${messageOf(error)}` };
  }
}

async function judgeBy(parts: JudgeParts, profile: GuardrailProfile, judged: Judged): Promise<Judgement> {
  const { kind } = profile;
  if (kind === 'schema') return parts.schemaOf(profile)(judged.texts.join(''));
  const { place, texts } = judged;
  // For requests, `texts` already contains each text in every way in which it can be read.
  const read = place === 'output' ? { ...judged, texts: texts.flatMap(writtenReadings) } : judged;
  if (kind === 'entities' || kind === 'patterns') return judgementOf(await findSpans(parts, profile, read));
  if (kind === 'webhook') return await judgeByWebhook(parts, profile, read);
  return await judgeByClassifier(parts, profile, read);
}

/** Finds the spans that a profile masks or blocks in each text. */
export const findSpans = (
  parts: JudgeParts,
  profile: Extract<GuardrailProfile, { readonly kind: 'entities' | 'patterns' }>,
  judged: Judged,
): Promise<FoundSpan[][]> =>
  profile.kind === 'entities' ? findEntities(parts, profile, judged) : findPatterns(profile, judged);

/** The judgement for findings: texts are valid if nothing was found. */
export function judgementOf(spans: readonly (readonly FoundSpan[])[]): Judgement {
  const all = spans.flat();
  const score = all.reduce((most, span) => Math.max(most, span.score), 0);
  return { valid: all.length === 0, score, explanation: describeSpans(spans) };
}

function refusal(blocking: GuardrailVerdict, verdicts: readonly GuardrailVerdict[]): AppError {
  if (blocking.score === undefined) {
    const message = `Guardrail \`${blocking.profile}\` is unavailable, and the policy blocks unchecked text. Retry later.`;
    const cause = new Error(blocking.explanation);
    return new AppError('UpstreamError', message, { cause, reason: 'guardrail_unavailable' });
  }
  const flagged = verdicts.filter(({ valid }) => !valid);
  const reasons = flagged.map(({ profile, explanation }) => `${profile} (${explanation})`).join(', ');
  const details = flagged.map(({ profile, explanation, score }) => ({
    location: 'guardrails',
    message: explanation,
    value: { profile, explanation, score },
  }));
  return new AppError('ForbiddenError', `Request blocked by guardrail policy: ${reasons}.`, {
    details,
    reason: 'guardrail_violation',
  });
}

/** Finds pattern matches and returns the spans of each text. Rejects if matching takes too long. */
async function findPatterns(
  { patterns, timeoutMs = PATTERN_TIMEOUT_MS }: PatternProfile,
  { texts }: Judged,
): Promise<FoundSpan[][]> {
  const deadline = performance.now() + timeoutMs;
  const all: FoundSpan[][] = [];
  for (const text of texts) {
    const spans: FoundSpan[] = [];
    for (const [label, pattern] of patterns) {
      for (const match of await matchesOf(pattern, text, deadline)) spans.push({ ...match, label, score: 1 });
    }
    all.push(await runFairly(withoutOverlaps(spans), text.length));
  }
  return all;
}

/** Judges texts by the highest score among their windows. */
async function judgeByClassifier(
  { classifier, clock }: JudgeServices,
  profile: ClassifierProfile,
  { texts, signal }: Judged,
): Promise<Judgement> {
  const {
    encoder,
    windowLength = WINDOW_LENGTH,
    windowOverlap = WINDOW_OVERLAP,
    timeoutMs = ENCODER_TIMEOUT_MS,
  } = profile;
  const provider = classifier(encoder);
  const windows = texts.flatMap((text) => textWindows(text, windowLength, windowOverlap));
  const score = await limitTime({ clock, signal, timeoutMs }, async (limited) => {
    let worst = 0;
    for (let at = 0; at < windows.length; at += MAX_WINDOWS_PER_REQUEST) {
      const found = await provider?.classify?.({
        texts: windows.slice(at, at + MAX_WINDOWS_PER_REQUEST),
        signal: limited,
      });
      if (!found) throw new Error(`unknown encoder \`${encoder}\``);
      if (found.kind === 'failed') throw found.failure.error;
      for (const scores of found.scores) worst = Math.max(worst, scoreOf(scores, profile.labels));
    }
    return worst;
  });
  const label = profile.labels.join(' or ');
  const explanation = `${label} ${score.toFixed(3)}, threshold ${profile.threshold}`;
  return { valid: score < profile.threshold, score, explanation };
}

/**
 * Throws for a label that the model does not have, because a rule with this label would never flag
 * anything.
 */
function scoreOf(scores: Readonly<Record<string, number>>, labels: readonly string[]): number {
  const missing = labels.find((label) => scores[label] === undefined);
  if (missing !== undefined) throw new Error(`the encoder's model has no label \`${missing}\``);
  return labels.reduce((sum, label) => sum + (scores[label] ?? 0), 0);
}
