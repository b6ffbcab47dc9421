/**
 * Limits a text that a client chose. The result is a copy: a slice of a long text would keep all of it in memory until the span is
 * sent.
 */
export const boundedText = (text: string, maxLength: number): string =>
  text.length <= maxLength ? text : Buffer.from(text.slice(0, maxLength)).toString();
