import { styleText } from 'node:util';

/** Where tables are shown. */
export interface Terminal {
  /** In characters; infinite where nothing limits it, as in a file. */
  readonly width: number;
  /** Whether what was written can be written over. */
  readonly live: boolean;
  readonly style: (style: 'green' | 'yellow' | 'red' | 'dim', text: string) => string;
}

/** Standard output as it is: without colours where there is no terminal, or where NO_COLOR is set. */
export function stdoutTerminal(): Terminal {
  const { stdout } = process;
  return {
    width: stdout.isTTY ? stdout.columns || 80 : Infinity,
    live: stdout.isTTY,
    style: (style, text) => styleText(style, text, { stream: stdout }),
  };
}
