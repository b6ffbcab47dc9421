import { join } from 'node:path';

/** Defined by the bundler for the npm package (cli/release/node). */
declare const ENCODERFILE_PACKAGE: true;

/** Whether this code is part of the npm package, in which the other files are next to it. */
export const isPackage = (): boolean => typeof ENCODERFILE_PACKAGE !== 'undefined';

/**
 * Whether this code is part of an executable, which contains the other files as assets. The npm package can
 * be part of another program's executable, which does not contain them.
 */
export const isExecutable = (): boolean => !isPackage() && seaAssets().isSea();

/** Node's access to the assets of an executable. Loaded on demand, because Bun, which runs the npm package, has no such module. */
export const seaAssets = (): typeof import('node:sea') => process.getBuiltinModule('node:sea');

/** The path of a file of the npm package. */
export const packageFile = (name: string): string => join(import.meta.dirname, name);
