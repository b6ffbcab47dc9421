import { matchesOf } from '#platform/linear-pattern.ts';
import { runFairly } from '#platform/run-yielding.ts';
import type { PatternProfile } from '../guardrail.ts';
import { PATTERN_TIMEOUT_MS, withoutOverlaps, type FoundSpan, type Judged } from './judgement.ts';

/** Finds what patterns match. Returns the spans of each text. Rejects if it takes too long. */
export async function findPatterns(
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
