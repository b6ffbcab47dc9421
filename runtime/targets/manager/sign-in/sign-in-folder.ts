import { dirname, join } from 'node:path';
import type { ConfigPaths } from '../config/config-paths.ts';

/** Returns the sign-in folder, next to the secrets file. */
export const signInFolder = ({ runtime }: ConfigPaths): string => join(dirname(runtime), 'sign-ins');

/** The file that `login` and `logout` write to notify a running manager. Refreshed tokens do not change it. */
export const changesFile = (folder: string): string => join(folder, 'changes');
