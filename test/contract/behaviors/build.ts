import type { Behaviors } from './behavior.ts';

/** Documented behavior of `encoderfile build`. */
export const BUILD = {
  'build:contract-options': {
    source: 'docs/build.md#options',
    behavior: 'build accepts every option in the contract, and flags override the config file.',
  },
  'build:device': {
    source: 'docs/config.md#fields',
    behavior:
      '`device` is the default of --device, which --device and ENCODERFILE_DEVICE override, and inspect prints it. A model that cannot run on a GPU is rejected with `device: gpu`.',
  },
  'build:default-output': {
    source: 'docs/config.md#the-default-file-name',
    behavior:
      'The default output is ./<name>.encoder in the current directory, and every model name results in a valid file name.',
  },
  'build:assets': {
    source: 'docs/build.md#options',
    behavior: '--no-build and build: false write the assets, but no executable.',
  },
  'build:missing-files': {
    source: 'docs/troubleshooting.md#building-a-model',
    behavior: 'Missing model files cause the error messages defined in the contract.',
  },
  'build:folder': {
    source: 'docs/config.md',
    behavior:
      'build accepts a model folder with graphs in onnx/ and without a config file; --variant selects the graph, and inspect shows it.',
  },
  'build:fixed-shape': {
    source: 'docs/config.md',
    behavior:
      'A graph with a fixed number of texts and tokens runs at that shape and returns the same results as a dynamic graph; inspect shows the shape.',
  },
  'build:bad-model': {
    source: 'docs/build.md#if-a-build-fails',
    behavior:
      'A damaged or unsuitable ONNX model causes a one-sentence error and exit code 1, and no file is written.',
  },
  'build:bad-tokenizer': {
    source: 'docs/build.md#if-a-build-fails',
    behavior: 'An invalid tokenizer or a tokenizer from another model is rejected.',
  },
  'build:older-tokenizer': {
    source: 'docs/config.md',
    behavior:
      "A model with vocab.txt, with vocab.json and merges.txt, or with a sentencepiece model instead of tokenizer.json can be built, and POST /tokenize returns the same IDs as transformers' slow tokenizer.",
  },
  'build:safetensors': {
    source: 'docs/config.md',
    behavior:
      'A model with config.json and model.safetensors or pytorch_model.bin instead of an ONNX graph can be built, and returns the same results as transformers.',
  },
  'build:quantize': {
    source: 'docs/config.md',
    behavior:
      "A model that is built with quantize: int8 or bf16 returns nearly the same vectors as in float32, and a text's vector is exactly the same on its own and in a batch.",
  },
  'build:quantize-accuracy': {
    source: 'docs/config.md',
    behavior:
      'A build with --quantize int8 compares its results with float32 and reports the accuracy in its summary and in the manifest; the quantized weights take about a quarter of the space. --quantize bf16 does the same for bfloat16.',
  },
  'build:timing': {
    source: 'docs/build.md',
    behavior:
      'build --timing prints the duration of each step to stderr, as a table or, with --json, as one line of JSON; parts of the output are written while the model is prepared.',
  },
  'build:quantize-refused': {
    source: 'docs/config.md',
    behavior:
      'If int8 or bf16 is not accurate enough, the build fails with the measured value and the threshold, or keeps float32 with quantize: auto; invalid calibration texts also cause an error.',
  },
  'build:bad-safetensors': {
    source: 'docs/config.md',
    behavior:
      'Unsupported architectures, pickle files, missing or mismatched weights, and damaged files are rejected with a reason.',
  },
  'build:bad-vocabulary': {
    source: 'docs/config.md',
    behavior: 'A damaged vocabulary causes a one-sentence error and exit code 1, and no file is written.',
  },
  'build:bad-labels': {
    source: 'docs/build.md#if-a-build-fails',
    behavior:
      'A model without labels or with too few labels is rejected, and the error shows the expected and the actual number of labels.',
  },
  'build:bad-config': {
    source: 'docs/config.md#errors',
    behavior: 'For an invalid config, the error shows the file, line and column of every problem.',
  },
  'build:transform': {
    source: 'docs/build.md#changing-the-output',
    behavior:
      'A transform, either inline or in a file, becomes part of the executable and computes the scores.',
  },
  'build:transform-file': {
    source: 'docs/transforms.md#errors',
    behavior: 'A transform file that is missing, too large or a folder is rejected.',
  },
  'build:transform-syntax': {
    source: 'docs/transforms.md#errors',
    behavior:
      'A transform with a Lua syntax error is rejected with the line number; for an inline transform, this is the line in the config file.',
  },
  'build:transform-trial': {
    source: 'docs/transforms.md#errors',
    behavior:
      "The build tests a transform on the model's output; if the transform fails, the error shows the line and how to skip this trial.",
  },
  'build:transform-shape': {
    source: 'docs/transforms.md#arguments-and-result',
    behavior:
      'A transform whose result does not have the shape that its model type requires is rejected, and the error shows both shapes.',
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
    behavior: 'A transform that exceeds a limit or contains a function that never returns is rejected.',
  },
  'build:bad-output': {
    source: 'docs/build.md#if-a-build-fails',
    behavior:
      'An output path that is a folder, not writable or on a full disk is rejected, and an existing file stays intact.',
  },
  'build:output-is-input': {
    source: 'docs/config.md',
    behavior:
      'An output path that is the config, a model file or the base runtime is rejected, even with --force.',
  },
  'build:other-output': {
    source: 'docs/config.md',
    behavior:
      'An output file that was built from another config, or was not written by encoderfile, is replaced only with --force.',
  },
  'build:damaged-cache': {
    source: 'docs/build.md#if-a-build-fails',
    behavior:
      'A damaged base runtime is rebuilt if it is in the cache, and rejected if it was passed explicitly.',
  },
  'build:read-only-cache': {
    source: 'docs/build.md#if-a-build-fails',
    behavior: 'A read-only cache can be used if it contains the base runtime; a full disk causes an error.',
  },
  'build:two-at-once': {
    source: 'docs/build.md#options',
    behavior:
      'Two parallel builds with the same output path both succeed, and the resulting file is complete.',
  },
  'build:killed': {
    source: 'docs/build.md#if-a-build-fails',
    behavior:
      'kill -9 during a build leaves the existing file intact, and the next build removes the temporary files.',
  },
  'build:cache-directory': {
    source: 'docs/troubleshooting.md#building-a-model',
    behavior:
      "Without a home folder, the build fails with 'Cannot locate cache directory' and names the variable to set.",
  },
  'build:license': {
    source: 'docs/config.md',
    behavior:
      "A model's license is taken from the config, the model card or a license file; the executable contains the license text and the model card.",
  },
  'build:documents': {
    source: 'docs/config.md',
    behavior: 'A model card or license file that cannot be used is skipped with a warning.',
  },
  'build:platform': {
    source: 'docs/platforms.md',
    behavior:
      'Platforms can be specified by triple or by short name; unknown platforms are rejected with a suggestion, and with --no-download, so are platforms that require a download.',
  },
  'build:oci': {
    source: 'docs/oci.md',
    behavior:
      '--format oci writes an OCI image to a folder, and the model runs with the libraries in the image.',
  },
  'build:oci-archive': {
    source: 'docs/oci.md',
    behavior: 'An image whose name ends in .tar is written as an archive that is byte-for-byte reproducible.',
  },
  'build:oci-base-image': {
    source: 'docs/oci.md',
    behavior: '--base-image extends an image from an OCI layout and keeps its layers, user and variables.',
  },
  'build:oci-refusals': {
    source: 'docs/oci.md',
    behavior:
      'An invalid format, base image or image output causes a one-sentence error, and existing files stay intact.',
  },
  'build:oci-full-disk': {
    source: 'docs/oci.md',
    behavior:
      'If the disk fills up while an image is written, the build fails with a one-sentence error and leaves no files behind.',
  },
  'build:one-file': {
    source: 'docs/install.md#the-single-file-build-tool',
    behavior:
      'The single-file build tool builds, validates and inspects models without npm, Node, network access or other files.',
  },
  'build:one-file-same': {
    source: 'docs/install.md#the-single-file-build-tool',
    behavior:
      'The single-file build tool and the build tool run from source write byte-for-byte identical executables.',
  },
  'build:one-file-refusals': {
    source: 'docs/install.md#the-single-file-build-tool',
    behavior:
      'The single-file build tool does not overwrite itself, does not build programs that it does not contain, and does not run if it is damaged.',
  },
  'build:one-file-platform': {
    source: 'docs/install.md#the-single-file-build-tool',
    behavior: 'The build tool for another platform serves as the base runtime for that platform.',
  },
} as const satisfies Behaviors;
