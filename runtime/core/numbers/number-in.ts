export interface NumberLimits {
  readonly min: number;
  readonly max: number;
  /** Whether the number must be an integer (default: true). */
  readonly whole?: boolean;
}

/** Parses a decimal number within limits; undefined for any other text. */
export function numberIn(text: string, { min, max, whole = true }: NumberLimits): number | undefined {
  const number = Number(text);
  const isNumber = (whole ? /^\d+$/ : /^(?:\d*\.)?\d+$/).test(text);
  return isNumber && number >= min && number <= max ? number : undefined;
}
