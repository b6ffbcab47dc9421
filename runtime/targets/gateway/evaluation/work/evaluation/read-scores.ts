import { isObject } from '#core/json/is-object.ts';
import type { RowCells } from '../../datasets/dataset.ts';
import { cellJson } from './read-json.ts';

/** The scores of all labels of a row; undefined if there are none. */
export function scoresOf({ scores: cell }: RowCells): Readonly<Record<string, number>> | undefined {
  const value = cellJson(cell);
  if (!isObject(value) || Object.keys(value).length === 0) return undefined;
  return areNumbers(value) ? value : undefined;
}

const areNumbers = (
  members: Readonly<Record<string, unknown>>,
): members is Readonly<Record<string, number>> =>
  Object.values(members).every((score) => typeof score === 'number');
