import { isSea } from 'node:sea';
import { fileURLToPath } from 'node:url';

/** How this very program is started again: the executable, or from source the file that Node runs. */
export const ownProgram = (): readonly string[] =>
  isSea()
    ? [process.execPath]
    : [process.execPath, fileURLToPath(new URL('../../../main.ts', import.meta.url))];
