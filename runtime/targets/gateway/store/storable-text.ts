/** Null characters and lone surrogates. Clients can send them, but neither database stores them unchanged. */
const UNSTORABLE = /\0|\p{Surrogate}/gu;

export const isStorable = (text: string): boolean => storableText(text) === text;

export const storableText = (text: string): string => text.replace(UNSTORABLE, '\uFFFD');
