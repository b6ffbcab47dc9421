/** Zero characters and halves of surrogate pairs, which clients may send inside names; neither database keeps them as they are. */
const UNSTORABLE = /\0|\p{Surrogate}/gu;

export const isStorable = (text: string): boolean => storableText(text) === text;

export const storableText = (text: string): string => text.replace(UNSTORABLE, '\uFFFD');
