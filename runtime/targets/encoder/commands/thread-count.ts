/**
 * Number of threads for a single run of the model. With short texts and a small model, starting a
 * second thread takes more time than it saves. A cold run with one short text on 2 cores takes 139
 * ms with one thread and 152 ms with two for 90 MB of weights, and 345 ms and 310 ms for 435 MB of
 * weights (measured).
 */
export function threadsForOneRun(weightsBytes: number, characters: number, cores: number): number {
  return weightsBytes <= SMALL_WEIGHTS && characters <= LITTLE_TEXT ? 1 : cores;
}

const SMALL_WEIGHTS = 200_000_000;
const LITTLE_TEXT = 500;
