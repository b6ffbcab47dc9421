import { join } from 'node:path';
import type { Contestant } from './contestant.ts';
import type { PreparedModel } from './prepare-model.ts';

/** FastAPI servers: with ONNX Runtime, OpenVINO and fastembed, each with both precisions. */
export const pythonPeers = (python: string, model: PreparedModel): Contestant[] =>
  (['fp32', 'int8'] as const).flatMap((precision) =>
    Object.entries(KINDS).map(([kind, { name, graph }]) => {
      const script = [join(import.meta.dirname, 'server.py'), kind, model.folder, graph(model, precision)];
      // The folder is complete; the library must not search for it elsewhere.
      const env = { HF_HUB_OFFLINE: '1', TOKENIZERS_PARALLELISM: 'true' };
      return {
        name: `${name} ${precision}`,
        precision,
        isOurs: false,
        path: '/v1/embeddings',
        serve: (port) => ({ command: python, args: [...script, String(port)], env }),
        once: (text) => ({ command: python, args: [...script, 'once', text], env }),
      };
    }),
  );

interface Kind {
  readonly name: string;
  readonly graph: (model: PreparedModel, precision: Contestant['precision']) => string;
}

const KINDS: Readonly<Record<string, Kind>> = {
  ort: { name: 'FastAPI + ORT', graph: (model, precision) => model[precision] },
  openvino: {
    name: 'FastAPI + OpenVINO',
    graph: ({ fp32, openvinoInt8 }, precision) => (precision === 'fp32' ? fp32 : openvinoInt8),
  },
  fastembed: { name: 'fastembed', graph: (model, precision) => model[precision] },
};
