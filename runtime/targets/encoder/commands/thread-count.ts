/**
 * Number of threads for texts that are run once. With short texts and a small model, starting a
 * second thread costs more than it saves. Measured cold on 2 cores with one short text: 90 MB of
 * weights take 139 ms with one thread and 152 ms with two, 435 MB of weights take 345 ms and 310
 * ms.
 */
export function threadsForOneRun(weightsBytes: number, characters: number, cores: number): number {
  return weightsBytes <= SMALL_WEIGHTS && characters <= LITTLE_TEXT ? 1 : cores;
}

const SMALL_WEIGHTS = 200_000_000;
const LITTLE_TEXT = 500;
