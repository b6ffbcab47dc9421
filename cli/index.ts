import { Build } from './commands/build.ts';
import { Version } from './commands/version.ts';

/** The commands of `encoderfile`, for oclif; explicit, so that nothing is found by scanning folders. */
export const COMMANDS = {
  build: Build,
  version: Version,
};
