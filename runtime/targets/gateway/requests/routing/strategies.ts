/**
 * How to select an alias's first target: at random by weight; the one that has recently responded fastest;
 * the one whose response would cost least; or the one with the fewest requests in flight relative to its
 * weight.
 */
export const STRATEGIES = ['weighted', 'fastest', 'cheapest', 'least_busy'] as const;

export type Strategy = (typeof STRATEGIES)[number];
