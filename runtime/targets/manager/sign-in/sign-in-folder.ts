import { dirname, join } from 'node:path';
import type { ConfigPaths } from '../config/config-paths.ts';

/** Returns the folder of the sign-ins, next to the secrets file. */
export const signInFolder = ({ runtime }: ConfigPaths): string => join(dirname(runtime), 'sign-ins');

/** The file that `login` and `logout` write, so that a running manager notices them. Refreshed tokens do not change it. */
export const changesFile = (folder: string): string => join(folder, 'changes');
