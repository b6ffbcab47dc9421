/** Maximum length of a cell. Longer cells are usually a malformed file, and too long for a model. */
export const MAX_CELL_CHARACTERS = 1_048_576;
export const MAX_COLUMNS = 200;
export const MAX_COLUMN_NAME_CHARACTERS = 200;
