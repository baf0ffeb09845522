import { cutText } from './cut-text.ts'

const LONGEST_HEADER = 1_000

/** The values of a header with their quality (RFC 9110, section 12.4.2), in lower case; NaN for a malformed quality. */
export const readQualities = (header: string): ReadonlyMap<string, number> => {
  const qualities = new Map<string, number>()
  for (const part of cutText(header, LONGEST_HEADER).toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((piece) => piece.trim())
    const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
    if (!qualities.has(name)) qualities.set(name, Number(quality ?? 1))
  }
  return qualities
}

export const acceptsHtml = (header = ''): boolean => (readQualities(header).get('text/html') ?? 0) !== 0

/** Whether text is preferred to JSON (RFC 9110, section 12.5.1); not if equal, or if malformed. */
export const prefersText = (header = '*/*'): boolean => {
  const qualities = readQualities(header)
  const quality = (type: string, subtype: string) =>
    qualities.get(`${type}/${subtype}`) ?? qualities.get(`${type}/*`) ?? qualities.get('*/*') ?? 0
  return quality('text', 'plain') > quality('application', 'json')
}
