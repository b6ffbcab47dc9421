import {
  hint,
  listOf,
  listOfValid,
  objectOf,
  type Shape,
  dateTime,
  numberFrom,
  oneOf,
  record,
  text,
} from './shape.ts';

export const role: Shape = oneOf('user', 'assistant');

export const annotations: Shape = objectOf({
  audience: hint(listOf(role)),
  priority: hint(numberFrom(0, 1)),
  lastModified: hint(dateTime),
});

const icon = objectOf({
  src: text,
  mimeType: hint(text),
  sizes: hint(listOf(text)),
  theme: hint(oneOf('light', 'dark')),
});

/** The optional members of all listed items. */
export const LISTED_HINTS = {
  title: hint(text),
  description: hint(text),
  icons: hint(listOfValid(icon)),
  _meta: hint(record),
} as const;
