import { duration, formatBytes } from '../../../runtime/core/model/progress.ts';
import { columns, shellWord, shownPath } from '../text.ts';

/** The programs that `target build` builds. */
export const TARGETS = ['encoderfile', 'manager', 'gateway'] as const;
export type Target = (typeof TARGETS)[number];

export interface TargetBuildResult {
  readonly target: Target;
  readonly path: string;
  readonly bytes: number;
  readonly platform: string;
  readonly seconds: number;
}

export function targetBuildText({ path, bytes, platform, seconds }: TargetBuildResult): string {
  const shown = shownPath(path);
  return columns([
    ['File', `${shown} (${formatBytes(bytes)}, ${duration(seconds)})`],
    ['Platform', platform],
    ['Run', `${shellWord(shown)} --help`],
  ]);
}
