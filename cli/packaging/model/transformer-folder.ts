/** Folder with config.json, the tokenizer and the weights of a model that an older sentence-transformers saved. */
export const TRANSFORMER_FOLDER = '0_Transformer';
