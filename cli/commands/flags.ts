import { Args, Flags } from '@oclif/core';
import { MODEL_TYPE_NAMES } from '#contract/model-types.ts';
import { DISTILL_FORMS } from '#contract/token-table.ts';
import { QUANTIZE_FORMS } from '#contract/quantization.ts';
import { COMMON_FLAGS } from '#core/cli/common-flags.ts';

/** The config file flag, shared by every command that reads one. */
export const configFlag = Flags.string({
  char: 'f',
  charAliases: [COMMON_FLAGS.config.short],
  summary: 'YAML config file, or - for stdin (default: encoderfile.yml in the current folder)',
  env: 'ENCODERFILE_CONFIG',
  helpValue: '<file>',
});

/** A folder to use instead of the config file. */
export const folderArg = Args.string({
  description:
    'Folder with an encoderfile.yml or a model, a model file, or a Hugging Face Hub model such as hf:org/name',
  // By default, oclif reads missing arguments from stdin, which can contain the config.
  ignoreStdin: true,
});

/** Flags for commands that can read a model from the Hugging Face Hub. */
export const offlineFlag = Flags.boolean({
  summary: 'Do not use the network; Hugging Face Hub models must already be in the cache',
});

export const quantizeFlag = Flags.option({
  options: QUANTIZE_FORMS,
  summary:
    'Quantization: int8, bf16 (only used on arm64 CPUs), auto (int8 only if accurate and faster) or none (overrides the config)',
  helpValue: '<form>',
})();

export const distillFlag = Flags.option({
  options: DISTILL_FORMS,
  summary:
    'Static form: static (a table with one vector per token), both (the model and this table) or none (overrides the config)',
  helpValue: '<form>',
})();

export const modelTypeFlag = Flags.option({
  options: MODEL_TYPE_NAMES,
  summary: 'Model type (overrides the config; default: detected from the model files)',
  helpValue: '<type>',
})();

export const variantFlag = Flags.string({
  summary: 'ONNX graph to use, e.g. fp16 for onnx/model_fp16.onnx (overrides the config)',
  helpValue: '<name>',
});

/** The flag for the cache folder of base runtimes. */
export const cacheDirFlag = Flags.string({
  summary: "Cache folder for base runtimes (default: the system's cache folder)",
  env: 'ENCODERFILE_BUILD_CACHE_DIR',
  helpValue: '<folder>',
});

/** The flag for the cache folder of the commands that use the executables in it. */
export const executableCacheFlag = Flags.string({
  summary: "Cache folder for executables and base runtimes (default: the system's cache folder)",
  env: 'ENCODERFILE_BUILD_CACHE_DIR',
  helpValue: '<folder>',
});

/** The --force flag of commands that write one file. */
export const forceFlag = Flags.boolean({ summary: COMMON_FLAGS.force.help });
