import { type Platform, shortName } from '#contract/platforms.ts';

/** The programs that are released as npm packages: a small package with the command, and one package per platform. */
export type ReleasedProgram = 'encoderfile' | 'mcp-manager' | 'gateway';

/** The npm package with the executable of a program for one platform, and the executable's path inside it. */
export function platformPackage(
  program: ReleasedProgram,
  platform: Platform,
): { readonly name: string; readonly path: string } {
  return {
    name: `@encoderfile/${program}-${shortName(platform)}`,
    path: `bin/${program}${platform.exeSuffix}`,
  };
}
