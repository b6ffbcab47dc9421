import { RGB, type RgbImage } from './rgb-image.ts';

/** Returns a number from 0 to 1, without 1. */
type Random = () => number;
type Color = readonly [red: number, green: number, blue: number];

/**
 * Draws an image that is the same for the same number: textures with the statistics of photographs, shapes,
 * patterns, and pages with lines of strokes. They stand for the images of a user, without showing persons or
 * the work of others.
 */
export function drawnImage(number: number, { width, height }: Omit<RgbImage, 'pixels'>): RgbImage {
  const random = randomFrom(number);
  const image = { width, height, pixels: new Uint8Array(width * height * RGB) };
  MOTIFS[number % MOTIFS.length]?.(image, random);
  return image;
}

const MOTIFS: readonly ((image: RgbImage, random: Random) => void)[] = [
  drawTexture,
  drawScene,
  drawShapes,
  drawPattern,
  drawPage,
];

/** Noise of several scales: neighbors are similar, as in photographs. */
function drawTexture(image: RgbImage, random: Random): void {
  const [dark, light] = [randomColor(random), randomColor(random)];
  const noise = noiseOf(random, 2 + random() * 6);
  fill(image, (x, y) => mixed(dark, light, noise(x / image.width, y / image.height)));
}

/** A bright and a dark area with a rough border, as a sky above a landscape, and shapes in front of it. */
function drawScene(image: RgbImage, random: Random): void {
  const [top, middle, ground, soil] = [random, random, random, random].map(randomColor) as [
    Color,
    Color,
    Color,
    Color,
  ];
  const horizon = 0.3 + random() * 0.4;
  const [rough, noise] = [noiseOf(random, 3), noiseOf(random, 12)];
  fill(image, (x, y) => {
    const [column, row] = [x / image.width, y / image.height];
    const border = horizon + (rough(column, 0.5) - 0.5) * 0.4;
    return row < border ? mixed(top, middle, row / border) : mixed(ground, soil, noise(column, row));
  });
  drawEllipses(image, random, 2);
}

function drawShapes(image: RgbImage, random: Random): void {
  const background = randomColor(random);
  fill(image, () => background);
  drawEllipses(image, random, 1 + Math.floor(random() * 4));
  drawRectangles(image, random, 1 + Math.floor(random() * 4));
}

/** Stripes or a checkerboard in any direction. */
function drawPattern(image: RgbImage, random: Random): void {
  const [first, second] = [randomColor(random), randomColor(random)];
  const angle = random() * Math.PI;
  const size = 4 + random() * 40;
  const [cos, sin] = [Math.cos(angle) / size, Math.sin(angle) / size];
  const isBoard = random() < 0.5;
  fill(image, (x, y) => {
    const row = isBoard ? Math.floor(y * cos - x * sin) : 0;
    return (Math.floor(x * cos + y * sin) + row) & 1 ? first : second;
  });
}

/** Dark strokes in lines on a bright page. */
function drawPage(image: RgbImage, random: Random): void {
  const { width, height } = image;
  const [paper, ink] = [randomColor(random), randomColor(random)];
  fill(image, () => mixed(paper, WHITE, 0.8));
  const size = Math.max(6, Math.round(height / (8 + random() * 20)));
  for (let top = size; top + size < height; top += Math.round(size * 1.6)) {
    for (let left = size; left + size < width * (0.5 + random() * 0.5); left += Math.ceil(size * 0.5)) {
      if (random() < 0.2) continue;
      const stroke = Math.max(1, Math.round(size / 8));
      const color = mixed(ink, BLACK, 0.7);
      const isUpright = random() < 0.6;
      fillBox(
        image,
        left,
        top + Math.round(random() * size * 0.5),
        isUpright ? stroke : size / 3,
        isUpright ? size * 0.7 : stroke,
        color,
      );
    }
  }
}

