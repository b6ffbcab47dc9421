/** Prices per million tokens. */
export const RATES = ['input', 'output', 'cached_input', 'cache_write', 'cache_write_1h'] as const;
/** Prices of what is not text: tokens of audio and images per million, everything else per unit. */
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
  /** Prices of requests whose prompt has more than `above` tokens, lowest first. What a tier lacks stays as it is. */
  readonly tiers?: readonly (ListedRates & { readonly above: number })[];
  readonly batch?: ListedRates;
}

/** Prices by provider and model, in lower case. A text is another name of the model that it names. */
export type ListedModels = Readonly<Record<string, Readonly<Record<string, ListedModel | string>>>>;
