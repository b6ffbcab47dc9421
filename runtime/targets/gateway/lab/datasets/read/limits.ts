/** Of one cell: more is a file that was put together wrongly, and no text for a model. */
export const MOST_CELL_CHARACTERS = 1_048_576;
export const MOST_COLUMNS = 200;
export const MOST_NAME_CHARACTERS = 200;
