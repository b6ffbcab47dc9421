/** The settings file of GLiNER models, which the gliner package exports. */
export const GLINER_CONFIG = 'gliner_config.json';

/** The folder in which the gliner package saves the tokenizer of a model's second encoder, which reads labels. */
export const LABEL_TOKENIZER_FOLDER = 'labels_tokenizer';

/** Whether a model's files (paths relative to it) belong to a GLiNER model. */
export const isGlinerAmong = (files: readonly { readonly path: string }[]): boolean =>
  files.some(({ path }) => path === GLINER_CONFIG || path === `onnx/${GLINER_CONFIG}`);

/** The command that exports a GLiNER model, for messages. */
export const glinerExport = (source: string): string =>
  `python -c "from gliner import GLiNER; GLiNER.from_pretrained('${source}').export_to_onnx('./exported')"`;
