import type { Cell } from '../datasets/dataset.ts';

/** What stands in a cell that ought to hold a text; of what is none, its JSON. */
export function readText(cell: Cell | undefined): string {
  if (typeof cell === 'string') return cell;
  return cell === null || cell === undefined ? '' : JSON.stringify(cell);
}
