/** The file with the settings of a GLiNER model, whose package exports it. */
export const GLINER_CONFIG = 'gliner_config.json';

/** Whether files of a model, with paths relative to it, are those of a GLiNER model. */
export const isGlinerAmong = (files: readonly { readonly path: string }[]): boolean =>
  files.some(({ path }) => path === GLINER_CONFIG || path === `onnx/${GLINER_CONFIG}`);

/** The command that exports a GLiNER model, for messages. */
export const glinerExport = (source: string): string =>
  `python -c "from gliner import GLiNER; GLiNER.from_pretrained('${source}').export_to_onnx('./exported')"`;
