import { type Outcome } from './match-objects.ts';

/** Recalls at which the precision is read: 0 to 1 in steps of 0.01. */
const RECALLS = Array.from({ length: 101 }, (_, at) => (at === 100 ? 1 : at * 0.01));

/** Added to divisors, so that they are never zero. */
const SPACING = 2 ** -52;

/**
 * COCO's average precision: the mean precision at 101 recalls. The precision at a recall is the highest
 * precision at this recall or a larger one; at a recall that is never reached, it is 0.
 *
 * @param outcomes Of the found objects, in descending order of their scores.
 * @param truths Number of true objects, at least 1.
 */
export function interpolatedPrecision(outcomes: readonly Outcome[], truths: number): number {
  const recalls: number[] = [];
  const precisions: number[] = [];
  let [right, wrong] = [0, 0];
  for (const outcome of outcomes) {
    if (outcome === 'right') right += 1;
    else if (outcome === 'wrong') wrong += 1;
    recalls.push(right / truths);
    precisions.push(right / (right + wrong + SPACING));
  }
  for (let at = precisions.length - 1; at > 0; at -= 1) {
    precisions[at - 1] = Math.max(precisions[at - 1] ?? 0, precisions[at] ?? 0);
  }
  let [sum, at] = [0, 0];
  for (const recall of RECALLS) {
    while (at < recalls.length && (recalls[at] ?? 0) < recall) at += 1;
    if (at === recalls.length) break;
    sum += precisions[at] ?? 0;
  }
  return sum / RECALLS.length;
}
