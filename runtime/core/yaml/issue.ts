import type { LineCounter } from 'yaml';

/** A problem in a YAML file, with its offset in the text. */
export interface Issue {
  readonly offset: number;
  /** Dotted path of the field; empty if there is none. */
  readonly path: string;
  readonly message: string;
}

/** A problem with a value whose position in the text has not been determined. */
export interface SchemaIssue {
  readonly path: readonly string[];
  readonly at: 'key' | 'value';
  readonly message: string;
  /**
   * The path to show in the message, if it differs from `path`: an unknown key is reported with the
   * path of its parent.
   */
  readonly label?: readonly string[];
}

/** Returns the segments of a JSON Pointer. */
export const stepsOf = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));

/** Formats issues as `file:line:column  path: message`, one per line, in file order. */
export function formatIssues(issues: readonly Issue[], file: string, lines: LineCounter): string {
  return issues
    .toSorted((a, b) => a.offset - b.offset)
    .map(({ offset, path, message }) => {
      const { line, col } = lines.linePos(offset);
      return `${file}:${line}:${col}  ${path === '' ? '' : `${path}: `}${message}`;
    })
    .join('\n');
}
