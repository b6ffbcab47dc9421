/**
 * How the first target of an alias is selected: at random by weight; the one that answered fastest lately; the one whose answer would
 * cost least; or the one with the fewest requests in flight, relative to its weight.
 */
export const STRATEGIES = ['weighted', 'fastest', 'cheapest', 'least_busy'] as const;

export type Strategy = (typeof STRATEGIES)[number];
