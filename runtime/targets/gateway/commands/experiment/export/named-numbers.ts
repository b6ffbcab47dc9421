import { type ComparedModel, NUMBERS, numberOf } from '../assertions.ts';

/** All of a model's numbers by name: metrics, costs, tokens and latencies. */
export function namedNumbers(model: ComparedModel): Readonly<Record<string, number>> {
  const names = [...Object.keys(model.metrics), ...Object.keys(NUMBERS)];
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = numberOf(model, name);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
