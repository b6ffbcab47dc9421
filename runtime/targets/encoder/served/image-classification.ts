import { type Static, Type } from 'typebox';
import type { Manifest } from '#contract/manifest.ts';
import { asImageInput } from '../engine/image-input.ts';
import { readRenderedJson } from '../json/json.ts';
import { EXAMPLE_IMAGE, imageMember, imageMembers } from '../schemas/images.ts';
import { HUGGING_FACE_NOTE, isHuggingFaceBody } from './hugging-face.ts';
import { atLeastOne } from '../schemas/texts.ts';
import { labelsOf } from './labels.ts';
import {
  classificationExample,
  classificationResult,
  labelsView,
  predictions,
  rankingParameters,
  topLabels,
} from './sequence-classification.ts';
import type { BodyOf, HuggingFaceTask, ServedType } from './served-type.ts';

const options = { top_k: topLabels };

const foreignRequest = ({ scoreFunction = 'softmax' }: Manifest) =>
  Type.Object(
    { inputs: imageMember, parameters: rankingParameters(scoreFunction) },
    { $id: 'ClassifyImageRequest' },
  );

/** The Inference API returns five labels by default. */
const DEFAULT_LABELS = 5;

const huggingFace: HuggingFaceTask<Static<ReturnType<typeof foreignRequest>>> = {
  request: foreignRequest,
  response: Type.Intersect([predictions], { $id: 'ClassifyImageResponse' }),
  example: () => ({
    request: { inputs: EXAMPLE_IMAGE },
    response: [{ label: 'circle', score: 0.98 }],
  }),
  isTheirs: isHuggingFaceBody,
  note: HUGGING_FACE_NOTE,
  async answer({ manifest }, { inputs, parameters }, run) {
    const { results } = await run({
      inputs: [asImageInput(inputs)],
      view: labelsView(parameters ? { parameters } : {}, manifest, parameters?.top_k ?? DEFAULT_LABELS),
    });
    const [ranked = []] = results.map(readRenderedJson);
    return ranked;
  },
};

export const servedImageClassification: ServedType<BodyOf<typeof options, string>> = {
  texts: {
    summary: 'Classify each image.',
    tool: 'Classifies images, which are given in base64 or as data: URLs.',
  },
  request: (_, { maxClientBatch }) => ({ inputs: imageMembers(maxClientBatch), options }),
  result: () => classificationResult,
  example: classificationExample,
  info: (manifest) => ({ image_classifier: labelsOf(manifest) }),
  predict: { plan: (_, { top_k }) => ({ options: { topK: atLeastOne('top_k', top_k) } }) },
  huggingFace,
  grpc: async () => (await import('#gen/encoder/image_classification_pb.ts')).ImageClassification,
};
