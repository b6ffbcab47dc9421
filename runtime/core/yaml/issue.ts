import type { LineCounter } from 'yaml';

/** One thing wrong with the file, at an offset into its text. */
export interface Issue {
  readonly offset: number;
  /** Dotted path of the field, empty where there is none. */
  readonly path: string;
  readonly message: string;
}

/** One thing wrong with a value, found without knowing where in the text it stands. */
export interface Finding {
  readonly path: readonly string[];
  readonly at: 'key' | 'value';
  readonly message: string;
  /** The field to name, where it is not the one to point at: an unknown key is named by its parent. */
  readonly label?: readonly string[];
}

/** The steps of a JSON Pointer. */
export const stepsOf = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));

/** `file:line:column  path: message`, one line each, in the order of the file. */
export function formatIssues(issues: readonly Issue[], file: string, lines: LineCounter): string {
  return issues
    .toSorted((a, b) => a.offset - b.offset)
    .map(({ offset, path, message }) => {
      const { line, col } = lines.linePos(offset);
      return `${file}:${line}:${col}  ${path === '' ? '' : `${path}: `}${message}`;
    })
    .join('\n');
}
