/** What quality is weighed against: cost per row, median latency or tokens per row. */
export const AMOUNTS = ['cost', 'latency', 'tokens'] as const;
export type Amount = (typeof AMOUNTS)[number];
