/** Samples of one component, with the size that belongs to the image and the size of a row in memory. */
export interface Plane {
  readonly samples: Uint8Array;
  readonly width: number;
  readonly height: number;
  readonly stride: number;
}

/** Below this width, libjpeg repeats samples instead of interpolating horizontally. */
const SMALLEST_INTERPOLATED = 3;

/**
 * Enlarges a component by whole factors, with the interpolation of libjpeg ("fancy upsampling"): a new sample is
 * three quarters of the nearest sample and one quarter of the next one.
 */
export function upsample(plane: Plane, factorX: number, factorY: number): Plane {
  if (factorX === 1 && factorY === 1) return plane;
  const isWide = plane.width >= SMALLEST_INTERPOLATED;
  if (factorX === 2 && factorY === 1 && isWide) return interpolated(plane, 1);
  if (factorX === 2 && factorY === 2 && isWide) return interpolated(plane, 2);
  if (factorX === 1 && factorY === 2) return interpolatedRows(plane);
  return repeated(plane, factorX, factorY);
}

function repeated({ samples, width, height, stride }: Plane, factorX: number, factorY: number): Plane {
  const result = emptyPlane(width * factorX, height * factorY);
  for (let row = 0; row < result.height; row += 1) {
    const from = Math.trunc(row / factorY) * stride;
    for (let column = 0; column < result.width; column += 1) {
      result.samples[row * result.stride + column] = samples[from + Math.trunc(column / factorX)] ?? 0;
    }
  }
  return result;
}

const emptyPlane = (width: number, height: number): Plane => ({
  samples: new Uint8Array(width * height),
  width,
  height,
  stride: width,
});

/** The start of the row whose samples count one quarter; the first and the last row are repeated. */
function otherRow(row: number, { height, stride }: Plane): number {
  const nearest = row >> 1;
  const other = row % 2 === 0 ? Math.max(nearest - 1, 0) : Math.min(nearest + 1, height - 1);
  return other * stride;
}

/** Doubles the height. */
function interpolatedRows(plane: Plane): Plane {
  const { samples, width, height, stride } = plane;
  const result = emptyPlane(width, height * 2);
  for (let row = 0; row < result.height; row += 1) {
    const near = (row >> 1) * stride;
    const far = otherRow(row, plane);
    const half = row % 2 === 0 ? 1 : 2;
    for (let column = 0; column < width; column += 1) {
      result.samples[row * width + column] =
        ((samples[near + column] ?? 0) * 3 + (samples[far + column] ?? 0) + half) >> 2;
    }
  }
  return result;
}

/** Doubles the width, and also the height if `factorY` is 2. */
function interpolated(plane: Plane, factorY: 1 | 2): Plane {
  const { samples, width, height, stride } = plane;
  const result = emptyPlane(width * 2, height * factorY);
  const sums = new Int32Array(width);
  const [bits, half] = factorY === 1 ? [2, [1, 2]] : [4, [8, 7]];
  const [halfLeft = 0, halfRight = 0] = half;
  for (let row = 0; row < result.height; row += 1) {
    const near = (factorY === 1 ? row : row >> 1) * stride;
    const far = otherRow(row, plane);
    for (let column = 0; column < width; column += 1) {
      sums[column] =
        factorY === 1
          ? (samples[near + column] ?? 0)
          : (samples[near + column] ?? 0) * 3 + (samples[far + column] ?? 0);
    }
    const to = row * result.stride;
    for (let column = 0; column < width; column += 1) {
      const sum = sums[column] ?? 0;
      const left = sums[Math.max(column - 1, 0)] ?? 0;
      const right = sums[Math.min(column + 1, width - 1)] ?? 0;
      result.samples[to + column * 2] = (sum * 3 + left + halfLeft) >> bits;
      result.samples[to + column * 2 + 1] = (sum * 3 + right + halfRight) >> bits;
    }
  }
  return result;
}
