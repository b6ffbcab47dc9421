/** Whether a value is in a closed list, such as the names of a union. */
export const isOneOf = <Item>(items: readonly Item[], value: unknown): value is Item =>
  items.some((item) => item === value);
