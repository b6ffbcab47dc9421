import {
  outputSize,
  graphFacts,
  imageFacts,
  scoreFacts,
  multiVectorFacts,
  pairFacts,
  sentenceFacts,
  licenseFacts,
} from '#core/model/manifest-facts.ts';
import type { Manifest } from '#contract/manifest.ts';
import type { FoundFiles } from '../../packaging/model/locate-files.ts';
import { alignColumns, shortList, shownPath } from '../text.ts';

/** The result of a successful validation. */
export interface ValidateResult {
  /** Path of the config file, or of the model folder that was named instead. */
  readonly config: string;
  /** The command that builds the model with the same settings. */
  readonly next: string;
  readonly files: FoundFiles;
  /** Names of the files from which the tokenizer was read or converted; undefined if the model reads images. */
  readonly tokenizerOrigin?: string;
  readonly vocabularySize?: number;
  readonly manifest: Manifest;
}

export function validateSummary({
  next,
  files,
  tokenizerOrigin,
  vocabularySize,
  manifest,
}: ValidateResult): string {
  const labels = manifest.id2label ? Object.values(manifest.id2label) : [];
  const { maxLength, truncationSide } = manifest.tokenizer;
  return alignColumns([
    ['Model', `${manifest.name} ${manifest.version}`],
    ['Weights', shownPath(files.weights)],
    ...(tokenizerOrigin === undefined ? [] : [['Tokenizer', tokenizerOrigin]]),
    ['Type', `${manifest.modelType}, ${outputSize(manifest)}`],
    ...(labels.length > 0 ? [['Labels', shortList(labels)]] : []),
    ...scoreFacts(manifest),
    ...sentenceFacts(manifest),
    ...pairFacts(manifest),
    ...multiVectorFacts(manifest),
    ...licenseFacts(manifest),
    ['Inputs', manifest.inputs.join(', ')],
    ...graphFacts(manifest),
    ['Output', manifest.output],
    ['Precision', manifest.precision],
    ...(vocabularySize !== undefined
      ? [
          [
            'Tokens',
            `${vocabularySize} in the vocabulary; texts up to ${maxLength}, truncated on the ${truncationSide}`,
          ],
        ]
      : imageFacts(manifest)),
    ['Ready', next],
  ]);
}
