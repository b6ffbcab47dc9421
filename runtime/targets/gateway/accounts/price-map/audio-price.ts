import { nanosOf, type Nanos } from '../../shared/money.ts';
import type { TokenPrice } from '../../shared/price.ts';
import type { ListedPrice } from './price-map.ts';

const UNITS_PER_PRICE = 1_000_000;

/**
 * The price of a model with audio input or output: by tokens, or by seconds or characters if the map has no
 * token price for it.
 */
export function audioPrice(found: ListedPrice | undefined): TokenPrice | undefined {
  if (!found) return undefined;
  const { listed, price, source } = found;
  const { audio_input: audioInput, audio_output: audioOutput } = listed;
  const { per_second: second, per_character: character } = listed;
  if (price)
    return {
      ...price,
      audio: { audioInput: million(audioInput, 1), audioOutput: million(audioOutput, 1) },
    };
  if (second === undefined && character === undefined) return undefined;
  return {
    input: 0n,
    output: 0n,
    cachedInput: null,
    source,
    audio: {
      perSecond: million(second, UNITS_PER_PRICE),
      perCharacter: million(character, UNITS_PER_PRICE),
    },
  };
}

/** Price per million. Amounts in a validated map are valid. */
const million = (dollars: number | undefined, factor: number): Nanos | undefined =>
  dollars === undefined ? undefined : nanosOf(Number((dollars * factor).toPrecision(9)));
