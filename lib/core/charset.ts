/** The most bytes in which a page is searched for its encoding; browsers search 1,024. */
const SEARCHED = 4_096

const PARAMETER = /;\s*charset\s*=\s*["']?\s*([^\s"';,]+)/i
const COMMENT = /<!--[\s\S]*?(?:-->|$)/g
const META = /<meta[\s/][^>]*>/gi
const ATTRIBUTE = /([^\s"'>/=]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/g
const XML = /^\s*<\?xml\s[^>]*?\bencoding\s*=\s*["']([^"']+)/i

const MARKS: readonly (readonly [label: string, bytes: readonly number[]])[] = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16be', [0xfe, 0xff]],
  ['utf-16le', [0xff, 0xfe]],
]

const inMark = (bytes: Uint8Array) =>
  MARKS.find(([, mark]) => mark.every((byte, at) => bytes[at] === byte))?.[0]

/** The encoding that a `meta` element names, by `charset` or as the type of its content. */
const inElement = (element: string): string | undefined => {
  const attributes = new Map(
    [...element.matchAll(ATTRIBUTE)].map(([, name = '', ...values]) => [
      name.toLowerCase(),
      values.find((value) => value !== undefined) ?? '',
    ]),
  )
  if (attributes.has('charset')) return attributes.get('charset')
  const isType = attributes.get('http-equiv')?.toLowerCase() === 'content-type'
  return isType ? PARAMETER.exec(`;${attributes.get('content')}`)?.[1] : undefined
}

/** The encoding that a document names at its beginning. It is read as ASCII, so it cannot be UTF-16. */
const inDocument = (bytes: Uint8Array): string | undefined => {
  const beginning = new TextDecoder('latin1').decode(bytes.subarray(0, SEARCHED))
  const elements = beginning.replace(COMMENT, '').match(META) ?? []
  const named = XML.exec(beginning)?.[1] ?? elements.map(inElement).find((label) => label !== undefined)
  return named !== undefined && /^\s*utf-?16/i.test(named) ? 'utf-8' : named
}

/** A decoder for a label of the Encoding standard (https://encoding.spec.whatwg.org/#names-and-labels). */
const decoderFor = (label: string | undefined, fatal = false) => {
  try {
    return label === undefined ? undefined : new TextDecoder(label.trim(), { fatal })
  } catch {
    return undefined
  }
}

/**
 * The text of a document, by its byte order mark, the charset of its Content-Type or what it names itself (HTML,
 * section 13.2.3.2), else as UTF-8; undefined when it is no UTF-8 either. A character that a cut left incomplete is
 * left out.
 */
export const decodedByCharset = (
  bytes: Uint8Array,
  contentType: string,
  isCut: boolean,
): string | undefined => {
  const declared =
    decoderFor(inMark(bytes)) ?? decoderFor(PARAMETER.exec(contentType)?.[1]) ?? decoderFor(inDocument(bytes))
  if (declared !== undefined) return declared.decode(bytes, { stream: isCut })
  try {
    return decoderFor('utf-8', true)?.decode(bytes, { stream: isCut })
  } catch {
    return undefined
  }
}
