/**
 * Encodes the percent signs of the segments `%2e` and `%2e%2e`. URL parsers resolve them like `.` and `..`, so the request would get
 * another route than its path shows, and than a proxy has checked.
 */
export function keepDotSegments(url: string): string {
  if (!/%2e/i.test(url)) return url;
  const end = url.indexOf('?');
  const path = end === -1 ? url : url.slice(0, end);
  const kept = path.replaceAll(/(?<=\/)(?:\.|%2e){1,2}(?=\/|$)/gi, (segment) =>
    segment.replaceAll('%', '%25'),
  );
  return kept + url.slice(path.length);
}
