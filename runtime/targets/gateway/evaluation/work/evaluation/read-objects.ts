import { inputError } from '#contract/errors.ts';
import { isObject } from '#core/json/is-object.ts';
import type { DatasetCell } from '../../datasets/dataset.ts';
import { areaOf, type Box, type FoundObject, type TrueObject } from '../../metrics/detection/boxes.ts';
import { cellJson } from './read-cells.ts';

/** Maximum number of objects per image, because each found one is compared with each true one. */
const MAX_OBJECTS = 2000;

/** Larger coordinates would make areas infinite. */
const MAX_COORDINATE = 1e9;

const EXAMPLE = '[{"label": "cat", "box": {"xmin": 10, "ymin": 20, "xmax": 110, "ymax": 80}}]';

/**
 * The objects in an image's ground truth. A box consists of its corners or, as `bbox` in COCO's form, of
 * left, top, width and height. `area` and `iscrowd` are those of COCO. An empty list means that there is
 * nothing to find. Throws an InputError for any other value.
 */
export const readTrueObjects = (cell: DatasetCell | undefined): readonly TrueObject[] =>
  listIn(cell).map((one) => {
    const { label, box } = readObject(one);
    const { area = areaOf(box), iscrowd: isCrowd = 0 } = one;
    if (!isCoordinate(area) || area < 0) throw invalid(one, '`area` must be a number of at least 0');
    if (isCrowd !== 0 && isCrowd !== 1 && typeof isCrowd !== 'boolean')
      throw invalid(one, '`iscrowd` must be 0 or 1');
    return { label, box, area, isCrowd: Boolean(isCrowd) };
  });

/** The objects in a model's answer, which have scores. */
export const readFoundObjects = (cell: DatasetCell | undefined): readonly FoundObject[] =>
  listIn(cell).map((one) => {
    const { score } = one;
    if (typeof score !== 'number' || !Number.isFinite(score)) throw invalid(one, '`score` must be a number');
    return { ...readObject(one), score };
  });

type Members = Readonly<Record<string, unknown>>;

function listIn(cell: DatasetCell | undefined): readonly Members[] {
  const list = cellJson(cell);
  if (!Array.isArray(list) || !list.every(isObject))
    throw inputError(`${shown(cell)} is not a list of objects with boxes, e.g. ${EXAMPLE}.`);
  if (list.length <= MAX_OBJECTS) return list;
  throw inputError(`An image has ${list.length} objects; the maximum is ${MAX_OBJECTS}.`);
}

function readObject(one: Members): { readonly label: string; readonly box: Box } {
  const { label } = one;
  if (typeof label !== 'string' && typeof label !== 'number') throw invalid(one, '`label` is missing');
  return { label: String(label), box: boxOf(one) };
}

function boxOf(one: Members): Box {
  const { box, bbox } = one;
  const isCorners = isObject(box);
  const [x, y, width, height]: readonly unknown[] = isCorners ? sizeOf(box) : Array.isArray(bbox) ? bbox : [];
  const hasFour = isCorners || (Array.isArray(bbox) && bbox.length === 4);
  if (hasFour && isCoordinate(x) && isCoordinate(y) && isCoordinate(width) && isCoordinate(height)) {
    if (width >= 0 && height >= 0) return { x, y, width, height };
    throw invalid(one, 'its box has a negative width or height');
  }
  throw invalid(
    one,
    '`box` must have the numbers `xmin`, `ymin`, `xmax` and `ymax`, or `bbox` must be a list of left, top, width and height',
  );
}

function sizeOf({ xmin, ymin, xmax, ymax }: Members): readonly unknown[] {
  const minus = (one: unknown, other: unknown) =>
    typeof one === 'number' && typeof other === 'number' ? one - other : undefined;
  return [xmin, ymin, minus(xmax, xmin), minus(ymax, ymin)];
}

const isCoordinate = (value: unknown): value is number =>
  typeof value === 'number' && Math.abs(value) <= MAX_COORDINATE;

const MAX_SHOWN = 120;

const shown = (value: unknown): string => JSON.stringify(value ?? null).slice(0, MAX_SHOWN);

const invalid = (one: Members, rule: string): Error => inputError(`Invalid object ${shown(one)}: ${rule}.`);
