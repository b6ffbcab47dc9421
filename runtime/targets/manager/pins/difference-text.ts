import { visibleText } from '#core/text/visible-text.ts';
import type { ItemDefinition } from '../config/item-definition.ts';
import type { ItemDifference } from './compare-items.ts';

/** Formats a server's differences for a terminal, with removed and added lines. */
export const differenceLines = (server: string, differences: readonly ItemDifference[]): string[] =>
  differences.flatMap(({ kind, name, change, members, pinned, current }) => [
    visibleText(`${kind === 'tool' ? '' : `${kind} `}${server}/${name} (${change})`),
    ...members.flatMap((member) => {
      const [before, after] = [pinned, current].map((definition) => linesOf(definition, member));
      return [
        visibleText(`  ${member}:`),
        ...lineDifferences(before ?? [], after ?? []).map((line) => `    ${visibleText(line)}`),
      ];
    }),
  ]);

function linesOf(definition: ItemDefinition | undefined, member: string): string[] {
  const value = Object.entries(definition ?? {}).find(([key]) => key === member)?.[1];
  if (value === undefined) return [];
  return (typeof value === 'string' ? value : JSON.stringify(value, undefined, 2)).split('\n');
}

/**
 * Maximum number of lines that are compared individually. It is limited because the time grows
 * quadratically.
 */
const MAX_COMPARED = 1000;

/** Returns the lines that exist on only one side, in order, based on the longest common subsequence. */
function lineDifferences(before: readonly string[], after: readonly string[]): string[] {
  if (before.length > MAX_COMPARED || after.length > MAX_COMPARED) {
    return [...before.map((line) => `- ${line}`), ...after.map((line) => `+ ${line}`)];
  }
  const common = Array.from({ length: before.length + 1 }, () => new Uint16Array(after.length + 1));
  const at = (row: number, column: number): number => common[row]?.[column] ?? 0;
  for (let row = before.length - 1; row >= 0; row -= 1) {
    for (let column = after.length - 1; column >= 0; column -= 1) {
      const isSame = before[row] === after[column];
      const best = isSame ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1));
      common[row]?.fill(best, column, column + 1);
    }
  }
  const lines: string[] = [];
  let [row, column] = [0, 0];
  while (row < before.length || column < after.length) {
    if (row < before.length && column < after.length && before[row] === after[column]) {
      row += 1;
      column += 1;
    } else if (
      column >= after.length ||
      (row < before.length && at(row + 1, column) >= at(row, column + 1))
    ) {
      lines.push(`- ${before[row]}`);
      row += 1;
    } else {
      lines.push(`+ ${after[column]}`);
      column += 1;
    }
  }
  return lines;
}
