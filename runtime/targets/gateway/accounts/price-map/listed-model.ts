/** Prices per million tokens. */
export const RATES = ['input', 'output', 'cached_input', 'cache_write', 'cache_write_1h'] as const;
/** Prices for everything but text: audio and image tokens per million, everything else per unit. */
export const EXTRA_RATES = [
  'audio_input',
  'audio_output',
  'image_input',
  'image_output',
  'per_image',
  'per_input_image',
  'per_second',
  'per_output_second',
  'per_character',
  'per_query',
  'per_page',
  'web_search',
  'searched_request',
] as const;

export type ListedRates = Readonly<Partial<Record<(typeof RATES)[number], number>>>;
export type ExtraRates = Readonly<Partial<Record<(typeof EXTRA_RATES)[number], number>>>;

export interface ListedModel extends ListedRates, ExtraRates {
  /**
   * Prices for requests whose prompt has more than `above` tokens, lowest first. Prices missing from a tier
   * stay unchanged.
   */
  readonly tiers?: readonly (ListedRates & { readonly above: number })[];
  readonly batch?: ListedRates;
}

/** Prices by provider and model, in lower case. A string is an alias for the model with that name. */
export type ListedModels = Readonly<Record<string, Readonly<Record<string, ListedModel | string>>>>;
