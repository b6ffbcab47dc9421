import { type Platform, shortName } from './platforms.ts';

/**
 * Programs that are released as npm packages: a small package with the command, and a package with
 * the executable for each platform.
 */
export type ReleasedProgram = 'encoderfile' | 'mcp-manager' | 'gateway';

/**
 * The npm package that contains a program's executable for one platform, and the path of the
 * executable in it.
 */
export function platformPackage(
  program: ReleasedProgram,
  platform: Platform,
): { readonly name: string; readonly path: string } {
  return {
    name: `@encoderfile/${program}-${shortName(platform)}`,
    path: `bin/${program}${platform.exeSuffix}`,
  };
}
