import { BATCHING_TEXT } from '../../../runtime/contract/batching.ts';
import type { Manifest } from '../../../runtime/contract/manifest.ts';
import { duration, formatBytes } from '../../../runtime/core/model/progress.ts';
import { licenseText } from '../../../runtime/core/model/license-facts.ts';
import { sentenceFacts } from '../../../runtime/core/model/sentence-facts.ts';
import type { BuildPlan } from '../../packaging/plan.ts';
import { columns, shellWord, shortList, shownPath } from '../text.ts';

/** The result of a build. */
export interface BuildResult {
  readonly kind: BuildPlan['output']['kind'];
  readonly path: string;
  readonly bytes: number;
  readonly platform: string;
  readonly seconds: number;
  readonly manifest: Manifest;
}

/** Formats the summary at the end of a build. */
export function buildSummary({ kind, path, bytes, platform, seconds, manifest }: BuildResult): string {
  const shown = shownPath(path);
  const labels = manifest.id2label ? Object.values(manifest.id2label) : [];
  return columns([
    ['File', `${shown} (${formatBytes(bytes)}, ${duration(seconds)})`],
    ['Model', `${manifest.name} ${manifest.version}`],
    ['Type', `${manifest.modelType}, ${manifest.width} dimensions`],
    ...(labels.length > 0 ? [['Labels', shortList(labels)]] : []),
    ...sentenceFacts(manifest),
    ...(manifest.license ? [['License', licenseText(manifest.license)]] : []),
    ['Precision', manifest.precision],
    ['Batches', BATCHING_TEXT[manifest.batching ?? 'any']],
    ['Platform', platform],
    ...(kind === 'executable' ? [['Run', `${shellWord(shown)} infer "some text"`]] : []),
  ]);
}
