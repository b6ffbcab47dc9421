import type { Nanos } from './money.ts';

/** Prices of audio, per million tokens, seconds or characters. */
export interface AudioRates {
  /** Price of input audio, in place of the price of other input tokens. */
  readonly audioInput?: Nanos | undefined;
  /** Price of audio that a model speaks. */
  readonly audioOutput?: Nanos | undefined;
  readonly perSecond?: Nanos | undefined;
  readonly perCharacter?: Nanos | undefined;
}

/** What of a request is audio. */
export interface AudioCounts {
  /** The part of the input tokens that is audio. */
  readonly audioInput?: number | undefined;
  /** The part of the output tokens that is audio. */
  readonly audioOutput?: number | undefined;
  /** Length of the input audio. */
  readonly seconds?: number | undefined;
  /** Length of the text that a model speaks. */
  readonly characters?: number | undefined;
}

const MILLION = 1_000_000n;

/** The cost of audio, in addition to the cost of the same tokens as text, rounded up to nano-dollars. */
export function audioCost(
  { audioInput = 0, audioOutput = 0, seconds = 0, characters = 0 }: AudioCounts,
  rates: AudioRates,
  text: { readonly input: Nanos; readonly output: Nanos },
): Nanos {
  const millions =
    BigInt(audioInput) * ((rates.audioInput ?? text.input) - text.input) +
    BigInt(audioOutput) * ((rates.audioOutput ?? text.output) - text.output) +
    (BigInt(Math.round(seconds * 1000)) * (rates.perSecond ?? 0n)) / 1000n +
    BigInt(characters) * (rates.perCharacter ?? 0n);
  return millions > 0n ? (millions + MILLION - 1n) / MILLION : millions / MILLION;
}
