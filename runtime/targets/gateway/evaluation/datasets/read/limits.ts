/** Maximum cell length. Longer cells usually indicate a malformed file, and are too long for a model. */
export const MAX_CELL_CHARACTERS = 1_048_576;
/** Maximum length of an image in a cell, for files of 6 MiB in base64. Models resize images to much fewer pixels. */
export const MAX_IMAGE_CHARACTERS = 8 * MAX_CELL_CHARACTERS;
/** Maximum length of a row in CSV. A longer one usually indicates a missing closing quote. */
export const MAX_RECORD_CHARACTERS = 2 * MAX_IMAGE_CHARACTERS;
export const MAX_COLUMNS = 200;
export const MAX_COLUMN_NAME_CHARACTERS = 200;
