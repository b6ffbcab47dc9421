/** Number of unchanged lines around a change. */
const CONTEXT = 3;

/** Returns the difference between two texts as a unified diff with one hunk; empty if they are equal. */
export function unifiedDiff(path: string, before: string, after: string): string {
  if (before === after) return '';
  const [old, now] = [linesOf(before), linesOf(after)];
  const shorter = Math.min(old.length, now.length);
  let start = 0;
  while (start < shorter && old[start] === now[start]) start += 1;
  let end = 0;
  while (end < shorter - start && old.at(-1 - end) === now.at(-1 - end)) end += 1;
  const from = Math.max(0, start - CONTEXT);
  const oldEnd = Math.min(old.length, old.length - end + CONTEXT);
  const newEnd = Math.min(now.length, now.length - end + CONTEXT);
  const range = (to: number): string => `${to === from ? from : from + 1},${to - from}`;
  const lines = [
    ...old.slice(from, start).map((line) => ` ${line}`),
    ...old.slice(start, old.length - end).map((line) => `-${line}`),
    ...now.slice(start, now.length - end).map((line) => `+${line}`),
    ...old.slice(old.length - end, oldEnd).map((line) => ` ${line}`),
  ];
  return [`--- ${path}`, `+++ ${path}`, `@@ -${range(oldEnd)} +${range(newEnd)} @@`, ...lines, ''].join('\n');
}

function linesOf(text: string): string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}
