import { imageName } from '../../../store/image-name.ts';
import type { DatasetCell, RowCells } from '../../datasets/dataset.ts';
import { cellJson } from '../evaluation/read-cells.ts';

/**
 * A row with the names of its images in place of their data. Otherwise, the outputs of each model would
 * contain all images of the dataset again.
 */
export const withImageNames = (row: RowCells): RowCells =>
  Object.fromEntries(Object.entries(row).map(([column, cell]) => [column, named(cell)]));

function named(cell: DatasetCell): DatasetCell {
  const name = imageName(cell);
  if (name !== undefined) return name;
  const items = cellJson(cell);
  if (!Array.isArray(items) || !items.some((item) => imageName(item) !== undefined)) return cell;
  return items.map((item: DatasetCell) => imageName(item) ?? item);
}
