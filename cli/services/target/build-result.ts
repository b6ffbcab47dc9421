import { secondsText, formatBytes } from '#core/model/progress.ts';
import type { ReleasedProgram } from '#contract/platform-package.ts';
import { alignColumns, argumentWord, shownPath } from '../text.ts';

/** The programs that `target build` builds. */
export const TARGETS = ['encoderfile', 'manager', 'gateway'] as const;
export type BuildTarget = (typeof TARGETS)[number];

/** The names of the programs, as users type them. */
export const TARGET_NAMES = {
  encoderfile: 'encoderfile',
  manager: 'mcp-manager',
  gateway: 'gateway',
} as const satisfies Record<BuildTarget, ReleasedProgram>;

export interface TargetBuildResult {
  readonly target: BuildTarget;
  readonly path: string;
  readonly bytes: number;
  readonly platform: string;
  readonly seconds: number;
}

export function targetBuildText({ path, bytes, platform, seconds }: TargetBuildResult): string {
  const shown = shownPath(path);
  return alignColumns([
    ['File', `${shown} (${formatBytes(bytes)}, ${secondsText(seconds)})`],
    ['Platform', platform],
    ['Run', `${argumentWord(shown)} --help`],
  ]);
}
