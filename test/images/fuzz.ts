import { damageImage, decodeDamaged } from '../helpers/damage-image.ts';
import { imageFile, imageFiles } from '../helpers/golden-images.ts';

// `npm run test:images:fuzz [-- COUNT]`: decodes damaged copies of all image files, 100,000 by default. Each of them must have pixels or
// one sentence as its result. Prints the numbers, the slowest files and the memory. Exit code 1 after the first other result.

const count = Number(process.argv[2] ?? 100_000);
/** Decoding one of the small files takes milliseconds. */
const MAX_MS = 2000;
/** Large files say nothing more, and take most of the time. */
const MAX_BYTES = 30_000;

const files = imageFiles()
  .map((name) => ({ name, bytes: imageFile(name) }))
  .filter(({ bytes }) => bytes.length <= MAX_BYTES);
const results = { pixels: 0, sentence: 0 };
let slowest = { ms: 0, what: '' };
const start = performance.now();
for (let seed = 0; seed < count; seed += 1) {
  const { name, bytes } = files[seed % files.length] ?? { name: '', bytes: Buffer.alloc(0) };
  const before = performance.now();
  try {
    results[await decodeDamaged(damageImage(bytes, Math.floor(seed / files.length)))] += 1;
  } catch (error) {
    console.error(`${name}, seed ${Math.floor(seed / files.length)}:`, error);
    process.exit(1);
  }
  const ms = performance.now() - before;
  if (ms > slowest.ms) slowest = { ms, what: `${name}, seed ${Math.floor(seed / files.length)}` };
}
const seconds = (performance.now() - start) / 1000;
console.log(
  `${count} damaged images of ${files.length} files in ${seconds.toFixed(0)} s: ${results.pixels} with pixels, ${results.sentence} with a sentence.`,
);
console.log(`Slowest: ${slowest.ms.toFixed(0)} ms (${slowest.what}).`);
console.log(`Memory of the process: ${Math.round(process.memoryUsage.rss() / 1e6)} MB.`);
if (slowest.ms > MAX_MS) process.exitCode = 1;
