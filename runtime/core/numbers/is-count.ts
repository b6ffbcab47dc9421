/** Whether a value is a whole number that counts something: 0 or more, and exact. */
export const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
