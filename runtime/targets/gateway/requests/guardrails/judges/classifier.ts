import type { ClassifierProfile } from '../guardrail.ts';
import {
  textWindows,
  ENCODER_TIMEOUT_MS,
  MAX_WINDOWS_PER_REQUEST,
  WINDOW_LENGTH,
  WINDOW_OVERLAP,
  limitTime,
  type Judged,
  type Judgement,
  type JudgeServices,
} from './judgement.ts';

/** Judges texts by the worst score of their windows. */
export async function judgeByClassifier(
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

/** Throws for a label that the model does not have, because that rule would never flag anything. */
function scoreOf(scores: Readonly<Record<string, number>>, labels: readonly string[]): number {
  const missing = labels.find((label) => scores[label] === undefined);
  if (missing !== undefined) throw new Error(`the model of the encoder has no label \`${missing}\``);
  return labels.reduce((sum, label) => sum + (scores[label] ?? 0), 0);
}
