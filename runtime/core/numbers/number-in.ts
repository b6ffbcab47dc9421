export interface NumberLimits {
  readonly min: number;
  readonly max: number;
  /** Whether the number must be an integer. Default: true. */
  readonly whole?: boolean;
}

/** Parses a decimal number within limits; returns undefined for any other string. */
export function numberIn(text: string, { min, max, whole = true }: NumberLimits): number | undefined {
  const number = Number(text);
  const isNumber = (whole ? /^\d+$/ : /^(?:\d*\.)?\d+$/).test(text);
  return isNumber && number >= min && number <= max ? number : undefined;
}
