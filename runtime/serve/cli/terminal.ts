import { styleText } from 'node:util';

/** Properties of the terminal that a table is printed to. */
export interface Terminal {
  /** Width in characters; infinite if nothing limits it, as in a file. */
  readonly width: number;
  /** Whether printed lines can be overwritten. */
  readonly live: boolean;
  readonly style: (style: 'green' | 'yellow' | 'red' | 'dim', text: string) => string;
}

/** Properties of stdout: without colors if it is not a terminal or NO_COLOR is set. */
export function stdoutTerminal(): Terminal {
  const { stdout } = process;
  return {
    width: stdout.isTTY ? stdout.columns || 80 : Infinity,
    live: stdout.isTTY,
    style: (style, text) => styleText(style, text, { stream: stdout }),
  };
}
