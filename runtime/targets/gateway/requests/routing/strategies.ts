/**
 * How to select an alias's first target: at random by weight; the target that has recently responded
 * fastest; the target whose response would cost least; or the target with the fewest requests in flight
 * relative to its weight.
 */
export const STRATEGIES = ['weighted', 'fastest', 'cheapest', 'least_busy'] as const;

export type Strategy = (typeof STRATEGIES)[number];
