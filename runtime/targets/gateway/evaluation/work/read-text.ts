import type { DatasetCell } from '../datasets/dataset.ts';

/** The text of a cell. Values of other types are returned as JSON. */
export function cellText(cell: DatasetCell | undefined): string {
  if (typeof cell === 'string') return cell;
  return cell === null || cell === undefined ? '' : JSON.stringify(cell);
}
