/** Maximum cell length. Longer cells usually indicate a malformed file, and are too long for a model. */
export const MAX_CELL_CHARACTERS = 1_048_576;
export const MAX_COLUMNS = 200;
export const MAX_COLUMN_NAME_CHARACTERS = 200;
