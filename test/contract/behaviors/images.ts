import type { Behaviors } from './behavior.ts';

/** Documented behavior of models that read images. */
export const IMAGES = {
  'images:golden': {
    source: 'docs/images.md#results',
    behavior:
      'Scores and vectors of JPEG, PNG, WebP and GIF images are equal to those of transformers over every protocol, alone and together.',
  },
  'images:forms': {
    source: 'docs/images.md#requests',
    behavior:
      'An image can be sent in base64, as a data: URL, as a file in a form, or as the body, and in the forms of other APIs, with the same result.',
  },
  'images:infer': {
    source: 'docs/images.md#command-line',
    behavior:
      'infer reads paths of images, also from a file with a path on each line; one bad image of a file does not stop the others.',
  },
  'images:folder': {
    source: 'docs/images.md#command-line',
    behavior:
      'infer reads the images in a folder in the order of their names, and names them in the output; an output that is one of the images is rejected.',
  },
  'images:limits': {
    source: 'docs/images.md#limits',
    behavior:
      'infer reads an image from standard input, and flags set the largest image in bytes and in pixels.',
  },
  'images:int8': {
    source: 'docs/images.md#int8',
    behavior:
      'A model of images is quantized with drawn images, and the build fails if its results differ too much.',
  },
  'images:unreadable': {
    source: 'docs/images.md#command-line',
    behavior:
      'An image that cannot be read is one error that names its path: a missing file, a folder, a link to itself. The other images of the file or folder have results.',
  },
  'images:urls': {
    source: 'docs/images.md#urls',
    behavior:
      'infer fetches images only from the hosts in --allow-image-urls, also after a redirect, and rejects URLs by default.',
  },
  'images:served-urls': {
    source: 'docs/images.md#urls',
    behavior:
      'A server fetches images only from the hosts in --allow-image-urls over HTTP, MCP and the APIs of OpenAI, Cohere and TEI, and rejects URLs by default.',
  },
  'images:served-limits': {
    source: 'docs/images.md#limits',
    behavior:
      'A server rejects images that exceed its limits over every protocol, and reports the limits in /model.',
  },
  'images:refused': {
    source: 'docs/images.md#limits',
    behavior:
      'Files that are not images, damaged ones and huge ones are rejected with one sentence that names the input.',
  },
  'images:channels-last': {
    source: 'docs/images.md',
    behavior:
      'A graph whose images have the channels as their last axis returns the same results as one with the channels first, alone and in a batch.',
  },
  'images:build': {
    source: 'docs/images.md#build',
    behavior:
      'A folder with weights or an ONNX graph and preprocessor_config.json builds without settings; settings for texts are rejected.',
  },
  'images:masks': {
    source: 'docs/images.md#segmentation',
    behavior:
      'The masks of image_segmentation models are equal to those of transformers, pixel for pixel, over every protocol, alone and together.',
  },
  'images:mask-forms': {
    source: 'docs/images.md#segmentation',
    behavior:
      'Masks are run-length by default and PNG files on request; the Inference API returns the same PNG files.',
  },
  'images:infer-masks': {
    source: 'docs/images.md#segmentation',
    behavior: 'infer prints masks in both forms; other models reject --mask.',
  },
  'images:build-segmentation': {
    source: 'docs/images.md#segmentation',
    behavior:
      'SegFormer is built from weights and recognized by its class; models that return masks of objects are rejected.',
  },
} as const satisfies Behaviors;
