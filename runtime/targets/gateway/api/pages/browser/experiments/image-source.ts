/** The first characters of base64 in the formats that models read. */
const TYPES = [
  { start: 'iVBORw0KGg', type: 'png' },
  { start: '/9j/', type: 'jpeg' },
  { start: 'R0lGOD', type: 'gif' },
  { start: 'UklGR', type: 'webp' },
];

/**
 * The address with which a page shows an image that is in base64 or a data: URL; undefined for any other text.
 * The type is that of the data, whatever the URL declares.
 */
export function imageSource(text: string): string | undefined {
  const data = text.replace(/^data:[^,]{0,200};base64,/i, '');
  const found = TYPES.find(({ start }) => data.startsWith(start));
  return found && `data:image/${found.type};base64,${data}`;
}
