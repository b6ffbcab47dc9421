import { join } from 'node:path';
import { isSea } from 'node:sea';

/** Defined by the bundler for the npm package (cli/release/node). */
declare const ENCODERFILE_PACKAGE: true;

/** Whether this code is part of the npm package, in which the other files are next to it. */
export const isPackage = (): boolean => typeof ENCODERFILE_PACKAGE !== 'undefined';

/**
 * Whether this code is part of an executable, which contains the other files as assets. The npm package can
 * be part of another program's executable, which does not contain them.
 */
export const isExecutable = (): boolean => !isPackage() && isSea();

/** The path of a file of the npm package. */
export const packageFile = (name: string): string => join(import.meta.dirname, name);
