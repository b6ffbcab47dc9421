import type { Nanos } from './money.ts';

/** Prices of what is not billed by tokens of text. */
export interface UnitRates {
  /** Price of a web search that the provider makes. */
  readonly webSearch?: Nanos | undefined;
  /** Price of a request for which the provider searches the web, however often. */
  readonly searchedRequest?: Nanos | undefined;
  /** Price of a generated image. */
  readonly image?: Nanos | undefined;
  /** Price of a search unit of a reranker. */
  readonly query?: Nanos | undefined;
  /** Price per million input tokens that are images, in place of the price of other input tokens. */
  readonly imageInput?: Nanos | undefined;
  /** Price per million output tokens that are images, in place of the price of other output tokens. */
  readonly imageOutput?: Nanos | undefined;
}

/** How much of it a request used. */
export interface UnitCounts {
  readonly webSearches?: number | undefined;
  readonly images?: number | undefined;
  readonly queries?: number | undefined;
  /** The part of the input tokens that is images. */
  readonly imageInput?: number | undefined;
  /** The part of the output tokens that is images. */
  readonly imageOutput?: number | undefined;
}

const MILLION = 1_000_000n;

/** The cost of units, in addition to the cost of the same tokens as text, rounded half up to nano-dollars. */
export function unitCost(
  { webSearches = 0, images = 0, queries = 0, imageInput = 0, imageOutput = 0 }: UnitCounts,
  rates: UnitRates,
  text: { readonly input: Nanos; readonly output: Nanos },
): Nanos {
  const single =
    BigInt(webSearches) * (rates.webSearch ?? 0n) +
    (webSearches > 0 ? (rates.searchedRequest ?? 0n) : 0n) +
    BigInt(images) * (rates.image ?? 0n) +
    BigInt(queries) * (rates.query ?? 0n);
  const millions =
    BigInt(imageInput) * ((rates.imageInput ?? text.input) - text.input) +
    BigInt(imageOutput) * ((rates.imageOutput ?? text.output) - text.output);
  return single + (millions + MILLION / 2n) / MILLION;
}

/** Counts above 0 as JSON for the database; null if there are none. */
export function unitsToText(units: UnitCounts | undefined): string | null {
  const { webSearches, images, queries, imageInput, imageOutput } = units ?? {};
  const named = {
    web_searches: webSearches,
    images,
    queries,
    image_input_tokens: imageInput,
    image_output_tokens: imageOutput,
  };
  const present = Object.entries(named).filter(([, count]) => count !== undefined && count > 0);
  return present.length === 0 ? null : JSON.stringify(Object.fromEntries(present));
}
