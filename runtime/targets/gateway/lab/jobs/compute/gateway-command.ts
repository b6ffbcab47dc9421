import { isSea } from 'node:sea';
import { fileURLToPath } from 'node:url';

/** The command that starts another process of this gateway: the executable or, from source, Node with the main file. */
export const gatewayCommand = (): readonly string[] =>
  isSea()
    ? [process.execPath]
    : [process.execPath, fileURLToPath(new URL('../../../main.ts', import.meta.url))];
