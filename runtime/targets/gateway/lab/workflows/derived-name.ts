/** How a dataset is called that holds what a model answered, as `reviews-openai-small-predictions.csv`. */
export const derivedName = (filename: string, model: string): string =>
  `${filename.replace(/\.[^.]*$/, '')}-${model.replaceAll('/', '-')}-predictions.csv`;
