import type { EntityProfile } from '../guardrail.ts';
import {
  placedWindows,
  ENCODER_TIMEOUT_MS,
  MAX_WINDOWS_PER_REQUEST,
  WINDOW_LENGTH,
  WINDOW_OVERLAP,
  withoutOverlaps,
  limitTime,
  type FoundSpan,
  type Judged,
  type JudgeServices,
} from './judgement.ts';
import { runFairly } from '#platform/run-yielding.ts';

/** Finds entities with an encoder of type token_classification, and returns the spans of each text. */
export async function findEntities(
  { classifier, clock }: JudgeServices,
  profile: EntityProfile,
  { texts, signal }: Judged,
): Promise<FoundSpan[][]> {
  const {
    encoder,
    windowLength = WINDOW_LENGTH,
    windowOverlap = WINDOW_OVERLAP,
    timeoutMs = ENCODER_TIMEOUT_MS,
  } = profile;
  const provider = classifier(encoder);
  const windows = texts.flatMap((text, index) =>
    placedWindows(text, windowLength, windowOverlap).map((window) => ({ ...window, index })),
  );
  const spans: FoundSpan[][] = texts.map(() => []);
  await limitTime({ clock, signal, timeoutMs }, async (limited) => {
    for (let at = 0; at < windows.length; at += MAX_WINDOWS_PER_REQUEST) {
      const batch = windows.slice(at, at + MAX_WINDOWS_PER_REQUEST);
      const found = await provider?.entities?.({ texts: batch.map(({ text }) => text), signal: limited });
      if (!found) throw new Error(`unknown encoder \`${encoder}\``);
      if (found.kind === 'failed') throw found.failure.error;
      for (const [place, { start, index }] of batch.entries()) {
        for (const entity of found.entities[place] ?? []) {
          if (entity.score < profile.threshold || !profile.entities.includes(entity.label)) continue;
          spans[index]?.push({ ...entity, start: start + entity.start, end: start + entity.end });
        }
      }
    }
  });
  const kept: FoundSpan[][] = [];
  for (const [index, own] of spans.entries())
    kept.push(await runFairly(withoutOverlaps(own), texts[index]?.length ?? 0));
  return kept;
}
