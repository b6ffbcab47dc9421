import { isSea } from 'node:sea';
import { fileURLToPath } from 'node:url';

/** The command that starts another process of this program: the executable or, from source, Node with its main file. */
export const ownCommand = (main: URL): readonly [file: string, ...args: string[]] =>
  isSea() ? [process.execPath] : [process.execPath, fileURLToPath(main)];
