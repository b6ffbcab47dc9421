/** A rectangle in pixels, in COCO's form: the corner with the smallest coordinates, width and height. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** An object in an image, by the ground truth. */
export interface TrueObject {
  readonly label: string;
  readonly box: Box;
  /** In square pixels; that of the object's outline, if it is known, can be smaller than that of the box. */
  readonly area: number;
  /** Whether the box contains a group of objects, of which any number can be found. */
  readonly isCrowd: boolean;
}

/** An object that a model found. */
export interface FoundObject {
  readonly label: string;
  readonly score: number;
  readonly box: Box;
}

export const areaOf = ({ width, height }: Box): number => width * height;

/**
 * The area that two boxes share, divided by the area that they cover together or, for a group of objects, by
 * that of the found box.
 */
export function overlapOf(found: Box, { box, isCrowd }: Pick<TrueObject, 'box' | 'isCrowd'>): number {
  const width = Math.min(found.x + found.width, box.x + box.width) - Math.max(found.x, box.x);
  const height = Math.min(found.y + found.height, box.y + box.height) - Math.max(found.y, box.y);
  if (width <= 0 || height <= 0) return 0;
  const shared = width * height;
  const covered = areaOf(found) + (isCrowd ? 0 : areaOf(box) - shared);
  return shared / covered;
}
