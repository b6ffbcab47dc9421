/** Marks whose canonical combining classes are the lowest and the highest but one. */
const LOWEST = '\u0334';
const HIGHEST = '\u0345';
/** Later planes contain no such marks. */
const LAST_CODE_POINT = 0x1_ff_ff;

/**
 * A regular expression for all marks that have a canonical combining class. Unlike the general category of marks, it does not
 * contain vowel signs that take up space of their own. Marks that can be decomposed are not in it.
 */
export function combiningMarks(): string {
  const ranges: [number, number][] = [];
  for (let code = 0x3_00; code <= LAST_CODE_POINT; code += 1) {
    const character = String.fromCodePoint(code);
    if (!/\p{M}/u.test(character) || !isReordered(character)) continue;
    const last = ranges.at(-1);
    if (last?.[1] === code - 1) last[1] = code;
    else ranges.push([code, code]);
  }
  return `[${ranges.map(([first, last]) => `\\x{${first.toString(16)}}-\\x{${last.toString(16)}}`).join('')}]`;
}

/** Marks with a class are sorted by it when a text is decomposed; those without one stay where they are. */
const isReordered = (mark: string): boolean =>
  mark === mark.normalize('NFD') &&
  [HIGHEST + mark, mark + LOWEST].some((pair) => pair !== pair.normalize('NFD'));
