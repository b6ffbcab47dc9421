import { readFile } from 'node:fs/promises';
import { configError } from '#contract/errors.ts';
import { errorCode } from '#core/values/error-code.ts';
import { readOwnText } from '../../adapters/own-files.ts';

/** Texts for quantization. */
export interface CalibrationTexts {
  /** Texts whose hidden states are used to compute scales and factors. */
  readonly calibration: readonly string[];
  /** Texts for measuring the accuracy. */
  readonly heldOut: readonly string[];
}

const OWN_TEXTS = 'templates/calibration.txt';
/** Minimum number of texts. Fewer texts are not sufficient to measure the accuracy. */
const MIN_TEXTS = 40;
/** Maximum number of texts to use. More texts take more time, but hardly change the result. */
const MAX_TEXTS = 600;
const MAX_FILE_BYTES = 64 * 2 ** 20;

/** Reads the user's texts, one per line, or the built-in ones. */
export async function readCalibrationTexts(file: string | undefined): Promise<CalibrationTexts> {
  if (file === undefined) return splitSamples(linesOf(readOwnText(OWN_TEXTS)));
  const lines = linesOf(await readTexts(file));
  if (lines.length >= MIN_TEXTS) return splitSamples(spread(lines, MAX_TEXTS));
  throw configError(
    `\`calibration\` is ${file}, which has ${lines.length} different texts; at least ${MIN_TEXTS} are required. Add lines, one text each, or remove \`calibration\` to use encoderfile's texts.`,
  );
}

async function readTexts(file: string): Promise<string> {
  try {
    const bytes = await readFile(file);
    if (bytes.byteLength <= MAX_FILE_BYTES) return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    const code = errorCode(error);
    const problem =
      code === 'ENOENT'
        ? 'which does not exist'
        : code === 'EISDIR'
          ? 'which is a folder'
          : code === undefined || error instanceof TypeError
            ? 'which is not UTF-8 text'
            : `which cannot be read (${code})`;
    throw configError(
      `\`calibration\` is ${file}, ${problem}. Set it to a text file with one text per line.`,
      error,
    );
  }
  throw configError(
    `\`calibration\` is ${file}, which is larger than ${MAX_FILE_BYTES / 2 ** 20} MiB; a few hundred texts are enough. Use a smaller file.`,
  );
}

const linesOf = (text: string): string[] => [
  ...new Set(
    text
      .split(/\r?\n/)
      .map((line) => line.trim())
      .filter((line) => line !== ''),
  ),
];

/** Selects at most `count` items, evenly distributed over the list. */
export const spread = <Item>(items: readonly Item[], count: number): readonly Item[] =>
  items.length <= count
    ? items
    : Array.from({ length: count }, (_, at) => items[Math.floor((at * items.length) / count)] as Item);

/** Holds out every second sample, so that calibration and held-out samples are of the same kinds. */
export const splitSamples = <Sample>(samples: readonly Sample[]) => ({
  calibration: samples.filter((_, at) => at % 2 === 0),
  heldOut: samples.filter((_, at) => at % 2 === 1),
});
