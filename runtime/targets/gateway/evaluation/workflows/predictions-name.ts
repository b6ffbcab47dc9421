/** The name of a dataset with the answers of a model, for example `reviews-openai-small-predictions.csv`. */
export const predictionsName = (filename: string, model: string): string =>
  `${filename.replace(/\.[^.]*$/, '')}-${model.replaceAll('/', '-')}-predictions.csv`;
