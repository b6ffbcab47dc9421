export { lowerColumns, narrowRows } from './resample';
export { buildTable, colorRow, decodeScan, greyRow, rgbRow } from './jpeg';

/** The first address that callers can use. */
export function start(): usize {
  return __heap_base;
}
