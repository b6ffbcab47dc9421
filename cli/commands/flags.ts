import { Flags } from '@oclif/core';

/** The config file flag, shared by every command that reads one. */
export const configFlag = Flags.string({
  char: 'f',
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
