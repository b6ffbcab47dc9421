import { parseJsonText } from '../../../../../core/json/json-text.ts';
import type { Cell } from '../../datasets/dataset.ts';

/** A cell of JSON lines as it is; one of CSV that holds a list or an object, as that. */
export function readJson(cell: Cell | undefined): unknown {
  if (typeof cell !== 'string' || !/^\s*[[{]/.test(cell)) return cell;
  try {
    return parseJsonText(cell);
  } catch {
    return cell;
  }
}
