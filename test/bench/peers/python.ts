import { join } from 'node:path';
import type { Contestant } from './contestant.ts';
import type { PreparedModel } from './prepare-model.ts';

/** FastAPI servers: with ONNX Runtime and with fastembed, each with both graphs. */
export const pythonPeers = (python: string, model: PreparedModel): Contestant[] =>
  (['fp32', 'int8'] as const).flatMap((precision) =>
    (['ort', 'fastembed'] as const).map((kind) => {
      const script = [join(import.meta.dirname, 'server.py'), kind, model.folder, model[precision]];
      // The folder is complete; the library must not search for it elsewhere.
      const env = { HF_HUB_OFFLINE: '1', TOKENIZERS_PARALLELISM: 'true' };
      return {
        name: `${kind === 'ort' ? 'FastAPI + ORT' : 'fastembed'} ${precision}`,
        precision,
        isOurs: false,
        path: '/v1/embeddings',
        serve: (port) => ({ command: python, args: [...script, String(port)], env }),
        once: (text) => ({ command: python, args: [...script, 'once', text], env }),
      };
    }),
  );
