import { codePoints } from '#core/text/code-points.ts';
import type { Piece } from './sentencepiece-model.ts';
import { pushAll } from '#core/values/push-all.ts';

/**
 * Derives the merges of a BPE model, which a sentencepiece file does not store: every split of a piece into two pieces. The
 * order is that of transformers: best score first, then longest left part, longest right part, and the order of the vocabulary.
 */
export function sentencePieceMerges(
  pieces: readonly Piece[],
  vocabulary: readonly (readonly [string, number])[],
): [string, string][] {
  const ids = new Map(pieces.map(({ text }, id) => [text, id]));
  const merges: { pair: [string, string]; score: number; left: number; right: number }[] = [];
  for (const [piece, score] of new Map(vocabulary)) {
    const splits = splitsOf(piece, ids).toSorted((a, b) => a.leftId - b.leftId || a.rightId - b.rightId);
    pushAll(
      merges,
      splits.map(({ pair, left, right }) => ({ pair, score, left, right })),
    );
  }
  merges.sort((a, b) => b.score - a.score || b.left - a.left || b.right - a.right);
  return merges.map(({ pair }) => pair);
}

interface Split {
  readonly pair: [string, string];
  readonly leftId: number;
  readonly rightId: number;
  /** Lengths in code points. */
  readonly left: number;
  readonly right: number;
}

function splitsOf(piece: string, ids: ReadonlyMap<string, number>): Split[] {
  const found: Split[] = [];
  const length = codePoints(piece);
  let end = 0;
  let left = 0;
  for (const character of piece) {
    end += character.length;
    left += 1;
    const pair: [string, string] = [piece.slice(0, end), piece.slice(end)];
    const [leftId, rightId] = pair.map((part) => ids.get(part));
    if (leftId === undefined || rightId === undefined) continue;
    found.push({ pair, leftId, rightId, left, right: length - left });
  }
  return found;
}
