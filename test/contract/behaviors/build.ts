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
      'The default output is ./<name>.encoder in the current directory; names of any kind give a usable file.',
  },
  'build:assets': {
    source: 'docs/build.md#options',
    behavior: '--no-build and build: false write the assets without an executable.',
  },
  'build:missing-files': {
    source: 'docs/troubleshooting.md#building-a-model',
    behavior: 'Missing model files give the messages of the contract.',
  },
  'build:folder': {
    source: 'docs/config.md',
    behavior:
      'build takes a model folder with its graphs in onnx/ and no config file; --variant selects the graph, and inspect shows it.',
  },
  'build:fixed-shape': {
    source: 'docs/config.md',
    behavior:
      'A graph with a fixed number of texts and tokens is served at that shape with the results of the graph without it; inspect shows the shape.',
  },
  'build:bad-model': {
    source: 'docs/build.md#if-a-build-fails',
    behavior: 'A broken or unfit ONNX model is one clear sentence, exit code 1, and nothing is written.',
  },
  'build:bad-tokenizer': {
    source: 'docs/build.md#if-a-build-fails',
    behavior: 'An invalid tokenizer, or that of another model, is refused.',
  },
  'build:older-tokenizer': {
    source: 'docs/config.md',
    behavior:
      'A model with vocab.txt, vocab.json and merges.txt, or a sentencepiece model instead of tokenizer.json is built, and POST /tokenize gives the ids of the slow tokenizer.',
  },
  'build:safetensors': {
    source: 'docs/config.md',
    behavior:
      'A model with config.json and model.safetensors instead of an ONNX graph is built, and returns what transformers returns.',
  },
  'build:quantize': {
    source: 'docs/config.md',
    behavior:
      'A model with quantize: int8 is served with nearly the vectors of float32, and each text has exactly the same one alone and among others.',
  },
  'build:quantize-accuracy': {
    source: 'docs/config.md',
    behavior:
      'A build with --quantize int8 compares its results with float32, states the accuracy in its summary and in the manifest, and its weights take about a quarter of the space.',
  },
  'build:timing': {
    source: 'docs/build.md',
    behavior:
      'build --timing prints on stderr how long each step takes: a table, or one line of JSON with --json; parts of the output are written while the model is prepared.',
  },
  'build:quantize-refused': {
    source: 'docs/config.md',
    behavior:
      'A build fails with the number and the threshold if the int8 form is not accurate enough, and for invalid calibration texts; quantize: auto keeps float32 instead.',
  },
  'build:bad-safetensors': {
    source: 'docs/config.md',
    behavior:
      'Architectures that have no graph, pickle files, weights that are missing or do not fit, and damaged files are refused with a sentence.',
  },
  'build:bad-vocabulary': {
    source: 'docs/config.md',
    behavior: 'A broken vocabulary is one clear sentence, exit code 1, and nothing is written.',
  },
  'build:bad-labels': {
    source: 'docs/build.md#if-a-build-fails',
    behavior: 'Missing or too few labels are refused with the numbers.',
  },
  'build:bad-config': {
    source: 'docs/config.md#errors',
    behavior: 'A broken config names file, line and column of every problem together.',
  },
  'build:transform': {
    source: 'docs/build.md#changing-the-output',
    behavior: 'A transform, inline or in a file, is part of the executable and makes its scores.',
  },
  'build:transform-file': {
    source: 'docs/transforms.md#errors',
    behavior: 'A transform file that is missing, a folder or far too large is refused.',
  },
  'build:transform-syntax': {
    source: 'docs/transforms.md#errors',
    behavior:
      'A transform that is not Lua is refused with its line, which inline is that of the config file.',
  },
  'build:transform-trial': {
    source: 'docs/transforms.md#errors',
    behavior:
      "A transform is run on the model's output before the build; an error names the line, shows it and how to skip the trial.",
  },
  'build:transform-shape': {
    source: 'docs/transforms.md#arguments-and-result',
    behavior:
      'A transform whose result has another shape than its model type needs is refused with both shapes.',
  },
  'build:transform-not-finite': {
    source: 'docs/transforms.md',
    behavior:
      "A transform that returns NaN or infinity for the model's own output is refused by build and validate.",
  },
  'build:model-not-finite': {
    source: 'docs/build.md#if-a-build-fails',
    behavior: 'A model that returns NaN or infinity for a sample text is refused.',
  },
  'build:transform-postprocess': {
    source: 'docs/transforms.md#arguments-and-result',
    behavior: 'A transform without Postprocess is refused.',
  },
  'build:transform-unvalidated': {
    source: 'docs/transforms.md#errors',
    behavior:
      'validate_transform: false leaves out the trial; a script that is not Lua is refused all the same.',
  },
  'build:transform-limits': {
    source: 'docs/transforms.md#limits',
    behavior:
      'A transform that passes a limit, or never comes back from a function, is refused, and the build ends.',
  },
  'build:bad-output': {
    source: 'docs/build.md#if-a-build-fails',
    behavior:
      'An output path that is a folder, unwritable or on a full disk is refused; an old file stays intact.',
  },
  'build:output-is-input': {
    source: 'docs/config.md',
    behavior:
      'An output that is the config, a file of the model or the base runtime is refused, also with --force.',
  },
  'build:other-output': {
    source: 'docs/config.md',
    behavior:
      'A file that another config built, or that encoderfile did not write, is replaced with --force only.',
  },
  'build:damaged-cache': {
    source: 'docs/build.md#if-a-build-fails',
    behavior: 'A damaged base runtime in the cache is made again; a damaged one that was named is refused.',
  },
  'build:read-only-cache': {
    source: 'docs/build.md#if-a-build-fails',
    behavior: 'A read-only cache that holds the base runtime works; a full disk of the cache is named.',
  },
  'build:two-at-once': {
    source: 'docs/build.md#options',
    behavior: 'Two parallel builds to the same output both succeed, and the file is whole.',
  },
  'build:killed': {
    source: 'docs/build.md#if-a-build-fails',
    behavior:
      'kill -9 during a build leaves the old file intact; the next build removes what was left behind.',
  },
  'build:cache-directory': {
    source: 'docs/troubleshooting.md#building-a-model',
    behavior: "Without a home folder the error is 'Cannot locate cache directory' with the variable to set.",
  },
  'build:license': {
    source: 'docs/config.md',
    behavior:
      'The license of a model comes from the config, the model card or a license file; its text and the card are in the executable.',
  },
  'build:documents': {
    source: 'docs/config.md',
    behavior: 'A model card or license file that cannot be used is left out with a warning.',
  },
  'build:platform': {
    source: 'docs/platforms.md',
    behavior:
      'Platforms have triples and short names; unknown ones are refused with a suggestion, as is a download that is forbidden.',
  },
  'build:oci': {
    source: 'docs/oci.md',
    behavior: '--format oci writes an OCI image as a folder; its model runs with the libraries inside it.',
  },
  'build:oci-archive': {
    source: 'docs/oci.md',
    behavior:
      'An image whose name ends in .tar is an archive, which is the same, byte for byte, for the same input.',
  },
  'build:oci-base-image': {
    source: 'docs/oci.md',
    behavior: '--base-image extends an image of an OCI layout: its layers, user and variables are kept.',
  },
  'build:oci-refusals': {
    source: 'docs/oci.md',
    behavior:
      'An invalid format, base image or output of an image is one clear sentence, and what is there stays intact.',
  },
  'build:oci-full-disk': {
    source: 'docs/oci.md',
    behavior: 'A full disk while an image is written is one clear sentence, and nothing is left behind.',
  },
  'build:one-file': {
    source: 'docs/install.md#the-build-tool-as-one-file',
    behavior:
      'The build tool as one file builds, checks and describes models without npm, Node, a network or files next to it.',
  },
  'build:one-file-same': {
    source: 'docs/install.md#the-build-tool-as-one-file',
    behavior: 'The build tool as one file writes the same executable, byte for byte, as the one from source.',
  },
  'build:one-file-refusals': {
    source: 'docs/install.md#the-build-tool-as-one-file',
    behavior:
      'The build tool as one file refuses to overwrite itself, to build what it does not carry, and to run when damaged.',
  },
  'build:one-file-platform': {
    source: 'docs/install.md#the-build-tool-as-one-file',
    behavior: 'The build tool of another platform is the base runtime for that platform.',
  },
} as const satisfies Behaviors;
