import { AppError, messageOf } from '../../../../contract/errors.ts';
import { textWindows } from './text-windows.ts';
import type { Clock } from '../../../../platform/clock.ts';
import type { Provider } from '../providers/provider.ts';
import type {
  Checked,
  GuardrailPlace,
  GuardrailProfile,
  GuardrailRule,
  GuardrailVerdict,
} from './guardrail.ts';

export interface JudgeParts {
  readonly profiles: ReadonlyMap<string, GuardrailProfile>;
  readonly classifier: (name: string) => Provider | undefined;
  readonly clock: Clock;
}

export const WINDOW_LENGTH = 400;
export const WINDOW_OVERLAP = 80;
const TIMEOUT_MS = 5000;
/** Maximum windows in one request to an encoder. */
const MAX_WINDOWS_PER_REQUEST = 256;

/** Calls the encoders of all rules in parallel. */
export async function judge(
  parts: JudgeParts,
  rules: readonly GuardrailRule[],
  place: GuardrailPlace,
  texts: readonly string[],
  signal: AbortSignal,
): Promise<Checked> {
  const verdicts = await Promise.all(rules.map((rule) => judgeOne(parts, rule, place, texts, signal)));
  const blocking = verdicts.find((verdict, index) => isBlocking(verdict, rules[index]));
  return { verdicts, blocked: blocking && refusal(blocking, verdicts) };
}

const isBlocking = ({ valid, score }: GuardrailVerdict, rule: GuardrailRule | undefined): boolean =>
  score === undefined ? rule?.onUnavailable !== 'monitor' : !valid && rule?.mode !== 'monitor';

async function judgeOne(
  parts: JudgeParts,
  { profile: name, mode }: GuardrailRule,
  place: GuardrailPlace,
  texts: readonly string[],
  signal: AbortSignal,
): Promise<GuardrailVerdict> {
  const about = { profile: name, mode, place };
  try {
    const profile = parts.profiles.get(name);
    if (!profile) throw new Error('not configured');
    const { score, label } = await worstOf(parts, profile, texts, signal);
    const explanation = `${label} ${score.toFixed(3)}, threshold ${profile.threshold}`;
    return { ...about, valid: score < profile.threshold, score, explanation };
  } catch (error) {
    if (signal.aborted) throw new AppError('CancelledError', 'Client disconnected.', { cause: error });
    return { ...about, valid: false, score: undefined, explanation: `unavailable: ${messageOf(error)}` };
  }
}

interface Score {
  readonly score: number;
  readonly label: string;
}

async function worstOf(
  { classifier, clock }: JudgeParts,
  profile: GuardrailProfile,
  texts: readonly string[],
  signal: AbortSignal,
): Promise<Score> {
  const {
    encoder,
    windowLength = WINDOW_LENGTH,
    windowOverlap = WINDOW_OVERLAP,
    timeoutMs = TIMEOUT_MS,
  } = profile;
  const provider = classifier(encoder);
  if (!provider?.classify) throw new Error(`unknown encoder \`${encoder}\``);
  const windows = texts.flatMap((text) => textWindows(text, windowLength, windowOverlap));
  const control = new AbortController();
  const stop = (): void => control.abort();
  const disarm = clock.after(timeoutMs, stop);
  signal.addEventListener('abort', stop, { once: true });
  try {
    let worst: Score = { score: 0, label: profile.labels.join(' or ') };
    for (let at = 0; at < windows.length; at += MAX_WINDOWS_PER_REQUEST) {
      const texts = windows.slice(at, at + MAX_WINDOWS_PER_REQUEST);
      const found = await provider.classify({ texts, signal: control.signal });
      if (found.kind === 'failed') throw found.failure.error;
      for (const scores of found.scores) worst = worseOf(worst, scores, profile.labels);
    }
    return worst;
  } finally {
    disarm();
    signal.removeEventListener('abort', stop);
  }
}

/** The worse of two scores. Throws for a label that the model does not have, because that rule would never flag anything. */
function worseOf(worst: Score, scores: Readonly<Record<string, number>>, labels: readonly string[]): Score {
  const missing = labels.find((label) => scores[label] === undefined);
  if (missing !== undefined) throw new Error(`the model of the encoder has no label \`${missing}\``);
  const score = labels.reduce((sum, label) => sum + (scores[label] ?? 0), 0);
  return score > worst.score ? { ...worst, score } : worst;
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
