import type { Behaviors } from './behavior.ts';

/** What `encoderfile build` promises. */
export const BUILD = {
  'build:contract-options': {
    source: 'docs/build.md#options',
    behavior: 'build takes every option of the contract; flags override the config file.',
  },
  'build:default-output': {
    source: 'docs/config.md#the-default-file-name',
    behavior:
      'The default output is ./<name>.encoder in the current directory; any model name gives a usable file name.',
  },
  'build:assets': {
    source: 'docs/build.md#options',
    behavior: '--no-build and build: false write the assets without an executable.',
  },
  'build:missing-files': {
    source: 'docs/troubleshooting.md#building-a-model',
    behavior: 'Missing model files cause the error messages of the contract.',
  },
  'build:folder': {
    source: 'docs/config.md',
    behavior:
      'build takes a model folder with its graphs in onnx/ and no config file; --variant selects the graph, and inspect shows it.',
  },
  'build:fixed-shape': {
    source: 'docs/config.md',
    behavior:
      'A graph with a fixed number of texts and tokens runs at that shape, with the same results as without it; inspect shows the shape.',
  },
  'build:bad-model': {
    source: 'docs/build.md#if-a-build-fails',
    behavior:
      'A damaged or unsuitable ONNX model causes a one-sentence error and exit code 1, and nothing is written.',
  },
  'build:bad-tokenizer': {
    source: 'docs/build.md#if-a-build-fails',
    behavior: 'An invalid tokenizer, or one from another model, is rejected.',
  },
  'build:older-tokenizer': {
    source: 'docs/config.md',
    behavior:
      'A model with vocab.txt, with vocab.json and merges.txt, or with a sentencepiece model instead of tokenizer.json can be built, and POST /tokenize returns the IDs of the slow tokenizer.',
  },
  'build:safetensors': {
    source: 'docs/config.md',
    behavior:
      'A model with config.json and model.safetensors instead of an ONNX graph can be built, and returns the same results as transformers.',
  },
  'build:quantize': {
    source: 'docs/config.md',
    behavior:
      'A model with quantize: int8 returns nearly the same vectors as in float32, and exactly the same vector for a text alone and in a batch.',
  },
  'build:quantize-accuracy': {
    source: 'docs/config.md',
    behavior:
      'A build with --quantize int8 compares its results with float32 and reports the accuracy in its summary and in the manifest; its weights take about a quarter of the space.',
  },
  'build:timing': {
    source: 'docs/build.md',
    behavior:
      'build --timing prints the duration of each step on stderr: a table, or one line of JSON with --json; parts of the output are written while the model is prepared.',
  },
  'build:quantize-refused': {
    source: 'docs/config.md',
    behavior:
      'A build fails with the measured value and the threshold if int8 is not accurate enough, and for invalid calibration texts; quantize: auto keeps float32 instead.',
  },
  'build:bad-safetensors': {
    source: 'docs/config.md',
    behavior:
      'Unsupported architectures, pickle files, missing or mismatched weights, and damaged files are rejected with a reason.',
  },
  'build:bad-vocabulary': {
    source: 'docs/config.md',
    behavior: 'A damaged vocabulary causes a one-sentence error and exit code 1, and nothing is written.',
  },
  'build:bad-labels': {
    source: 'docs/build.md#if-a-build-fails',
    behavior: 'Missing or too few labels are rejected with both numbers.',
  },
  'build:bad-config': {
    source: 'docs/config.md#errors',
    behavior: 'An invalid config is reported with the file, line and column of every problem.',
  },
  'build:transform': {
    source: 'docs/build.md#changing-the-output',
    behavior: 'A transform, inline or in a file, becomes part of the executable and computes its scores.',
  },
  'build:transform-file': {
    source: 'docs/transforms.md#errors',
    behavior: 'A transform file that is missing, a folder or far too large is rejected.',
  },
  'build:transform-syntax': {
    source: 'docs/transforms.md#errors',
    behavior:
      'A transform with a Lua syntax error is rejected with its line; for an inline transform, that is the line in the config file.',
  },
  'build:transform-trial': {
    source: 'docs/transforms.md#errors',
    behavior:
      "The build first runs a transform on the model's output; an error shows the line and how to skip the trial.",
  },
  'build:transform-shape': {
    source: 'docs/transforms.md#arguments-and-result',
    behavior:
      'A transform whose result does not have the shape that its model type requires is rejected with both shapes.',
  },
  'build:transform-not-finite': {
    source: 'docs/transforms.md',
    behavior:
      "A transform that returns NaN or infinity for the model's own output is rejected by build and validate.",
  },
  'build:model-not-finite': {
    source: 'docs/build.md#if-a-build-fails',
    behavior: 'A model that returns NaN or infinity for a sample text is rejected.',
  },
  'build:transform-postprocess': {
    source: 'docs/transforms.md#arguments-and-result',
    behavior: 'A transform without Postprocess is rejected.',
  },
  'build:transform-unvalidated': {
    source: 'docs/transforms.md#errors',
    behavior: 'validate_transform: false skips the trial; a script with a syntax error is still rejected.',
  },
  'build:transform-limits': {
    source: 'docs/transforms.md#limits',
    behavior:
      'A transform that exceeds a limit, or has a function that never returns, is rejected, and the build ends.',
  },
  'build:bad-output': {
    source: 'docs/build.md#if-a-build-fails',
    behavior:
      'An output path that is a folder, unwritable or on a full disk is rejected; an existing file stays intact.',
  },
  'build:output-is-input': {
    source: 'docs/config.md',
    behavior:
      'An output path that is the config, a model file or the base runtime is rejected, even with --force.',
  },
  'build:other-output': {
    source: 'docs/config.md',
    behavior:
      'A file that another config built, or that encoderfile did not write, is only replaced with --force.',
  },
  'build:damaged-cache': {
    source: 'docs/build.md#if-a-build-fails',
    behavior:
      'A damaged base runtime in the cache is rebuilt; a damaged one that was passed explicitly is rejected.',
  },
  'build:read-only-cache': {
    source: 'docs/build.md#if-a-build-fails',
    behavior: 'A read-only cache that contains the base runtime works; a full cache disk is reported.',
  },
  'build:two-at-once': {
    source: 'docs/build.md#options',
    behavior: 'Two parallel builds to the same output both succeed, and the file is complete.',
  },
  'build:killed': {
    source: 'docs/build.md#if-a-build-fails',
    behavior:
      'kill -9 during a build leaves the existing file intact; the next build removes temporary files.',
  },
  'build:cache-directory': {
    source: 'docs/troubleshooting.md#building-a-model',
    behavior: "Without a home folder, the error is 'Cannot locate cache directory' with the variable to set.",
  },
  'build:license': {
    source: 'docs/config.md',
    behavior:
      "A model's license comes from the config, the model card or a license file; the executable contains its text and the card.",
  },
  'build:documents': {
    source: 'docs/config.md',
    behavior: 'A model card or license file that cannot be used is skipped with a warning.',
  },
  'build:platform': {
    source: 'docs/platforms.md',
    behavior:
      'Platforms have triples and short names; unknown ones are rejected with a suggestion, as is a download that is not allowed.',
  },
  'build:oci': {
    source: 'docs/oci.md',
    behavior: '--format oci writes an OCI image as a folder; its model runs with the libraries in the image.',
  },
  'build:oci-archive': {
    source: 'docs/oci.md',
    behavior:
      'An image whose name ends in .tar is written as an archive, which is byte-for-byte reproducible.',
  },
  'build:oci-base-image': {
    source: 'docs/oci.md',
    behavior: '--base-image extends an image from an OCI layout: its layers, user and variables are kept.',
  },
  'build:oci-refusals': {
    source: 'docs/oci.md',
    behavior:
      'An invalid format, base image or image output causes a one-sentence error, and existing files stay intact.',
  },
  'build:oci-full-disk': {
    source: 'docs/oci.md',
    behavior:
      'A full disk while an image is written causes a one-sentence error, and nothing is left behind.',
  },
  'build:one-file': {
    source: 'docs/install.md#the-single-file-build-tool',
    behavior:
      'The single-file build tool builds, validates and inspects models without npm, Node, a network or other files.',
  },
  'build:one-file-same': {
    source: 'docs/install.md#the-single-file-build-tool',
    behavior: 'The single-file build tool writes the same executable, byte for byte, as the one from source.',
  },
  'build:one-file-refusals': {
    source: 'docs/install.md#the-single-file-build-tool',
    behavior:
      'The single-file build tool does not overwrite itself, does not build programs that it does not contain, and does not run if damaged.',
  },
  'build:one-file-platform': {
    source: 'docs/install.md#the-single-file-build-tool',
    behavior: "Another platform's build tool serves as the base runtime for that platform.",
  },
} as const satisfies Behaviors;
