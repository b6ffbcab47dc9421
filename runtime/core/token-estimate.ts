/** How many tokens a text of so many UTF-16 code units likely has, where nobody told: a quarter, rounded up. */
export const estimateTokens = (textLength: number): number => Math.ceil(textLength / 4);
