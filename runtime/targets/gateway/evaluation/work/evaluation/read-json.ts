import { parseJsonText } from '#core/json/json-text.ts';
import type { DatasetCell } from '../../datasets/dataset.ts';

/** The value of a cell. Lists and objects in CSV cells are parsed; other values are returned unchanged. */
export function cellJson(cell: DatasetCell | undefined): unknown {
  if (typeof cell !== 'string' || !/^\s*[[{]/.test(cell)) return cell;
  try {
    return parseJsonText(cell);
  } catch {
    return cell;
  }
}