function drawEllipses(image: RgbImage, random: Random, count: number): void {
  const { width, height } = image;
  for (let drawn = 0; drawn < count; drawn += 1) {
    const color = randomColor(random);
    const [x, y] = [random() * width, random() * height];
    const [ofWidth, ofHeight] = [width * (0.05 + random() * 0.3), height * (0.05 + random() * 0.3)];
    paint(image, x - ofWidth, y - ofHeight, 2 * ofWidth, 2 * ofHeight, (column, row) =>
      ((column - x) / ofWidth) ** 2 + ((row - y) / ofHeight) ** 2 < 1 ? color : undefined,
    );
  }
}

function drawRectangles(image: RgbImage, random: Random, count: number): void {
  for (let drawn = 0; drawn < count; drawn += 1) {
    const [width, height] = [image.width * (0.1 + random() * 0.4), image.height * (0.1 + random() * 0.4)];
    fillBox(image, random() * image.width, random() * image.height, width, height, randomColor(random));
  }
}

function fillBox(
  image: RgbImage,
  left: number,
  top: number,
  width: number,
  height: number,
  color: Color,
): void {
  paint(image, left, top, width, height, () => color);
}

const fill = (image: RgbImage, colorAt: (x: number, y: number) => Color): void =>
  paint(image, 0, 0, image.width, image.height, colorAt);

/** Paints the part of a rectangle that is in the image. Pixels without a color are kept. */
function paint(
  image: RgbImage,
  left: number,
  top: number,
  width: number,
  height: number,
  colorAt: (x: number, y: number) => Color | undefined,
): void {
  const [right, bottom] = [Math.min(image.width, left + width), Math.min(image.height, top + height)];
  for (let y = Math.max(0, Math.floor(top)); y < bottom; y += 1) {
    for (let x = Math.max(0, Math.floor(left)); x < right; x += 1) {
      const color = colorAt(x, y);
      if (!color) continue;
      const at = (y * image.width + x) * RGB;
      [image.pixels[at], image.pixels[at + 1], image.pixels[at + 2]] = color;
    }
  }
}

/** Noise from 0 to 1 for places from 0 to 1: the mean of grids of random values with growing detail. */
function noiseOf(random: Random, cells: number): (x: number, y: number) => number {
  const grids = Array.from({ length: OCTAVES }, () => Float32Array.from({ length: GRID * GRID }, random));
  return (x, y) => {
    let sum = 0;
    let weights = 0;
    for (const [octave, grid] of grids.entries()) {
      const weight = 0.6 ** octave;
      const scale = cells * 2 ** octave;
      sum += weight * valueAt(grid, x * scale, y * scale);
      weights += weight;
    }
    return sum / weights;
  };
}

const OCTAVES = 4;
/** Cells per side of a grid. Beyond them, it repeats. */
const GRID = 64;

function valueAt(grid: Float32Array, x: number, y: number): number {
  const [left, top] = [Math.floor(x), Math.floor(y)];
  const at = (column: number, row: number): number => grid[(row % GRID) * GRID + (column % GRID)] ?? 0;
  const [across, down] = [smooth(x - left), smooth(y - top)];
  const upper = at(left, top) * (1 - across) + at(left + 1, top) * across;
  const lower = at(left, top + 1) * (1 - across) + at(left + 1, top + 1) * across;
  return upper * (1 - down) + lower * down;
}

const smooth = (share: number): number => share * share * (3 - 2 * share);

const BLACK: Color = [0, 0, 0];
const WHITE: Color = [255, 255, 255];

const randomColor = (random: Random): Color => [random() * 256, random() * 256, random() * 256];

const mixed = ([a, b, c]: Color, [x, y, z]: Color, share: number): Color => [
  a + (x - a) * share,
  b + (y - b) * share,
  c + (z - c) * share,
];

/** Numbers that look random and are the same for the same seed (mulberry32). */
function randomFrom(seed: number): Random {
  let state = Math.imul(seed + 1, 0x9e3779b1);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  };
}
