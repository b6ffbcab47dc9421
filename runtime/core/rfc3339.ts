/** A time in milliseconds since 1970, with fractions, as RFC 3339 writes it in UTC, without zeros at the end. */
export function rfc3339(milliseconds: number): string {
  // A double holds times of today to a quarter of a microsecond; digits beyond would be made up.
  const microseconds = Math.round(milliseconds * 1000);
  const seconds = Math.floor(microseconds / 1_000_000);
  const fraction = String(microseconds - seconds * 1_000_000)
    .padStart(6, '0')
    .replace(/0+$/, '');
  const date = new Date(seconds * 1000).toISOString().slice(0, 19);
  return `${date}${fraction === '' ? '' : `.${fraction}`}Z`;
}
