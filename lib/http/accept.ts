import { PAGE_ENCODINGS, type PageEncoding } from '../ports/page-files.ts'

/** The values of a header with a quality above 0, in lower case (RFC 9110, section 12.4.2). */
const listed = (header: string | undefined): { names: string[]; refused: string[] } => {
  const names: string[] = []
  const refused: string[] = []
  for (const part of (header ?? '').toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((piece) => piece.trim())
    const isRefused = parameters.some((parameter) => /^q=0(?:\.0{0,3})?$/.test(parameter))
    ;(isRefused ? refused : names).push(name)
  }
  return { names, refused }
}

/** The encodings that a caller accepts, the smallest first. */
export const acceptedEncodings = (header: string | undefined): PageEncoding[] => {
  const { names, refused } = listed(header)
  return PAGE_ENCODINGS.filter(
    (encoding) => names.includes(encoding) || (names.includes('*') && !refused.includes(encoding)),
  )
}

export const acceptsHtml = (header: string | undefined): boolean => listed(header).names.includes('text/html')
