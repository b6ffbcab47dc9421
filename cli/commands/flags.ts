import { Flags } from '@oclif/core';
import { COMMON_FLAGS } from '../../runtime/core/cli/common-flags.ts';

/** The config file flag, shared by every command that reads one. */
export const configFlag = Flags.string({
  char: 'f',
  charAliases: [COMMON_FLAGS.config.short],
  required: true,
  summary: 'YAML config file',
  env: 'ENCODERFILE_CONFIG',
  helpValue: '<file>',
});

/** The flag for the cache folder of base runtimes. */
export const cacheDirFlag = Flags.string({
  summary: "Cache folder for base runtimes (default: the system's cache folder)",
  env: 'ENCODERFILE_BUILD_CACHE_DIR',
  helpValue: '<folder>',
});

/** For commands that write one file. */
export const forceFlag = Flags.boolean({
  summary: COMMON_FLAGS.force.help,
  aliases: [...COMMON_FLAGS.force.aliases],
});
