/** Estimates the tokens of a text from its length in UTF-16 code units: a quarter, rounded up. */
export const estimateTokens = (textLength: number): number => Math.ceil(textLength / 4);
