import { basename, relative } from 'node:path';
import type { Manifest } from '../../../runtime/contract/manifest.ts';
import { duration, formatBytes } from '../../../runtime/core/progress.ts';
import type { BuildPlan } from '../../build/plan.ts';

/** What a build made. */
export interface BuildResult {
  readonly kind: BuildPlan['output']['kind'];
  readonly path: string;
  readonly bytes: number;
  readonly platform: string;
  readonly seconds: number;
  readonly manifest: Manifest;
}

/** The summary at the end of a build. */
export function buildSummary({ kind, path, bytes, platform, seconds, manifest }: BuildResult): string {
  const shown = relative(process.cwd(), path).startsWith('..') ? path : `./${relative(process.cwd(), path)}`;
  const labels = manifest.id2label ? Object.values(manifest.id2label) : [];
  const rows = [
    ['File', `${shown} (${formatBytes(bytes)}, ${duration(seconds)})`],
    ['Model', `${manifest.name} ${manifest.version}`],
    ['Type', `${manifest.modelType}, ${manifest.width} wide`],
    ...(labels.length > 0 ? [['Labels', shorten(labels)]] : []),
    ['Precision', manifest.precision],
    ['Platform', platform],
    ...(kind === 'executable' ? [['Run', `${quoted(shown)} infer "some text"`]] : []),
  ];
  return rows.map(([name = '', value]) => `${name.padEnd(10)} ${value}`).join('\n');
}

const MAX_LABELS = 12;
const shorten = (labels: readonly string[]): string =>
  labels.length <= MAX_LABELS
    ? labels.join(', ')
    : `${labels.slice(0, MAX_LABELS).join(', ')} and ${labels.length - MAX_LABELS} more`;

const quoted = (path: string): string =>
  /[^\w./-]/.test(basename(path)) ? `'${path.replaceAll("'", String.raw`'\''`)}'` : path;
