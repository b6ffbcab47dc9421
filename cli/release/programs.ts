import { type Platform, shortName } from '#contract/platforms.ts';
import { type BuildTarget, TARGET_NAMES } from '../services/target/build-result.ts';
import type { ReleasedProgram } from '#contract/platform-package.ts';

/** A program in a release, with its target and the texts for its packages. */
export interface ProgramFacts {
  readonly program: ReleasedProgram;
  readonly target: BuildTarget;
  /** The npm package that users install. */
  readonly packageName: string;
  readonly description: string;
  /** The name of its Python package, if it has one. */
  readonly pythonName?: string;
}

export const PROGRAMS: readonly ProgramFacts[] = [
  {
    program: TARGET_NAMES.encoderfile,
    target: 'encoderfile',
    packageName: 'encoderfile',
    description: 'Build an encoder model (safetensors or ONNX) into a single executable that serves it',
    pythonName: 'encoderfile',
  },
  {
    program: TARGET_NAMES.manager,
    target: 'manager',
    packageName: '@encoderfile/mcp-manager',
    description: 'Run MCP servers and make them available over one HTTP API and one MCP endpoint',
  },
  {
    program: TARGET_NAMES.gateway,
    target: 'gateway',
    packageName: '@encoderfile/gateway',
    description: 'LLM gateway with API keys, users, budgets and usage tracking',
  },
];

/** Returns the file name of an executable in a release, for example `gateway-linux-x64`. */
export const executableName = (program: ReleasedProgram, platform: Platform): string =>
  `${program}-${shortName(platform)}${platform.exeSuffix}`;
