import { type ModelType, readsImages } from '#contract/model-types.ts';
import {
  outputSize,
  graphFacts,
  multiVectorFacts,
  pairFacts,
  sentenceFacts,
  batchingText,
  licenseText,
  sparseFacts,
} from '#core/model/manifest-facts.ts';
import type { Manifest } from '#contract/manifest.ts';
import { secondsText, formatBytes } from '#core/model/progress.ts';
import { GUESSED_TYPES } from '../../packaging/model/build-types.ts';
import { type BuildPlan, isArchive } from '../../packaging/plan.ts';
import { alignColumns, argumentWord, shortList, shownPath } from '../text.ts';

/** The result of a build. */
export interface BuildResult {
  readonly kind: BuildPlan['output']['kind'];
  readonly path: string;
  readonly bytes: number;
  /** Image name and tag, and digest of the manifest. */
  readonly image?: string;
  readonly digest?: string;
  readonly platform: string;
  readonly seconds: number;
  readonly manifest: Manifest;
}

/** Formats the summary at the end of a build. */
export function buildSummary(result: BuildResult): string {
  const { path, bytes, image, digest, platform, seconds, manifest } = result;
  const shown = shownPath(path);
  const labels = manifest.id2label ? Object.values(manifest.id2label) : [];
  return alignColumns([
    ['File', `${shown} (${formatBytes(bytes)}, ${secondsText(seconds)})`],
    ...(image === undefined || digest === undefined ? [] : [['Image', `${image}, ${digest}`]]),
    ['Model', `${manifest.name} ${manifest.version}`],
    ['Type', `${manifest.modelType}, ${outputSize(manifest)}`],
    ...(labels.length > 0 ? [['Labels', shortList(labels)]] : []),
    ...sentenceFacts(manifest),
    ...pairFacts(manifest),
    ...sparseFacts(manifest),
    ...multiVectorFacts(manifest),
    ...(manifest.license ? [['License', licenseText(manifest.license)]] : []),
    ['Precision', manifest.precision],
    ...graphFacts(manifest),
    ['Batches', batchingText(manifest)],
    ['Platform', platform],
    ...nextStep(result, argumentWord(shown)),
  ]);
}

/** Options and inputs of an `infer` command for a model type. */
export function inferExample(modelType: ModelType): string {
  const { inferOptions: options, inferInputs } = GUESSED_TYPES[modelType];
  const inputs = inferInputs ?? (readsImages(modelType) ? 'photo.jpg' : '"some text"');
  return options === undefined ? inputs : `${options} ${inputs}`;
}

/** The command to run next: it starts the executable, or loads the image. */
function nextStep(
  { kind, path, image, manifest }: BuildResult,
  shown: string,
): [label: string, command: string][] {
  if (kind === 'assets') return [];
  if (kind === 'executable') return [['Run', `${shown} infer ${inferExample(manifest.modelType)}`]];
  if (isArchive(path)) return [['Load', `podman load -i ${shown}`]];
  return [['Load', `skopeo copy oci:${shown} containers-storage:${image}`]];
}
