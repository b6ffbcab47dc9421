const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** When something ends, in milliseconds since 1970: `30d` from now, or a date. Undefined if it is neither. */
export function parseExpiry(text: string, now: number): number | undefined {
  const [, count, unit = ''] = /^(\d{1,6})([mhdw])$/.exec(text.trim()) ?? [];
  const milliseconds = UNITS[unit];
  if (count !== undefined && milliseconds !== undefined) return now + Number(count) * milliseconds;
  const isDate = /^\d{4}-\d\d-\d\d(T[\d:.]+(Z|[+-]\d\d:\d\d))?$/.test(text.trim());
  const time = isDate ? Date.parse(text.trim()) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}

export const EXPIRY_RULE = 'a number and m, h, d or w, as 30d, or a date, as 2027-01-31';
