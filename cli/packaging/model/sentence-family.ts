import type { SentenceSettings } from '#contract/sentence.ts';
import type { Reporter } from '../reporter.ts';
import type { FoundFamily } from './pooling-families.ts';
import type { SentenceDefaults } from './sentence-defaults.ts';
import type { SentenceSource } from './sentence-settings.ts';

/** Where a pooling mode comes from: files of sentence-transformers, a family, or nothing. */
export type PoolingOrigin = 'files' | FoundFamily | 'assumed';

/** Adds the settings of a published family to those of a model without files of sentence-transformers. */
export function withFamily(defaults: SentenceDefaults, family: FoundFamily): SentenceDefaults {
  const { pooling, normalize, prompts } = family;
  const hasPrompts = Object.keys(defaults.prompts).length > 0;
  return { ...defaults, pooling, normalize, prompts: hasPrompts ? defaults.prompts : prompts };
}

/** Reports a pooling mode that no file of the model states. The result depends on it, so it is never chosen silently. */
export function reportPooling(
  { pooling: modes, normalize }: SentenceSettings,
  { config, file, transforms }: SentenceSource,
  origin: PoolingOrigin,
  report: Reporter,
): void {
  const pooling = [modes].flat().join(' and ');
  if (origin === 'files' || config.pooling !== undefined || transforms || pooling === 'none') return;
  if (origin !== 'assumed') {
    report.print(
      `Pooling: ${pooling}${normalize ? ', L2-normalized' : ''} (${origin.name} family, ${origin.from})`,
    );
    return;
  }
  report.warn(
    `Pooling is assumed to be ${pooling}${normalize ? ', L2-normalized' : ', not normalized'}: the model has no 1_Pooling/config.json, and its name belongs to no known family. ` +
      `Set \`pooling\` and \`normalize\` in ${file} as its model card states.`,
  );
}
